"""Votes and decisions are signed by their own people; whoever forges one, or the history before it, is named."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.project.samples import ready
from tests.project.signers import opened_as, rewrite_chain, signed_project, signed_vote, signer, tampered
from workbench.core.errors import Refused, UserProblem
from workbench.project.history.seals import row_at
from workbench.project.history.verify import verify
from workbench.project.signing.keys import Signer, fingerprint
from workbench.project.signing.signing import head_of, statement
from workbench.project.signing.signing_trust import Standing
from workbench.project.store import Project, create, open_project

VERA, RITA, MALLORY = signer("Vera"), signer("Rita"), signer("Mallory")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return signed_project(tmp_path_factory.mktemp("signed") / "s.dwb", VERA, RITA).read_bytes()


@pytest.fixture
def signed(kept: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "signed.dwb"
    path.write_bytes(kept)
    return path


def problems(path: Path) -> str:
    return "\n".join(verify(path).problems)


def test_that_signed_votes_and_decisions_verify_and_are_counted(signed: Path) -> None:
    result = verify(signed)
    assert (result.problems, result.warnings) == ((), ())
    assert (result.signed, result.unsigned) == (2, 0)
    with open_project(signed) as project:
        assert {key.name: key.standing() for key in project.known_keys()} == {
            "Vera": Standing.TRUSTED,
            "Rita": Standing.TRUSTED,
        }


def test_that_unsigned_votes_of_people_without_a_key_are_allowed_and_counted(copy: Path) -> None:
    result = verify(copy)
    assert result.ok
    assert (result.signed, result.unsigned) == (0, 3)


def test_that_who_signed_once_signs_always(signed: Path) -> None:
    with open_project(signed) as project:
        second = ready(project)
        before = project.journal()
        with pytest.raises(Refused, match=r"VERA .*signs in this project"):
            project.vote(second, vote="reject", reviewer=" VERA ", comment="no")
        assert project.journal() == before
        assert project.votes(second) == ()
        project.vote(second, vote="reject", reviewer="Otto", comment="no")


def test_that_a_project_can_take_signed_decisions_only(project: Project) -> None:
    release_id = ready(project)
    project.vote(release_id, vote="approve", reviewer="Otto")
    with pytest.raises(Refused, match="knows no key yet"):
        project.require_signatures(actor="Ann")
    project.sign_as(RITA)
    project.require_signatures(actor="Rita")
    project.require_signatures(actor="Rita")
    assert [entry.action for entry in project.journal()].count("require signatures") == 1
    with pytest.raises(Refused, match="no key was given"):
        project.vote(release_id, vote="approve", reviewer="Otto")
    project.sign_as(RITA)
    project.decide(release_id, decision="approve", reviewer="Rita")
    assert verify(project.path).ok


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("vote", "vote", "reject"),
        ("vote", "comment", "never said"),
        ("vote", "voted_at", "2020-01-01T00:00:00.000000Z"),
        ("vote", "plan_digest", "0" * 64),
        ("vote", "policy", 7),
        ("decision", "public_comment", "never said"),
        ("dataset", "content", "d" * 64),
        ("published", "digest", "e" * 64),
        ("run", "plan_digest", "0" * 64),
    ],
)
def test_that_what_was_signed_cannot_be_changed_even_with_a_rewritten_journal(
    signed: Path, table: str, column: str, value: object
) -> None:
    tampered(signed, lambda connection: connection.execute(f"UPDATE {table} SET {column} = ?", (value,)))
    assert "the signature of" in problems(signed)
    assert "does not fit it" in problems(signed)


def test_that_the_same_rewriting_goes_unseen_without_signatures(copy: Path) -> None:
    """Why there are signatures at all: a chain alone only stops those who do not know it."""
    tampered(copy, lambda connection: connection.execute("UPDATE vote SET comment = 'never said'"))
    assert verify(copy).ok


def test_that_rewriting_what_came_before_a_signature_is_seen(signed: Path) -> None:
    tampered(signed, lambda connection: connection.execute("UPDATE run SET tools = ?", ("{}",)))
    said = problems(signed)
    assert "the journal before a vote on R-0001 by Vera (journal entry 5) is not the one that was signed" in said


def test_that_an_entry_taken_out_of_a_rewritten_journal_is_seen(signed: Path) -> None:
    def take_out(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM journal WHERE seq = 3")
        connection.execute("DELETE FROM dataset_alias")

    tampered(signed, take_out)
    assert "is not the one that was signed" in problems(signed)


def test_that_a_vote_taken_away_with_its_signature_is_seen_by_the_next_signature(signed: Path) -> None:
    def take_away(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM signature WHERE kind = 'vote'")
        connection.execute("DELETE FROM vote")
        connection.execute("DELETE FROM public_key WHERE name = 'Vera'")

    tampered(signed, take_away)
    assert "the journal before decision 1 of R-0001 by Rita" in problems(signed)


def test_that_a_signature_taken_off_is_missed(signed: Path) -> None:
    with opened_as(signed, VERA) as project:
        second = ready(project)
        signed_vote(project, VERA, second)
    tampered(signed, lambda connection: connection.execute("DELETE FROM signature WHERE id = 3"))
    assert "has no signature, though Vera had a key by then" in problems(signed)


def test_that_a_missing_signature_is_named_where_the_project_asks_for_one(project: Project) -> None:
    release_id = ready(project)
    project.sign_as(VERA)
    project.require_signatures(actor="Vera")
    signed_vote(project, VERA, release_id)
    path = project.path
    project.close()

    def strip(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM signature")
        connection.execute("DELETE FROM public_key")

    tampered(path, strip)
    assert "has no signature, though the project asks for one" in problems(path)


def _forge_vote(path: Path, forger: Signer, *, name: str) -> None:
    """A vote under somebody's name, put in by a program that asks nobody: enrolled, signed, journalled."""
    with open_project(path, person="Ann") as project:
        session = project._session
        with session.act("vote", subject="R-0001", actor=name) as act:
            vote = session.row("SELECT * FROM vote") or {}
            key = act.insert("vote", {**vote, "reviewer": name, "id": 2}, "a vote on R-0001")
            mine = act.insert("public_key", {"name": name, "public": forger.public, "enrolled_at": act.at}, "a key")
            row, anchor = row_at(session.connection, ("vote", key)) or {}, head_of(session)
            message = statement(session.rows, "vote", row, by=forger.public, anchor=anchor)
            fields = {"kind": "vote", "subject": key, "public_key": mine, "anchor": anchor}
            act.insert("signature", {**fields, "signature": forger.sign(message), "signed_at": act.at}, "a signature")


