"""The log-staircase as it is declared to the audit: by formulas of the auditor's own, ring by ring.

Its density is not smooth: the scores of scale and place are −1 and 0 wherever no ring ends between an integer's edges,
and huge where one does. So draws are judged by their ranks instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared.contract import Evidence
from workbench.noise.declared.pairs import KEPT, deltas
from workbench.noise.declared.scalar import Rounded
from workbench.noise.declared.shapes import below, between, scores

_RINGS = 4000
_LEAST = 1e-13  # of probability: rings beyond it are left out
_ROWS = 2000
_NUDGE = 1e-9
_KEPT = 64


@dataclass(frozen=True, slots=True)
class StaircaseShape:
    """Density ∝ e^(−J·k) on ring k; see the mechanism."""

    epsilon: float
    alpha: float
    core: float

    @lru_cache(maxsize=_KEPT)  # noqa: B019 - shapes are small and hash by their values
    def _ends(self) -> Floats:
        """t_0, t_1, … one after the other, t_{k+1} = (1+α)·t_k + 1."""
        chance, ends, heights = self.epsilon - 2.0 * math.log1p(self.alpha), [self.core], 0.0
        while heights < -math.log(_LEAST) and len(ends) < _RINGS:
            ends.append((1.0 + self.alpha) * ends[-1] + 1.0)
            heights += chance
        return np.array(ends)

    @lru_cache(maxsize=_KEPT)  # noqa: B019
    def _table(self) -> tuple[Floats, Floats, Floats]:
        """Ends, density of |Z| inside each, and P(|Z| beyond each)."""
        ends = self._ends()
        height = np.exp(-(self.epsilon - math.log1p(self.alpha)) * np.arange(len(ends)))
        mass = height * np.diff(ends, prepend=0.0)
        fall = math.exp(2.0 * math.log1p(self.alpha) - self.epsilon)
        left = mass[-1] * fall / (1.0 - fall)
        beyond = left + np.concatenate([np.cumsum(mass[:0:-1])[::-1], [0.0]])
        total = float(mass[0] + beyond[0])
        return ends, height / total, beyond / total

    def _ring(self, z: Floats) -> tuple[Floats, Floats, Floats]:
        """End, height and what lies beyond the ring of each z; further out than the table as its rule goes on."""
        ends, height, beyond = self._table()
        at = np.searchsorted(ends, z, side="right")
        inside = np.minimum(at, len(ends) - 1)
        stretch, jump = math.log1p(self.alpha), self.epsilon - math.log1p(self.alpha)
        far = np.log((1.0 + self.alpha * z) / (1.0 + self.alpha * ends[-1])) / stretch
        more = np.where(at < len(ends), 0.0, np.floor(np.maximum(far, 0.0)) + 1.0)
        end = np.expm1(np.log1p(self.alpha * ends[inside]) + stretch * more) / self.alpha
        return end, height[inside] * np.exp(-jump * more), beyond[inside] * np.exp((stretch - jump) * more)

    def tail(self, z: Floats) -> Floats:
        end, height, beyond = self._ring(z)
        found: Floats = height * np.maximum(end - z, 0.0) + beyond
        return found

    def density(self, z: Floats) -> Floats:
        found: Floats = self._ring(np.abs(z))[1] / 2.0
        return found

    def log_density(self, z: Floats) -> Floats:
        found: Floats = np.log(np.maximum(self._ring(np.abs(z))[1], 1e-300))
        return found

    def size(self, tail: Floats) -> Floats:
        """By the same table; beyond it by halving, which is as exact as doubles are."""
        ends, height, beyond = self._table()
        at = np.searchsorted(-beyond, -tail, side="left")
        inside = np.minimum(at, len(ends) - 1)
        found: Floats = ends[inside] - (tail - beyond[inside]) / height[inside]
        far = at >= len(ends)
        low, high = np.full(len(tail), ends[-1]), np.full(len(tail), ends[-1] * 1e9)
        for _ in range(200 if far.any() else 0):
            middle = (low + high) / 2.0
            outside = self.tail(middle) > tail
            low, high = np.where(outside, middle, low), np.where(outside, high, middle)
        return np.where(far, low, found)

    @property
    def information(self) -> tuple[float, float]:
        """None before rounding: the place of a step shows exactly."""
        return math.inf, math.inf

    def covariances(self, scale: Floats) -> tuple[Floats, Floats]:
        """E[ψ·score] of scale and place for noise of each scale, rounded to integers; ψ as in `evidence`."""
        distinct, where = np.unique(scale, return_inverse=True)
        found = np.empty((2, len(distinct)))
        for start in range(0, len(distinct), _ROWS):
            found[:, start : start + _ROWS] = self._covariances(distinct[start : start + _ROWS])
        return found[0][where], found[1][where]

    def _covariances(self, scale: Floats) -> Floats:
        """Only integers inside which a ring ends have other scores than −1 and 0, which add up to nothing."""
        ends = self._ends()
        k = np.rint(scale[:, None] * np.concatenate([-ends[::-1], ends]))
        low, high = ((k + half) / scale[:, None] for half in (-0.5, 0.5))
        by_scale, by_place = (part.reshape(k.shape) for part in scores(self, low.ravel(), high.ravel()))
        under, over = (below(self, edge.ravel()).reshape(k.shape) for edge in (low, high))
        once = np.ones(k.shape)
        once[:, 1:][k[:, 1:] == k[:, :-1]] = 0.0  # two ends inside one integer count once
        sizes = (by_scale + 1.0) * (_size_integral(over) - _size_integral(under))
        places = by_place * (over**2 - over - under**2 + under)
        return np.stack([(once * sizes).sum(axis=1), (once * places).sum(axis=1)])


def _size_integral(u: Floats) -> Floats:
    """∫ of |2u − 1| − ½ from 0."""
    found: Floats = np.where(u < 0.5, u / 2.0 - u**2, u**2 - 1.5 * u + 0.5)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class RoundedStaircase(Rounded):
    """center + scale·Z rounded, Z on the log-staircase."""

    shape: StaircaseShape

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        """By ranks: ψ = |2U − 1| − ½ for the scale and 2U − 1 for the place, U the uniform of the draw.

        The score itself is nearly always −1 and now and then huge, so that sums of it are far from normal. ψ is
        multiplied so that its mean square is what it tells about the scale, as for a score.
        """
        low, high = self.edges(drawn)
        uniform = below(self.shape, low) + inside * between(self.shape, low, high)
        sizes, places = self.shape.covariances(self.scale)
        by_scale, by_place = 12.0 * sizes, 3.0 * places
        return Evidence(
            uniform=uniform,
            scale=by_scale * (np.abs(2.0 * uniform - 1.0) - 0.5),
            scale_information=by_scale**2 / 12.0,
            place=by_place * (2.0 * uniform - 1.0),
            place_information=by_place**2 / 3.0,
        )

    def loss(self, other: Rounded, epsilon: float) -> tuple[Floats, Floats]:
        """Just inside and just outside of every ring's end, of both laws: no other place can be worst."""
        shift = np.abs(other.center - self.center).astype(np.float64)
        smaller, larger = np.minimum(self.scale, other.scale), np.maximum(self.scale, other.scale)
        pairs = np.stack([shift / smaller, larger / smaller], axis=1)
        distinct, where = np.unique(np.round(pairs, 13), axis=0, return_inverse=True)
        found = np.array([_apart(self.shape, s, r, epsilon) for s, r in distinct.tolist()]).reshape(len(distinct), 2)
        return found[where.ravel(), 0], found[where.ravel(), 1]


@lru_cache(maxsize=KEPT)
def _apart(shape: StaircaseShape, shift: float, ratio: float, epsilon: float) -> tuple[float, float]:
    if shift == 0.0 and ratio == 1.0:
        return 0.0, 0.0
    ends = shape._ends()
    around = np.concatenate([ends, -ends, shift + ratio * ends, shift - ratio * ends, [0.0]])
    nudge = _NUDGE * (1.0 + np.abs(around))
    u = np.concatenate([around - nudge, around + nudge])
    log = shape.log_density(u) - shape.log_density((u - shift) / ratio) + math.log(ratio)
    at = np.array([epsilon])
    return float(np.abs(log).max()), float(max(side[0] for side in deltas(shape, shift, ratio, (at, at))))
