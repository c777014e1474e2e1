"""Project files are one file, for their owner alone; what a killed program leaves is removed and named."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.file.test_migrations import kept_file
from tests.project.samples import draft, ready
from workbench.core.errors import UserProblem
from workbench.core.files import write_bytes
from workbench.core.passphrase import Passphrase
from workbench.project.file import encryption
from workbench.project.file.encryption import is_encrypted
from workbench.project.file.encryption_change import clear_copies, decrypt, encrypt
from workbench.project.history.verify import verify
from workbench.project.store import create, open_project

_ROOT = Path(__file__).resolve().parents[3]
SECRET = Passphrase("correct horse battery")

posix = pytest.mark.skipif(os.name != "posix", reason="permission bits are a matter of POSIX systems")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "ROUNDS", 2000)


@pytest.fixture(autouse=True)
def open_house() -> object:
    """Most people's files can be read by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@posix
def test_that_new_projects_backups_and_their_other_forms_are_private(tmp_path: Path) -> None:
    path = tmp_path / "new.dwb"
    create(path).close()
    assert mode(path) == 0o600
    encrypt(path, SECRET)
    assert mode(path) == 0o600
    decrypt(path, SECRET)
    assert mode(path) == 0o600
    old = kept_file(3, tmp_path)
    assert mode(old) == 0o644
    open_project(old).close()
    assert mode(old.with_name(f"{old.name}.backup-v3")) == 0o600


@posix
def test_that_a_project_shared_with_a_group_stays_shared_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "shared.dwb"
    create(path).close()
    path.chmod(0o664)
    encrypt(path, SECRET)
    assert mode(path) == 0o660


@posix
@pytest.mark.parametrize(("private", "expected"), [(True, 0o600), (False, 0o644)])
def test_that_a_file_is_private_until_it_is_whole_and_after_where_asked(
    tmp_path: Path, private: bool, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.core.files._UMASK", 0o022)
    write_bytes(tmp_path / "x", b"words", private=private)
    assert mode(tmp_path / "x") == expected


def test_that_a_write_ahead_log_is_named_and_ended_so_that_one_file_holds_all(tmp_path: Path) -> None:
    path, moved = tmp_path / "wal.dwb", tmp_path / "moved.dwb"
    with create(path) as project:
        release_id = ready(project)
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA journal_mode = WAL")
    other.close()
    assert any("second file (-wal)" in said for said in verify(path).problems)
    with open_project(path) as project:
        project.vote(release_id, vote="reject", reviewer="Carl", comment="no")
        shutil.copy(path, moved)
    assert verify(path).ok
    with open_project(moved) as copy:
        assert [vote.reviewer for vote in copy.votes(release_id)] == ["Carl"]


def test_that_a_stray_log_beside_the_file_is_named(copy: Path) -> None:
    copy.with_name(f"{copy.name}-wal").write_bytes(b"")
    assert any("ends in -wal lies beside it" in said for said in verify(copy).problems)


def test_that_a_log_somebody_still_holds_is_told(tmp_path: Path) -> None:
    path = tmp_path / "held.dwb"
    create(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM journal").fetchone()
    with pytest.raises(UserProblem, match=r"second file|busy"):
        open_project(path)
    other.close()
    open_project(path).close()


_KILLED = """
import os, signal, sys
from pathlib import Path
from workbench.core.passphrase import Passphrase
from workbench.project.file import decryption, encryption
from workbench.project.file.encryption_change import decrypt
encryption.ROUNDS = 2000
def die(*_given, **_named):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "before the name":
    os.link = die
else:
    Path.replace = die
decrypt(Path(sys.argv[1]), Passphrase("correct horse battery"))
"""


@posix
@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without a name")
@pytest.mark.parametrize("when", ["before the name", "before the project's name"])
def test_that_a_killed_decryption_leaves_no_clear_text(tmp_path: Path, when: str) -> None:
    path = tmp_path / "secret.dwb"
    with create(path, passphrase=SECRET) as project:
        draft(project, title="Rhubarb by place")
    done = subprocess.run([sys.executable, "-c", _KILLED, path, when], cwd=_ROOT, check=False, timeout=60)
    assert done.returncode == -9
    assert is_encrypted(path)
    clear = [each.name for each in tmp_path.iterdir() if b"Rhubarb" in each.read_bytes()]
    if when == "before the name":
        assert clear == []
        return
    assert [path.with_name(name) for name in clear] == list(clear_copies(path)), "what is left is named"
    with open_project(path, passphrase=SECRET) as project:
        assert [each.name for each in project.removed] == clear
    assert not any(b"Rhubarb" in each.read_bytes() for each in tmp_path.iterdir())


def test_that_only_our_own_leftovers_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "p.dwb"
    create(path).close()
    ours = ["p.dwb.0a1b2c3d.new", "p.dwb.0a1b2c3d.new-journal", "p.dwb.backup-v3.unfinished"]
    theirs = ["p.dwb.new", "q.dwb.0a1b2c3d.new", "p.dwb.backup-v3", "p.dwb.0a1b2c3d.newer"]
    for name in (*ours, *theirs):
        (tmp_path / name).write_bytes(b"x")
    with open_project(path) as project:
        assert [each.name for each in project.removed] == sorted(ours)
    assert {each.name for each in tmp_path.iterdir()} == {"p.dwb", *theirs}
