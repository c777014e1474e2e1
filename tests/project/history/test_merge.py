"""Two reviewers vote in their own copies; one file ends up with both votes, and with nothing else."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.project.file.test_migrations import kept_file
from tests.project.samples import PLAN, draft, finding, ready, run_of, table
from tests.project.signers import opened_as, signed_vote, signer, tampered
from workbench.core.errors import Refused, UserProblem
from workbench.core.passphrase import Passphrase
from workbench.core.plain import canonical
from workbench.core.states import Verdict
from workbench.project.file import encryption
from workbench.project.file.encryption_change import encrypt
from workbench.project.history.journal import entry_hash, seals_in
from workbench.project.history.merge import merge
from workbench.project.history.merged_history import FIELDS
from workbench.project.history.verify import verify
from workbench.project.signing.keys import Signer
from workbench.project.store import Project, create, open_project
from workbench.project.tables.releases import release_row
from workbench.project.tables.votes import latest_votes

VERA, OTTO, RITA = signer("Vera"), signer("Otto"), signer("Rita")


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two copies of a project with one release that waits for votes."""
    one, two = tmp_path / "one.dwb", tmp_path / "two.dwb"
    with create(one, person="Ann") as project:
        release = draft(project, reviewers_needed=2)
        second = ready(project)
        assert (release.id, second) == ("R-0001", "R-0002")
        signed_vote(project, RITA, second)
    shutil.copy(one, two)
    return one, two


def vote_in(path: Path, who: Signer, *, vote: str = "approve") -> None:
    with opened_as(path, who) as project:
        signed_vote(project, who, "R-0002", vote=vote)


def voices(path: Path) -> list[tuple[str, str, bool]]:
    with open_project(path) as project:
        return [(vote.reviewer, vote.vote.value, vote.stale) for vote in project.votes("R-0002")]


def test_that_votes_of_two_copies_come_together_signed_and_verified(pair: tuple[Path, Path]) -> None:
    one, two = pair
    vote_in(one, VERA)
    vote_in(two, OTTO)
    vote_in(two, RITA, vote="reject")
    done = merge(one, two, person="Ann")
    assert (done.added, done.known, done.reviewers) == (2, 0, ("Otto", "Rita"))
    expected = [("Rita", "approve", False), ("Vera", "approve", False), ("Otto", "approve", False)]
    assert voices(one) == [*expected, ("Rita", "reject", False)]
    result = verify(one)
    assert (result.problems, result.signed, result.unsigned) == ((), 4, 0)
    with open_project(one) as project:
        assert project.journal()[-1].action == "merge"


def test_that_a_merged_vote_does_not_overrule_a_later_one_given_here(pair: tuple[Path, Path]) -> None:
    one, two = pair
    vote_in(two, RITA, vote="reject")
    merge(one, two)
    vote_in(one, RITA, vote="approve")
    with open_project(one) as project:
        run = project.latest_run("R-0002")
        assert run is not None
        release = release_row(project._session, "R-0002")
        assert latest_votes(project._session, release, run) == {"rita": Verdict.APPROVE}


def test_that_merging_again_changes_nothing(pair: tuple[Path, Path]) -> None:
    one, two = pair
    vote_in(two, OTTO)
    merge(one, two)
    before = one.read_bytes()
    done = merge(one, two)
    assert (done.added, done.known) == (0, 1)
    assert one.read_bytes() == before


def test_that_copies_without_a_new_vote_have_nothing_to_merge(pair: tuple[Path, Path]) -> None:
    one, two = pair
    before = one.read_bytes()
    assert merge(one, two).added == 0
    assert one.read_bytes() == before


def test_that_both_directions_give_the_same_votes(pair: tuple[Path, Path]) -> None:
    one, two = pair
    vote_in(one, VERA)
    vote_in(two, OTTO)
    kept = Path(shutil.copy(one, one.with_name("kept.dwb")))
    merge(one, two)
    merge(two, kept)
    assert sorted(voices(one)) == sorted(voices(two))
    assert verify(two).ok
    done = merge(one, two)
    assert (done.added, done.known) == (0, 2)


def test_that_a_chain_of_three_copies_works(pair: tuple[Path, Path]) -> None:
    """The second copy's votes stand on a journal that itself holds a merge."""
    one, two = pair
    three = Path(shutil.copy(two, two.with_name("three.dwb")))
    vote_in(three, VERA)
    merge(two, three)
    vote_in(two, OTTO)
    vote_in(one, RITA, vote="reject")
    assert merge(one, two).added == 2
    assert verify(one).problems == ()
    assert {name for name, *_ in voices(one)} == {"Rita", "Vera", "Otto"}


