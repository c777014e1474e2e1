"""Quotation marks that swallow rows: one that nobody closed joins the lines down to the next one into a single row."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.core.errors import Problem, UserProblem
from workbench.microdata.files import open_bytes
from workbench.microdata.sniff import TextLayout

_QUOTE = '"'
_LINES_AT_ONCE = 1 << 15
_NAMED = 3  # how many such fields one message lists
_DO = "Close, double or remove the quotation mark there; a field with line breaks must not read like whole rows"


@dataclass(slots=True)
class _Field:
    """A quoted field that is still open at the end of a line: where it began, and what it would swallow."""

    line: int
    breaks: int = 0
    delimiters: int = 0


def require_whole_rows(path: Path, layout: TextLayout) -> Iterator[None]:
    """Refuse a text in which a quoted field over several lines is malformed or holds what would be whole rows.

    Gives way after every few thousand lines, so that the one who reads can be told how far it is and can stop.
    """
    found: list[Problem] = []
    scan = _Scan(layout.delimiter, len(layout.columns))
    with open_bytes(path) as raw, io.TextIOWrapper(raw, encoding=layout.encoding, newline="") as text:
        for number, line in enumerate(text, 1):
            if closed := scan.swallowing(number, line):
                found.append(_problem(path, closed.line, f"ends only on line {number}"))
            if len(found) == _NAMED:
                break
            if not number % _LINES_AT_ONCE:
                yield
    if scan.open and len(found) < _NAMED:
        found.append(_problem(path, scan.open.line, "never ends"))
    if found:
        raise UserProblem.of(found)


def left_open(line: str, layout: TextLayout) -> bool:
    """Whether a line that stands for itself leaves a quoted field open: it then holds the line's end as well."""
    scan = _Scan(layout.delimiter, len(layout.columns))
    scan.swallowing(1, line)
    return scan.open is not None


def _problem(path: Path, line: int, ending: str) -> Problem:
    what = f"A field in quotation marks begins on line {line} and {ending}, so that rows between would be lost"
    return Problem(what, path.name, _DO)


class _Scan:
    """Follows quoted fields from line to line, by the rules of the reader: only at its start does a field open one."""

    def __init__(self, delimiter: str, columns: int) -> None:
        self._delimiter = delimiter
        self._between = columns - 1
        self._whole = _whole_line(delimiter)
        self.open: _Field | None = None

    def swallowing(self, number: int, line: str) -> _Field | None:
        """The field that began on an earlier line, ends in this one, and should not have."""
        if self.open is None and (_QUOTE not in line or self._whole.match(line)):
            return None
        found, start, was_open = None, 0, self.open
        if self.open is not None:
            end = _closing(line, 0)
            self._count(line if end is None else line[:end], blank=not line.strip())
            if end is None:
                return None
            if self._should_not(line, end):
                found = self.open
            self.open = None
            start = self._next_field(line, end)
        while 0 <= start < len(line):
            if line[start] == _QUOTE:
                end = _closing(line, start + 1)
                if end is None:
                    self.open = _Field(line=number, delimiters=line.count(self._delimiter, start))
                    break
                start = end
            elif was_open is not None and _QUOTE in self._field(line, start):
                found = found or was_open  # a mark amid the rest of the row: the one before closed nothing
            start = self._next_field(line, start)
        return found

    def _count(self, part: str, *, blank: bool) -> None:
        assert self.open is not None
        self.open.breaks += not blank
        self.open.delimiters += part.count(self._delimiter)

    def _should_not(self, line: str, end: int) -> bool:
        """Text after the mark tells that it was meant to open a field; as many delimiters as rows have, that it
        swallowed rows."""
        assert self.open is not None
        after = line[end + 1 : end + 2]
        return (
            after not in ("", "\r", "\n", self._delimiter) or self.open.delimiters == self.open.breaks * self._between
        )

    def _field(self, line: str, start: int) -> str:
        place = line.find(self._delimiter, start)
        return line[start : place if place >= 0 else len(line)]

    def _next_field(self, line: str, start: int) -> int:
        """Where the next field of the line begins; negative where none does."""
        place = line.find(self._delimiter, start)
        return place + 1 if place >= 0 else -1


def _whole_line(delimiter: str) -> re.Pattern[str]:
    """A line on which every field that opens also closes: most lines of most files, and quickly told."""
    until = f"[^{re.escape(delimiter)}\\r\\n]*+"
    field = f'(?:"(?:[^"]++|"")*+"{until}|(?!"){until})'
    return re.compile(f"{field}(?:{re.escape(delimiter)}{field})*+[\\r\\n]*+\\Z")


def _closing(line: str, start: int) -> int | None:
    """The mark that ends a quoted field; two in a row are one that belongs to it."""
    place = line.find(_QUOTE, start)
    while place >= 0:
        if line[place + 1 : place + 2] != _QUOTE:
            return place
        place = line.find(_QUOTE, place + 2)
    return None
