"""Everything that can be wrong with a project file gets one clear sentence, and nothing is lost or half-written."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.project.samples import PLAN, data, draft, ready
from workbench.core.errors import Defect, UserProblem
from workbench.project.file import files, lock, opening
from workbench.project.file.files import APPLICATION_ID
from workbench.project.file.migrations import MIGRATIONS
from workbench.project.history.verify import verify
from workbench.project.store import Project, create, open_project


def told(path: Path) -> str:
    """The one problem that opening raises, as its sentence."""
    with pytest.raises(UserProblem) as caught:
        open_project(path)
    (problem,) = caught.value.problems
    return problem.sentence()


def test_that_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "no.dwb"
    assert told(path) == f"{path}: There is no such project file. Check the name, or create a new project."
    assert list(tmp_path.iterdir()) == []


def test_that_a_folder_is_not_a_project(tmp_path: Path) -> None:
    assert "a folder" in told(tmp_path)


def test_that_an_empty_file_is_not_taken_for_a_new_project(tmp_path: Path) -> None:
    path = tmp_path / "empty.dwb"
    path.touch()
    assert "is empty" in told(path)
    with pytest.raises(UserProblem, match="is empty"):
        open_project(path)
    assert path.read_bytes() == b""


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\x00" * 5000, b"PK\x03\x04" + b"x" * 200, b"S"])
def test_that_another_kind_of_file_is_recognised(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.dwb"
    path.write_bytes(content)
    assert "not a project file" in told(path) or "cut short" in told(path)
    assert path.read_bytes() == content


def test_that_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.dwb"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE places (id INTEGER)")
    connection.close()
    before = path.read_bytes()
    assert "belongs to another program" in told(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kept", [0.999, 0.9, 0.5, 0.2, 0.05, 0.001])
def test_that_a_truncated_file_is_damaged_and_named(copy: Path, kept: float) -> None:
    content = copy.read_bytes()
    copy.write_bytes(content[: int(len(content) * kept)])
    assert "damaged or cut short" in told(copy)
    assert [item.name for item in copy.parent.iterdir()] == [copy.name]


def test_that_a_file_without_its_tables_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "hollow.dwb"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.execute("CREATE TABLE other (id INTEGER)")
    connection.close()
    assert "damaged" in told(path)


def test_that_a_newer_file_is_refused_with_its_version(copy: Path) -> None:
    connection = sqlite3.connect(copy)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = copy.read_bytes()
    sentence = told(copy)
    assert f"project format {len(MIGRATIONS) + 1}; this program knows formats up to {len(MIGRATIONS)}" in sentence
    assert "Update the program" in sentence
    assert copy.read_bytes() == before
    with pytest.raises(UserProblem, match="newer version"):
        verify(copy)


@pytest.mark.parametrize("name", ["Prüfung März 2026.dwb", "a  b.dwb", "50% #1 ?x=y&z.dwb", "数据.dwb", "no ending"])
def test_that_any_path_works(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "Büro à côté" / "x y"
    folder.mkdir(parents=True)
    path = folder / name
    with create(path) as project:
        ready(project)
    with open_project(path) as project:
        assert len(project.releases()) == 1
        project.save_dataset(data(content="d" * 64, file="9" * 64))
    assert verify(path).ok
    assert [item.name for item in folder.iterdir()] == [name]


def test_that_a_relative_path_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    create(Path("here.dwb")).close()
    with open_project(Path("here.dwb")) as project:
        assert project.path == (tmp_path / "here.dwb").resolve()


def test_that_creating_never_overwrites(copy: Path) -> None:
    before = copy.read_bytes()
    with pytest.raises(UserProblem, match="already a file"):
        create(copy)
    assert copy.read_bytes() == before


def test_that_creating_in_a_missing_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="no such folder"):
        create(tmp_path / "nowhere" / "x.dwb")


def test_that_a_failure_while_creating_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(opening, "build", full)
    with pytest.raises(UserProblem, match="disk is full"):
        create(tmp_path / "x.dwb")
    assert list(tmp_path.iterdir()) == []


def test_that_a_project_open_elsewhere_is_read_only_and_names_the_person(copy: Path) -> None:
    with open_project(copy, person="Rita Reviewer") as first, open_project(copy, person="Otto") as second:
        assert not first.read_only
        assert second.read_only
        assert second.read_only_reason.startswith("Rita Reviewer ")
        assert len(second.releases()) == 2
        with pytest.raises(UserProblem, match=r"reading only: Rita Reviewer .* has it open"):
            draft(second)
        draft(first)
        assert len(second.releases()) == 3
    with open_project(copy) as third:
        assert not third.read_only


def test_that_another_process_is_kept_out_too(copy: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from workbench.project.store import open_project\n"
        "with open_project(Path(sys.argv[1]), person='Otto') as p: print(p.read_only_reason.partition(' ')[0])"
    )
    command = [sys.executable, "-c", script, str(copy)]
    with open_project(copy, person="Rita"):
        inside = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    after = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert (inside.stdout.strip(), after.stdout.strip()) == ("Rita", "")


def test_that_a_link_to_the_file_meets_the_same_lock(copy: Path) -> None:
    link = copy.with_name("link.dwb")
    try:
        link.symlink_to(copy)
    except OSError:
        pytest.skip("links are not allowed here")
    with open_project(copy), open_project(link) as second:
        assert second.read_only


def test_that_a_stale_or_broken_note_locks_nobody_out(copy: Path) -> None:
    note = copy.with_name(copy.name + ".lock.json")
    note.write_text('{"person": "A ghost", "computer": "x", "since": "2020"}', encoding="utf-8")
    with open_project(copy) as project:
        assert not project.read_only
        note.write_text("not json", encoding="utf-8")
        with open_project(copy) as second:
            assert second.read_only_reason.startswith("another program has it open")


def test_that_nobody_knows_the_user_where_the_system_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> str:
        raise OSError("no name")

    monkeypatch.setattr(lock.getpass, "getuser", unknown)
    assert lock.person_here() == "somebody"


def test_that_asking_for_reading_only_takes_no_lock(copy: Path) -> None:
    with open_project(copy, read_only=True) as reader, open_project(copy) as writer:
        assert reader.read_only
        assert not writer.read_only
        with pytest.raises(UserProblem, match="opened that way"):
            draft(reader)


_ORDINARY = """
import os, sys
from pathlib import Path
from filelock import FileLock, Timeout, SoftFileLock
from workbench.core.errors import UserProblem
from workbench.project.store import open_project
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
"""

_TRY_TO_WRITE = """
with open_project(Path(sys.argv[1])) as project:
    print(project.read_only, len(project.releases()), project.read_only_reason)
    try:
        project.save_release(title="t", product="p", plan_text="", preparer="P")
    except UserProblem as problem:
        print(problem)
