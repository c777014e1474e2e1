"""Which home points lie in which cell around which workplace, without a table of workplaces × points.

Most points lie in one cell around all workplaces of a work tract: one entry of `settled` says which. Only the others,
that an edge of the grid runs through, have pieces of their own around every workplace. So memory grows with work tracts
× points, and with workplaces only near the edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.flows.structures import Indices
from workbench.products.commuting_flows.noisy_flows.extents import (
    SPLIT,
    extents_of,
    table_of_cells,
    with_unknown,
)
from workbench.products.commuting_flows.noisy_flows.places import CELLS, Atoms, Workplaces

_AT_ONCE = 65_536  # pairs of a table: its columns stay in the processor's cache


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Pieces:
    """`settled` is the cell of each point around all workplaces of a work tract, SPLIT where they differ.

    The rest are the own pieces of each workplace (cell × point with homes), in the order of workplace, cell and point,
    with their share of the point's people.
    """

    settled: NDArray[np.int8]  # work tracts × points
    area: Indices
    cell: NDArray[np.int8]
    point: Indices
    share: Floats


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Map:
    atoms: Atoms
    work: Workplaces
    first: Integers  # of each point, its first atom
    many: Integers
    share: Floats  # of each atom in its point


Own = tuple[Indices, NDArray[np.int8], Indices, Floats]


def pieces_of(atoms: Atoms, work: Workplaces, tract_of_area: Integers, points: int, context: Context) -> Pieces:
    """Work tracts a few at a time; the workplaces of one against the points that an edge runs through."""
    tracts = int(tract_of_area.max()) + 1
    unknown = totals(atoms.point, atoms.unknown.astype(np.int64), points)
    many = np.bincount(atoms.point, minlength=points)
    share = atoms.weight / totals(atoms.point, atoms.weight, points)[atoms.point]
    here = _Map(atoms=atoms, work=work, first=np.cumsum(many) - many, many=many, share=share)
    places, homes = extents_of(work, tract_of_area, tracts), extents_of(atoms, atoms.point, points)
    of_tract = np.argsort(tract_of_area, kind="stable")
    start = np.searchsorted(tract_of_area[of_tract], np.arange(tracts + 1))
    settled = np.empty((tracts, points), dtype=np.int8)
    found: list[Own] = []
    step = max(1, _AT_ONCE // points)
    for begin in range(0, tracts, step):
        context.step(begin / tracts, "finding the cells around every workplace")
        rows = slice(begin, min(begin + step, tracts))
        settled[rows] = with_unknown(table_of_cells(places.taken(rows), homes), unknown == many, unknown > 0)
        for tract in range(rows.start, rows.stop):
            split = np.flatnonzero(settled[tract] == SPLIT)
            if len(split):
                found.append(_joined(list(_own(here, of_tract[start[tract] : start[tract + 1]], split)), points))
    area, cell, point, share = _joined(found, points)
    return Pieces(settled=settled, area=area, cell=cell, point=point, share=share)


def _own(here: _Map, areas: Integers, points: Integers) -> Iterator[Own]:
    """Pieces of these points around these workplaces: those of one atom as they are, the others atom by atom."""
    single = here.many[points] == 1
    for chosen, pieces in ((points[single], _whole), (points[~single], _parts)):
        several = max(1, _AT_ONCE // max(int(here.many[chosen].sum()), 1))
        for begin in range(0, len(areas) if len(chosen) else 0, several):
            yield pieces(here, areas[begin : begin + several], chosen)


def _whole(here: _Map, areas: Integers, points: Integers) -> Own:
    cell = here.atoms.table(here.work, areas, here.first[points])
    order = np.argsort(cell, axis=1, kind="stable")
    return (
        np.repeat(areas.astype(np.int32), len(points)),
        np.take_along_axis(cell, order, axis=1).ravel(),
        points.astype(np.int32)[order].ravel(),
        np.ones(cell.size),
    )


def _parts(here: _Map, areas: Integers, points: Integers) -> Own:
    many = here.many[points]
    atom = np.arange(int(many.sum())) + np.repeat(here.first[points] - (np.cumsum(many) - many), many)
    cell = here.atoms.table(here.work, areas, atom)
    key = np.add.outer(np.arange(len(areas)) * (len(points) * CELLS), np.repeat(np.arange(len(points)) * CELLS, many))
    key += cell
    held = totals(key.ravel(), np.tile(here.share[atom], len(areas)), 0)
    some = np.flatnonzero(held > 0.0)
    rest, cells = np.divmod(some, CELLS)
    area, point = np.divmod(rest, len(points))
    return areas[area].astype(np.int32), cells.astype(np.int8), points[point].astype(np.int32), held[some]


def _joined(found: list[Own], points: int) -> Own:
    """In the order of workplace, cell and point. Those of a work tract are sorted first, while the cache holds them."""
    nothing: Own = (np.zeros(0, np.int32), np.zeros(0, np.int8), np.zeros(0, np.int32), np.zeros(0))
    area, cell, point, share = (np.concatenate(part) for part in zip(nothing, *found, strict=True))
    key = (area * np.int64(CELLS) + cell) * points + point
    if not np.any(key[1:] < key[:-1]):
        return area, cell, point, share
    order = np.argsort(key, kind="stable")
    return area[order], cell[order], point[order], share[order]
