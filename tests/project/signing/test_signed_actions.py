"""A signature covers all that its action did; rules, budgets and withdrawals are signed like judgements."""

from __future__ import annotations

import shutil
import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest

from tests.project.file.test_migrations import kept_file
from tests.project.samples import draft, ready
from tests.project.signers import opened_as, signed_project, signer, tampered
from tests.project.tables.test_policies import WHY, profile
from workbench.core.errors import Refused
from workbench.project.history.merge import merge
from workbench.project.history.verify import verify
from workbench.project.signing.signing_trust import Standing
from workbench.project.store import open_project

VERA, RITA, CY = signer("Vera"), signer("Rita"), signer("Cy")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A signed vote and approval, then everything else that can be signed, by Cy, in a project that insists on it."""
    path = signed_project(tmp_path_factory.mktemp("signed") / "s.dwb", VERA, RITA)
    with opened_as(path, CY) as project:
        other = draft(project).id
        project.set_cap(1, Decimal(10), actor="Cy", reason="yearly budget")
        project.set_cap(1, Decimal(12), actor="Cy", reason="board decision")
        project.set_policy(profile(), actor="Cy", reason=WHY)
        project.require_signatures(actor="Cy")
        project.withdraw(other, actor="Cy", reason="not needed")
    return path.read_bytes()


@pytest.fixture
def signed(kept: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "signed.dwb"
    path.write_bytes(kept)
    return path


def problems(path: Path) -> str:
    return "\n".join(verify(path).problems)


def test_that_all_that_is_signed_holds_and_only_judgements_are_counted(signed: Path) -> None:
    result = verify(signed)
    assert (result.problems, result.signed, result.unsigned) == ((), 2, 0)
    with open_project(signed) as project:
        found = {(each.kind, each.name): each.words for each in project.signatures()}
    assert found == {
        ("vote", "Vera"): "holds", ("decision", "Rita"): "holds", ("cap", "Cy"): "holds", ("policy", "Cy"): "holds",
        ("entry", "Cy"): "holds",
    }  # fmt: skip


def test_that_the_ledger_of_the_last_approval_is_covered_by_its_signature(tmp_path: Path) -> None:
    path = signed_project(tmp_path / "s.dwb", VERA, RITA)
    tampered(path, lambda connection: connection.execute("UPDATE ledger SET epsilon = '0.01'"))
    assert "the signature of decision 1 of R-0001 by Rita (journal entry 6) does not fit it" in problems(path)


@pytest.mark.parametrize(
    ("change", "whose"),
    [
        ("UPDATE ledger SET workings = 'never said'", "decision 1 of R-0001 by Rita"),
        ("UPDATE cap SET epsilon = '1000' WHERE id = 2", "the cap of data set cccccccccccc by Cy"),
        ("UPDATE policy SET reason = 'never said'", "policy office, version 1 by Cy"),
        ("UPDATE release SET changed_at = '2020' WHERE id = 2", "“withdraw release” of R-0002 by Cy"),
        (
            "UPDATE journal SET payload = replace(payload, 'not needed', 'asked for')",
            "“withdraw release” of R-0002 by Cy",
        ),
        ("UPDATE journal SET payload = replace(payload, '\"where\"', '\"there\"')", "decision 1 of R-0001 by Rita"),
    ],
)
def test_that_no_row_of_a_signed_action_can_be_changed(signed: Path, change: str, whose: str) -> None:
    tampered(signed, lambda connection: connection.execute(change))
    assert f"the signature of {whose}" in problems(signed)


def test_that_a_ledger_that_nobody_signed_must_still_say_what_the_claim_says(copy: Path) -> None:
    tampered(copy, lambda connection: connection.execute("UPDATE ledger SET epsilon = '0.01'"))
    assert "the ledger entry of R-0001 (number 1) does not say what the claim of its draw says" in problems(copy)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM ledger", "decision 1 of R-0001 approves a draw that the ledger does not count"),
        ("UPDATE release SET state = 'approved' WHERE id = 2", "R-0002 is called approved"),
        ("UPDATE ledger SET formal = 0", "the ledger entry of R-0001"),
        ("UPDATE ledger SET dataset = 7", "the ledger entry of R-0001"),
    ],
)
def test_that_rows_that_do_not_follow_from_each_other_are_named(copy: Path, change: str, said: str) -> None:
    tampered(copy, lambda connection: connection.execute(change))
    assert said in problems(copy)


def test_that_no_later_entry_changes_a_row_that_never_changes(copy: Path) -> None:
    """Whoever appends instead of rewriting: an honest-looking action that seals the ledger anew."""
    with open_project(copy) as project:
        session = project._session
        session.connection.execute("DROP TRIGGER ledger_no_update")
        with session.act("update release", subject="R-0001") as act:
            act.update("ledger", 1, {"sentence": "less was spent"}, "the ledger entry of R-0001")
        session.connection.execute(
            "CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger "
            "BEGIN SELECT RAISE(ABORT, 'ledger rows are never changed or erased'); END"
        )
    assert "and such rows never change" in problems(copy)


def test_that_rules_and_withdrawals_of_who_signs_are_signed(signed: Path) -> None:
    with open_project(signed) as project:
        second = ready(project)
        for act in (
            lambda: project.set_cap(1, Decimal(1000), actor="Director", reason="x"),
            lambda: project.set_policy(profile(2), actor="Director", reason="x"),
            lambda: project.withdraw(second, actor="Director", reason="x"),
        ):
            before = project.journal()
            with pytest.raises(Refused, match="Director signs in this project, and no key was given"):
                act()
            assert project.journal() == before


def test_that_who_signs_votes_signs_rules_too_even_where_nobody_insists(tmp_path: Path) -> None:
    path = signed_project(tmp_path / "s.dwb", VERA, RITA)
    with open_project(path) as project:
        project.set_cap(1, Decimal(10), actor="Rita", reason="comes with the plan, so it is not signed")
        with pytest.raises(Refused, match="Rita signs"):
            project.set_cap(1, Decimal(1000), actor="Rita", reason="x")
        project.set_cap(1, Decimal(20), actor="Otto", reason="has no key and needs none")
    assert verify(path).ok


@pytest.mark.parametrize("kind", ["cap", "policy", "entry"])
def test_that_a_signature_taken_off_a_rule_is_missed(signed: Path, kind: str) -> None:
    def strip(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM signature WHERE kind = ? AND id = (SELECT max(id) FROM signature)", (kind,))
        if kind != "entry":
            connection.execute("DELETE FROM signature WHERE kind = ?", (kind,))

    tampered(signed, strip)
    assert "has no signature, though" in problems(signed)


def test_that_signatures_of_version_7_hold_and_what_was_not_signed_then_is_not_missed(tmp_path: Path) -> None:
    path = kept_file("7-signed", tmp_path)
    before = verify(path)
    assert (before.problems, before.signed, before.unsigned) == ((), 3, 0)
    with open_project(path) as project:
        standing = [(key.name, key.standing()) for key in project.known_keys()]
        trusted = [(name, Standing.TRUSTED) for name in ("Rita", "Vera", "Zed")]
        assert standing == [("Vera", Standing.RETIRED), *trusted], "one person's word is worth what it was then"
        assert all(each.holds for each in project.signatures())
        with pytest.raises(Refused, match="Rita signs"):
            project.set_cap(1, Decimal(1000), actor="Rita", reason="x")
    after = verify(path)
    assert (after.problems, after.signed, after.unsigned) == ((), 3, 0)


def test_that_a_first_key_from_another_copy_needs_a_word_where_signatures_are_required(
    signed: Path, tmp_path: Path
) -> None:  # fmt: skip
    with open_project(signed) as project:
        second = ready(project)
    other = Path(shutil.copy(signed, tmp_path / "other.dwb"))
    otto = signer("Otto")
    with opened_as(other, otto) as project, pytest.raises(Refused, match="takes only keys that somebody vouches for"):
        project.vote(second, vote="approve", reviewer="Otto")
    assert merge(signed, other).added == 0