def test_that_a_vote_signed_by_a_stranger_is_named(signed: Path) -> None:
    _forge_vote(signed, signer("Rita"), name="Rita")
    result = verify(signed)
    assert any("by Rita" in said and "is signed by a stranger" in said for said in result.problems)
    assert any("nobody vouches for the key" in said for said in result.warnings)


def test_that_a_second_key_under_a_known_name_is_refused(signed: Path) -> None:
    other = signer("Vera")
    with opened_as(signed, other) as project:
        second = ready(project)
        with pytest.raises(Refused, match="Vera is known here by another key"):
            project.vote(second, vote="approve", reviewer="Vera")
    assert verify(signed).ok


def test_that_one_key_cannot_be_two_people(signed: Path) -> None:
    pretender = Signer("Otto", VERA.public, VERA.private)
    with opened_as(signed, pretender) as project:
        second = ready(project)
        with pytest.raises(Refused, match="This key is Vera's"):
            project.vote(second, vote="approve", reviewer="Otto")
        with pytest.raises(Refused, match="This key is Vera's"):
            project.enrol("Otto", VERA.public)


OTTO = signer("Otto")


def test_that_two_other_reviewers_can_vouch_for_a_new_key(signed: Path) -> None:
    new = signer("Vera")
    with opened_as(signed, OTTO) as project:
        second = ready(project)
        signed_vote(project, OTTO, second)
        assert project.enrol("Vera", new.public).standing() is Standing.STRANGER
        project.sign_as(new)
        with pytest.raises(Refused, match="another key"):
            project.vote(second, vote="approve", reviewer="Vera")
        assert project.endorse(fingerprint(new.public), RITA).standing() is Standing.STRANGER, "one word is not enough"
        assert project.endorse(fingerprint(new.public), RITA).standing() is Standing.STRANGER, "nor the same one twice"
        assert verify(signed).problems == ()
        assert project.endorse(fingerprint(new.public), OTTO).standing() is Standing.TRUSTED
        project.vote(second, vote="approve", reviewer="Vera")
        project.sign_as(VERA)
        with pytest.raises(Refused, match="was replaced"):
            project.vote(second, vote="reject", reviewer="Vera", comment="x")
    result = verify(signed)
    assert result.problems == ()
    told = " ".join(result.warnings)
    assert f"{fingerprint(VERA.public)} of Vera was replaced by {fingerprint(new.public)}" in told
    assert "on Rita's and Otto's word" in told


