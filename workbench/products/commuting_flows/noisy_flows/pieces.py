"""Which home points lie in which cell around which workplace, without a table of workplaces × points.

Most points lie in one cell around all workplaces of a work tract: one entry of `settled` says which. Only the others,
that an edge of the grid runs through, have pieces of their own around every workplace. So memory grows with work tracts
× points, and with workplaces only near the edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

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
_FEW = 16  # workplaces of a work tract and atoms of a point up to which a table is not worth it
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
    tasks = [partial(_of_tracts, here, slice(begin, min(begin + step, tracts))) for begin in range(0, tracts, step)]
    made = together(tasks, context, "finding the cells around every workplace")
    area, cell, point, share = _in_order([own for _, _, found in made for own in found])
    settled, order = (np.concatenate(part) for part in zip(*(each[:2] for each in made), strict=True))
    counted = np.empty((tracts, CELLS + 1), dtype=np.int64)
    for tract, cells in enumerate(settled):
        counted[tract] = np.bincount(cells - np.int8(SPLIT), minlength=CELLS + 1)
    return Pieces(settled=settled, order=order, many=counted, area=area, cell=cell, point=point, share=share)


def _runs(areas: Integers) -> Integers:
    """The run of each workplace, work tract by work tract, each tract's in as few and equal ones as may be."""
    runs = -(-areas // _RUN)
    rank = np.arange(int(areas.sum())) - np.repeat(np.cumsum(areas) - areas, areas)
    return np.repeat(np.cumsum(runs) - runs, areas) + rank * np.repeat(runs, areas) // np.repeat(areas, areas)


def _of_tracts(here: _Map, rows: slice) -> tuple[NDArray[np.int8], NDArray[np.int16] | Indices, list[Own]]:
    """What is settled for these work tracts, points cell by cell, and the own pieces of their workplaces."""
    settled = table_of_cells(here.places.taken(rows), here.homes)
    settled = with_unknown(settled, here.unknown == here.many, here.unknown > 0)
    split, areas = settled == SPLIT, np.diff(here.start[rows.start : rows.stop + 1])
    few = here.many <= (_FEW if len(here.of_tract) <= _FEW * len(here.places.radius) else 1)
    found = list(_pair_by_pair(here, rows, split & few)) if (split & few).any() else []
    rest = split & ~few
    for first, last in _in_turns(rest, areas, here.many, _SETTLED_AT_ONCE) if rest.any() else ():
        points = np.flatnonzero(split[first:last].any(axis=0) & ~few)
        places = slice(here.start[rows.start + first], here.start[rows.start + last])
        of_places = np.repeat(split[first:last][:, points], areas[first:last], axis=0)
        found += _parts(here, places, points, of_places) if len(points) else ()
    return settled, _cell_by_cell(settled), [_joined(found, settled.shape[1])] if found else []


def _cell_by_cell(settled: NDArray[np.int8]) -> NDArray[np.int16] | Indices:
    """The points of each work tract: those of several cells, then cell by cell, in their order."""
    points = settled.shape[1]
    bits, few = points.bit_length(), points <= np.iinfo(np.int16).max
    keys: NDArray[Any] = (settled - np.int8(SPLIT)).astype(np.dtype(np.int32 if few else np.int64))
    keys <<= bits
    keys |= np.arange(points, dtype=keys.dtype)
    keys.sort(axis=1)
    keys &= (1 << bits) - 1
    return keys.astype(np.int16) if few else keys.astype(np.int32)


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


def _pair_by_pair(here: _Map, rows: slice, split: Bools) -> Iterator[Own]:
    """Points of few atoms: every workplace with each atom that an edge runs through, a few workplaces at a time."""
    tract, point = np.nonzero(split)
    atom = _ranges(here.first[point], here.many[point])
    held = totals(tract, here.many[point], len(split)).astype(np.int64)  # atoms of each work tract
    areas = here.of_tract[here.start[rows.start] : here.start[rows.stop]]
    of_area = np.repeat(np.arange(len(split)), np.diff(here.start[rows.start : rows.stop + 1]))
    many, first = held[of_area], (np.cumsum(held) - held)[of_area]
    for mine in np.split(np.arange(len(areas)), np.flatnonzero(np.diff(np.cumsum(many) // _AT_ONCE)) + 1):
        pair = atom[_ranges(first[mine], many[mine])]
        place = np.repeat(np.arange(len(mine)), many[mine])
        slot = place * CELLS
        slot += here.atoms.cells(here.work, areas[mine][place], pair)
        slot, order = _sorted(slot, len(mine) * CELLS)
        pair = pair[order]
        found, share = here.atoms.point[pair], here.share[pair]
        if len(again := np.flatnonzero((found[1:] == found[:-1]) & (slot[1:] == slot[:-1]))):
            kept = np.delete(np.arange(len(pair)), again + 1)
            slot, found, share = slot[kept], found[kept], np.add.reduceat(share, kept)
        area = slot // CELLS
        cell = slot - area * CELLS
        yield areas[mine][area].astype(np.int32), cell.astype(np.int8), found.astype(np.int32), share


def _sorted(keys: Integers, below: int) -> tuple[Integers, Integers]:
    """Keys in order and where they stood, equal ones as they stood: each with its place as its last digits."""
    bits = len(keys).bit_length()
    small = below.bit_length() + bits <= np.iinfo(np.uint32).bits
    joined: NDArray[Any] = keys.astype(np.dtype(np.uint32 if small else np.uint64))
    joined <<= bits
    joined |= np.arange(len(keys), dtype=joined.dtype)
    joined.sort()
    return (joined >> bits).astype(np.int64), (joined & ((1 << bits) - 1)).astype(np.int64)


def _ranges(first: Integers, many: Integers) -> Integers:
    """Whole numbers from each `first` on, as many as it has, one range after another."""
    ends = np.cumsum(many)
    found = np.repeat(first - (ends - many), many)
    found += np.arange(len(found))
    return found


def _parts(here: _Map, places: slice, points: Integers, split: Bools) -> Iterator[Own]:
    """Points of many atoms: those in one cell around all of a run of workplaces are added up once for it."""
    run, many = here.run[places], here.many[points]
    atom, point = _ranges(here.first[points], many), np.repeat(np.arange(len(points)), many)
    known = table_of_cells(here.runs.taken(slice(run[0], run[-1] + 1)), here.homes_alone.taken(atom))
    unknown = here.atoms.unknown[atom]
    known = with_unknown(known, unknown, unknown)
    several = max(1, _AT_ONCE // (len(atom) * _RUN))
    for begin in range(0, len(known), several):
        first, last = np.searchsorted(run - run[0], (begin, begin + several))
        areas, wanted = here.of_tract[places][first:last], split[first:last]
        held = _held(here, areas, run[first:last], (atom, point), known[begin : begin + several])
        if not wanted.all():
            held *= wanted[:, None, :]
        some = np.flatnonzero(held)
        area, cell, place = np.unravel_index(some, held.shape)
        found = points[place].astype(np.int32)
        yield areas[area].astype(np.int32), cell.astype(np.int8), found, held.ravel()[some]


def _held(
    here: _Map, areas: Integers, run: Integers, homes: tuple[Integers, Integers], known: NDArray[np.int8]
) -> Floats:
    """Shares of points around each workplace: workplaces × cells × points."""
    atom, point = homes
    points = int(point[-1]) + 1
    varies = (known == SPLIT).any(axis=0)
    one, other = np.flatnonzero(~varies), np.flatnonzero(varies)
    cells = known[:, one], here.atoms.table(here.work, areas, atom[other])
    wide = points * (1 + max(int(each.max(initial=0)) for each in cells))
    held = []
    for cell, which in zip(cells, (one, other), strict=True):
        key = np.multiply(cell, points, dtype=np.int64)
        key += point[which]
        key += np.arange(0, len(key) * wide, wide)[:, None]
        weights = np.broadcast_to(here.share[atom[which]], key.shape)
        held.append(totals(key.ravel(), weights.ravel(), len(key) * wide).reshape(len(key), wide))
    held[1] += held[0][run - run[0]]
    return held[1].reshape(len(areas), -1, points)


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
