"""Is the noise of one release the noise of another: the same standard draw, or its mirror image, in common cells.

Each published value leaves an interval of probabilities, H of its two edges, in which the draw behind it lies. Draws
that are the same leave intervals that overlap in every common cell; independent ones overlap by chance, with a
probability that follows from both laws. How many overlap is compared with the exact law of that count
(Poisson-binomial), for the draw and for its mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared.contract import Law
from workbench.noise.declared.discrete import DiscreteLaplace
from workbench.noise.declared.radial import Coordinate, Radial
from workbench.noise.declared.scalar import Rounded, RoundedLog
from workbench.noise.declared.shapes import below

LEVEL = 0.001
FEW_CELLS = 8  # below so many common cells noise that was reused may go unseen
_MOST_CELLS = 400
_POINTS = 200
_HAIR = 1e-12
Single = Rounded | RoundedLog | DiscreteLaplace


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlaps:
    """In how many common cells the draws may be the same, how many would be by chance, and how likely so many are."""

    cells: int
    same: int
    expected: float
    probability: float

    @property
    def reused(self) -> bool:
        return self.probability < LEVEL


def overlaps(
    first: tuple[Law, Integers], second: tuple[Law, Integers], rows: tuple[Integers, Integers] | None = None
) -> Overlaps | None:
    """Two releases, each with its law; None where a law has no draw of its own for single values.

    `rows` says which values are held beside which, where the two do not line up.
    """
    every = np.arange(min(len(first[0]), len(second[0])))
    rows = _independent((first[0], second[0]), (every, every) if rows is None else rows)
    one, other = (_taken(law, those) for (law, _), those in zip((first, second), rows, strict=True))
    if one is None or other is None or not len(rows[0]):
        return None
    here, there = interval(one, first[1][rows[0]]), interval(other, second[1][rows[1]])
    chance = by_chance(one, other)
    mirrored = 1.0 - here[1], 1.0 - here[0]
    counts = [int(np.count_nonzero((low < there[1]) & (there[0] < high))) for low, high in (here, mirrored)]
    most = max(counts)
    return Overlaps(
        cells=len(rows[0]),
        same=most,
        expected=float(chance.sum()),
        probability=min(1.0, 2.0 * at_least(chance, most)),
    )


def _independent(laws: tuple[Law, Law], rows: tuple[Integers, Integers]) -> tuple[Integers, Integers]:
    """One value of each block where values of a block hang together, some hundred values in all."""
    kept = np.arange(len(rows[0]))
    for law, those in zip(laws, rows, strict=True):
        block, place = np.divmod(those[kept], law.width)
        turn = np.argsort((place - block) % law.width, kind="stable")  # another place of each block in turn
        kept = kept[np.sort(turn[np.unique(block[turn], return_index=True)[1]])]
    return rows[0][kept[:_MOST_CELLS]], rows[1][kept[:_MOST_CELLS]]


def _taken(law: Law, rows: Integers) -> Single | None:
    """The law of these values alone."""
    if isinstance(law, Radial):
        return Rounded(law.center[rows], law.scale[rows // law.width], Coordinate(law.radius))
    return _of(law, rows) if isinstance(law, Rounded | RoundedLog | DiscreteLaplace) else None


def _of(law: Single, rows: Integers) -> Single:
    if isinstance(law, RoundedLog):
        return replace(law, center=law.center[rows])
    if isinstance(law, DiscreteLaplace):
        return DiscreteLaplace(law.center[rows], law.scale[rows])
    return Rounded(law.center[rows], law.scale[rows], law.shape)


def interval(law: Single, drawn: Integers) -> tuple[Floats, Floats]:
    """P(value < drawn) and P(value ≤ drawn)."""
    if isinstance(law, DiscreteLaplace):
        return law.below(drawn), law.below(drawn + 1)
    low, high = law.edges(drawn)
    return below(law.shape, low), below(law.shape, high)


def value_at(law: Single, share: Floats) -> Integers:
    """The value whose interval holds this share of the probability."""
    if isinstance(law, DiscreteLaplace):
        return law.value_at(share)
    upper = share >= 0.5
    size = law.shape.size(np.maximum(2.0 * np.where(upper, 1.0 - share, share), 1e-300))
    return np.rint(np.clip(law.real(upper, size), -(2.0**50), 2.0**50)).astype(np.int64)


def by_chance(first: Single, second: Single) -> Floats:
    """For each cell how likely independent draws overlap: over the first draw, the reach of the second's intervals."""
    cells = len(first)
    one, other = (_of(law, np.repeat(np.arange(cells), _POINTS)) for law in (first, second))
    low, high = interval(one, value_at(one, np.tile((np.arange(_POINTS) + 0.5) / _POINTS, cells)))
    inner = np.clip(low + _HAIR, _HAIR, 1.0 - _HAIR), np.clip(high - _HAIR, _HAIR, 1.0 - _HAIR)
    reach = interval(other, value_at(other, inner[0]))[0], interval(other, value_at(other, inner[1]))[1]
    chance: Floats = np.clip(reach[1] - reach[0], 0.0, 1.0).reshape(cells, _POINTS).mean(axis=1)
    return chance


def at_least(chance: Floats, count: int) -> float:
    """P(at least so many of independent events happen), exactly."""
    law = np.zeros(len(chance) + 1)
    law[0] = 1.0
    for p in chance:
        law[1:] = law[1:] * (1.0 - p) + law[:-1] * p
        law[0] *= 1.0 - p
    return float(law[count:].sum())
