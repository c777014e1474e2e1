"""How the rows are shaped, declared: what the plan, the project and the report say about it.

The steps always come in this order: files are linked, columns recoded, missing values dealt with, rows kept. Every step
decides about a row by that row and by public or linked lists alone, never by other rows, so one record more or less
changes one row of the result and no guarantee grows weaker.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from itertools import pairwise

from workbench.core.errors import Problem
from workbench.core.params import Rows, param, rows


class Unmatched(StrEnum):
    KEEP = "keep"
    LEAVE_OUT = "leave out"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A second file whose columns are added to the rows that have its key. A row never becomes two."""

    key: tuple[str, ...] = param((), "Key", "Columns of the data that say which row of the linked file is meant.")
    their_key: tuple[str, ...] = param(
        (), "Key in the linked file", "The same columns by their names there, in the same order; none: the same names."
    )
    columns: tuple[str, ...] = param(
        (), "Columns taken", "Columns of the linked file; none: all that have a role or that another step uses."
    )
    unmatched: Unmatched = param(
        Unmatched.REFUSE,
        "Rows without a match",
        "Keep them with missing values, leave them out, or refuse to go on.",
        labels={"keep": "keep, values missing", "leave out": "leave out", "refuse": "refuse"},
    )
    pad: bool = param(
        False, "Pad keys with zeros", "Keys that are numbers match whatever their leading zeros: 1 and 01 are the same."
    )

    def check(self) -> tuple[Problem, ...]:
        found = []
        if not self.key:
            found.append(Problem("No key is named", "key", "Name the columns that both files share"))
        if self.their_key and len(self.their_key) != len(self.key):
            found.append(Problem("The keys have different lengths", "their_key", "Name one column for each of the key"))
        return tuple(found)

    @property
    def there(self) -> tuple[str, ...]:
        """The key by its names in the linked file."""
        return self.their_key or self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoding:
    """A new column made from another: classes of a number, the beginning of a code, its parent, or a code by year."""

    of: str = param("", "Made from", "The column that is recoded. It stays as it is.")
    edges: tuple[str, ...] = param(
        (),
        "Class edges",
        "Rising numbers. A class begins at its edge and ends before the next; one is below all.",
    )
    prefix: int = param(0, "Leading characters", "How many characters of the code are kept; 0: not this way.", ge=0)
    parents: bool = param(
        False, "Parent codes", "Take the parent that the data dictionary gives for each code, in its column “parent”."
    )
    keyed: str = param(
        "",
        "Keyed with",
        "A column such as the year: a unit is then one of its own in every year, and so is its guarantee.",
    )

    def check(self) -> tuple[Problem, ...]:
        found = []
        if not self.of:
            found.append(Problem("No column is named", "of", "Name the column to recode"))
        if bool(self.edges) + bool(self.prefix) + self.parents + bool(self.keyed) != 1:
            do = "Give edges, prefix, parents or keyed"
            found.append(Problem("Not exactly one way to recode is chosen", "edges", do))
        try:
            numbers = [Decimal(edge) for edge in self.edges]
        except InvalidOperation:
            found.append(Problem("An edge is not a number", "edges", "Write digits, with a point before decimals"))
        else:
            if not all(number.is_finite() for number in numbers):
                found.append(Problem("An edge is not a finite number", "edges", "Leave it out: the last class is open"))
            elif any(high <= low for low, high in pairwise(numbers)):
                found.append(Problem("The edges do not rise", "edges", "Write each once, the lowest first"))
        return tuple(found)


class Gap(StrEnum):
    OWN = "own category"
    LEAVE_OUT = "leave out"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingRule:
    """What becomes of rows without a value in one column."""

    rows: Gap = param(
        Gap.REFUSE, "Rows without a value", "A category of their own, left out, or a reason to refuse to go on."
    )
    code: str = param("missing", "Code of the category", "The code that rows without a value get.")

    def check(self) -> tuple[Problem, ...]:
        blank = self.rows is Gap.OWN and not self.code.strip()
        return (Problem("The category has no code", "code", "For example “missing”"),) if blank else ()


def say_of_gaps(column: str) -> str:
    """How to answer for rows without a value, in the window and in a plan, as the end of a sentence."""
    place = f'[data.shaping.missing."{column}"]'
    return f'say what becomes of those rows (Data, “if missing”; in a plan {place}, rows = "own category")'


class Comparison(StrEnum):
    EQUAL = "="
    NOT_EQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="
    IN = "in"
    NOT_IN = "not in"
    MISSING = "is missing"
    PRESENT = "is not missing"


ORDERED = (Comparison.BELOW, Comparison.AT_MOST, Comparison.ABOVE, Comparison.AT_LEAST)
_MANY = (Comparison.IN, Comparison.NOT_IN)
_NONE = (Comparison.MISSING, Comparison.PRESENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRule:
    """Rows are kept where the comparison holds. Without a value only “is missing” does."""

    column: str = param("", "Column", "The column that decides.")
    comparison: Comparison = param(
        Comparison.EQUAL, "Comparison", "Larger and smaller compare numbers; all others compare codes as text."
    )
    values: tuple[str, ...] = param((), "Values", "One value, several for “in” and “not in”, none for “is missing”.")

    def check(self) -> tuple[Problem, ...]:
        found = []
        if not self.column:
            found.append(Problem("No column is named", "column", "Name the column that decides"))
        wanted = 0 if self.comparison in _NONE else 1
        if len(self.values) < wanted or (len(self.values) > wanted and self.comparison not in _MANY):
            do = "Give no value" if not wanted else "Give exactly one value, or use “in”"
            found.append(Problem(f"“{self.comparison}” has the wrong number of values", "values", do))
        elif self.comparison in ORDERED:
            try:
                finite = Decimal(self.values[0]).is_finite()
            except InvalidOperation:
                finite = False
            if not finite:
                found.append(Problem("The value is not a number", "values", "Write digits, with a point for decimals"))
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaping:
    """What is made of the rows before anything is counted. Without any of it, the file is taken as it is."""

    links: Rows[Link] = rows(Link, "Linked files", "Second files whose columns are added by a key.", by="file")
    recode: Rows[Recoding] = rows(Recoding, "Recoded columns", "New columns made from others.", by="column")
    missing: Rows[MissingRule] = rows(MissingRule, "Missing values", "What becomes of gaps.", by="column")
    keep: Rows[RowRule] = rows(RowRule, "Rows kept", "All of these rules must hold for a row.", by="rule")

    @property
    def nothing(self) -> bool:
        return not (self.links or self.recode or self.missing or self.keep)

    def used(self) -> tuple[str, ...]:
        """Every column that a step looks at, whoever brings it."""
        named = [name for link in self.links.values() for name in link.key]
        named += [name for each in self.recode.values() for name in (each.of, each.keyed) if name]
        named += [*self.missing, *(rule.column for rule in self.keep.values())]
        return tuple(dict.fromkeys(named))

    def by_year(self) -> tuple[tuple[str, str], ...]:
        """Columns that are keyed with another, and with which."""
        return tuple((name, each.keyed) for name, each in self.recode.items() if each.keyed)

    def numbers(self) -> frozenset[str]:
        """The columns whose numbers a step compares."""
        ordered = {rule.column for rule in self.keep.values() if rule.comparison in ORDERED}
        return frozenset(ordered | {recoding.of for recoding in self.recode.values() if recoding.edges})
