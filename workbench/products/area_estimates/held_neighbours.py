"""Neighbours of methods whose noise follows the data: a cell with and without one person, χ held as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.area_estimates.area_data import AreaData, RowFacts, TableSums
from workbench.products.area_estimates.columns import names_of
from workbench.products.area_estimates.effects import with_worst
from workbench.products.area_estimates.estimators.contract import Sides
from workbench.products.area_estimates.fractional_sums import SUMS
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.people import People
from workbench.products.area_estimates.places import Places


def held_pair(prepared: AreaData, cell: int, chi: tuple[Floats, ...], copies: int) -> NeighbourPair:
    """Copies of one cell, with and without the added person who moves its first estimate most."""
    line, sides, more_line, more_sides = with_worst(prepared, cell)
    own = tuple(np.full(1, each[prepared.places.pool[cell]]) for each in chi)
    more = copied(prepared, cell, more_line, more_sides, own, copies)
    return NeighbourPair(
        description="one person joins a cell where the estimate moves most, χ held as it is",
        first=Confidential(more),
        second=Confidential(copied(prepared, cell, line, sides, own, copies)),
        copies=copies,
        outputs=len(names_of(prepared)),
    )


def copied(
    prepared: AreaData, cell: int, line: Lines, sides: Sides | None, chi: tuple[Floats, ...], copies: int
) -> AreaData:
    """A made-up release of `copies` equal cells in one pool, of one outcome."""
    alike = np.zeros(copies, np.int64)
    group, larger = divmod(int(prepared.places.pool[cell]), len(prepared.places.larger))
    lines = line.chosen(alike)
    table = TableSums(
        sums=np.repeat(np.array([[[0, 0, 0, SUMS]]]) * line.size[0], copies, axis=1),
        x_moment=np.zeros(copies, np.int64),
        y_moment=np.zeros((1, 1), np.int64),
    )
    places = Places(
        area_column=prepared.places.area_column,
        areas=tuple(str(place) for place in range(copies)),
        larger=(prepared.places.larger[larger],),  # which may have an ε of its own, as may its group
        larger_of=np.zeros(copies, np.int64),
        group_columns=prepared.places.group_columns,
        groups=(prepared.places.groups[group],),
    )
    nobody = np.zeros(0, np.int32)
    return replace(
        prepared,
        places=places,
        outcomes=prepared.outcomes[:1],
        lines=Confidential((lines,)),
        sides=None if sides is None else Confidential((tuple(side.chosen(alike) for side in sides),)),
        table=Confidential(table),
        people=Confidential(People(cell=nobody, x=nobody, y=(nobody,))),
        facts=Confidential(RowFacts(rows=0, unlisted=0, outside=0, repeated=0)),
        held=Confidential(chi[: len(chi) // len(prepared.outcomes)]) if chi else None,
    )
