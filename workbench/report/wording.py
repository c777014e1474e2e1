"""How values read in the report: numbers with sensible digits, dates, statuses that never rely on colour alone."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.quantities import show, show_left

# icon, word; the icons are in every font the report may fall back to
STATUS_WORDS: dict[Status, tuple[str, str]] = {
    Status.PASS: ("✓", "Pass"),
    Status.WARN: ("!", "Warning"),
    Status.FAIL: ("✗", "Fails"),
    Status.INFO: ("i", "Information"),
}

_MANY_COLUMNS = 8
_PAGE, _LETTER, _GAP, _WRAPPED = 487.0, 4.2, 7.0, 16  # points: measure of the page, a letter, between columns; letters
_SMALLEST_WRITTEN_OUT = Decimal("1e-6")
_LONG_WORD = re.compile(r"\S{40,}")


def number(value: Decimal | float | int, digits: int = 4) -> str:
    """A number as print shows it: thousands separated, a real minus sign, powers of ten written out."""
    return _printed(show(value, digits))


def _printed(text: str) -> str:
    return text.replace("-", "−")


def exact(value: Decimal) -> str:
    """ε, δ and α as they were typed, without trailing zeros; only what is too long or too small is rounded, up."""
    return _written_out(value) or number(value, 6)


def left(value: Decimal) -> str:
    """What is left of a budget, as `exact` writes it; where it is rounded, then down."""
    return _written_out(value) or _printed(show_left(value, 6))


def _written_out(value: Decimal) -> str:
    """The value with all its digits, or nothing where there are too many."""
    if not value.is_finite() or value == value.to_integral_value():
        return number(value)
    text = format(value.normalize(), "f")
    return text.replace("-", "−") if len(text) <= 16 and abs(value) >= _SMALLEST_WRITTEN_OUT else ""


def sentence(text: str) -> str:
    """The text with a capital in front, where it begins with a plain letter: ε and its kin stay small."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def cell(value: Value) -> str:
    """One cell of a finding's table."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return {"inf": "∞", "-inf": "−∞"}.get(value, value)
    return number(value)


def has_long_words(table: Table) -> bool:
    """True where a word is too long for its column and must be broken anywhere, or the table would leave the page."""
    texts = (value for row in (table.columns, *table.rows) for value in row if isinstance(value, str))
    return any(_LONG_WORD.search(text) for text in texts)


def needs_width(table: Table) -> bool:
    """True where many columns would not fit an upright page, by their longest words and numbers."""
    if len(table.columns) <= _MANY_COLUMNS:
        return False
    numeric = numeric_columns(table)
    return sum(_least_width(table, place, numeric[place]) for place in range(len(table.columns))) > _PAGE


def _least_width(table: Table, place: int, numeric: bool) -> float:
    """Points that a column takes in small print: numbers stay whole, words wrap."""
    heading = max(map(len, table.columns[place].split()), default=0)
    cells = [cell(row[place]) for row in table.rows]
    if numeric:
        longest = max(map(len, cells), default=0)
    else:
        longest = max((min(len(text), max(_WRAPPED, *map(len, text.split() or [""]))) for text in cells), default=0)
    return _LETTER * max(heading, longest) + _GAP


def numeric_columns(table: Table) -> tuple[bool, ...]:
    """Which columns hold numbers and are therefore set flush right."""
    return tuple(_numeric(tuple(row[place] for row in table.rows)) for place in range(len(table.columns)))


def _numeric(cells: tuple[Value, ...]) -> bool:
    known = [value for value in cells if value is not None]
    return bool(known) and all(
        value in ("inf", "-inf") if isinstance(value, str) else not isinstance(value, bool) for value in known
    )


def day(text: str) -> str:
    """An ISO date as '16 November 2026', with the time where there is one; anything else as it stands."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    shown = f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
    if "T" not in text and " " not in text:
        return shown
    zone = moment.strftime("%Z").replace("UTC+00:00", "UTC")
    return f"{shown}, {moment:%H:%M} {zone}".rstrip()


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def tally(findings: tuple[Finding, ...]) -> str:
    """'4 pass, 1 warning': what the findings say, counted."""
    words = {
        Status.FAIL: ("fails", "fail"),
        Status.WARN: ("warning", "warnings"),
        Status.PASS: ("passes", "pass"),
        Status.INFO: ("informational", "informational"),
    }
    counts = {status: sum(finding.status is status for finding in findings) for status in words}
    return ", ".join(f"{count} {words[status][count > 1]}" for status, count in counts.items() if count)
