"""What an argument may be. What does not fit is told in our own words; the parser adds which argument it was."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.core.files import require_utf8_name
from workbench.core.nearest import nearest


def file_path(text: str) -> Path:
    """The path of a file or folder. Its name must be text, since it is stored and shown."""
    found = Path(text)
    require_utf8_name(found)
    return found


_STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def file_or_output(text: str) -> Path | None:
    """The path of a file to write; None for standard output, which is a stream and can be no file's name."""
    return None if text in _STANDARD_OUTPUT else file_path(text)


def number(example: str) -> Callable[[str], float]:
    """Any finite number."""

    def read(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            raise ArgumentTypeError(f"must be a number such as {example}, not “{_short(text)}”")
        return found

    return read


def whole_number(example: str) -> Callable[[str], int]:
    """Any whole number."""

    def read(text: str) -> int:
        try:
            return int(text)
        except ValueError:
            raise ArgumentTypeError(f"must be a whole number such as {example}, not “{_short(text)}”") from None

    return read


def one_of(known: Sequence[str]) -> Callable[[str], str]:
    """One of a few words."""

    def read(text: str) -> str:
        if text in known:
            return text
        near = nearest(text, known)
        hint = f"did you mean “{near}”?" if near else f"choose one of {', '.join(known)}"
        raise ArgumentTypeError(f"“{_short(text)}” is not known, {hint}")

    return read


def _short(text: str) -> str:
    return f"{text[:40]}…" if len(text) > 40 else text
