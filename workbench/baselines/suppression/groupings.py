"""What of a column each code of its groupings covers: stretches of numbers, or sets of codes.

Codes such as “0-17” are read as stretches. Where a grouping says what its codes cover, or that they begin the codes of
the column, all groupings of that column are sets of its codes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from workbench.baselines.suppression.code_ranges import open_below, range_of
from workbench.baselines.suppression.hierarchy import Dimension, Extent, Range

EVERYTHING: Range = (-math.inf, math.inf)


def extents_of(groupings: Sequence[tuple[Dimension, Collection[str]]]) -> list[dict[str, Extent]]:
    """What each code covers, for every grouping of one column; codes of which nothing is known are left out."""
    if any(dimension.prefix or _in_sets(dimension) for dimension, _ in groupings):
        return _sets(groupings)
    return [_stretches(dimension, codes) for dimension, codes in groupings]


def stretch_of(code: str) -> Range | None:
    """The numbers that a code names, up to but not including the end."""
    found = range_of(code)
    if found is None:
        return None
    low, high = open_below(found)
    return low, high + 1


def _in_sets(dimension: Dimension) -> bool:
    return any(isinstance(extent, frozenset) for extent in dimension.extents.values())


def _stretches(dimension: Dimension, codes: Collection[str]) -> dict[str, Extent]:
    if dimension.extents:
        return {code: dimension.extents[code] for code in codes if code in dimension.extents}
    return {code: stretch for code in codes if (stretch := stretch_of(code)) is not None}


def _sets(groupings: Sequence[tuple[Dimension, Collection[str]]]) -> list[dict[str, Extent]]:
    """The finest codes at hand are the column's own, or the longest of their beginnings."""
    finest = _finest(groupings)
    listed = [extent for dimension, _ in groupings for extent in dimension.extents.values()]
    column = finest.union(*(extent for extent in listed if isinstance(extent, frozenset)))
    made = []
    for dimension, codes in groupings:
        own: dict[str, Extent] = {}
        for code in codes:
            inside = _inside(dimension, code, column)
            if inside:
                own[code] = inside
        made.append(own)
    return made


def _finest(groupings: Sequence[tuple[Dimension, Collection[str]]]) -> frozenset[str]:
    raw = [_leaves(dimension, codes) for dimension, codes in groupings if not dimension.recoded]
    longest = max((dimension.prefix for dimension, _ in groupings), default=0)
    if raw or not longest:
        return frozenset().union(*raw)
    return frozenset().union(*(codes for dimension, codes in groupings if dimension.prefix == longest))


def _leaves(dimension: Dimension, codes: Collection[str]) -> frozenset[str]:
    """Codes that are not made up of others."""
    return frozenset(codes) - frozenset(dimension.parents.values())


def _inside(dimension: Dimension, code: str, column: frozenset[str]) -> frozenset[str]:
    if dimension.extents:
        found = dimension.extents.get(code)
        return found if isinstance(found, frozenset) else frozenset()
    if dimension.prefix:
        return frozenset(each for each in column if each.startswith(code)) if len(code) >= dimension.prefix else (
            frozenset({code}) & column
        )  # fmt: skip
    below = frozenset(each for each in column if code in dimension.above(each))
    return below or frozenset({code})
