"""Homes and workplaces on the globe, and the cell of the 29-point grid that one lies in around the other.

A *cell* is a point of the grid, one more for unknown homes. An *atom* is what has one cell around every workplace: a
block, or a whole tract where workplaces × blocks are too many. Public facts only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.products.commuting_flows.flows.distances import EARTH_RADIUS, degrees_of, sums_of, totals, unit_vectors
from workbench.products.commuting_flows.flows.grid import EDGES, POINTS, workplaces
from workbench.products.commuting_flows.flows.structures import Geography, Level, Populations

CELLS = POINTS + 1  # the last one holds unknown homes
_LEAST_PEOPLE = 0.01  # of a block, so that nobody lives where the program believes nobody can
# chords of the unit sphere at which the second and later classes of distance begin, and their squares
CHORDS = tuple(float(2.0 * np.sin(miles / (2.0 * EARTH_RADIUS))) for miles in EDGES)
_SQUARES = tuple(chord**2 for chord in CHORDS)
# of a squared chord by the product of two unit vectors: more than floats lose there, far less than places are apart
_PRODUCT_MARGIN = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Workplaces:
    vectors: Floats
    latitude: Floats
    longitude: Floats


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
        chord = np.zeros(np.broadcast_shapes(area.shape, atom.shape))
        for axis in range(3):
            step = self.vectors[:, axis].take(atom) - work.vectors[:, axis].take(area)
            chord += np.multiply(step, step, out=step)
        found = np.zeros(chord.shape, dtype=np.int8)
        farthest = float(chord.max(initial=0.0))
        for edge in _SQUARES:
            if farthest < edge:
                break
            found += (chord >= edge).view(np.int8)
        found += found
        found += (self.latitude.take(atom) < work.latitude.take(area)).view(np.int8)
        found += found
        found += _eastwards(self.longitude.take(atom), work.longitude.take(area)).view(np.int8)
        found += 1
        found[chord == 0.0] = 0
        if self.unknown.any():
            found[np.broadcast_to(self.unknown[atom], found.shape)] = POINTS
        return found

    def table(self, work: Workplaces, area: Integers, atom: Integers) -> NDArray[np.int8]:
        """The cell of every atom around every workplace: products of vectors, and `cells` where they do not decide."""
        near = work.vectors[area] @ self.vectors[atom].T  # 1 − half the squared chord
        found = np.zeros(near.shape, dtype=np.int8)  # edges that are surely passed, then the cell
        maybe = (near >= 1.0 - _PRODUCT_MARGIN).view(np.int8)  # at the workplace itself, or edges that may be passed
        farthest = float(near.min(initial=1.0))
        for edge in _SQUARES:
            limit = 1.0 - edge / 2.0
            if farthest > limit + _PRODUCT_MARGIN:
                break
            found += (near <= limit - _PRODUCT_MARGIN).view(np.int8)
            maybe += (near <= limit + _PRODUCT_MARGIN).view(np.int8)
        left = np.flatnonzero(found != maybe)
        found += found
        found += (self.latitude[atom] < work.latitude[area][:, None]).view(np.int8)
        found += found
        found += _eastwards(self.longitude[atom], work.longitude[area][:, None]).view(np.int8)
        found += 1
        if len(left):
            place, which = np.divmod(left, len(atom))
            found[place, which] = self.cells(work, area[place], atom[which])
        if self.unknown.any():
            found[:, self.unknown[atom]] = POINTS
        return found


def _eastwards(homes: Floats, work: Floats) -> Bools:
    """The short way round; a plain comparison where no difference reaches half the globe."""
    least, most = (
        homes.min(initial=360.0) - work.max(initial=-360.0),
        homes.max(initial=-360.0) - work.min(initial=360.0),
    )
    if least >= -180.0 and most < 180.0:
        return np.asarray(homes >= work)
    turn = homes - work
    return np.asarray(((turn >= 0.0) & (turn < 180.0)) | (turn < -180.0))


def block_people(geography: Geography) -> Floats:
    """People of every block, none without a trace of them: somebody may live where a census found nobody."""
    return np.maximum(geography.population.astype(np.float64), _LEAST_PEOPLE)


def workplaces_of(populations: Populations) -> Workplaces:
    latitude, longitude = workplaces(populations)
    return Workplaces(vectors=unit_vectors(latitude, longitude), latitude=latitude, longitude=longitude)


def atoms_of(geography: Geography, point_of_tract: Integers, unknown: int, *, coarse: bool) -> Atoms:
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
