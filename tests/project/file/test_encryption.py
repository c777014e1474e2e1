"""An encrypted project tells nothing to whoever lacks the passphrase, and everything to whoever has it."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.project.samples import PLAN, draft, measured, ready, reviewed, run_of, table
from workbench.background.defects import details_of
from workbench.core.errors import Defect, UserProblem
from workbench.core.passphrase import Passphrase, PassphraseNeeded, WrongPassphrase
from workbench.core.plain import canonical
from workbench.project.file import encryption, encryption_change, opening
from workbench.project.file.encryption import MARK, is_encrypted
from workbench.project.file.encryption_change import change_passphrase, decrypt, encrypt
from workbench.project.file.migrations import MIGRATIONS
from workbench.project.file.opening import create_session, open_session
from workbench.project.history.verify import verify
from workbench.project.store import create, open_project

_SECRET = "correct horse é battery"
_CLEAR = (b"R-0001", b"Rita", b"Jobs by place", b"employment_tables", b"approved with care", b"CREATE TABLE", b"SQLite")


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    """Guessing a passphrase is slow by design; tests that open files by the dozen take fewer rounds."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encryption, "ROUNDS", 2000)
        yield


@pytest.fixture(scope="module")
def locked(quick: None, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = reviewed(tmp_path_factory.mktemp("locked") / "review.dwb")
    encrypt(path, Passphrase(_SECRET), person="Ann")
    return path.read_bytes()


@pytest.fixture
def secret(locked: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "Geheim 1.dwb"
    path.write_bytes(locked)
    return path


def in_clear(folder: Path) -> list[tuple[str, bytes]]:
    """What a search through every byte of a folder finds."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [(path.name, word) for path in files for word in _CLEAR if word in path.read_bytes()]


def test_that_the_search_for_clear_words_would_find_them(copy: Path) -> None:
    assert {word for _, word in in_clear(copy.parent)} == set(_CLEAR)


def test_that_nothing_is_in_clear_and_everything_comes_back(secret: Path) -> None:
    assert in_clear(secret.parent) == []
    assert secret.read_bytes()[:4] == MARK
    with open_project(secret, person="Ann", passphrase=Passphrase(_SECRET)) as project:
        assert [release.id for release in project.releases()] == ["R-0001", "R-0002"]
        assert project.decisions("R-0001")[0].comment == "approved with care"
        drawn = project.published(2)
        assert drawn is not None
        assert drawn.column("mean pay").texts() == measured().column("mean pay").texts()
        assert project.journal()[-1].action == "encrypt"
    assert verify(secret, passphrase=Passphrase(_SECRET)).problems == ()


def test_that_work_in_an_encrypted_project_leaves_nothing_in_clear_at_any_moment(tmp_path: Path) -> None:
    path = tmp_path / "new.dwb"
    with create(path, person="Ann", passphrase=Passphrase(_SECRET)) as project:
        connection = project._session.connection
        connection.execute("PRAGMA cache_size = 1")  # pages spill to the disk, and old ones to the rollback journal
        release_id = ready(project)
        with project.together():
            project.update_release_plan(release_id, PLAN + "# employment_tables\n" * 4000)
            project.add_run(release_id, run_of(1), published=table(6000))
            assert path.with_name(path.name + "-journal").exists()
            path.with_name(path.name + ".lock.json").unlink()  # names who has it open, to others, on purpose
            assert in_clear(tmp_path) == []
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        project.decide(release_id, decision="approve", reviewer="Rita", comment="approved with care")
        assert in_clear(tmp_path) == []
    assert [item.name for item in tmp_path.iterdir()] == ["new.dwb"]
    assert verify(path, passphrase=Passphrase(_SECRET)).ok


def test_that_a_missing_passphrase_and_a_wrong_one_are_told_apart(secret: Path) -> None:
    before = secret.read_bytes()
    for use in (open_project, verify):
        with pytest.raises(PassphraseNeeded, match="encrypted"):
            use(secret)
        with pytest.raises(WrongPassphrase, match="Wrong passphrase") as caught:
            use(secret, passphrase=Passphrase("wrong horse battery"))
        assert "horse" not in str(caught.value)
    assert secret.read_bytes() == before
    assert [item.name for item in secret.parent.iterdir()] == [secret.name]


def test_that_nothing_reaches_stderr_when_the_passphrase_is_wrong(
    secret: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(WrongPassphrase):
        open_project(secret, passphrase=Passphrase("wrong horse battery"))
    assert capfd.readouterr() == ("", "")


def test_that_the_same_letters_typed_elsewhere_open_it(secret: Path) -> None:
    """é as one sign, or as e and an accent."""
    open_project(secret, passphrase=Passphrase("correct horse e\u0301 battery")).close()


def test_that_a_plain_project_does_not_mind_a_passphrase(copy: Path) -> None:
    open_project(copy, passphrase=Passphrase(_SECRET)).close()
    assert not is_encrypted(copy)


def test_that_a_passphrase_shows_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    passphrase = Passphrase(_SECRET)
    logging.getLogger("any").warning("opening with %s %r", passphrase, passphrase)
    assert "horse" not in f"{passphrase} {passphrase!r} {[passphrase]}" + caplog.text
    for spill in (canonical, json.dumps):
        with pytest.raises((Defect, TypeError)) as caught:
            spill({"passphrase": passphrase})
        assert "horse" not in str(caught.value)


def test_that_a_defect_while_opening_does_not_tell_the_passphrase(
    secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError(_SECRET)

    monkeypatch.setattr(opening, "check_whole", fails)
    with pytest.raises(RuntimeError) as caught:
        open_project(secret, passphrase=Passphrase(_SECRET))
    assert "horse" not in details_of(caught.value)


@pytest.mark.parametrize("text", ["", "short", "elevensigns"])
def test_that_a_short_passphrase_is_refused_for_a_new_lock(copy: Path, text: str) -> None:
    with pytest.raises(UserProblem, match="passphrase is"):
        encrypt(copy, Passphrase(text))
    assert not is_encrypted(copy)


def test_that_decrypting_gives_the_same_project_back(secret: Path) -> None:
    decrypt(secret, Passphrase(_SECRET), person="Ann")
    assert not is_encrypted(secret)
    with open_project(secret) as project:
        assert [entry.action for entry in project.journal()[-2:]] == ["encrypt", "decrypt"]
    assert verify(secret).ok
    assert [item.name for item in secret.parent.iterdir()] == [secret.name]


def test_that_a_new_passphrase_locks_the_old_one_out(secret: Path) -> None:
    change_passphrase(secret, Passphrase(_SECRET), Passphrase("another long passphrase"))
    with pytest.raises(WrongPassphrase):
        open_project(secret, passphrase=Passphrase(_SECRET))
    assert verify(secret, passphrase=Passphrase("another long passphrase")).ok
    assert in_clear(secret.parent) == []


def test_that_two_encrypted_copies_share_no_salt(copy: Path) -> None:
    twin = Path(shutil.copy(copy, copy.with_name("twin.dwb")))
    for path in (copy, twin):
        encrypt(path, Passphrase(_SECRET))
    assert copy.read_bytes()[:16] != twin.read_bytes()[:16]
    assert len(set(copy.read_bytes()[4:16])) > 4


def test_that_encrypting_twice_and_decrypting_a_plain_file_say_so(secret: Path, copy: Path) -> None:
    with pytest.raises(UserProblem, match="encrypted already"):
        encrypt(secret, Passphrase(_SECRET))
    with pytest.raises(UserProblem, match="not encrypted"):
        decrypt(copy, None)
    with pytest.raises(UserProblem, match="not encrypted"):
        change_passphrase(copy, None, Passphrase(_SECRET))


def test_that_a_project_somebody_has_open_is_not_encrypted_under_them(copy: Path) -> None:
    before = copy.read_bytes()
    with open_project(copy, person="Rita"), pytest.raises(UserProblem, match="Rita"):
        encrypt(copy, Passphrase(_SECRET), person="Otto")
    assert copy.read_bytes() == before


def test_that_a_failure_while_encrypting_leaves_the_old_file(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    before = copy.read_bytes()
    monkeypatch.setattr(encryption_change, "_journal", fails)
    with pytest.raises(UserProblem, match="disk is full"):
        encrypt(copy, Passphrase(_SECRET))
    assert copy.read_bytes() == before
    assert [item.name for item in copy.parent.iterdir()] == [copy.name]


@pytest.mark.parametrize("place", [0.02, 0.3, 0.5, 0.7, 0.98])
def test_that_a_changed_byte_is_found_without_a_wrong_value_being_read(secret: Path, place: float) -> None:
    content = bytearray(secret.read_bytes())
    content[int(len(content) * place)] ^= 1
    secret.write_bytes(bytes(content))
    try:
        result = verify(secret, passphrase=Passphrase(_SECRET))
    except WrongPassphrase:  # the first page is what a passphrase is tried on
        return
    assert not result.ok


@pytest.mark.parametrize("kept", [3, 50, 4096, 9000])
def test_that_a_truncated_encrypted_file_is_named(secret: Path, kept: int) -> None:
    secret.write_bytes(secret.read_bytes()[:kept])
    with pytest.raises(UserProblem):
        open_project(secret, passphrase=Passphrase(_SECRET))


def test_that_an_encrypted_file_of_another_program_is_left_alone(secret: Path) -> None:
    connection = encryption_change.cipher().connect(str(secret), isolation_level=None)
    encryption_change.set_key(connection, Passphrase(_SECRET))
    connection.execute("PRAGMA application_id = 5")
    connection.close()
    with pytest.raises(UserProblem, match="another program"):
        open_project(secret, passphrase=Passphrase(_SECRET))


def _later(db: Any) -> None:
    db.execute("CREATE TABLE reminder (id INTEGER NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID")


def test_that_an_older_encrypted_file_is_upgraded_with_an_encrypted_backup(tmp_path: Path) -> None:
    path, newer = tmp_path / "old.dwb", (*MIGRATIONS, _later)
    create_session(path, "Ann", passphrase=Passphrase(_SECRET)).close()
    read = open_session(path, "Ann", read_only=True, migrations=newer, passphrase=Passphrase(_SECRET))
    assert read.rows("SELECT count(*) AS n FROM reminder") == [{"n": 0}]
    read.close()
    assert len(list(tmp_path.iterdir())) == 1
    open_session(path, "Ann", migrations=newer, passphrase=Passphrase(_SECRET)).close()
    copy = tmp_path / f"old.dwb.backup-v{len(MIGRATIONS)}"
    assert is_encrypted(copy)
    assert in_clear(tmp_path) == []
    assert verify(path, newer, passphrase=Passphrase(_SECRET)).ok
    assert verify(copy, passphrase=Passphrase(_SECRET)).ok


def test_that_copies_in_clear_beside_a_newly_encrypted_file_are_named(copy: Path) -> None:
    backup = Path(shutil.copy(copy, copy.with_name(copy.name + ".backup-v1")))
    assert encrypt(copy, Passphrase(_SECRET)) == (backup,)


def test_that_problems_in_an_encrypted_file_are_explained_like_in_a_plain_one(secret: Path) -> None:
    with open_project(secret, person="Ann", passphrase=Passphrase(_SECRET)) as project:
        connection: sqlite3.Connection = project._session.connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(UserProblem, match="disk is full"):
            project.update_release_plan("R-0002", PLAN + "# " + "x" * 100_000)
        connection.execute("DROP TABLE cap")
        with pytest.raises(UserProblem, match="damaged"):
            project.cap(1)
        assert draft(project).id == "R-0003"
        with open_project(secret, person="Otto", passphrase=Passphrase(_SECRET)) as second:
            assert second.read_only_reason.startswith("Ann ")
            with pytest.raises(UserProblem, match="reading only"):
                draft(second)


def test_that_any_tool_of_the_same_cipher_opens_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the settings that SQLCipher 4 has by itself: an agency can read its files without this program."""
    monkeypatch.setattr(encryption, "ROUNDS", 256_000)
    path = reviewed(tmp_path / "review.dwb")
    encrypt(path, Passphrase(_SECRET))
    connection = encryption.cipher().connect(str(path))
    connection.execute(f"PRAGMA key = '{_SECRET}'")
    assert connection.execute("SELECT count(*) FROM decision").fetchone() == (2,)
    connection.close()
