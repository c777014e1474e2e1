"""Several people at one file, and files made to do harm: nothing is overwritten, nothing is followed, all is named."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.project.file.test_migrations import kept_file
from tests.project.samples import draft
from tests.project.signers import tampered
from workbench.core.errors import UserProblem
from workbench.core.plain import canonical
from workbench.project.history.verify import verify
from workbench.project.store import create, open_project
from workbench.project.tables import old_values

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


def damaged(path: Path, run: int) -> None:
    with open_project(path) as project, pytest.raises(UserProblem, match="damaged"):
        project.published(run)
    assert not verify(path).ok


BOMB = zlib.compress(b"\x00" * 100_000_000)  # a hundred kilobytes that unpack to a hundred megabytes


@pytest.mark.parametrize("version", [1, 5])
def test_that_old_values_that_unpack_to_more_than_they_say_are_damage(version: int, tmp_path: Path) -> None:
    path = kept_file(version, tmp_path)
    tampered(path, lambda file: file.execute("UPDATE published SET numbers = ?, length = 3", (BOMB,)))
    damaged(path, 1)


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
@pytest.mark.parametrize("version", [5, 6])
def test_that_a_layout_that_was_never_written_is_damage(version: int, layout: str, tmp_path: Path, copy: Path) -> None:
    path = kept_file(5, tmp_path) if version == 5 else copy
    tampered(path, lambda file: file.execute("UPDATE published SET layout = ? WHERE run = 2", (layout,)))
    damaged(path, 2)


def test_that_old_keys_that_unpack_without_end_are_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = kept_file(5, tmp_path)
    monkeypatch.setattr(old_values, "MOST_KEYS", 50)
    with open_project(path) as project, pytest.raises(UserProblem, match="damaged"):
        project.published(1)


@pytest.mark.parametrize("name", ["dictionary", "body"])
@pytest.mark.parametrize(
    "content", [BOMB, b"", b"\x00", zlib.compress(b"[[],[]]")], ids=["bomb", "none", "byte", "other"]
)
def test_that_a_column_that_was_never_written_is_damage(copy: Path, name: str, content: bytes) -> None:
    change = f"UPDATE published_column SET packing = 'zlib', {name} = ?"
    tampered(copy, lambda file: file.execute(change, (content,)))
    damaged(copy, 1)
    damaged(copy, 2)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM published_column WHERE position = 0",
        "UPDATE published_column SET position = 9 WHERE position = 0",
        "UPDATE published_column SET packing = 'zlib' WHERE packing = ''",
        "UPDATE published SET length = length + 1",
        "UPDATE published SET columns = '[]'",
        "UPDATE published SET digest = 'x'",
    ],
)
def test_that_columns_that_do_not_fit_their_description_are_damage(copy: Path, change: str) -> None:
    tampered(copy, lambda file: file.execute(change))
    damaged(copy, 2)


def _told(file: sqlite3.Connection, changes: dict[str, object], place: int) -> None:
    """Somebody who knows how the description and its digest are made describes a column otherwise."""
    (layout,) = file.execute("SELECT layout FROM published WHERE run = 2").fetchone()
    told = json.loads(layout)
    told["columns"][place] |= changes
    if "rows" in changes:
        told["rows"] = changes["rows"]
    made = canonical(told).decode()
    digest = hashlib.sha256(made.encode()).hexdigest()
    set_rows = ", length = ?" if "rows" in changes else ""
    values = (made, digest, changes["rows"]) if set_rows else (made, digest)
    file.execute(f"UPDATE published SET layout = ?, digest = ?{set_rows} WHERE run = 2", values)


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        (0, {"values": 10**12}),
        (0, {"values": -1}),
        (0, {"values": 1}),
        (0, {"kind": "other"}),
        (0, {"role": "other"}),
        (1, {"bytes": 3}),
        (1, {"decimals": 99}),
        (1, {"rows": 10**15}),
        (1, {"rows": -3}),
        (1, {"name": "place"}),
    ],
)
def test_that_a_false_description_is_damage_and_needs_no_memory(
    copy: Path, place: int, changes: dict[str, object]
) -> None:
    tampered(copy, lambda file: _told(file, changes, place))
    damaged(copy, 2)


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
