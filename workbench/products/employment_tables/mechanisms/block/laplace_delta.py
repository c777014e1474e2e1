"""Vector Laplace noise whose scale depends on the data: what δ it needs, and what δ it spends.

Noise: z with density ∝ e^(−‖z‖₁) on d coordinates, published = n + κ·S·z. Between neighbours n moves by v with
s = ‖v‖₁/(κS) and S by a factor r in [1, 1 + α] (`block_tail` says why). Two bounds:

Ceiling (proved, used to calibrate). Moving n alone changes the log odds by at most s, surely. Moving the scale alone is
the pair (G, rG) of the radii, G ~ Gamma(d, 1), the directions being alike. Together: δ at ε is at most the δ of the
dilation at ε − s. Its likelihood ratio is monotone in the radius, so the two hockey-stick directions are tails:
  up:   sup_c P(rG > c) − e^(ε−s)·P(G > c), down: sup_c P(G < c) − e^(ε−s)·P(rG < c),
both with c = (r/(r − 1))·|ε − s ± d·ln r|₊, and both largest at r = 1 + α.

Exact (for a shift along one coordinate, audit). L = −d·ln r + |s + r·w| − |w| + (r − 1)·R with w Laplace and
R ~ Gamma(d − 1) independent; E(1 − e^(ε−L))₊ is closed in R and a one-dimensional integral in w, and likewise
for the other direction. A shift along one coordinate, one kind of worker gained, is the worst we know: spreading it
over m kinds divides δ by more than m in every case tried by sampling. That is not proved, which is why the ceiling, at
most about twice as large, makes the claim.
At d = 8, ε = 2, α = 0.1 the exact δ is 0.056, 0.013, 0.0012, 0.00025 for κ = 0.5, 0.6, 0.8, 1.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np

from workbench.core.arrays import Floats

_HALVINGS = 80
_NODES = 64
_FAR = 60.0  # e^-60 of the Laplace mass lies beyond


def ceiling(epsilon: float, *, shift: float, ratio: float, cells: int) -> float:
    """The δ that is certainly enough at ε for every neighbour with at most this shift and this ratio."""
    rest, stretch = epsilon - shift, cells * math.log(ratio)
    if ratio == 1.0:
        return max(0.0, -math.expm1(rest))
    beyond = max(rest + stretch, 0.0) / (ratio - 1.0)
    up = _waits(cells, beyond) - math.exp(rest) * _waits(cells, ratio * beyond)
    within = max(stretch - rest, 0.0) / (ratio - 1.0)
    down = _arrives(cells, ratio * within) - math.exp(rest) * _arrives(cells, within)
    return float(max(up, down, 0.0))


def _waits(count: int, time: float) -> float:
    """P(Gamma(count) > time): fewer than `count` arrivals of a Poisson stream by then."""
    return float(_poisson(time, 0, count).sum())


def _arrives(count: int, time: float) -> float:
    """P(Gamma(count) < time): at least `count` arrivals; terms beyond the sum are below 1e-17 of it."""
    if time > count:
        return 1.0 - _waits(count, time)
    return float(_poisson(time, count, 2 * count + 100).sum())


def _poisson(time: float, first: int, end: int) -> Floats:
    if time <= 0.0:
        return np.array([1.0 if first == 0 else 0.0])
    arrivals = np.arange(first, end)
    found: Floats = np.exp(arrivals * math.log(time) - time - _log_factorials(1 << end.bit_length())[first:end])
    return found


@cache
def _log_factorials(end: int) -> Floats:
    return np.array([math.lgamma(n + 1.0) for n in range(end)])


def least_delta(epsilon: float, alpha: float, cells: int) -> float:
    """δ must exceed this: what the change of scale alone needs, however much noise there is."""
    return ceiling(epsilon, shift=0.0, ratio=1.0 + alpha, cells=cells)


@lru_cache(maxsize=4096)
def epsilon_of_scale(delta: float, ratio: float, cells: int) -> float:
    """The smallest ε at which a change of scale needs no more than δ; ln(1 − δ), below zero, where there is none.

    A shift s on top adds s to it, for the ceiling depends on ε − s alone.
    """
    if ratio == 1.0:
        return math.log1p(-delta)
    low, high = math.log1p(-delta), 1.0
    while ceiling(high, shift=0.0, ratio=ratio, cells=cells) > delta:
        low, high = high, 2.0 * high
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        kept = ceiling(middle, shift=0.0, ratio=ratio, cells=cells) <= delta
        low, high = (low, middle) if kept else (middle, high)
    return high


@lru_cache(maxsize=512)
def kappa_for(epsilon: float, delta: float, alpha: float, cells: int) -> float | None:
    """The smallest κ whose ceiling is δ, rounded upward; None where no κ is large enough."""
    if delta <= least_delta(epsilon, alpha, cells):
        return None
    low, high = 0.0, epsilon + 40.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        kept = ceiling(epsilon, shift=middle, ratio=1.0 + alpha, cells=cells) <= delta
        low, high = (middle, high) if kept else (low, middle)
    return (1.0 + 1e-12) / low if low > 0 else None


def exact(epsilon: float, *, shift: float, ratio: float, cells: int) -> float:
    """The larger hockey-stick direction for one pair whose shift lies along one coordinate."""
    if ratio == 1.0:
        return max(0.0, -math.expm1(0.5 * (epsilon - shift)))
    up = _integral(
        lambda w: _up(w, epsilon, shift=shift, ratio=ratio, cells=cells), _kinks(epsilon, shift, ratio, cells)
    )
    down = _integral(
        lambda w: _down(w, epsilon, shift=shift, ratio=ratio, cells=cells), _kinks_down(epsilon, shift, ratio, cells)
    )
    return max(up, down, 0.0)


def _up(w: Floats, epsilon: float, *, shift: float, ratio: float, cells: int) -> Floats:
    """E over R of (1 − e^(ε−L))₊, likelier where the establishment is larger."""
    known = np.abs(shift + ratio * w) - np.abs(w)
    free = epsilon + cells * math.log(ratio) - known
    beyond = np.maximum(free, 0.0) / (ratio - 1.0)
    found: Floats = _above(cells - 1, beyond) - np.exp(free) * ratio ** (1 - cells) * _above(cells - 1, ratio * beyond)
    return np.where((cells > 1) | (free < 0), found, 0.0)


def _down(w: Floats, epsilon: float, *, shift: float, ratio: float, cells: int) -> Floats:
    """The same, likelier where it is smaller: L = d·ln r − |w| + |w − s|/r − (1 − 1/r)·R."""
    known = cells * math.log(ratio) - np.abs(w) + np.abs(w - shift) / ratio
    within = np.maximum(known - epsilon, 0.0) * ratio / (ratio - 1.0)
    gain = np.exp(epsilon - known) * ratio ** (cells - 1)
    found: Floats = _below(cells - 1, within) - gain * _below(cells - 1, within / ratio)
    return np.where(known > epsilon, found, 0.0)


def _above(shape: int, x: Floats) -> Floats:
    from scipy.special import gammaincc

    found: Floats = gammaincc(shape, x) if shape else (x <= 0).astype(np.float64)
    return found


def _below(shape: int, x: Floats) -> Floats:
    from scipy.special import gammainc

    found: Floats = gammainc(shape, x) if shape else (x >= 0).astype(np.float64)
    return found


def _kinks(epsilon: float, shift: float, ratio: float, cells: int) -> tuple[float, ...]:
    """Where |s + r·w| − |w| bends, and where it crosses ε + d·ln r."""
    level = epsilon + cells * math.log(ratio)
    return (
        -shift / ratio,
        0.0,
        (level - shift) / (ratio - 1.0),
        (level - shift) / (ratio + 1.0),
        -(level + shift) / (ratio - 1.0),
    )


def _kinks_down(epsilon: float, shift: float, ratio: float, cells: int) -> tuple[float, ...]:
    level = (epsilon - cells * math.log(ratio)) * ratio
    return (
        0.0,
        shift,
        -(shift - level) / (ratio - 1.0),
        (shift - level) / (ratio + 1.0),
        -(level + shift) / (ratio - 1.0),
    )


def _integral(function: Callable[[Floats], Floats], kinks: tuple[float, ...]) -> float:
    """E f(w) over a Laplace variate, by Gauss and Legendre on every piece on which the integrand is smooth."""
    nodes, weights = _rule()
    inner = np.array(sorted({-_FAR, -5.0, 5.0, _FAR, *(kink for kink in kinks if -_FAR < kink < _FAR)}))
    half, middle = 0.5 * np.diff(inner)[:, None], 0.5 * (inner[1:] + inner[:-1])[:, None]
    w = (half * nodes + middle).ravel()
    return float((half * weights).ravel() @ (0.5 * np.exp(-np.abs(w)) * function(w)))


@cache
def _rule() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
