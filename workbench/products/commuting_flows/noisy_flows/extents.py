"""Where a group of places lies at the least and at the most, and whether two groups see each other in one cell.

Two groups do if no edge of distance, no line of latitude and no line of longitude runs between their members. The test
is cautious: it says so only where every pair, computed one by one, comes out the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.products.commuting_flows.flows.grid import POINTS
from workbench.products.commuting_flows.noisy_flows.places import CHORDS, Atoms, Workplaces

SPLIT = -1  # of a pair of groups: their members lie in different cells
_MARGIN = 1e-7  # of the unit sphere, half a metre: more than floats lose in a difference of squares


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Extents:
    """Of every group its middle, how far members lie from it, and the least and most degrees."""

    middle: Floats
    square: Floats  # of the middle's length
    radius: Floats
    south: Floats
    north: Floats
    west: Floats
    east: Floats

    def taken(self, groups: Integers | slice) -> Extents:
        return Extents(
            middle=self.middle[groups],
            square=self.square[groups],
            radius=self.radius[groups],
            south=self.south[groups],
            north=self.north[groups],
            west=self.west[groups],
            east=self.east[groups],
        )


def extents_of(places: Atoms | Workplaces, group: Integers, count: int) -> Extents:
    """Of groups that each have a member."""
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], np.arange(count))
    vectors = places.vectors[order]
    many = np.diff(np.append(first, len(order)))
    middle = np.add.reduceat(vectors, first) / many[:, None]
    apart = np.sqrt(np.sum((vectors - np.repeat(middle, many, axis=0)) ** 2, axis=1))
    latitude, longitude = places.latitude[order], places.longitude[order]
    return Extents(
        middle=middle,
        square=np.sum(middle**2, axis=1),
        radius=np.maximum.reduceat(apart, first),
        south=np.minimum.reduceat(latitude, first),
        north=np.maximum.reduceat(latitude, first),
        west=np.minimum.reduceat(longitude, first),
        east=np.maximum.reduceat(longitude, first),
    )


def table_of_cells(work: Extents, homes: Extents) -> NDArray[np.int8]:
    """The cell of every group of homes around every group of workplaces, SPLIT where there are several."""
    product = work.middle @ homes.middle.T
    product *= -2.0
    product += work.square[:, None]
    product += homes.square
    reach = work.radius[:, None] + (homes.radius + _MARGIN)
    found = _ring(product, reach)
    south = homes.north < work.south[:, None]
    _directed(found, south, homes.south >= work.north[:, None], 2)
    least, most = homes.west - work.east[:, None], homes.east - work.west[:, None]
    _directed(found, (least >= 0.0) & (most < 180.0), (most < 0.0) & (least >= -180.0), 1)
    return found


def _ring(square: Floats, reach: Floats) -> NDArray[np.int8]:
    """1 + 4 × the class of distance where one fits all members; SPLIT where an edge comes within reach."""
    apart = np.sqrt(np.maximum(square, 0.0, out=square), out=square)
    most = apart + reach
    least = np.subtract(apart, reach, out=apart)
    found = np.zeros(apart.shape, dtype=np.int8)  # edges that every member has passed
    maybe = (least <= 0.0).view(np.int8)  # they may meet, or edges that some member may have passed
    farthest = float(most.max(initial=0.0))
    for edge in CHORDS:
        if farthest < edge:
            break
        found += (least > edge).view(np.int8)
        maybe += (most >= edge).view(np.int8)
    split = found != maybe
    found *= 4
    found += 1
    found[split] = SPLIT
    return found


def _directed(found: NDArray[np.int8], one: Bools, other: Bools, adds: int) -> None:
    split = found < 0
    split |= ~(one | other)
    found += one.view(np.int8) * np.int8(adds)
    found[split] = SPLIT


def with_unknown(found: NDArray[np.int8], all_unknown: Bools, some_unknown: Bools) -> NDArray[np.int8]:
    """Groups of unknown homes lie in the last cell wherever they are; mixed ones are never of one cell."""
    if some_unknown.any():
        found[..., some_unknown] = SPLIT
        found[..., all_unknown] = POINTS
    return found
