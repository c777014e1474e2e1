"""The heavy-tailed noise of the block mechanism: a radial density on d coordinates, and exactly what it gives away.

Density: f(z) ∝ 1/(1 + ‖z‖₁^g) on R^d, g > d. Published vector = n + κ·S·z, n the d worker cells of one workplace cell,
S = max(α·x, 1), x the total size of its largest establishment.

Neighbours (strong definition): one establishment's workforce grows, E ⊂ E′, |E′| ≤ max((1 + α)|E|, |E| + 1). Then n
moves by v ≥ 0 with ‖v‖₁ ≤ max(α|E|, 1) ≤ S, and S moves to r·S with 1 ≤ r ≤ 1 + α (if α·x ≥ 1 the new largest is at
most (1 + α)x; if α·x < 1 it is at most x + 1 and α(x + 1) < 1 + α). With s = ‖v‖₁/(κS), the shift in units of the
smaller scale, and u the output's distance from n in the same units, the log ratio of the two densities is
  down: d·ln r + ln(1 + ‖(u − v)/r‖^g) − ln(1 + ‖u‖^g), and up: its negative.
By the triangle inequality ‖u − v‖ ≤ ‖u‖ + s and ‖u‖ ≤ ‖u − v‖ + s, with equality on the ray of v. So only lengths
matter, and the suprema are over one number t ≥ 0:
  down: sup d·ln r + ln[(1 + ((t + s)/r)^g)/(1 + t^g)], up: sup −d·ln r + ln[(1 + (t + s)^g)/(1 + (t/r)^g)].
Both say “at most ε” as (t + s)^g ≤ C + K·t^g for all t ≥ 0. Hölder's inequality gives the largest such s in closed
form, s^g = C·(1 − K^(−1/(g−1)))^(g−1), with
  up:   C = e^ε·r^d − 1,           K = e^ε·r^(d−g);
  down: C = (e^ε − r^d)·r^(g−d),   K = e^ε·r^(g−d).
For d = 1, g = 4 these are the two equations of Smooth Gamma. Up is log-concave in ln r, and the loss down is convex
in ln r, so over all r in [1, 1 + α] the ends are worst: κ = 1/min(s) over both directions and r in {1, 1 + α}, and
the supremum of the loss is exactly ε. Feasible iff ε > max(g − d, d)·ln(1 + α).

Radius: density ∝ t^(d−1)/(1 + t^g), E t^m = sin(πd/g)/sin(π(d + m)/g) for −d < m < g − d.
Source: Haney et al. (2017), sections 7 and 8, carried from one count to a vector; their Theorem 7.5 (which would let
each worker cell spend ε on its own) is false as stated and never used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_SAFE = 1.0 + 1e-12  # κ is rounded upward by more than double arithmetic can lose
_MOST_STEPS = 100
_COARSE = 48
_FINE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """One calibrated noise: dimension d, tail exponent g and the factor κ on S."""

    cells: int
    exponent: float
    kappa: float

    @property
    def error_per_scale(self) -> float:
        """E|noise| of one coordinate before rounding, as a multiple of S: κ·E t/d."""
        return self.kappa * radius_moment(1.0, self.cells, self.exponent) / self.cells


def radius_moment(power: float, cells: int, exponent: float) -> float:
    """E t^m of the radius, for −d < m < g − d."""
    return math.sin(math.pi * cells / exponent) / math.sin(math.pi * (cells + power) / exponent)


def least_epsilon(alpha: float, cells: int) -> float:
    """ε must exceed this: the dilation alone costs d·ln(1 + α), whatever the noise."""
    return cells * math.log1p(alpha)


def log_largest_shift(epsilon: Floats, ratio: Floats, cells: int, exponent: float) -> tuple[Floats, Floats]:
    """ln s for which the loss is exactly ε, up and down; −∞ where even s = 0 costs ε or more."""
    d, g, y = cells, exponent, np.log(ratio)
    up = _log_shift(_log_expm1(epsilon + d * y), epsilon - (g - d) * y, g)
    down = _log_shift(d * y + _log_expm1(epsilon - d * y) + (g - d) * y, epsilon + (g - d) * y, g)
    return up, down


def _log_shift(log_c: Floats, log_k: Floats, g: float) -> Floats:
    bend = np.log(-np.expm1(-np.maximum(log_k, 0.0) / (g - 1.0)), out=np.full_like(log_k, -np.inf), where=log_k > 0)
    found: Floats = (log_c + (g - 1.0) * bend) / g
    return found


def _log_expm1(x: Floats) -> Floats:
    """ln(e^x − 1), −∞ for x ≤ 0."""
    safe = np.where(x > 0, x, 1.0)
    found: Floats = np.where(x > 0, safe + np.log(-np.expm1(-safe)), -np.inf)
    return found


def kappa_for(epsilon: float, alpha: float, cells: int, exponent: float) -> float:
    """The smallest κ whose largest loss over all neighbours is ε; ∞ where no κ is large enough."""
    ends = log_largest_shift(np.full(2, epsilon), np.array([1.0, 1.0 + alpha]), cells, exponent)
    smallest = float(np.minimum(*ends).min())
    return math.exp(-smallest) * _SAFE if smallest > -math.inf else math.inf


def spent(shift: Floats, ratio: Floats, cells: int, exponent: float) -> Floats:
    """The loss of pairs (s, r), up or down, whichever is larger.

    g·ln s is an increasing, concave function of ε in both directions, so Newton's method started below the root never
    passes it and always arrives.
    """
    y = np.log(ratio)
    up = _root(shift, np.maximum((exponent - cells) * y, 0.0), cells * y, -(exponent - cells) * y, exponent)
    down = _root(shift, cells * y, -cells * y, (exponent - cells) * y, exponent)
    return np.maximum(up, down)


def _root(shift: Floats, least: Floats, tilt: Floats, bend: Floats, g: float) -> Floats:
    """ε > least with ln(e^(ε+tilt) − 1) + (g − 1)·ln(1 − e^(−(ε+bend)/(g−1))) + (bend − tilt)₊ = g·ln s.

    (bend − tilt)₊ is ln of C's factor r^(g−d)·r^d: g·ln r going down, nothing going up.
    """
    target = g * np.log(shift) - np.maximum(bend - tilt, 0.0)
    epsilon = least + 1e-9
    for _ in range(_MOST_STEPS):
        rise, flat = epsilon + tilt, (epsilon + bend) / (g - 1.0)
        value = rise + np.log(-np.expm1(-rise)) + (g - 1.0) * np.log(-np.expm1(-flat))
        slope = -1.0 / np.expm1(-rise) + 1.0 / np.expm1(flat)
        step = np.maximum((target - value) / slope, 0.0)
        epsilon = epsilon + step
        if np.all(step <= 1e-14 * epsilon):
            break
    return epsilon


def loss_along_ray(t: Floats, *, shift: float, ratio: float, tail: Tail) -> tuple[Floats, Floats]:
    """Up and down at distance t from the nearer of the two vectors, on the worst ray: the curve an auditor sees."""
    d, g = tail.cells, tail.exponent
    up = -d * math.log(ratio) + np.log1p((t + shift) ** g) - np.log1p((t / ratio) ** g)
    down = d * math.log(ratio) + np.log1p(((t + shift) / ratio) ** g) - np.log1p(t**g)
    return up, down


@lru_cache(maxsize=512)
def best_tail(epsilon: float, alpha: float, cells: int) -> Tail | None:
    """The exponent with the smallest expected error per cell; public, for it depends on ε, α and d only.

    g lies between d + 1 (below it the expected error is infinite) and d + ε/ln(1 + α) (from there on infeasible).
    None where there is no feasible exponent.
    """
    if epsilon <= least_epsilon(alpha, cells):
        return None
    low, high = cells + 1.0, cells + min(epsilon / math.log1p(alpha), 40.0 + 4.0 * cells)

    def error(exponent: float) -> float:
        return kappa_for(epsilon, alpha, cells, exponent) * radius_moment(1.0, cells, exponent)

    grid = [low + (high - low) * i / _COARSE for i in range(1, _COARSE)]
    best = min(grid, key=error)
    width = (high - low) / _COARSE
    exponent = _golden(error, best - width, best + width)
    return Tail(cells=cells, exponent=exponent, kappa=kappa_for(epsilon, alpha, cells, exponent))


def _golden(function: Callable[[float], float], low: float, high: float) -> float:
    """The minimum of a function with one valley, by golden sections kept strictly inside."""
    share = (math.sqrt(5.0) - 1.0) / 2.0
    for _ in range(_FINE):
        left, right = high - share * (high - low), low + share * (high - low)
        if function(left) < function(right):
            high = right
        else:
            low = left
    return 0.5 * (low + high)