"""

_TRY_TO_OPEN = """
try:
    open_project(Path(sys.argv[1]))
except UserProblem as problem:
    print(problem)
"""


def _as_ordinary_user(script: str, path: Path) -> str:
    """Run a script with the rights of somebody who is not allowed everything."""
    command = [sys.executable, "-c", _ORDINARY + script, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _reachable(path: Path) -> Path:
    """Pytest's folders are private; let an ordinary user walk down to this one."""
    for folder in (path, *path.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path(folder.anchor):
            folder.chmod(folder.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    return path


@pytest.mark.skipif(os.name != "posix", reason="sets POSIX permissions")
def test_that_a_write_protected_file_is_opened_for_reading_with_the_reason(copy: Path) -> None:
    _reachable(copy.parent)
    copy.chmod(0o444)
    copy.parent.chmod(0o777)
    out = _as_ordinary_user(_TRY_TO_WRITE, copy)
    assert out.startswith("True 2 the file is write-protected")
    assert "The project is open for reading only: the file is write-protected" in out
    assert verify(copy).ok


@pytest.mark.skipif(os.name != "posix", reason="sets POSIX permissions")
def test_that_a_write_protected_folder_is_opened_for_reading_with_the_reason(copy: Path) -> None:
    _reachable(copy.parent)
    copy.chmod(0o666)
    copy.parent.chmod(0o555)
    try:
        out = _as_ordinary_user(_TRY_TO_WRITE, copy)
    finally:
        copy.parent.chmod(0o755)
    assert out.startswith("True 2 its folder is write-protected")


@pytest.mark.skipif(os.name != "posix", reason="sets POSIX permissions")
def test_that_a_file_nobody_may_read_says_so(copy: Path) -> None:
    _reachable(copy.parent)
    copy.chmod(0o000)
    out = _as_ordinary_user(_TRY_TO_OPEN, copy)
    assert "You may not read this project file" in out


def test_that_protection_is_found_by_trying(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same two cases where permission bits mean nothing (Windows, network drives, an all-powerful user)."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(errno.EACCES, "denied")

    with monkeypatch.context() as patched:
        patched.setattr(opening.ProjectLock, "take", refuse)
        with open_project(copy) as project:
            assert "folder is write-protected" in project.read_only_reason
        with pytest.raises(UserProblem, match="Writing is not allowed here"):
            create(copy.with_name("new.dwb"))
    monkeypatch.setattr(opening, "_may_write", lambda _: False)
    with open_project(copy) as project:
        assert "file is write-protected" in project.read_only_reason


def test_that_a_full_disk_loses_nothing_but_the_action(project: Project) -> None:
    release_id = ready(project)
    before = (project.journal(), project.releases(), project.runs(release_id))
    connection = project._session.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(UserProblem, match="disk is full; nothing of this action was stored"):
        project.update_release_plan(release_id, PLAN + "# " + "x" * 100_000)
    assert (project.journal(), project.releases(), project.runs(release_id)) == before
    assert verify(project.path).ok
    connection.execute("PRAGMA max_page_count = 1073741823")
    project.update_release_plan(release_id, PLAN + "# " + "x" * 100_000)
    assert verify(project.path).ok


def test_that_a_busy_file_asks_for_patience(project: Project) -> None:
    project._session.connection.execute("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(project.path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UserProblem, match="Try again in a moment"):
            draft(project)
    finally:
        other.close()
    draft(project)


def test_that_reads_of_one_snapshot_see_one_state_of_the_file(copy: Path) -> None:
    """A verb puts what it shows together from several reads; a writer elsewhere waits until it has them all."""
    with open_project(copy, person="Rita") as first, open_project(copy, person="Otto") as second:
        first._session.connection.execute("PRAGMA busy_timeout = 10")
        with second.snapshot():
            before = second.releases()
            with pytest.raises(UserProblem, match="Try again in a moment"):
                draft(first)
            assert second.releases() == before
        draft(first)
        assert len(second.releases()) == len(before) + 1


def test_that_nothing_is_written_inside_a_snapshot(project: Project) -> None:
    with project.snapshot(), pytest.raises(Defect, match="inside a snapshot"):
        draft(project)
    assert project.releases() == ()
    draft(project)


def test_that_an_action_cut_off_on_protected_media_is_explained(
    copy: Path, finished: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hot rollback journal has to be played back; without write access that cannot happen."""
    _cut_off_in_the_middle(copy)
    monkeypatch.setattr(opening, "_may_write", lambda _: False)
    assert "An action was cut off" in told(copy)
    monkeypatch.undo()
    with open_project(copy) as project:
        assert len(project.releases()) == 2
    assert verify(copy).ok


def test_that_verify_undoes_an_action_that_was_cut_off(copy: Path) -> None:
    _cut_off_in_the_middle(copy)
    assert verify(copy).ok


def _cut_off_in_the_middle(path: Path) -> None:
    """Die inside a transaction after its pages went to the disk, leaving a hot journal."""
    script = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1'); c.execute('BEGIN IMMEDIATE')\n"
        "for n in range(200):\n"
        "    c.execute('INSERT INTO cap VALUES (?, 1, ?, ?, ?, ?)', (1000 + n, '1', 'x' * 3000, 'x', 'x'))\n"
        "os._exit(3)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == 3
    assert path.with_name(path.name + "-journal").exists()


@pytest.mark.parametrize(
    "rubbish", [b"", b"rubbish", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\x00" * 600, b"\xff" * 9000]
)
def test_that_a_corrupted_rollback_journal_beside_the_file_does_no_harm(copy: Path, rubbish: bytes) -> None:
    copy.with_name(copy.name + "-journal").write_bytes(rubbish)
    with open_project(copy) as project:
        draft(project)
    assert verify(copy).ok


STORING = """
import sys, time
from pathlib import Path
from workbench.project.store import open_project
project = open_project(Path(sys.argv[1]), person="Ben Busy")
connection = project._session.connection
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("CREATE TABLE passing AS SELECT 1 AS one")
print("storing", flush=True)
time.sleep(60)
"""


def test_that_somebody_who_is_just_storing_is_named_and_nothing_is_called_cut_off(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_BUSY_SECONDS", 0.3)  # whoever waits longer is told the same
    with subprocess.Popen([sys.executable, "-c", STORING, copy], stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None and other.stdout.readline() == "storing\n"
            for read_only in (True, False):
                with pytest.raises(UserProblem) as told:
                    open_project(copy, read_only=read_only)
                assert "Ben Busy" in str(told.value) and "is storing something in the project" in str(told.value)
        finally:
            other.kill()
    with open_project(copy) as whole:
        assert whole.journal(), "once it is over the file is whole"
