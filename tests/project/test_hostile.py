"""Several people at one file, and files made to do harm: nothing is overwritten, nothing is followed, all is named."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.project.samples import draft
from tests.project.signers import tampered
from workbench.core.errors import UserProblem
from workbench.project.history.verify import verify
from workbench.project.store import create, open_project
from workbench.project.tables import runs

_ROOT = Path(__file__).resolve().parent.parent.parent


def _hammer(path: Path, *, writers: int, wanted: int, lock: str) -> list[str]:
    """Start several writing programs at once and return everything they said."""
    commands = [
        [sys.executable, "-m", "tests.project.hammering_writer", str(path), f"Writer {n}", str(wanted), lock]
        for n in range(writers)
    ]
    started = [
        subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    finished = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0] * writers, finished
    return [line for out, _ in finished for line in out.splitlines()]


@pytest.mark.heavy
@pytest.mark.parametrize("lock", ["locked", "unlocked"])
def test_that_programs_writing_at_once_neither_corrupt_nor_overwrite(tmp_path: Path, lock: str) -> None:
    """With the lock they take turns; where a drive has no locks, SQLite's own still keep every row."""
    path = tmp_path / "shared.dwb"
    create(path).close()
    said = _hammer(path, writers=3, wanted=6, lock=lock)
    made = {line.split()[1]: line.split(maxsplit=2)[2] for line in said if line.startswith("release")}
    acknowledged = [line for line in said if line.startswith("release")]
    assert len(made) == len(acknowledged) >= 18, "two programs were given the same number"
    with open_project(path) as project:
        assert {release.id: release.title for release in project.releases()} == made
    assert verify(path).problems == ()


def test_that_whoever_is_kept_out_is_told_by_whom(copy: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from workbench.project.store import open_project\n"
        "p = open_project(Path(sys.argv[1]), person='Rita Reviewer'); print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(copy)]
    with subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "open"
        with open_project(copy, person="Otto") as second:
            assert second.read_only_reason.startswith("Rita Reviewer ")
            assert len(second.releases()) == 2
            with pytest.raises(UserProblem, match="Rita Reviewer"):
                draft(second)
        holder.kill()
    with open_project(copy, person="Otto") as after:
        assert not after.read_only, "a program that died keeps nobody out"


def _bomb(connection: sqlite3.Connection) -> None:
    """A hundred kilobytes that unpack to a hundred megabytes."""
    connection.execute("UPDATE published SET numbers = ?, length = 3", (zlib.compress(b"\x00" * 100_000_000),))


def test_that_values_that_unpack_to_more_than_they_say_are_damage(copy: Path) -> None:
    tampered(copy, _bomb)
    with open_project(copy) as project, pytest.raises(UserProblem, match="damaged"):
        project.published(1)
    assert not verify(copy).ok


@pytest.mark.parametrize(
    "layout",
    [
        '{"records": true}',
        "[]",
        "not json",
        '{"records": true, "values": [{"name": "jobs", "decimals": 99}]}',
        '{"records": true, "values": [{"name": "jobs"}, {"name": "jobs"}]}',
        '{"records": true, "values": [{"name": "a"}, {"name": "b", "decimals": 3}]}',
    ],
)
def test_that_a_layout_that_was_never_written_is_damage(copy: Path, layout: str) -> None:
    tampered(copy, lambda connection: connection.execute("UPDATE published SET layout = ? WHERE run = 2", (layout,)))
    with open_project(copy) as project, pytest.raises(UserProblem, match="damaged"):
        project.published(2)
    assert not verify(copy).ok


def test_that_keys_that_unpack_without_end_are_damage(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MOST_KEYS", 50)
    with open_project(copy) as project, pytest.raises(UserProblem, match="damaged"):
        project.published(1)


@pytest.mark.parametrize(
    "trap",
    [
        "CREATE TRIGGER trap AFTER INSERT ON release BEGIN UPDATE release SET state = 'approved'; END",
        "CREATE VIEW trap AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n",
        "CREATE TABLE trap (id INTEGER)",
    ],
)
def test_that_a_trap_in_the_schema_is_named(copy: Path, trap: str) -> None:
    connection = sqlite3.connect(copy, isolation_level=None)
    connection.execute(trap)
    connection.close()
    assert any("“trap” was added" in said for said in verify(copy).problems)


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "=HYPERLINK(1)", "'; DROP TABLE vote; --", "\u202ereversed"]
)
def test_that_names_and_comments_are_only_ever_text(copy: Path, text: str) -> None:
    with open_project(copy, person=text) as project:
        release = draft(project, title=text)
        assert project.release(release.id).title == text
        assert project.journal()[-1].actor == "Paula"
    assert verify(copy).ok
