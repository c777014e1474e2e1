"""Whether the first line of a file names its columns, asked where its own content makes that doubtful."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from workbench.core.errors import Place, Problem, UserProblem
from workbench.core.nearest import did_you_mean
from workbench.core.quantities import agreeing, joined
from workbench.microdata.numbers import PLAIN_NUMBER
from workbench.microdata.options import Header

_ASK = "Set the option header to present or absent: does the first row hold column names?"
_YEAR = re.compile(r"(19|20)\d\d")


def has_names(path: Path, rows: Sequence[Sequence[str]], wanted: Header, line: str = "line") -> bool:
    """Whether the first of these sample rows names the columns: as the option says, else as the rows suggest."""
    if wanted is not Header.AUTO:
        return wanted is Header.PRESENT
    first = [cell.strip() for cell in rows[0]]
    if first and all(_is_number(cell) for cell in first):
        raise _doubt(f"The first {line} holds only numbers, which may be names or data", path)
    for position, cell in enumerate(first):
        below = [row[position].strip() for row in rows[1:] if position < len(row)]
        if cell and cell in below:
            what = f"A value of the first {line} appears again in its column, so the {line} may be data"
            raise _doubt(what, path)
    if _number_over_numbers(first, rows[1:]):
        what = f"The first {line} holds a number above a column of numbers, so it may be data"
        raise _doubt(what, path)
    return True


def _doubt(what: str, path: Path) -> UserProblem:
    """Only a person can tell; the place says which option answers it."""
    return UserProblem.of((Problem(what, path.name, _ASK, Place("data", "header", path.name)),))


def _number_over_numbers(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a number stands over numbers. Years that name several columns, as in wide tables, are no such number."""
    numbers = [position for position, cell in enumerate(first) if _is_number(cell)]
    if len(numbers) > 1 and all(_YEAR.fullmatch(first[position]) for position in numbers):
        return False
    for position in numbers:
        below = [cell for row in rows if position < len(row) and (cell := row[position].strip())]
        if below and all(_is_number(cell) for cell in below):
            return True
    return False


def _is_number(cell: str) -> bool:
    return re.match(PLAIN_NUMBER, cell) is not None


def checked_names(path: Path, names: Sequence[str], line: str = "line") -> tuple[str, ...]:
    """Column names without blanks around them; each is given, and each once.

    Columns are named by their position, since what was taken for a name may be data.
    """
    cleaned = tuple(name.strip() for name in names)
    require_named(path, cleaned, f"Name every column in the first {line}")
    places: dict[str, list[int]] = {}
    for position, name in enumerate(cleaned, 1):
        places.setdefault(name, []).append(position)
    for same in places.values():
        if len(same) > 1:
            raise UserProblem(f"{_columns(same)} have the same name", path.name, "Give every column its own name")
    return cleaned


def other_names(name: str, columns: Sequence[str], *, guessed: bool) -> str:
    """What to do about a column that is not there. Names that nobody vouched for may be data, and are not listed."""
    if guessed:
        otherwise = (
            "Compare it with the first line of the file, or set the option header to absent if that line is data"
        )
        return did_you_mean(name, columns, likeness=0.75) or otherwise
    shown = ", ".join(columns[:20]) + (" …" if len(columns) > 20 else "")
    return did_you_mean(name, columns) or f"Columns: {shown}"


def named_twice(names: Sequence[str]) -> list[str]:
    """Names that more than one column has, in alphabetical order."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def numbered_names(count: int) -> tuple[str, ...]:
    """Names for the columns of a file that has none."""
    return tuple(f"column_{position}" for position in range(1, count + 1))


def require_named(path: Path, names: Sequence[str], do: str) -> None:
    """Refuse a file in which a column has no name."""
    blank = [position for position, name in enumerate(names, 1) if not name.strip()]
    if blank:
        raise UserProblem(f"{_columns(blank)} {agreeing(len(blank), 'has', 'have')} no name", path.name, do)


def _columns(positions: Sequence[int]) -> str:
    """“Column 2”, “Columns 2 and 4”."""
    return f"{agreeing(len(positions), 'Column', 'Columns')} {joined([str(position) for position in positions])}"
