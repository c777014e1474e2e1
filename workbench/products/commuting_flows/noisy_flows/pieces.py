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
_SETTLED_AT_ONCE = 2 * _AT_ONCE  # where most atoms need no table
_RUN = 32  # workplaces at most around which atoms are looked at together
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
    run: Integers  # of each of `of_tract`: some of one work tract that stand near one another, as their codes follow
    runs: Extents
    homes: Extents  # of points
    homes_alone: Extents  # of atoms


Own = tuple[Indices, NDArray[np.int8], Indices, Floats]


def pieces_of(atoms: Atoms, work: Workplaces, tract_of_area: Integers, points: int, context: Context) -> Pieces:
    """Work tracts a few at a time; the workplaces of one against the points that an edge runs through."""
    tracts = int(tract_of_area.max()) + 1
    many = np.bincount(atoms.point, minlength=points)
    of_tract = np.argsort(tract_of_area, kind="stable")
    start = np.searchsorted(tract_of_area[of_tract], np.arange(tracts + 1))
    run = _runs(np.diff(start))
    here = _Map(
        atoms=atoms,
        work=work,
        first=np.cumsum(many) - many,
        many=many,
        unknown=np.bincount(atoms.point, atoms.unknown, points).astype(np.int64),
        share=atoms.weight / totals(atoms.point, atoms.weight, points)[atoms.point],
        of_tract=of_tract,
        start=start,
        places=extents_of(work, tract_of_area, tracts),
        run=run,
        runs=extents_of(work, run[np.argsort(of_tract)], int(run[-1]) + 1),
        homes=extents_of(atoms, atoms.point, points),
        homes_alone=extents_of(atoms, np.arange(len(atoms.point)), len(atoms.point)),
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


def _runs(areas: Integers) -> Integers:
    """The run of each workplace, work tract by work tract, each tract's in as few and equal ones as may be."""
    runs = -(-areas // _RUN)
    rank = np.arange(int(areas.sum())) - np.repeat(np.cumsum(areas) - areas, areas)
    return np.repeat(np.cumsum(runs) - runs, areas) + rank * np.repeat(runs, areas) // np.repeat(areas, areas)


def _of_tracts(here: _Map, rows: slice) -> tuple[NDArray[np.int8], list[Own]]:
    """What is settled for these work tracts, and the own pieces of their workplaces."""
    settled = table_of_cells(here.places.taken(rows), here.homes)
    settled = with_unknown(settled, here.unknown == here.many, here.unknown > 0)
    split, areas = settled == SPLIT, np.diff(here.start[rows.start : rows.stop + 1])
    found: list[Own] = []
    for pieces, chosen, most in ((_whole, here.many == 1, _AT_ONCE), (_parts, here.many > 1, _SETTLED_AT_ONCE)):
        for first, last in _in_turns(split & chosen, areas, here.many, most):
            points = np.flatnonzero(split[first:last].any(axis=0) & chosen)
            places = slice(here.start[rows.start + first], here.start[rows.start + last])
            of_places = np.repeat(split[first:last][:, points], areas[first:last], axis=0)
            found += pieces(here, places, points, of_places) if len(points) else ()
    return settled, [_joined(found, settled.shape[1])] if found else []


def _in_turns(split: Bools, areas: Integers, many: Integers, most: int) -> Iterator[tuple[int, int]]:
    """Work tracts side by side whose workplaces have one table, of all points that an edge runs through for any."""
    first, held, places = 0, np.zeros(split.shape[1], dtype=bool), 0
    for row, here in enumerate(split):
        wider = held | here
        if row > first and (places + areas[row]) * int(many[wider].sum()) > most:
            yield first, row
            first, wider, places = row, here, 0
        held, places = wider, places + int(areas[row])
    yield first, len(split)


def _whole(here: _Map, places: slice, points: Integers, split: Bools) -> Iterator[Own]:
    """Points of one atom lie in a cell as they are."""
    several = max(1, _AT_ONCE // len(points))
    for begin in range(0, len(split), several):
        areas = here.of_tract[places][begin : begin + several]
        cell = here.atoms.table(here.work, areas, here.first[points])
        area, point = np.nonzero(split[begin : begin + several])
        held = cell[area, point]
        yield areas[area].astype(np.int32), held, points[point].astype(np.int32), np.ones(len(held))


def _parts(here: _Map, places: slice, points: Integers, split: Bools) -> Iterator[Own]:
    """The others atom by atom; those in one cell around all of a run of workplaces are added up once for it."""
    run, many = here.run[places], here.many[points]
    atom = np.arange(int(many.sum())) + np.repeat(here.first[points] - (np.cumsum(many) - many), many)
    point = np.repeat(np.arange(len(points)), many)
    known = table_of_cells(here.runs.taken(slice(run[0], run[-1] + 1)), here.homes_alone.taken(atom))
    unknown = here.atoms.unknown[atom]
    known = with_unknown(known, unknown, unknown)
    several = max(1, _AT_ONCE // (len(atom) * _RUN))
    for begin in range(0, len(known), several):
        first, last = np.searchsorted(run - run[0], (begin, begin + several))
        areas, wanted = here.of_tract[places][first:last], split[first:last]
        held, column = _held(here, areas, run[first:last], (atom, point), known[begin : begin + several])
        cell, place = np.divmod(column, len(points))
        if not wanted.all():
            held *= wanted[:, place]
        area, which = np.nonzero(held > 0.0)
        found = points[place].astype(np.int32)[which]
        yield areas[area].astype(np.int32), cell.astype(np.int8)[which], found, held[area, which]


def _held(
    here: _Map, areas: Integers, run: Integers, homes: tuple[Integers, Integers], known: NDArray[np.int8]
) -> tuple[Floats, Integers]:
    """Shares of points around each workplace, and of which cell and point each column: cell × points + point."""
    atom, point = homes
    points = int(point[-1]) + 1
    varies = (known == SPLIT).any(axis=0)
    one, other = np.flatnonzero(~varies), np.flatnonzero(varies)
    keys = []
    for cell, which in ((known[:, one], one), (here.atoms.table(here.work, areas, atom[other]), other)):
        keys.append(np.multiply(cell, points, dtype=np.int64))
        keys[-1] += point[which]
    seen = np.zeros(CELLS * points, dtype=bool)
    for key in keys:
        seen[key.ravel()] = True
    column, place = np.flatnonzero(seen), np.cumsum(seen) - 1
    held = []
    for key, which in zip(keys, (one, other), strict=True):
        groups = place.take(key)
        groups += np.arange(len(key))[:, None] * len(column)
        weights = np.broadcast_to(here.share[atom[which]], key.shape)
        held.append(totals(groups.ravel(), weights.ravel(), len(key) * len(column)).reshape(len(key), len(column)))
    return held[0][run - run[0]] + held[1], column


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
    key = (area * np.int64(CELLS) + cell) * points + point
    if np.any(key[1:] < key[:-1]):
        order = np.argsort(key)
        area, cell, point, share = area[order], cell[order], point[order], share[order]
    return area, cell, point, share
