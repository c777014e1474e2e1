"""Synthetic areas: how many children, parents' ranks, and a line of their own around the national curve.

Fitted to published aggregates of the Opportunity Atlas (Chetty et al. 2018): the national curve of children's income
rank by parents' rank, the sizes of tracts for one sex (median 167), the spread of estimates between tracts, and the
correlation of .8 between the estimates for poor and rich parents. No row of anybody is behind it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers

_CURVE = (0.36462, -0.46433, 0.40902, 0.36795)  # children's rank by parents' rank, highest power first
_SIZES = (5.118, 0.9)  # mean and standard deviation of the log of the number of children
_LEAST, _MOST = 5, 1000
_MEAN_PEOPLE = 232  # what this law gives on average
_SPREAD = 0.06  # between areas
_ALIKE = 0.8
_WITH_PARENTS = 0.5  # correlation of the area's mean parents' rank with its own line
_BIRTH_SPREAD = 0.05
_PER_STATE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Areas:
    """Area by area: size, mean parents' rank, what its line adds at ranks .25 and .75, births, state and place."""

    size: Integers
    parents: Floats
    shift: Floats  # areas × 2
    births: Floats
    state: Integers
    latitude: Floats
    longitude: Floats

    @property
    def cells(self) -> int:
        return len(self.size)

    def names(self) -> list[str]:
        return [f"T{place:06d}" for place in range(self.cells)]

    def truth(self) -> Floats:
        """Expected rank of children at parents' rank .25 and .75, areas × 2."""
        found: Floats = national(np.array([0.25, 0.75])) + self.shift
        return found


def national(rank: Floats) -> Floats:
    """The national curve."""
    curve: Floats = np.polyval(_CURVE, rank).astype(np.float64)
    return curve


def make_areas(cells: int, people: int, random: np.random.Generator) -> Areas:
    """`people` is the mean number of children of an area."""
    drawn = np.exp(random.normal(*_SIZES, cells)) * people / _MEAN_PEOPLE
    most = max(_LEAST, round(_MOST * people / _MEAN_PEOPLE))
    size = np.clip(np.rint(drawn), min(_LEAST, people), most).astype(np.int64)
    z = random.normal(size=(cells, 3))
    low = z[:, 0]
    high = _ALIKE * low + np.sqrt(1.0 - _ALIKE**2) * z[:, 1]
    parents = 0.5 + 0.13 * (_WITH_PARENTS * low + np.sqrt(1.0 - _WITH_PARENTS**2) * z[:, 2])
    states = max(2, cells // _PER_STATE)
    state = np.sort(random.integers(0, states, cells))
    center = random.uniform((30.0, -120.0), (47.0, -75.0), (states, 2))
    place = center[state] + random.normal(0.0, 0.7, (cells, 2))
    return Areas(
        size=size,
        parents=np.clip(parents, 0.1, 0.9),
        shift=_SPREAD * np.stack([low, high], axis=1),
        births=_BIRTH_SPREAD * random.normal(size=cells) - 0.03 * low,
        state=state,
        latitude=np.round(place[:, 0], 4),
        longitude=np.round(place[:, 1], 4),
    )
