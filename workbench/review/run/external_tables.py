"""Tables from outside, as CSV: the last column (or a named one) is the value, the columns before it are the keys."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np

from workbench.audit.differencing.tables import Hierarchy, Protection, PublishedTable
from workbench.baselines.suppression.hierarchy import nested
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.files import read_text
from workbench.core.quantities import counted

_SUPPRESSED = frozenset(
    {"", "x", "*", "**", ".", "..", "...", "d", "(d)", "s", "(s)", "c", "n", "na", "n/a", "nan", ":"}
)
_MOST_DIGITS = 18  # of a value with its decimals, so that it fits a 64-bit integer
_THOUSANDS = re.compile(r"^[+-]?\d{1,3}([, \u00a0\u202f]\d{3})+(\.\d+)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTable:
    """A table a reviewer adds. The project remembers its name and SHA-256, nothing of its content."""

    table: PublishedTable
    sha256: str


def read_rounded(path: Path, base: str, *, value: str = "") -> ExternalTable:
    """Read a published table whose values are rounded to multiples of a base."""
    if not base.isdecimal() or int(base) < 2:
        raise UserProblem("The base of rounding must be a whole number above 1", "--rounded", "For example 5")
    return read_external(path, protection=Protection.ROUNDED, base=int(base), value=value)


def read_external(
    path: Path, *, protection: Protection = Protection.EXACT, base: int = 0, value: str = ""
) -> ExternalTable:
    """Read a published table. Empty cells and the usual signs (x * .. (D) s c n/a) are suppressed values."""
    text = read_text(path, "a published table as CSV")
    header, rows = _rows(text, path)
    place = _value_column(header, value, path)
    if place == 0:
        raise UserProblem("There is no key column before the value", str(path), "Put the keys first, the value last")
    numbers = [_number(row[place]) for row in rows]
    problems = [
        Problem("The value is not a number", f"{path.name}, line {line}", "Leave a suppressed value empty")
        for line, number in enumerate(numbers, start=2)
        if number is _WRONG
    ]
    problems += _repeated([tuple(row[:place]) for row in rows], path)
    raise_if(problems[:10])
    decimals = max((_decimals(number) for number in numbers if isinstance(number, Decimal)), default=0)
    units = [0 if number is None else int(Decimal(str(number)).scaleb(decimals)) for number in numbers]
    made = PublishedTable(
        name=path.name,
        columns=tuple(header[:place]),
        keys=tuple(tuple(row[column] for row in rows) for column in range(place)),
        value_name=header[place],
        values=np.array(units, dtype=np.int64),
        suppressed=np.array([number is None for number in numbers], dtype=bool),
        decimals=decimals,
        protection=protection,
        base=base,
    )
    return ExternalTable(table=made, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def read_hierarchy(dimension: str, path: Path) -> Hierarchy:
    """Which code belongs to which: one column per level, the coarsest first, one line for each finest code."""
    header, rows = _rows(read_text(path, "a list of nested codes as CSV"), path)
    if len(header) < 2:
        raise UserProblem("A list of nested codes needs two columns", str(path), "One per level, the coarsest first")
    parents: dict[str, str] = {}
    wrong: list[Problem] = []
    for line, row in enumerate(rows, start=2):
        for above, below in itertools.pairwise(row):
            if above == below:
                continue
            if parents.setdefault(below, above) != above:
                wrong.append(Problem(f"“{below[:40]}” belongs to two codes", f"{path.name}, line {line}"))
    raise_if(wrong[:10])
    nested(dimension, parents.items())  # refuses codes that contain each other
    return Hierarchy(dimension=dimension, parents=parents, columns=tuple(header))


def _rows(text: str, path: Path) -> tuple[list[str], list[list[str]]]:
    first = text.partition("\n")[0]
    delimiter = max((",", ";", "\t"), key=first.count)
    try:
        lines = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row]
    except csv.Error:
        raise UserProblem("This is not a readable CSV file", str(path), "Check the quotes in it") from None
    if len(lines) < 2:
        raise UserProblem("The table has no rows", str(path), "Give a header and at least one row")
    header = [name.strip() for name in lines[0]]
    raise_if(
        Problem(
            f"The line has {counted(len(row), 'cell')} where the header has {len(header)}",
            f"{path.name}, line {line}",
            "Correct that line",
        )
        for line, row in enumerate(lines[1:], start=2)
        if len(row) != len(header)
    )
    return header, [[cell.strip() for cell in row] for row in lines[1:]]


def _value_column(header: list[str], value: str, path: Path) -> int:
    if not value:
        return len(header) - 1
    folded = [name.casefold() for name in header]
    if value.casefold() not in folded:
        raise UserProblem(f"There is no column “{value[:40]}”", str(path), f"Columns: {', '.join(header)}")
    return folded.index(value.casefold())


class _Wrong:
    """A cell that is neither a number nor a sign for a suppressed one."""


_WRONG = _Wrong()


def _number(cell: str) -> Decimal | _Wrong | None:
    if cell.casefold() in _SUPPRESSED:
        return None
    plain = re.sub(r"[, \u00a0\u202f]", "", cell) if _THOUSANDS.match(cell) else cell
    try:
        number = Decimal(plain.replace("−", "-"))
    except InvalidOperation:
        return _WRONG
    if not number.is_finite() or number.adjusted() + _decimals(number) >= _MOST_DIGITS:
        return _WRONG
    return number


def _decimals(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _repeated(keys: list[tuple[str, ...]], path: Path) -> list[Problem]:
    seen: set[tuple[str, ...]] = set()
    found = []
    for line, key in enumerate(keys, start=2):
        if key in seen:
            found.append(Problem("This cell is listed twice", f"{path.name}, line {line}", "Keep one of them"))
        seen.add(key)
    return found
