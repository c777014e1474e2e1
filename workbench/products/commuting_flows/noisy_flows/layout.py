"""Everything public that noisy flows stand on: home points, cells of the grid around every workplace, the prior.

A *point* is a home tract in a state (or, where codes name no state, a Super-PUMA) with a listed workplace, elsewhere a
whole Super-PUMA. A *cell* is a point of the 29-point grid around a workplace, one more for unknown homes; *listed* are
those that hold at least one home block.
Everything follows from the geography, the public prior and the list of workplaces; no job is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.progress import Context, Part
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Level, Populations
from workbench.products.commuting_flows.noisy_flows.extents import SPLIT
from workbench.products.commuting_flows.noisy_flows.pieces import Pieces, pieces_of
from workbench.products.commuting_flows.noisy_flows.places import CELLS, Atoms, Workplaces, atoms_of, workplaces_of
from workbench.products.commuting_flows.noisy_flows.public_prior import distance_bins, prior_shares

_MOST_PAIRS = 64_000_000  # workplaces × blocks up to which every block has its own cell
_CENSUS_DIGITS, _MOST_DIGIT = 15, 9  # of a block's code
_MOST_REMEMBERED = 5_000_000  # numbers of a layout that is kept for whoever asks next


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
    slots: Indices  # workplaces × CELLS: where a listed cell stands among all
    own_start: Integers  # per listed cell, its first own piece, one more than there are
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

    def cells_of(self, area: Integers, block: Indices) -> NDArray[np.int8]:
        """The cell of each block around each workplace."""
        found = self.pieces.settled[self.tract_of_area[area], self.point_of_block[block]]
        split = np.flatnonzero(found == SPLIT)
        found[split] = self.atoms.cells(self.work, area[split], self.atoms.of_block[block[split]])
        return found

    def slot(self, area: Integers, cell: NDArray[np.int8] | Integers) -> Integers:
        """Where a listed cell of a workplace stands among all listed cells."""
        return np.asarray(self.slots[area * CELLS + cell], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """A layout and the public objects it was made of."""

    of: tuple[object, ...]
    rest: tuple[int, ...]
    layout: Layout

    def serves(self, of: tuple[object, ...], rest: tuple[int, ...]) -> bool:
        return self.rest == rest and all(one is other for one, other in zip(of, self.of, strict=True))


# the one made last: release, checks and measures ask for the same; replaced as a whole, as threads may ask at once
_LAST: list[_Made | None] = [None]


def layout_of(populations: Populations, context: Context) -> Layout:
    """Everything public about these populations, worked out once for all who ask in a row."""
    of = (populations.geography, populations.supports, populations.work_area, populations.area_of, populations.prior)
    last, rest = _LAST[0], (populations.unknown_home, _MOST_PAIRS)
    if last is not None and last.serves(of, rest):
        context.step(1.0, "homes laid out")
        return last.layout
    _LAST[0] = None
    made = _laid_out(populations, context)
    if made.prior.size + len(made.pieces.area) <= _MOST_REMEMBERED:
        _LAST[0] = _Made(of, rest, made)
    return made


def _laid_out(populations: Populations, context: Context) -> Layout:
    context.step(0.0, "laying out the homes around every workplace")
    geography = populations.geography
    work = workplaces_of(populations)
    tract_of_area = _tract_of_area(populations)
    coarse = len(work.latitude) * len(geography.blocks) > _MOST_PAIRS
    point_of_tract = points_of(geography, populations.supports.work_tract)
    atoms = atoms_of(geography, point_of_tract, populations.unknown_home, coarse=coarse)
    points = int(point_of_tract.max()) + 1
    context.step(0.1, "reading the public prior")
    bins = distance_bins(populations, point_of_tract, points)
    prior = prior_shares(populations, point_of_tract, totals(atoms.point, atoms.weight, points), bins)
    pieces = pieces_of(atoms, work, tract_of_area, points, Part(context, 0.3, 1.0))
    own = np.bincount(_slot_keys(pieces), minlength=len(tract_of_area) * CELLS)
    listed = (pieces.many[:, 1:] > 0)[tract_of_area].ravel()  # of pieces of one cell; SPLIT comes first
    listed |= own > 0
    slots = np.cumsum(listed, dtype=np.int32) - np.int32(1)
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
        cell_start=np.concatenate([[0], np.cumsum(listed.reshape(-1, CELLS).sum(axis=1))]),
        cell=(np.flatnonzero(listed) % CELLS).astype(np.int8),
        slots=slots,
        own_start=np.concatenate([[0], np.cumsum(own[listed])]),
        point_of_block=point_of_tract[geography.area_of[Level.TRACT]],
        coarse=coarse,
    )


def _slot_keys(pieces: Pieces) -> Integers:
    """Workplace and cell of every own piece, as one number."""
    found = pieces.area.astype(np.int64)
    found *= CELLS
    found += pieces.cell
    return found


def _tract_of_area(populations: Populations) -> Integers:
    """The work tract of every workplace, by any of its populations."""
    found = np.zeros(len(populations.work_area), dtype=np.int64)
    found[populations.area_of] = populations.support_of
    return found


def _in_their_states(geography: Geography, work_tracts: Indices) -> Bools:
    """Tracts of the states of these tracts: census codes of blocks, of fifteen digits, begin with the state."""
    tract = geography.area_of[Level.TRACT]
    state = np.full(len(geography.areas[Level.TRACT]), -1, dtype=np.int64)
    codes = np.array(geography.blocks, dtype=np.str_)
    digits = codes.view(np.uint32).reshape(len(codes), -1).astype(np.int64) - ord("0")  # too short: below zero
    if digits.shape[1] != _CENSUS_DIGITS or digits.min() < 0 or digits.max() > _MOST_DIGIT:
        return np.zeros(len(state), dtype=bool)
    state[tract] = 10 * digits[:, 0] + digits[:, 1]
    return np.isin(state, state[work_tracts])


def points_of(geography: Geography, work_tracts: Indices) -> Integers:
    """The point of each tract, numbered in the order of Super-PUMA, PUMA and tract."""
    tract = geography.area_of[Level.TRACT]
    count = len(geography.areas[Level.TRACT])
    puma, supers = (np.zeros(count, np.int64) for _ in range(2))
    puma[tract], supers[tract] = geography.area_of[Level.PUMA], geography.area_of[Level.SUPER_PUMA]
    near = np.isin(supers, supers[work_tracts]) | _in_their_states(geography, work_tracts)
    key = (supers * (int(puma.max()) + 1) + np.where(near, puma, 0)) * (count + 1) + np.where(
        near, np.arange(count) + 1, 0
    )
    return np.unique(key, return_inverse=True)[1].astype(np.int64)
