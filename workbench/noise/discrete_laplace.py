"""The discrete Laplace (two-sided geometric) distribution, in closed form.

P(X = k) = (1 − q)/(1 + q) · q^|k| with q = e^(−1/scale); P(X ≥ j) = q^j/(1 + q) for j ≥ 1; E|X| = 2q/(1 − q²);
Var X = 2q/(1 − q)². Source: Ghosh, Roughgarden and Sundararajan (2009); Canonne, Kamath and Steinke (2020).
Everything is written with expm1 so that very large scales (q near 1) lose no digits.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom

_STUDY_CHUNK = 500_000


def probability(values: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """P(X = k) for each k."""
    q = math.exp(-1.0 / scale)
    first: NDArray[np.float64] = (-math.expm1(-1.0 / scale) / (1.0 + q)) * np.exp(-np.abs(values) / scale)
    return first


def tail(least: int, scale: float) -> float:
    """P(|X| ≥ least) = 2·q^least/(1 + q), for least ≥ 1."""
    return 2.0 * math.exp(-least / scale) / (1.0 + math.exp(-1.0 / scale))


def variance(scale: float) -> float:
    """2q/(1 − q)²."""
    return 2.0 * math.exp(-1.0 / scale) / math.expm1(-1.0 / scale) ** 2


def mean_absolute(scale: float) -> float:
    """E|X| = 2q/(1 − q²)."""
    return 2.0 * math.exp(-1.0 / scale) / -math.expm1(-2.0 / scale)


def mean_absolute_clipped(counts: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """E|max(n + X, 0) − n| = q·(2 − q^n)/(1 − q²): below zero the error stops at n, so Σ_{j=1..n} P(X ≥ j) remains."""
    half = mean_absolute(scale) / 2.0
    clipped: NDArray[np.float64] = half * (2.0 - np.exp(-counts.astype(np.float64) / scale))
    return clipped


def draw_for_study(size: int, scale: float, rng: StudyRandom) -> NDArray[np.int64]:
    """The difference of two geometric variates has exactly this law. Seeded, so for studies only."""
    success = -math.expm1(-1.0 / scale)
    first = rng.generator.geometric(success, size=size)
    return np.asarray(first - rng.generator.geometric(success, size=size), dtype=np.int64)


def added_for_study(
    exact: NDArray[np.int64], scale: float, rng: StudyRandom, context: Context
) -> NDArray[np.int64]:  # fmt: skip
    """A new array of the counts with noise for a study, drawn in parts so that a cancel is heard."""
    noisy = exact.astype(np.int64)
    for start in range(0, len(noisy), _STUDY_CHUNK):
        context.step(start / len(noisy), "drawing noise for the comparison")
        part = noisy[start : start + _STUDY_CHUNK]
        part += draw_for_study(len(part), scale, rng)
    context.step(1.0, "noise drawn for the comparison")
    return noisy


def spent(sensitivity: int, scale: float) -> Fraction:
    """The largest log ratio between neighbours whose counts differ by `sensitivity` in all: sensitivity/scale, exact.

    Reached: ln P(o|n)/P(o|n′) = (|o − n′| − |o − n|)/scale, and every o beyond both n and n′ gives |n − n′|/scale.
    """
    return Fraction(sensitivity) / Fraction(scale)


def scale_for(sensitivity: int, epsilon: Fraction) -> float:
    """The smallest binary fraction near sensitivity/ε that spends no more than ε: rounding never costs privacy."""
    scale = float(Fraction(sensitivity) / epsilon)
    while spent(sensitivity, scale) > epsilon:
        scale = math.nextafter(scale, math.inf)
    return scale
