"""The heavy-tailed noise of the block mechanism: a radial density on d coordinates, and exactly what it gives away.

Density: f(z) ∝ (1 + ‖z‖₁^m)^(−g/m) on R^d, m ≥ 1 its sharpness, g > d its tail exponent (m = g is 1/(1 + ‖z‖₁^g)).
Published vector = n + κ·S·z, n the d worker cells of one workplace cell, S = max(α·x, 1), x the total size of its
largest establishment.

Neighbours (strong definition): one establishment's workforce grows, E ⊂ E′, |E′| ≤ max((1 + α)|E|, |E| + 1). Then n
moves by v ≥ 0 with ‖v‖₁ ≤ max(α|E|, 1) ≤ S, and S moves to r·S with 1 ≤ r ≤ 1 + α (if α·x ≥ 1 the new largest is at
most (1 + α)x; if α·x < 1 it is at most x + 1 and α(x + 1) < 1 + α). With s = ‖v‖₁/(κS), the shift in units of the
smaller scale, and u the output's distance from n in the same units, the log ratio of the two densities is
  down: d·ln r + (g/m)·[ln(1 + ‖(u − v)/r‖^m) − ln(1 + ‖u‖^m)], and up: its negative.
By the triangle inequality ‖u − v‖ ≤ ‖u‖ + s and ‖u‖ ≤ ‖u − v‖ + s, with equality on the ray of v. So only lengths
matter, and the suprema are over one number t ≥ 0:
  down: sup d·ln r + (g/m)·ln[(1 + ((t + s)/r)^m)/(1 + t^m)],
  up: sup −d·ln r + (g/m)·ln[(1 + (t + s)^m)/(1 + (t/r)^m)].
Both say “at most ε” as (t + s)^m ≤ C + K·t^m for all t ≥ 0. Hölder's inequality gives the largest such s in closed
form, s^m = C·(1 − K^(−1/(m−1)))^(m−1), K > 1 (and s = C for m = 1, K ≥ 1), with
  up:   E = (ε + d·ln r)·m/g, C = e^E − 1,       K = e^E·r^(−m);
  down: E = (ε − d·ln r)·m/g, C = (e^E − 1)·r^m, K = e^E·r^m.
For d = 1, m = g = 4 these are the two equations of Smooth Gamma. Up is log-concave in ln r, and the loss down is convex
in ln r, so over all r in [1, 1 + α] the ends are worst: κ = 1/min(s) over both directions and r in {1, 1 + α}, and
the supremum of the loss is exactly ε. Feasible iff ε > max(g − d, d)·ln(1 + α).

Radius: t^m = G_a/G_b, a ratio of gamma variates with shapes a = d/m and b = (g − d)/m, so
E t^p = Γ(a + p/m)·Γ(b − p/m)/(Γ(a)·Γ(b)) for −d < p < g − d. The shapes are binary fractions, so that the law that is
drawn and the law whose loss is known are the same. Among them the pair with the smallest expected error is
taken: at d = 8, ε = 2, α = 0.1 it is 0.552·S per cell, against 0.733·S for the best density with m = g.
Source: Haney et al. (2017), sections 7 and 8, carried from one count to a vector; their Theorem 7.5 (which would let
each worker cell spend ε on its own) is false as stated and never used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_SAFE = 1.0 + 1e-12  # κ is rounded upward by more than double arithmetic can lose
_MOST_STEPS = 100
_PARTS = 8
_FINE = 4096
_MOST_SHAPE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """One calibrated noise: dimension d, the shapes a and b, and the factor κ on S."""

    cells: int
    core: Fraction
    far: Fraction
    kappa: float

    @property
    def sharpness(self) -> float:
        return float(self.cells / self.core)

    @property
    def exponent(self) -> float:
        return float(self.cells + self.far * self.cells / self.core)

    def moment(self, power: float) -> float:
        """E t^p of the radius, for −d < p < g − d."""
        a, b, p = float(self.core), float(self.far), power / self.sharpness
        return math.exp(math.lgamma(a + p) - math.lgamma(a) + math.lgamma(b - p) - math.lgamma(b))

    @property
    def error_per_scale(self) -> float:
        """E|noise| of one coordinate before rounding, as a multiple of S: κ·E t/d."""
        return self.kappa * self.moment(1.0) / self.cells

    @property
    def deviation_per_scale(self) -> float:
        """Standard deviation of one coordinate as a multiple of S; a direction has mean square 2/(d(d + 1)).

        Where the tail is so heavy that there is none, the mean size of the noise stands in for it.
        """
        if self.exponent - self.cells <= 2.0:
            return self.error_per_scale
        return self.kappa * math.sqrt(2.0 * self.moment(2.0) / (self.cells * (self.cells + 1)))


def least_epsilon(alpha: float, cells: int) -> float:
    """ε must exceed this: the dilation alone costs d·ln(1 + α), whatever the noise."""
    return cells * math.log1p(alpha)


def log_largest_shift(epsilon: float, ratio: float, *, cells: int, exponent: Floats, sharpness: Floats) -> Floats:
    """ln s for which the loss is exactly ε, up or down, whichever is smaller; −∞ where even s = 0 costs ε or more."""
    y, m = math.log(ratio), sharpness
    up, down = (epsilon + cells * y) * m / exponent, (epsilon - cells * y) * m / exponent
    found: Floats = np.minimum(_log_shift(up, -m * y, m), m * y + _log_shift(down, m * y, m)) / m
    return found


def _log_shift(rise: Floats, bend: Floats, m: Floats) -> Floats:
    """ln[(e^E − 1)·(1 − K^(−1/(m−1)))^(m−1)] with ln K = E + bend."""
    log_k = rise + bend
    usable = (rise > 0) & (log_k > 0)
    safe_rise, safe_k = np.where(usable, rise, 1.0), np.where(usable, log_k, 1.0)
    power = np.maximum(m - 1.0, 1e-300)
    value = safe_rise + np.log(-np.expm1(-safe_rise)) + power * np.log(-np.expm1(-safe_k / power))
    found: Floats = np.where(usable, value, -np.inf)
    return found


def kappa_for(epsilon: float, alpha: float, *, cells: int, exponent: Floats, sharpness: Floats) -> Floats:
    """The smallest κ whose largest loss over all neighbours is ε; ∞ where no κ is large enough."""
    smallest = np.minimum(
        *(
            log_largest_shift(epsilon, ratio, cells=cells, exponent=exponent, sharpness=sharpness)
            for ratio in (1.0, 1.0 + alpha)
        )
    )
    found: Floats = np.exp(-smallest) * _SAFE
    return found


def spent(shift: Floats, ratio: Floats, tail: Tail) -> Floats:
    """The loss of pairs (s, r), up or down, whichever is larger.

    m·ln s is an increasing, concave function of ε in both directions, so Newton's method started below the root never
    passes it and always arrives.
    """
    m, y, slope = tail.sharpness, np.log(ratio), tail.exponent / tail.sharpness
    up = slope * _root(m * np.log(shift), m * y, -m * y, m) - tail.cells * y
    down = slope * _root(m * (np.log(shift) - y), np.zeros_like(y), m * y, m) + tail.cells * y
    larger: Floats = np.maximum(up, down)
    return larger


def _root(target: Floats, least: Floats, bend: Floats, m: float) -> Floats:
    """E > least with ln(e^E − 1) + (m − 1)·ln(1 − e^(−(E + bend)/(m − 1))) = target; never below ln(1 + e^target)."""
    rise, power = np.maximum(least + 1e-10, np.logaddexp(0.0, target)), max(m - 1.0, 1e-300)
    for _ in range(_MOST_STEPS):
        flat = np.minimum((rise + bend) / power, 700.0)
        value = rise + np.log(-np.expm1(-rise)) + power * np.log(-np.expm1(-flat))
        slope = -1.0 / np.expm1(-rise) + 1.0 / np.expm1(flat)
        step = np.maximum((target - value) / slope, 0.0)
        rise = rise + step
        if np.all(step <= 1e-14 * rise):
            break
    return rise


def loss_along_ray(t: Floats, *, shift: float, ratio: float, tail: Tail) -> tuple[Floats, Floats]:
    """Up and down at distance t from the nearer of the two vectors, on the worst ray: the curve an auditor sees."""
    m, slope, dilation = tail.sharpness, tail.exponent / tail.sharpness, tail.cells * math.log(ratio)
    up = -dilation + slope * (np.log1p((t + shift) ** m) - np.log1p((t / ratio) ** m))
    down = dilation + slope * (np.log1p(((t + shift) / ratio) ** m) - np.log1p(t**m))
    return up, down


@lru_cache(maxsize=512)
def best_tail(epsilon: float, alpha: float, cells: int) -> Tail | None:
    """The shapes with the smallest expected error per cell; public, for they depend on ε, α and d only.

    g lies between d + 1 (below it the expected error is infinite) and d + ε/ln(1 + α) (from there on infeasible).
    None where nothing is feasible.
    """
    if epsilon <= least_epsilon(alpha, cells):
        return None
    from scipy.special import gammaln

    a, b = _shapes(epsilon, alpha, cells)
    m = cells / a
    kappa = kappa_for(epsilon, alpha, cells=cells, exponent=cells + b * m, sharpness=m)
    log_length = gammaln(a + 1.0 / m) - gammaln(a) + gammaln(b - 1.0 / m) - gammaln(b)
    best = int(np.argmin(np.log(kappa) + log_length))
    if not math.isfinite(kappa[best]):
        return None
    core, far = (Fraction(round(shape[best] * _FINE), _FINE) for shape in (a, b))
    return Tail(cells=cells, core=core, far=far, kappa=float(kappa[best]))


def _shapes(epsilon: float, alpha: float, cells: int) -> tuple[Floats, Floats]:
    """Candidates (a, b): eighths, and finer parts inside the window for g − d = b·d/a where it is narrow."""
    grid = np.arange(1, _PARTS * _MOST_SHAPE + 1) / _PARTS
    cores = grid[grid <= cells]
    window = np.linspace(1.0, epsilon / math.log1p(alpha), 10)[1:-1]
    a, b = (axis.ravel() for axis in np.meshgrid(cores, grid))
    a_fine, u = (axis.ravel() for axis in np.meshgrid(cores, window))
    b_fine = np.rint(a_fine * u / cells * _FINE) / _FINE
    a, b = np.concatenate([a, a_fine]), np.concatenate([b, b_fine])
    kept = (b * cells / a > 1.0) & (b > 0) & (b <= _MOST_SHAPE)
    return a[kept], b[kept]
