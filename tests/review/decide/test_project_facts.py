"""What the window shows of a whole project: releases and their turnaround, search, the ledger, a reviewer's desk."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.cli.small import FORMAL_PLAN, write_small
from workbench.core.passphrase import Passphrase
from workbench.policy.text import from_text
from workbench.project.signing.keys import KeyStore
from workbench.review.budget.ledger_book import books, csv_bytes
from workbench.review.decide.dashboard import dashboard, found, spell
from workbench.review.decide.desk import desk_of, overspends
from workbench.review.workspace import Workspace

POLICY = """[policy]
name = "office"
version = 1
[epsilon]
edge = 2
[review]
reviewers = 2
blinded = true
exceptions_by = ["Head of unit"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases by Ana: one approved by Ben under no policy, one drawn, one drawn with more ε than is left."""
    where = tmp_path_factory.mktemp("facts")
    write_small(where)
    for epsilon, title in (("1.5", "=SUM(A1) Zürich"), ("0.25", "Second"), ("1.25", "Third")):
        text = FORMAL_PLAN.replace("epsilon = 1.5", f"epsilon = {epsilon}").replace("Jobs by place and sector", title)
        (where / "plan.toml").write_text(text, encoding="utf-8")
        ran = dwb("run", where / "plan.toml", "--project", where / "review.dwb", "--preparer", "Ana", "--json")
        assert ran.code == 0, ran.err
        if epsilon == "1.5":
            words = ("--approve", "--reviewer", "Ben", "--comment", "Looks pristine")
            assert dwb("decide", where / "review.dwb", "R-0001", *words).code == 0
    return where


@pytest.fixture
def workspace(folder: Path, tmp_path: Path) -> Iterator[Workspace]:
    copy = tmp_path / "review.dwb"
    copy.write_bytes((folder / "review.dwb").read_bytes())
    opened = Workspace()
    opened.open(copy, person="Cleo")
    opened.set_policy(from_text(POLICY), actor="Director", reason="June")
    yield opened
    opened.close()


def test_that_the_overview_tells_who_must_act_and_how_long_it_took(workspace: Workspace) -> None:
    later = datetime.now(UTC) + timedelta(days=3)
    seen = dashboard(workspace, viewer="Cleo", now=later)
    by_id = {each.id: each for each in seen.releases}
    assert [each.id for each in seen.releases][-1] == "R-0001", "what waits comes first"
    assert by_id["R-0001"].turnaround(later).startswith("took ")
    assert (by_id["R-0001"].next_actor, by_id["R-0001"].next_step) == ("anybody", "export the report")
    assert by_id["R-0002"].state == "in review"
    assert by_id["R-0002"].turnaround(later) == "waits 3 days"
    assert (by_id["R-0002"].next_actor, by_id["R-0002"].next_step) == ("2 reviewers", "vote")
    workspace.project.vote("R-0002", vote="approve", reviewer="Ben")
    again = {each.id: each for each in dashboard(workspace, viewer="Cleo").releases}
    assert again["R-0002"].next_actor == "1 more reviewer"
    tiles = {what: (number, remark) for number, what, remark in seen.tiles()}
    assert tiles["wait for reviewers"] == ("2", "longest 3 days")
    assert tiles["approved"][0] == "1"
    assert seen.turnaround_figure() is not None


def test_that_a_search_finds_people_comments_and_context_but_no_hidden_vote(workspace: Workspace) -> None:
    workspace.project.vote("R-0002", vote="request changes", reviewer="Ben", comment="clandestine remark")

    def hits(question: str, viewer: str = "Cleo") -> list[str]:
        return sorted(each.id for each in found(dashboard(workspace, viewer=viewer).releases, question))

    assert hits("pristine") == ["R-0001"]
    assert hits("zuRICH") == ["R-0001"], "neither accents nor case matter"
    assert hits("yearly ana") == ["R-0001", "R-0002", "R-0003"]
    assert hits("edge differential second") == ["R-0002"]
    assert hits("clandestine") == []
    assert hits("clandestine", viewer="Ben") == ["R-0002"]
    assert hits("nothing of the kind") == []


def test_that_lengths_of_time_are_told_in_one_word() -> None:
    spelled = [spell(timedelta(seconds=s)) for s in (5, 130, 3 * 3600, 30 * 3600, 5 * 86400)]
    assert spelled == ["< 1 min", "2 min", "3 h", "30 h", "5 days"]


def test_that_the_ledger_shows_its_course_and_what_one_more_release_would_do(workspace: Workspace) -> None:
    (book,) = books(workspace, release_id="R-0003")
    assert [entry.release_id for entry in book.entries] == ["R-0001"]
    (balance,) = book.balances
    assert (balance.total.epsilon, balance.remaining) == (Decimal("1.5"), Decimal("0.5"))
    assert book.outlook is not None
    assert not book.outlook.answer.fits
    assert book.figure is not None
    spent, ahead = book.figure.series
    assert spent.y[-1] == pytest.approx(1.5)
    assert ahead.y[-1] == pytest.approx(2.75)
    assert [mark.value for mark in book.figure.marks] == [2.0]
    assert list(spent.x) == sorted(spent.x)
    (counted,) = books(workspace, release_id="R-0001")
    assert counted.outlook is None, "what is in the ledger already is not foreseen once more"


def test_that_an_exported_ledger_runs_no_formula(workspace: Workspace) -> None:
    (book,) = books(workspace)
    rows = list(csv.reader(io.StringIO(csv_bytes(book).decode("utf-8"))))
    assert rows[0][:5] == ["date", "release", "definition", "epsilon", "delta"]
    assert rows[1][3] == "1.5"
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


def test_that_a_desk_shows_votes_as_far_as_one_may_see_them(workspace: Workspace) -> None:
    workspace.project.vote("R-0002", vote="approve", reviewer="Ben", comment="secret")
    desk = desk_of(workspace, "R-0002", viewer="Cleo")
    assert (desk.policy, desk.several, desk.has_voted, desk.can_decide) == ("office, version 1", True, False, False)
    assert desk.votes[0].hidden
    assert desk.tally() == ""
    workspace.project.vote("R-0002", vote="approve", reviewer="Cleo")
    after = desk_of(workspace, "R-0002", viewer="Cleo")
    assert (after.has_voted, after.can_decide, after.tally()) == (True, True, "2 approve")
    assert not desk_of(workspace, "R-0002", viewer="Dora").can_decide
    assert desk_of(workspace, "R-0002", viewer="head of unit").may_except
    assert "exceed the cap of 2 by 0.75" in overspends(workspace.budget("R-0003"))
    workspace.project.grant_exception("R-0003", actor="Head of unit", reason="law")
    assert overspends(workspace.budget("R-0003")) == ""


def test_that_a_signature_is_shown_with_its_key_and_whether_it_holds(workspace: Workspace, tmp_path: Path) -> None:
    signer = KeyStore(tmp_path / "keys", cost=2**8).make("Ben", Passphrase("four words are enough"))
    workspace.project.sign_as(signer)
    vote = workspace.project.vote("R-0002", vote="approve", reviewer="Ben")
    workspace.project.sign_as(None)
    unsigned = workspace.project.vote("R-0002", vote="approve", reviewer="Cleo")
    desk = desk_of(workspace, "R-0002", viewer="Cleo")
    assert desk.signatures["vote", vote.id].holds
    assert ("vote", unsigned.id) not in desk.signatures
    assert desk_of(workspace, "R-0002", viewer="Ben").must_sign
