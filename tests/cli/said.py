"""Calling dwb as a person or a script does, inside this process or as a program of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.cli.main import main


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def problems(self) -> list[str]:
        """What went wrong, one sentence a line."""
        return self.err.splitlines()


def dwb(*words: object) -> Said:
    """Run one command here. Whatever happens, nobody is shown a traceback."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(word) for word in words])
    return _looked_at(Said(code, out.getvalue(), err.getvalue()))


def dwb_program(*words: object, folder: Path | None = None) -> Said:
    """Run one command as a program of its own, on a console that knows nothing but ASCII."""
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *(str(word) for word in words)],
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        check=False,
        timeout=120,
    )
    return _looked_at(Said(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")))


def _looked_at(said: Said) -> Said:
    assert "Traceback" not in said.out + said.err
    assert said.code in (0, 1, 2, 130), said.err  # 130: somebody pressed Ctrl-C
    if said.code == 2:
        assert said.problems, "a problem without a sentence"
        for line in said.problems:
            assert line.endswith((".", "!", "?")), f"not a sentence: {line}"
    return said


def one_sentence(said: Said, *parts: str, code: int = 2) -> str:
    """The single problem of a command that ended with this exit code; every part of what it must say is in it."""
    assert said.code == code, said
    assert len(said.problems) == 1, said.err
    for part in parts:
        assert part.casefold() in said.err.casefold(), said.err
    return said.problems[0]


def files_in(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, to see that a command that failed left it alone."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
