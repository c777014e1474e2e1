"""Synthetic children: parents' rank, own income rank and whether a teenage birth, area by area.

Parents' rank is Beta around the mean of the area; the income rank is Beta around the line of the area with a residual
standard deviation of about .26; a birth is a coin whose chance falls with parents' rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.area_estimates.twin.areas import Areas, national

_PARENT_CONCENTRATION = 4.0
_RESIDUAL = 0.26
_BIRTHS = (0.26, -0.22)
_CHUNK = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """Rows of some areas: number of the area, ranks to a thousandth, birth 0 or 1."""

    area: Integers
    parents: Floats
    income: Floats
    birth: Integers


def children_of(areas: Areas, random: np.random.Generator) -> Iterator[Children]:
    """All areas in their order, about a million children at a time."""
    ends = np.cumsum(areas.size)
    start = 0
    while start < areas.cells:
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + _CHUNK, side="right")))
        yield _chunk(areas, np.arange(start, min(stop, areas.cells)), random)
        start = stop


def _chunk(areas: Areas, which: Integers, random: np.random.Generator) -> Children:
    area = np.repeat(which, areas.size[which])
    mean = areas.parents[area]
    parents = np.round(random.beta(_PARENT_CONCENTRATION * mean, _PARENT_CONCENTRATION * (1.0 - mean)), 3)
    weight = np.stack([1.5 - 2.0 * parents, 2.0 * parents - 0.5], axis=1)
    center = np.clip(national(parents) + (weight * areas.shift[area]).sum(axis=1), 0.05, 0.95)
    concentration = np.maximum(center * (1.0 - center) / _RESIDUAL**2 - 1.0, 0.3)
    income = np.round(random.beta(center * concentration, (1.0 - center) * concentration), 3)
    chance = np.clip(_BIRTHS[0] + _BIRTHS[1] * parents + areas.births[area], 0.005, 0.9)
    birth = (random.random(len(area)) < chance).astype(np.int64)
    return Children(area=area, parents=parents, income=income, birth=birth)
