"""What reaches a terminal or a stream: words that obey nobody, messages that can be read, files that never hang."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.said import dwb, files_in, one_sentence
from tests.cli.small import PLAN, write_small
from workbench.cli.main import main
from workbench.cli.output import print_problems
from workbench.core.errors import Problem
from workbench.project.store import open_project

_HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31mred\u202etxt"


def _program(*words: object, takes: int | None = None) -> tuple[int, bytes, str]:
    """Run one command as a program whose output goes into a pipe, of which only so much is read."""
    command = [sys.executable, "-m", "workbench", *(str(word) for word in words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        out = running.stdout.read(-1 if takes is None else takes)
        running.stdout.close()
        err = running.stderr.read().decode("utf-8")
        return running.wait(timeout=120), out, err


def test_that_titles_and_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    plan = write_small(tmp_path, plan=PLAN)
    project = tmp_path / "p.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    with open_project(project) as opened:
        opened.update_release_plan("R-0001", opened.release("R-0001").plan_text, title=_HOSTILE)
    for said in (dwb("releases", project), dwb("review", project, "R-0001"), dwb("decide", project, f"R{_HOSTILE}")):
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(said.out + said.err), said
    assert "red" in dwb("releases", project).out
    told = dwb("releases", project, "--json")
    assert not {"\x1b", "\x9b", "\u202e"} & set(told.out)
    assert _HOSTILE in _leaves(told.json), "a script gets what was written"


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in _leaves(each)]
    return [value]


def test_that_messages_are_cut_and_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_problems([Problem("x" * 20_000), *[Problem("The same")] * 1000, *[Problem(f"No {i}") for i in range(100)]])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 51
    assert max(len(line) for line in lines) < 1010
    assert lines.count("The same.") == 1
    assert lines[-1] == "And 52 more problems."


def test_that_too_little_memory_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_words: object, **_more: object) -> None:
        raise MemoryError

    monkeypatch.setattr("workbench.cli.commands.list.run", full)
    one_sentence(dwb("list", "products"), "more memory")


@pytest.mark.parametrize("output", ["-", "/dev/stdout"])
def test_that_a_table_is_written_to_standard_output(approved: Path, output: str) -> None:
    before = set(files_in(approved.parent))
    code, table, err = _program("export", approved, "R-0001", "-o", output)
    assert (code, err) == (0, "")
    assert table.startswith(b"place,sector,jobs")
    assert set(files_in(approved.parent)) == before
    with open_project(approved, read_only=True) as project:
        last = project.exports("R-0001")[-1]
    assert last.files == {"R-0001-table.csv": hashlib.sha256(table).hexdigest()}
    file = approved.parent / "same.csv"
    assert dwb("export", approved, "R-0001", "-o", file).code == 0
    assert file.read_bytes() == table


@pytest.mark.parametrize("kind", ["html", "json"])
def test_that_a_report_is_written_to_standard_output(approved: Path, kind: str) -> None:
    code, report, err = _program("report", approved, "R-0001", "--audience", "public", "--format", kind, "-o", "-")
    assert (code, err) == (0, "")
    assert b"R-0001" in report
    file = approved.parent / f"r.{kind}"
    file.write_bytes(report)
    assert dwb("verify-report", "--project", approved, file).code == 0, "the journal knows this very file"


def test_that_whoever_reads_only_the_beginning_ends_it(approved: Path) -> None:
    code, begins, err = _program("report", approved, "R-0001", "-o", "-", takes=20)
    assert (code, len(begins), err) == (0, 20, "")
    assert dwb("verify", approved).code == 0


def test_that_standard_output_takes_one_thing(approved: Path, waiting: Path) -> None:
    before = waiting.read_bytes()
    one_sentence(dwb("export", approved, "R-0001", "-o", "-", "--json"), "both write to standard output")
    one_sentence(dwb("report", approved, "R-0001", "-o", "-", "--json"), "both write to standard output")
    assert waiting.read_bytes() == before


def test_that_nothing_is_printed_before_an_approval(waiting: Path) -> None:
    before = waiting.read_bytes()
    for words in (("export",), ("report", "--audience", "public")):
        said = dwb(*words, waiting, "R-0001", "-o", "-")
        assert (said.code, said.out) == (1, "")
        assert "only after approval" in said.err
    assert waiting.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_that_a_pipe_or_device_is_not_replaced_by_a_file(approved: Path) -> None:
    pipe, before = approved.parent / "pipe", approved.read_bytes()
    os.mkfifo(pipe)
    for target in (pipe, "/dev/null"):
        for command in ("export", "report"):
            words = ("--format", "html") if command == "report" else ("--file", "csv")
            said = dwb(command, approved, "R-0001", "-o", target, *words)
            assert said.code == 2, said
    assert pipe.is_fifo()
    assert Path("/dev/null").is_char_device()
    assert approved.read_bytes() == before


def test_that_streams_are_as_they_were_afterwards() -> None:
    before = sys.stdout, sys.stderr
    main(["list"])
    assert (sys.stdout, sys.stderr) == before
