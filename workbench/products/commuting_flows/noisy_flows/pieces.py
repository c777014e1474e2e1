"""Which home points lie in which cell around which workplace, without a table of workplaces × points.

Most points lie in one cell around all workplaces of a work tract: one entry of `settled` says which. Only the others,
that an edge of the grid runs through, have pieces of their own around every workplace. So memory grows with work tracts
× points, and with workplaces only near the edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.progress import Context
from workbench.core.together import together
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.flows.structures import Indices
from workbench.products.commuting_flows.noisy_flows.extents import (
    SPLIT,
    Extents,
    extents_of,
    table_of_cells,
    with_unknown,
)
from workbench.products.commuting_flows.noisy_flows.places import CELLS, Atoms, Workplaces

_AT_ONCE = 65_536  # pairs of a table: its columns stay in the processor's cache
_TASKS = 16  # at least, where there are as many work tracts


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Pieces:
    """`settled` is the cell of each point around all workplaces of a work tract, SPLIT where they differ.

    The rest are the own pieces of each workplace (cell × point with homes), in the order of workplace, cell and point,
    with their share of the point's people.
    """

    settled: NDArray[np.int8]  # work tracts × points
    order: NDArray[np.int16] | Indices  # work tracts × points: those of several cells, then cell by cell
    many: Integers  # work tracts × (CELLS + 1): how many these are
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
    unknown: Integers  # how many of them stand for unknown homes
    share: Floats  # of each atom in its point
    of_tract: Integers  # workplaces, work tract by work tract
    start: Integers  # where those of each work tract begin, one more than there are
    places: Extents  # of work tracts
    homes: Extents  # of points


Own = tuple[Indices, NDArray[np.int8], Indices, Floats]


def pieces_of(atoms: Atoms, work: Workplaces, tract_of_area: Integers, points: int, context: Context) -> Pieces:
    """Work tracts a few at a time; the workplaces of one against the points that an edge runs through."""
    tracts = int(tract_of_area.max()) + 1
    many = np.bincount(atoms.point, minlength=points)
    of_tract = np.argsort(tract_of_area, kind="stable")
    here = _Map(
        atoms=atoms,
        work=work,
        first=np.cumsum(many) - many,
        many=many,
        unknown=np.bincount(atoms.point, atoms.unknown, points).astype(np.int64),
        share=atoms.weight / totals(atoms.point, atoms.weight, points)[atoms.point],
        of_tract=of_tract,
        start=np.searchsorted(tract_of_area[of_tract], np.arange(tracts + 1)),
        places=extents_of(work, tract_of_area, tracts),
        homes=extents_of(atoms, atoms.point, points),
    )
    step = max(1, min(_AT_ONCE // points, tracts // _TASKS))
    tasks = [partial(_of_tracts, here, slice(begin, begin + step)) for begin in range(0, tracts, step)]
    made = together(tasks, context, "finding the cells around every workplace")
    area, cell, point, share = _in_order([own for _, found in made for own in found])
    settled = np.concatenate([rows for rows, _ in made])
    order = np.empty(settled.shape, dtype=np.int16 if points <= np.iinfo(np.int16).max else np.int32)
    counted = np.empty((tracts, CELLS + 1), dtype=np.int64)
    for tract, cells in enumerate(settled):
        order[tract] = np.argsort(cells, kind="stable")
        counted[tract] = np.bincount(cells - np.int8(SPLIT), minlength=CELLS + 1)
    return Pieces(settled=settled, order=order, many=counted, area=area, cell=cell, point=point, share=share)


def _of_tracts(here: _Map, rows: slice) -> tuple[NDArray[np.int8], list[Own]]:
    """What is settled for these work tracts, and the own pieces of their workplaces."""
    settled = table_of_cells(here.places.taken(rows), here.homes)
    settled = with_unknown(settled, here.unknown == here.many, here.unknown > 0)
    start, found = here.start[rows.start : rows.stop + 1], list[Own]()
    split, areas = settled == SPLIT, np.diff(start)
    for first, last in _in_turns(split, areas, here.many):
        mine = here.of_tract[start[first] : start[last]]
        found += _own(here, mine, np.repeat(split[first:last], areas[first:last], axis=0), settled.shape[1])
    return settled, found


def _in_turns(split: Bools, areas: Integers, many: Integers) -> Iterator[tuple[int, int]]:
    """Work tracts side by side whose workplaces have one table, of all points that an edge runs through for any."""
    first, held, places = 0, np.zeros(split.shape[1], dtype=bool), 0
    for row, here in enumerate(split):
        wider = held | here
        if row > first and (places + areas[row]) * int(many[wider].sum()) > _AT_ONCE:
            yield first, row
            first, wider, places = row, here, 0
        held, places = wider, places + int(areas[row])
    yield first, len(split)


def _own(here: _Map, areas: Integers, split: Bools, points: int) -> list[Own]:
    """Pieces of the points that `split` names for each workplace: of one atom as they are, the others atom by atom."""
    some = np.flatnonzero(split.any(axis=0))
    single = here.many[some] == 1
    found = []
    for chosen, pieces in ((some[single], _whole), (some[~single], _parts)):
        several = max(1, _AT_ONCE // max(int(here.many[chosen].sum()), 1))
        for begin in range(0, len(areas) if len(chosen) else 0, several):
            rows = slice(begin, begin + several)
            found.append(pieces(here, areas[rows], chosen, split[rows][:, chosen]))
    return [_joined(found, points)] if found else []


def _whole(here: _Map, areas: Integers, points: Integers, split: Bools) -> Own:
    cell = here.atoms.table(here.work, areas, here.first[points])
    area, point = np.nonzero(split)
    held = cell[area, point]
    return areas[area].astype(np.int32), held, points[point].astype(np.int32), np.ones(len(held))


def _parts(here: _Map, areas: Integers, points: Integers, split: Bools) -> Own:
    many = here.many[points]
    atom = np.arange(int(many.sum())) + np.repeat(here.first[points] - (np.cumsum(many) - many), many)
    cell = here.atoms.table(here.work, areas, atom)
    key = np.add.outer(np.arange(len(areas)) * (len(points) * CELLS), np.repeat(np.arange(len(points)) * CELLS, many))
    key += cell
    held = totals(key.ravel(), np.tile(here.share[atom], len(areas)), len(areas) * len(points) * CELLS)
    held = held.reshape(-1, CELLS)
    held[~split.ravel()] = 0.0
    some = np.flatnonzero(held > 0.0)
    rest, cells = np.divmod(some, CELLS)
    area, point = np.divmod(rest, len(points))
    return areas[area].astype(np.int32), cells.astype(np.int8), points[point].astype(np.int32), held.ravel()[some]


def _in_order(found: list[Own]) -> Own:
    """All pieces in the order of their workplaces, which are mostly so already."""
    nothing: Own = (np.zeros(0, np.int32), np.zeros(0, np.int8), np.zeros(0, np.int32), np.zeros(0))
    area, cell, point, share = (np.concatenate(part) for part in zip(nothing, *found, strict=True))
    if np.any(area[1:] < area[:-1]):
        order = np.argsort(area, kind="stable")
        area, cell, point, share = area[order], cell[order], point[order], share[order]
    return area, cell, point, share


def _joined(found: list[Own], points: int) -> Own:
    """Pieces of the workplaces of a few work tracts, in the order of workplace, cell and point."""
    area, cell, point, share = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort((area * np.int64(CELLS) + cell) * points + point)
    return area[order], cell[order], point[order], share[order]
