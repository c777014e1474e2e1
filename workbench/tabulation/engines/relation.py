"""Rows as a query: columns by short names, each of codes or of numbers, and a place for the condition of a pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.core.errors import UserProblem
from workbench.microdata.table import IN_NUMBERS
from workbench.tabulation.engines.contract import ALL
from workbench.tabulation.engines.dialect import NEVER

_PASS = f"{NEVER}pass{NEVER}"


@dataclass(frozen=True, slots=True, repr=False)
class Counted:
    """What a column of codes was found to hold: missing cells, different values, the most rows of one value, and the
    values with blanks around them."""

    missing: int
    distinct: int
    most: int
    padded: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Relation:
    """`query` selects every column under its short name. Where rows were chosen within units, a pass must keep those
    units whole: `split` are the columns it may go by; None where any will do."""

    name: str
    query: str
    short: Mapping[str, str]
    numbers: frozenset[str]
    split: tuple[str, ...] | None = None
    complete: frozenset[str] = frozenset()  # columns known to have no missing cell
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what columns hold at most, where it is known
    counted: Mapping[str, Counted] = field(default_factory=dict)  # of exactly these rows
    names: int = 0  # short names given so far

    def has_only(self, name: str, texts: Sequence[str] | None) -> bool:
        """Whether it is known that every cell is there and, where a list is given, in it."""
        return name in self.complete and (texts is None or self.within(name, texts))

    def within(self, name: str, texts: Iterable[str]) -> bool:
        """Whether it is known that every cell that is there is in a list."""
        return name in self.values and set(self.values[name]) <= {str(text) for text in texts}

    @classmethod
    def of_source(cls, name: str, *, columns: Mapping[str, str], numbers: frozenset[str], source: str) -> Relation:
        """`columns` are the expressions of each column over the source."""
        short = {column: f"c{number}" for number, column in enumerate(columns)}
        listed = ", ".join(f"{expression} AS {short[column]}" for column, expression in columns.items())
        inner = f"SELECT * FROM (SELECT {listed} FROM {source}) AS s WHERE {_PASS}"
        return cls(name=name, query=inner, short=short, numbers=numbers, names=len(short))

    def rows(self, condition: str = ALL) -> str:
        """The query of one pass, in brackets."""
        return "(" + self.query.replace(_PASS, condition) + ")"

    def chosen(self, query: str, *, split: Sequence[str]) -> Relation:
        """Rows that `query` takes of these (with `{rows}` for them), chosen within values of the split columns."""
        allowed = tuple(name for name in split if self.split is None or name in self.split)
        return replace(self, query=query.format(rows="(" + self.query + ")"), split=allowed, counted={})

    def derived(self, query: str, added: Mapping[str, str], *, numbers: frozenset[str] = frozenset()) -> Relation:
        """Rows made of these one by one: `query` takes them as `{rows}` and gives all their columns and those added.

        A pass may go by any column of the result, so its condition moves outward.
        """
        made = query.replace("{rows}", self.rows())
        return replace(
            self,
            query=f"SELECT * FROM ({made}) AS d WHERE {_PASS}",
            short={**self.short, **added},
            names=self.names + len(added),
            numbers=self.numbers | numbers,
            counted={},
        )

    def new_name(self) -> str:
        """A short name that no column has, nor had before a step gave it another."""
        return f"c{self.names}"

    def splittable(self, wanted: Sequence[str]) -> tuple[str, ...]:
        """The short names of the columns that a pass may go by."""
        allowed = wanted if self.split is None else [name for name in wanted if name in self.split]
        return tuple(self.short[name] for name in allowed)

    def coded(self, name: str) -> str:
        """The short name of a column of codes."""
        if name not in self.short:
            raise UserProblem(f"There is no column “{name}”", self.name, f"Columns: {', '.join(self.short)}")
        if name in self.numbers:
            raise UserProblem(f"“{name}” holds numbers, not codes", self.name, "Give it another role")
        return self.short[name]

    def number(self, name: str) -> str:
        """The double of a column, unknown where it is empty or no number."""
        if name not in self.short:
            raise UserProblem(f"There is no column “{name}”", self.name, f"Columns: {', '.join(self.short)}")
        short = self.short[name]
        if name in self.numbers:
            return short
        bare = f"trim({short})"  # engines read 12d, 1_000 or infinity each in its own way: none of them is a number
        plain = f"translate({bare}, '{IN_NUMBERS}', '') = '' AND {bare} NOT LIKE '+-%'"
        return f"(CASE WHEN {plain} THEN TRY_CAST({bare} AS DOUBLE) END)"