def test_that_votes_come_signed_and_verified_through_a_copy_in_between(pair: tuple[Path, Path]) -> None:
    """The second vote of the third copy stands on the first one there, which only the copy in between has seen."""
    one, two = pair
    three = one.with_name("three.dwb")
    shutil.copy(one, three)
    vote_in(three, VERA)
    vote_in(three, OTTO)
    vote_in(two, RITA, vote="reject")
    assert merge(two, three).added == 2
    assert merge(one, two).added == 3
    assert (verify(one).problems, verify(one).signed) == ((), 4)


def _entries(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    rows = connection.execute(f"SELECT {', '.join(FIELDS)} FROM journal ORDER BY seq")
    return [dict(zip(FIELDS, row, strict=True)) for row in rows]


def _as_if_merged(connection: sqlite3.Connection, *, hidden: int) -> None:
    """Forget the last but one entries and what they wrote, and carry them in a merge that only brings the last one."""
    gone, last = _entries(connection)[-hidden - 1 : -1], _entries(connection)[-1]
    for entry in gone:
        for seal in seals_in(entry["payload"]):
            if seal.new:
                connection.execute(f'DELETE FROM "{seal.table}" WHERE id = ?', (seal.key,))
    told = json.loads(last["payload"])
    told["note"] = {"fork": gone[0]["seq"] - 1, "entries": [[entry[name] for name in FIELDS] for entry in gone]}
    made = {**last, "seq": gone[0]["seq"], "action": "merge", "previous": gone[0]["previous"]}
    made["payload"] = canonical(told).decode("utf-8")
    made["hash"] = entry_hash(made)
    connection.execute("DELETE FROM journal WHERE seq >= ?", (made["seq"],))
    connection.execute(f"INSERT INTO journal ({', '.join(FIELDS)}) VALUES (?{', ?' * 7})", [made[f] for f in FIELDS])
    connection.execute("UPDATE head SET entries = ?, hash = ?", (made["seq"], made["hash"]))


def test_that_a_made_up_merge_cannot_hide_a_vote_against(pair: tuple[Path, Path]) -> None:
    """Vera signed what came before her: Otto's rejection. A merge that carries his entry but not his vote is told."""
    path = pair[0]
    vote_in(path, OTTO, vote="reject")
    vote_in(path, VERA)
    tampered(path, lambda connection: _as_if_merged(connection, hidden=1))
    assert [name for name, *_ in voices(path)] == ["Rita", "Vera"]
    assert "left out 1 of the other copy's votes" in " ".join(verify(path).problems)


def test_that_a_made_up_merge_cannot_hide_what_was_done_besides_votes(pair: tuple[Path, Path]) -> None:
    path = pair[0]
    with open_project(path, person="Ann") as project:
        project.set_cap(1, Decimal(1), reason="less from now on")
    vote_in(path, VERA)
    tampered(path, lambda connection: _as_if_merged(connection, hidden=1))
    assert "carries more than votes: “set cap”" in " ".join(verify(path).problems)


def test_that_a_vote_on_what_was_drawn_again_meanwhile_comes_over_stale(pair: tuple[Path, Path]) -> None:
    one, two = pair
    with open_project(one, person="Ann") as project:
        project.update_release_plan("R-0002", PLAN + "# changed\n", actor="Paula")
    vote_in(two, OTTO)
    assert merge(one, two).added == 1
    assert voices(one) == [("Rita", "approve", True), ("Otto", "approve", True)]
    assert verify(one).ok


def _revise(project: Project) -> None:
    project.update_release_plan("R-0002", PLAN + "# theirs\n", actor="Paula")


def _decide(project: Project) -> None:
    project.sign_as(RITA)
    project.decide("R-0002", decision="approve", reviewer="Rita")


def _draft(project: Project) -> None:
    draft(project, title="A third")


@pytest.mark.parametrize(
    ("change", "named"),
    [(_revise, "“update release” of R-0002"), (_decide, "“decide” of R-0002"), (_draft, "“save release” of R-0003")],
)
def test_that_anything_but_votes_is_named_and_refused(
    pair: tuple[Path, Path], change: Callable[[Project], None], named: str
) -> None:
    one, two = pair
    vote_in(two, OTTO)
    with open_project(two, person="Ann") as project:
        change(project)
    before = one.read_bytes()
    with pytest.raises(Refused) as caught:
        merge(one, two)
    assert named in str(caught.value)
    assert "Only votes can be merged" in str(caught.value)
    assert one.read_bytes() == before


def test_that_two_projects_are_not_merged(pair: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.dwb"
    create(other).close()
    with pytest.raises(Refused, match="two different projects"):
        merge(pair[0], other)
    with pytest.raises(UserProblem, match="same file"):
        merge(pair[0], pair[0])


def test_that_a_tampered_copy_gives_nothing_away(pair: tuple[Path, Path]) -> None:
    one, two = pair
    vote_in(two, OTTO)
    tampered(two, lambda connection: connection.execute("UPDATE vote SET vote = 'reject' WHERE reviewer = 'Otto'"))
    with pytest.raises(Refused, match="does not fit it"):
        merge(one, two)
    assert len(voices(one)) == 1


def test_that_a_vote_under_a_known_name_with_another_key_is_a_strangers(pair: tuple[Path, Path]) -> None:
    one, two = pair
    vote_in(one, VERA)
    vote_in(two, signer("Vera"), vote="reject")
    with pytest.raises(Refused, match="signed by a stranger"):
        merge(one, two)
    assert verify(one).ok


def test_that_an_unsigned_vote_of_somebody_who_signs_here_is_refused(pair: tuple[Path, Path]) -> None:
    one, two = pair
    vote_in(one, VERA)
    with open_project(two, person="Ann") as project:
        project.vote("R-0002", vote="reject", reviewer="Vera", comment="unsigned")
    with pytest.raises(Refused, match="A vote of Vera is not signed"):
        merge(one, two)


def test_that_an_unsigned_vote_of_somebody_without_a_key_comes_over(pair: tuple[Path, Path]) -> None:
    one, two = pair
    with open_project(two, person="Ann") as project:
        project.vote("R-0002", vote="reject", reviewer="Karl", comment="unsigned")
    assert merge(one, two).added == 1
    assert verify(one).unsigned == 1


def test_that_the_preparers_vote_is_refused_even_from_a_copy_that_took_it(pair: tuple[Path, Path]) -> None:
    one, two = pair
    with open_project(two, person="Ann") as project, project._session.act("vote", subject="R-0002") as act:
        row = project._session.row("SELECT * FROM vote") or {}
        fields = {name: value for name, value in row.items() if name != "id"}
        act.insert("vote", {**fields, "reviewer": "PAULA", "voted_at": act.at}, "a vote on R-0002")
    assert verify(two).ok
    with pytest.raises(Refused, match="PAULA worked on R-0002"):
        merge(one, two)


def test_that_a_vote_on_another_draw_of_the_same_number_is_refused(pair: tuple[Path, Path]) -> None:
    """Somebody hides a draw of their own in a copy and lets Otto vote on it: here the number means another draw."""
    one, two = pair
    with open_project(two, person="Ann") as project, project._session.act("vote", subject="R-0002") as act:
        row = project._session.row("SELECT * FROM run ORDER BY id DESC LIMIT 1") or {}
        fields = {name: value for name, value in row.items() if name != "id"}
        act.insert("run", {**fields, "number": row["number"] + 1}, "run 2 of R-0002")
    vote_in(two, OTTO)
    assert verify(two).ok
    with open_project(one, person="Ann") as project:
        project.add_run("R-0002", run_of(1), findings=(finding(),), published=table())
    with pytest.raises(Refused, match="A vote of Otto was given on something else"):
        merge(one, two)
    assert len(voices(one)) == 1


def test_that_a_copy_in_use_is_not_written(pair: tuple[Path, Path]) -> None:
    one, two = pair
    vote_in(two, OTTO)
    with open_project(one, person="Karl"), pytest.raises(UserProblem, match="Karl"):
        merge(one, two)
    with open_project(two, person="Karl"):
        assert merge(one, two).added == 1


def test_that_encrypted_copies_merge_with_their_own_passphrases(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encryption, "ROUNDS", 2000)
    one, two = pair
    vote_in(two, OTTO)
    first, second = Passphrase("the passphrase of one"), Passphrase("the passphrase of two")
    encrypt(one, first)
    encrypt(two, second)
    with pytest.raises(UserProblem, match="encrypted"):
        merge(one, two, passphrase=first)
    assert merge(one, two, passphrase=first, other_passphrase=second).added == 1
    assert verify(one, passphrase=first).ok


def test_that_copies_that_were_brought_up_to_date_apart_merge(tmp_path: Path) -> None:
    one = kept_file(2, tmp_path)
    two = Path(shutil.copy(one, tmp_path / "two.dwb"))
    for path in (one, two):
        open_project(path, person="Ann").close()
    vote_in(two, OTTO)
    assert merge(one, two).added == 1
    assert verify(one).ok
