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
Any other norm N with N(v) = ‖v‖₁ for v ≥ 0 can take the place of ‖·‖₁ throughout (`block_norm`).
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

from workbench.core.arrays import Floats
from workbench.products.employment_tables.mechanisms.block.norm import Moments, moments

_SAFE = 1.0 + 1e-12  # κ is rounded upward by more than double arithmetic can lose
_MOST_STEPS = 100
_PARTS = 8
_FINE = 4096
_MOST_SHAPE = 24
_FIRST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """One calibrated noise: dimension d, the shapes a and b, the factor κ on S, and the norm's weight on the total."""

    cells: int
    core: Fraction
    far: Fraction
    kappa: float
    totals: Fraction = Fraction(0)

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
    def direction(self) -> Moments:
        return moments(self.cells, self.totals)

    @property
    def error_per_scale(self) -> float:
        """E|noise| of one coordinate before rounding, as a multiple of S: κ·E t·E‖u‖₁/d, ‖u‖₁ = 1 for the L1 norm."""
        return self.kappa * self.moment(1.0) * self.direction.sizes / self.cells

    @property
    def total_error_per_scale(self) -> float:
        """The same of the sum of all coordinates: κ·E t·E|Σu|."""
        return self.kappa * self.moment(1.0) * self.direction.total

    @property
    def deviation_per_scale(self) -> float:
        """Standard deviation of one coordinate as a multiple of S.

        Where the tail is so heavy that there is none, the mean size of the noise stands in for it.
        """
        if self.exponent - self.cells <= 2.0:
            return self.error_per_scale
        return self.kappa * math.sqrt(self.moment(2.0) * self.direction.cell_square)

    @property
    def correlation(self) -> float:
        """Of two coordinates; none for the L1 norm."""
        return self.direction.covariance(self.cells) / self.direction.cell_square


def least_epsilon(alpha: float, cells: int) -> float:
    """ε must exceed this: the dilation alone costs d·ln(1 + α), whatever the noise."""
    return cells * math.log1p(alpha)


def log_largest_shift(epsilon: float, ratio: float, *, cells: int, exponent: Floats, sharpness: Floats) -> Floats:
    """ln s for which the loss is exactly ε, up or down, whichever is smaller; −∞ where even s = 0 costs ε or more."""
    y, m = math.log(ratio), sharpness
    if ratio == 1.0:  # both directions are the same
        alone: Floats = _log_shift(epsilon * m / exponent, np.zeros(1), m) / m
        return alone
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
    found = [_best_of(epsilon, alpha, cells, shapes) for shapes in (_grid(cells), _window(epsilon, alpha, cells))]
    cost, core, far, kappa = min(found)
    if not math.isfinite(cost):
        return None
    return Tail(cells=cells, core=core, far=far, kappa=kappa)


def _best_of(epsilon: float, alpha: float, cells: int, shapes: Shapes) -> tuple[float, Fraction, Fraction, float]:
    """The candidate with the smallest ln(κ·E t), its shapes as fractions, and κ.

    κ for the largest change of scale alone is a lower bound of κ: whoever is worse by it than the best so far by all
    need not be asked again.
    """
    m, g = cells / shapes.core, shapes.exponent
    least = shapes.log_length - log_largest_shift(epsilon, 1.0 + alpha, cells=cells, exponent=g, sharpness=m)
    if not np.any(np.isfinite(least)):
        return math.inf, Fraction(1), Fraction(1), math.inf
    asked = np.argsort(least, kind="stable")[:_FIRST]
    cost = _cost(epsilon, alpha, cells, shapes, asked)
    asked = np.flatnonzero(least <= cost.min() + 1e-9)
    cost = _cost(epsilon, alpha, cells, shapes, asked)
    best = int(asked[np.argmin(cost)])
    core, far = (Fraction(round(shape[best] * _FINE), _FINE) for shape in (shapes.core, shapes.far))
    kappa = kappa_for(epsilon, alpha, cells=cells, exponent=g[best : best + 1], sharpness=m[best : best + 1])
    return float(cost.min()), core, far, float(kappa[0])


def _cost(epsilon: float, alpha: float, cells: int, shapes: Shapes, asked: NDArray[np.intp]) -> Floats:
    m, g = cells / shapes.core[asked], shapes.exponent[asked]
    kappa = kappa_for(epsilon, alpha, cells=cells, exponent=g, sharpness=m)
    found: Floats = np.log(kappa) + shapes.log_length[asked]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """Candidates (a, b), their tail exponents and ln E t."""

    core: Floats
    far: Floats
    exponent: Floats
    log_length: Floats

    @classmethod
    def of(cls, core: Floats, far: Floats, cells: int) -> Shapes:
        kept = (far * cells / core > 1.0) & (far > 0) & (far <= _MOST_SHAPE)
        a, b = core[kept], far[kept]
        step = a / cells  # 1/m
        length = log_gamma(a + step) - log_gamma(a) + log_gamma(b - step) - log_gamma(b)
        return cls(core=a, far=b, exponent=cells + b * (cells / a), log_length=length)


@lru_cache(maxsize=16)
def _grid(cells: int) -> Shapes:
    """Eighths, the same for every ε and α."""
    grid = np.arange(1, _PARTS * _MOST_SHAPE + 1) / _PARTS
    a, b = (axis.ravel() for axis in np.meshgrid(grid[grid <= cells], grid))
    return Shapes.of(a, b, cells)


def _window(epsilon: float, alpha: float, cells: int) -> Shapes:
    """Finer parts inside the window for g − d = b·d/a, for where it is narrow."""
    grid = np.arange(1, _PARTS * _MOST_SHAPE + 1) / _PARTS
    window = np.linspace(1.0, epsilon / math.log1p(alpha), 10)[1:-1]
    a, u = (axis.ravel() for axis in np.meshgrid(grid[grid <= cells], window))
    return Shapes.of(a, np.rint(a * u / cells * _FINE) / _FINE, cells)


def log_gamma(x: Floats) -> Floats:
    """ln Γ(x) for x > 0 by Stirling's series after eight steps up, to about 1e-14; only to choose between shapes."""
    product = np.ones_like(x)
    for step in range(8):
        product *= x + step
    y = x + 8.0
    square = 1.0 / (y * y)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / y
    found: Floats = (y - 0.5) * np.log(y) - y + 0.5 * math.log(2.0 * math.pi) + series - np.log(product)
    return found
