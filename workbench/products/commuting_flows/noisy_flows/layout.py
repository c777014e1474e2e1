"""Everything public that noisy flows stand on: home points, cells of the grid around every workplace, the prior.

A *point* is a home tract in a Super-PUMA with a listed workplace, elsewhere a whole Super-PUMA. A *cell* is a point of
the 29-point grid around a workplace, one more for unknown homes; *listed* are those that hold at least one home block.
An *atom* is what has one cell around every workplace: a block, or a whole tract where workplaces × blocks are too many.
Everything follows from the geography, the public prior and the list of workplaces; no job is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.progress import Context
from workbench.products.commuting_flows.flows.distances import EARTH_RADIUS, degrees_of, sums_of, totals, unit_vectors
from workbench.products.commuting_flows.flows.grid import EDGES, POINTS, workplaces
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Level, Populations
from workbench.products.commuting_flows.noisy_flows.public_prior import distance_bins, prior_shares

CELLS = POINTS + 1  # the last one holds unknown homes
_MOST_PAIRS = 64_000_000  # workplaces × blocks up to which every block has its own cell
_AT_ONCE = 2_000_000
_LEAST_PEOPLE = 0.01  # of a block, so that nobody lives where the program believes nobody can
# squared chords of the unit sphere at which the second and later classes of distance begin
_CHORDS = tuple((2.0 * np.sin(miles / (2.0 * EARTH_RADIUS))) ** 2 for miles in EDGES)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Atoms:
    """Homes with a place, in the order of Super-PUMA, PUMA, tract, block; `of_block` says where each block belongs."""

    vectors: Floats  # unit vectors
    latitude: Floats
    longitude: Floats
    weight: Floats
    point: Integers
    unknown: Bools
    of_block: Integers

    def cells(self, work: Workplaces, area: Integers, atom: Integers) -> NDArray[np.int8]:
        """The cell of each atom around each workplace, element by element: the same for a pair as for a whole table."""
        step = [self.vectors[atom, axis] - work.vectors[area, axis] for axis in range(3)]
        chord = step[0] * step[0] + step[1] * step[1] + step[2] * step[2]
        ring = np.zeros(chord.shape, dtype=np.int8)
        for edge in _CHORDS:
            ring += chord >= edge
        south = self.latitude[atom] < work.latitude[area]
        turn = self.longitude[atom] - work.longitude[area]
        east = ((turn >= 0.0) & (turn < 180.0)) | (turn < -180.0)  # the short way round
        cell = 1 + 4 * ring + 2 * south.astype(np.int8) + east.astype(np.int8)
        cell[chord == 0.0] = 0
        return np.where(self.unknown[atom], np.int8(POINTS), cell).astype(np.int8)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Workplaces:
    vectors: Floats
    latitude: Floats
    longitude: Floats


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Pieces:
    """Of each workplace the pieces cell × point that hold homes, cell by cell, with their share of the point."""

    start: Integers  # per workplace, one more than there are
    cell: NDArray[np.int8]
    point: Indices
    share: Floats
    slot: Integers  # which listed cell of all workplaces it is in


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Layout:
    geography: Geography
    atoms: Atoms
    work: Workplaces
    pieces: Pieces
    prior: Floats  # q: work tracts × points, every row adds up to one
    bins: NDArray[np.int8]  # of distance, work tracts × points
    tract_of_area: Integers  # per workplace, position among the work tracts
    area_of: Indices  # per population, its workplace
    cell_start: Integers  # per workplace, its first listed cell among all, one more than there are
    cell: NDArray[np.int8]  # of each listed cell
    point_of_block: Integers
    coarse: bool  # atoms are whole tracts

    @property
    def tracts(self) -> int:
        return len(self.prior)

    @property
    def points(self) -> int:
        return int(self.prior.shape[1])

    @property
    def populations(self) -> int:
        return len(self.area_of)

    @property
    def tract_of(self) -> Integers:
        """Of each population."""
        return self.tract_of_area[self.area_of]

    @property
    def listed(self) -> Integers:
        """Listed cells of each population."""
        return np.diff(self.cell_start)[self.area_of]

    def slot(self, area: Integers, cell: NDArray[np.int8]) -> Integers:
        """Where a listed cell of a workplace stands among all listed cells."""
        key = np.repeat(np.arange(len(self.cell_start) - 1), np.diff(self.cell_start)) * CELLS + self.cell
        return np.searchsorted(key, area.astype(np.int64) * CELLS + cell)


def layout_of(populations: Populations, context: Context) -> Layout:
    context.step(0.0, "laying out the homes around every workplace")
    geography = populations.geography
    work = _workplaces(populations)
    tract_of_area = _tract_of_area(populations)
    coarse = len(work.latitude) * len(geography.blocks) > _MOST_PAIRS
    point_of_tract = _points(geography, populations.supports.work_tract)
    atoms = _atoms(geography, point_of_tract, populations.unknown_home, coarse=coarse)
    points = int(point_of_tract.max()) + 1
    context.step(0.1, "reading the public prior")
    bins = distance_bins(populations, point_of_tract, points)
    prior = prior_shares(populations, point_of_tract, totals(atoms.point, atoms.weight, points), bins)
    pieces = _joined(list(_pieces(atoms, work, points, context)))
    first = np.flatnonzero(np.diff(pieces.slot, prepend=-1))
    area = np.repeat(np.arange(len(work.latitude)), np.diff(pieces.start))[first]
    context.step(1.0, "homes laid out")
    return Layout(
        geography=geography,
        atoms=atoms,
        work=work,
        pieces=pieces,
        prior=prior,
        bins=bins,
        tract_of_area=tract_of_area,
        area_of=populations.area_of,
        cell_start=np.searchsorted(area, np.arange(len(work.latitude) + 1)),
        cell=pieces.cell[first],
        point_of_block=point_of_tract[geography.area_of[Level.TRACT]],
        coarse=coarse,
    )


def block_people(geography: Geography) -> Floats:
    """People of every block, none without a trace of them: somebody may live where a census found nobody."""
    return np.maximum(geography.population.astype(np.float64), _LEAST_PEOPLE)


def _workplaces(populations: Populations) -> Workplaces:
    latitude, longitude = workplaces(populations)
    return Workplaces(vectors=unit_vectors(latitude, longitude), latitude=latitude, longitude=longitude)


def _tract_of_area(populations: Populations) -> Integers:
    """The work tract of every workplace, by any of its populations."""
    found = np.zeros(len(populations.work_area), dtype=np.int64)
    found[populations.area_of] = populations.support_of
    return found


def _points(geography: Geography, work_tracts: Indices) -> Integers:
    """The point of each tract, numbered in the order of Super-PUMA, PUMA and tract."""
    tract = geography.area_of[Level.TRACT]
    count = len(geography.areas[Level.TRACT])
    puma, supers = (np.zeros(count, np.int64) for _ in range(2))
    puma[tract], supers[tract] = geography.area_of[Level.PUMA], geography.area_of[Level.SUPER_PUMA]
    near = np.isin(supers, supers[work_tracts])
    key = (supers * (int(puma.max()) + 1) + np.where(near, puma, 0)) * (count + 1) + np.where(
        near, np.arange(count) + 1, 0
    )
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def _atoms(geography: Geography, point_of_tract: Integers, unknown: int, *, coarse: bool) -> Atoms:
    tract = geography.area_of[Level.TRACT].astype(np.int64)
    people = block_people(geography)
    away = np.zeros(len(tract), dtype=bool)
    if unknown >= 0:
        away[unknown] = True
    order = np.lexsort((np.arange(len(tract)), tract, point_of_tract[tract]))
    of_block = np.empty(len(tract), dtype=np.int64)
    of_block[order] = np.arange(len(tract))
    if not coarse:
        return Atoms(
            vectors=unit_vectors(geography.latitude, geography.longitude)[order],
            latitude=geography.latitude[order],
            longitude=geography.longitude[order],
            weight=people[order],
            point=point_of_tract[tract][order],
            unknown=away[order],
            of_block=of_block,
        )
    first = np.concatenate([[True], tract[order][1:] != tract[order][:-1]])
    group = np.cumsum(first) - 1
    middle = sums_of(
        unit_vectors(geography.latitude, geography.longitude)[order], group, int(group[-1]) + 1, people[order]
    )
    latitude, longitude = degrees_of(middle)
    return Atoms(
        vectors=unit_vectors(latitude, longitude),
        latitude=latitude,
        longitude=longitude,
        weight=totals(group, people[order], int(group[-1]) + 1),
        point=point_of_tract[tract][order][first],
        unknown=np.bincount(group, weights=away[order]) > 0,
        of_block=group[of_block],
    )


def _pieces(atoms: Atoms, work: Workplaces, points: int, context: Context) -> Iterator[tuple[Integers, Floats, int]]:
    """Keys area × cell × point and shares, a few workplaces at a time."""
    share = atoms.weight / totals(atoms.point, atoms.weight, points)[atoms.point]
    count, areas = len(atoms.weight), len(work.latitude)
    step = max(1, _AT_ONCE // max(count, 1))
    everyone = np.arange(count)[None, :]
    for start in range(0, areas, step):
        context.step(0.1 + 0.9 * start / areas, "finding the cells around every workplace")
        here = np.arange(start, min(start + step, areas))
        cell = atoms.cells(work, here[:, None], everyone)
        key = ((np.arange(len(here))[:, None] * CELLS + cell) * points + atoms.point).ravel()
        held = np.bincount(key, weights=np.tile(share, len(here)), minlength=len(here) * CELLS * points)
        some = np.flatnonzero(held)
        yield (some + start * CELLS * points).astype(np.int64), held[some].astype(np.float64, copy=False), points


def _joined(parts: list[tuple[Integers, Floats, int]]) -> Pieces:
    key = np.concatenate([part[0] for part in parts])
    points = parts[0][2]
    rest, point = np.divmod(key, points)
    area, cell = np.divmod(rest, CELLS)
    first = np.concatenate([[True], rest[1:] != rest[:-1]])
    areas = int(area[-1]) + 1
    return Pieces(
        start=np.searchsorted(area, np.arange(areas + 1)),
        cell=cell.astype(np.int8),
        point=point.astype(np.int32),
        share=np.concatenate([part[1] for part in parts]),
        slot=np.cumsum(first) - 1,
    )
