"""Every cell of every table in one space: a key per dimension, or the total over it, and which cells add up to which.

A cell is named by one code per dimension; None stands for the total. All coarser cells of each published one (its
margins) are part of the space, published or not, so that tables with different columns meet in what they share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.audit.differencing.tables import Hierarchy, Protection, PublishedTable
from workbench.core.progress import Context

Key = tuple[str | None, ...]
MOST_CELLS = 200_000
_STEP = 10_000
_TOTALS = frozenset({"total", "all", "tot", "_t", "sum", "grand total", "insgesamt", "ensemble", "ialt", "i alt"})


class TooManyCells(Exception):
    """The tables span more cells than can be combined in reasonable time."""


@dataclass(frozen=True, slots=True)
class Source:
    """One table's statement about a cell: its value in common units (None: suppressed), and how far off it may be."""

    table: int
    value: int | None
    slack: int


@dataclass(slots=True)
class Space:
    """Cells by number. `parents` gives the next coarser code of each code of each dimension (None: the total)."""

    tables: tuple[PublishedTable, ...]
    dimensions: tuple[str, ...]
    parents: tuple[dict[str, str | None], ...]
    decimals: int
    keys: list[Key] = field(default_factory=list)
    numbers: dict[Key, int] = field(default_factory=dict)
    sources: dict[int, list[Source]] = field(default_factory=lambda: defaultdict(list))

    def number(self, key: Key) -> int:
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.keys)
            if found >= MOST_CELLS:
                raise TooManyCells
            self.keys.append(key)
        return found

    def coarser(self, key: Key, dimension: int) -> Key | None:
        """The key one step up along a dimension; None at the top."""
        code = key[dimension]
        if code is None:
            return None
        return (*key[:dimension], self.parents[dimension].get(code), *key[dimension + 1 :])


def span(tables: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy], context: Context) -> Space:
    """Put all tables that allow algebra into one space, margins included."""
    dimensions = _dimensions(tables, hierarchies)
    parents = tuple(_parents(name, hierarchies) for name in dimensions)
    space = Space(tuple(tables), dimensions, parents, decimals=max((table.decimals for table in tables), default=0))
    for number, table in enumerate(tables):
        context.step(number / max(1, len(tables)), f"reading the cells of {table.name}")
        _enter(space, number, table, hierarchies)
    _add_margins(space, context)
    return space


def dimension_of(column: str, hierarchies: Sequence[Hierarchy]) -> str:
    """Columns are matched by name, without regard to case; the levels of a hierarchy are one dimension."""
    named = next((each.dimension for each in hierarchies if each.covers(column)), column)
    return named.strip().casefold()


def _dimensions(tables: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy]) -> tuple[str, ...]:
    names = (dimension_of(column, hierarchies) for table in tables for column in table.columns)
    return tuple(dict.fromkeys(names))


def _parents(dimension: str, hierarchies: Sequence[Hierarchy]) -> dict[str, str | None]:
    found = next((each for each in hierarchies if dimension_of(each.dimension, hierarchies) == dimension), None)
    if found is None:
        return {}
    return {child: parent for child, parent in found.parents.items() if child != parent and not is_total(parent)}


def is_total(code: str) -> bool:
    return code.strip().casefold() in _TOTALS


def _enter(space: Space, number: int, table: PublishedTable, hierarchies: Sequence[Hierarchy]) -> None:
    places = [space.dimensions.index(dimension_of(column, hierarchies)) for column in table.columns]
    factor = 10 ** (space.decimals - table.decimals)
    slack = table.base * 10**space.decimals if table.protection is Protection.ROUNDED else 0
    for row, codes in enumerate(zip(*table.keys, strict=True)):
        key: list[str | None] = [None] * len(space.dimensions)
        for place, code in zip(places, codes, strict=True):
            code = code.strip()
            if not is_total(code) and _finer(space, place, code, key[place]):
                key[place] = code
        value = None if table.is_suppressed(row) else int(table.values[row]) * factor
        space.sources[space.number(tuple(key))].append(Source(number, value, slack))


def _finer(space: Space, place: int, code: str, present: str | None) -> bool:
    """Where a table has several levels of one dimension side by side, the finest names the cell."""
    if present is None:
        return True
    above: str | None = code
    while above is not None:
        if above == present:
            return True
        above = space.parents[place].get(above)
    return False


def _add_margins(space: Space, context: Context) -> None:
    place = 0
    while place < len(space.keys):  # grows while it is walked
        if place % _STEP == 0:
            context.step(1.0, f"adding up margins, {place:,} cells so far")
        for dimension in range(len(space.dimensions)):
            above = space.coarser(space.keys[place], dimension)
            if above is not None:
                space.number(above)
        place += 1