def test_that_an_invented_reviewer_cannot_take_anothers_name(signed: Path) -> None:
    """Zed is nobody: a key under a name that has said nothing here must not say who Vera is."""
    zed, new = signer("Zed"), signer("Vera")
    with opened_as(signed, RITA) as project:
        project.require_signatures(actor="Rita")
        assert project.enrol("Zed", zed.public).standing() is Standing.STRANGER
        project.enrol("Vera", new.public)
        with pytest.raises(Refused, match="no trusted key"):
            project.endorse(fingerprint(new.public), zed)
        project.sign_as(zed)
        with pytest.raises(Refused, match="nobody vouches"):
            project.vote(ready(project), vote="approve", reviewer="Zed")
        assert project.endorse(fingerprint(zed.public), RITA).standing() is Standing.TRUSTED
    assert verify(signed).problems == ()


def test_that_a_key_on_first_use_does_not_vouch(signed: Path) -> None:
    zed, new = signer("Zed"), signer("Vera")
    with open_project(signed) as project:
        assert project.enrol("Zed", zed.public).standing() is Standing.TRUSTED, "nobody is asked before anybody insists"
        project.enrol("Vera", new.public)
        with pytest.raises(Refused, match="has signed nothing here yet"):
            project.endorse(fingerprint(new.public), zed)


def test_that_a_preparer_who_waits_for_a_decision_cannot_vouch(signed: Path) -> None:
    paula, new = signer("Paula"), signer("Vera")
    with open_project(signed) as project:
        second = ready(project)
        project.enrol("Paula", paula.public)
        project.enrol("Vera", new.public)
        with pytest.raises(Refused, match=f"Paula prepared {second}"):
            project.endorse(fingerprint(new.public), paula)


def test_that_the_old_key_can_hand_over_to_a_new_one(signed: Path) -> None:
    new = signer("Rita")
    with opened_as(signed, new) as project:
        project.enrol("Rita", new.public)
        project.endorse(fingerprint(new.public), RITA)
        assert [key.standing() for key in project.known_keys() if key.name == "Rita"] == [
            Standing.RETIRED,
            Standing.TRUSTED,
        ]
        project.decide(ready(project), decision="reject", reviewer="Rita")
        assert project.journal()[-1].actor == "Rita"
    assert verify(signed).problems == (), "what the old key signed before stays good"
    assert verify(signed).warnings == ()


@pytest.mark.parametrize("who", [MALLORY, signer("Vera")])
def test_that_nobody_without_a_trusted_key_can_vouch(signed: Path, who: Signer) -> None:
    new = signer("Vera")
    with open_project(signed) as project:
        project.enrol("Vera", new.public)
        with pytest.raises(Refused, match="no trusted key"):
            project.endorse(fingerprint(new.public), who)
        with pytest.raises(UserProblem, match="no key with this fingerprint"):
            project.endorse("0000-0000-0000-0000", RITA)


def test_that_a_forged_endorsement_is_named(signed: Path) -> None:
    new = signer("Vera")
    with open_project(signed) as project:
        project.enrol("Vera", new.public)
        project.endorse(fingerprint(new.public), RITA)
    tampered(signed, lambda connection: connection.execute("UPDATE endorsement SET signature = ?", ("ab" * 64,)))
    assert "an endorsement of a key (number 1) does not hold" in problems(signed)


def test_that_a_signature_moved_to_another_project_does_not_fit(signed: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.dwb"
    with create(other) as project:
        assert project.path == other
    twin = Path(shutil.copy(signed, tmp_path / "twin.dwb"))
    tampered(twin, lambda connection: connection.execute("UPDATE meta SET project = 'another'"))
    assert problems(twin).count("does not fit it") == 2


@pytest.mark.parametrize("rubbish", ["", "zz", "ab" * 64, "é" * 10])
def test_that_rubbish_where_a_signature_was_is_no_crash(signed: Path, rubbish: str) -> None:
    tampered(signed, lambda connection: connection.execute("UPDATE signature SET signature = ?", (rubbish,)))
    assert "does not fit it" in problems(signed)
    tampered(signed, lambda connection: connection.execute("UPDATE public_key SET public = ? || id", (rubbish,)))
    assert not verify(signed).ok


def test_that_an_honest_rewrite_changes_nothing(signed: Path) -> None:
    """The forger's tool itself is right: without a change it gives the same journal."""
    before = verify(signed).head
    connection = sqlite3.connect(signed, isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE name = 'journal_no_update'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    rewrite_chain(connection)
    connection.close()
    assert verify(signed).head == before
