"""Groupings of one dimension that overlap without being nested in a hierarchy: ages 0–17 in one table, 16 and over in
the next.

Codes that read as ranges of whole numbers are sets of the same atoms. Where a printed range holds printed ranges of
another table that do not overlap, what is left of it is a cell that no table lists and everybody can work out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from workbench.audit.differencing.cells import Key, Space, is_total
from workbench.audit.differencing.search import Derived, Group, Term
from workbench.baselines.suppression.code_ranges import EVERYTHING, Range, covers
from workbench.baselines.suppression.code_ranges import range_of as code_range


def range_of(code: str | None) -> Range | None:
    """The whole numbers that a code stands for; None where it is no range. The total is all of them."""
    return EVERYTHING if code is None or is_total(code) else code_range(code)


@dataclass(frozen=True, slots=True)
class _Cell:
    key: Key
    range: Range
    table: int
    value: int


def differences(space: Space) -> tuple[Derived, ...]:
    """Every group that is left when printed ranges are taken from a printed range that holds them."""
    found: dict[tuple[Key, int, tuple[Key, ...]], Derived] = {}
    for dimension in range(len(space.dimensions)):
        for cells in _alike(space, dimension).values():
            for whole in cells:
                for parts in _inside(whole, cells):
                    left = whole.value - sum(part.value for part in parts)
                    made = _derived(space, dimension, whole, parts, left)
                    found.setdefault((whole.key, dimension, tuple(part.key for part in parts)), made)
    return tuple(found.values())


def _alike(space: Space, dimension: int) -> dict[Key, list[_Cell]]:
    """Printed cells that differ in this dimension alone, where its codes are ranges."""
    alike: dict[Key, list[_Cell]] = {}
    for number, sources in space.sources.items():
        key = space.keys[number]
        stretch = range_of(key[dimension])
        given = [source for source in sources if source.value is not None and source.slack == 0]
        if stretch is not None and given and given[0].value is not None:
            rest = (*key[:dimension], None, *key[dimension + 1 :])
            alike.setdefault(rest, []).append(_Cell(key, stretch, given[0].table, given[0].value))
    return alike


def _inside(whole: _Cell, cells: Sequence[_Cell]) -> Iterator[list[_Cell]]:
    """For each other table, its ranges inside this one, where they leave something of it."""
    low, high = whole.range
    for table in sorted({cell.table for cell in cells} - {whole.table}):
        parts = sorted((cell for cell in cells if cell.table == table and cell.range != whole.range
                        and low <= cell.range[0] and cell.range[1] <= high), key=lambda cell: cell.range)  # fmt: skip
        apart = all(one.range[1] < other.range[0] for one, other in pairwise(parts))
        if parts and apart and not covers(whole.range, [part.range for part in parts]):
            yield parts


def _derived(space: Space, dimension: int, whole: _Cell, parts: Sequence[_Cell], left: int) -> Derived:
    value = left / 10**space.decimals
    name = space.dimensions[dimension]
    taken = tuple(str(part.key[dimension]) for part in parts)
    codes = tuple((space.dimensions[place], code) for place, code in enumerate(whole.key) if code is not None)
    terms = (
        Term(factor=Fraction(1), table=space.tables[whole.table].name, group=_group(space, whole.key)),
        *(
            Term(factor=Fraction(-1), table=space.tables[part.table].name, group=_group(space, part.key))
            for part in parts
        ),
    )
    return Derived(group=Group(codes=codes, other_than=(name, taken)), tables=(), low=value, high=value, terms=terms)


def _group(space: Space, key: Key) -> Group:
    return Group(
        codes=tuple((space.dimensions[place], code) for place, code in enumerate(key) if code is not None)
    )  # fmt: skip
