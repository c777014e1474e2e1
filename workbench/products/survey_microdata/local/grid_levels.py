"""Numbers on a grid: how well L levels do at an ε, in closed form.

x goes to one of its two neighbouring levels with chances that keep its mean; k-ary randomised response on L levels
follows. With t = p − q and c the middle, ŷ = (y − (1 − t)c)/t is unbiased, and its variance is
[t·E(x_r²) + (1 − t)·mean(level²) − (t·x + (1 − t)c)²]/t².
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats

_MOST_LEVELS = 101
_FEW = 4


def decoded_variance(epsilon: float, levels: int, lower: float, upper: float, x: Floats) -> Floats:
    """Of the decoded number, for each true number x."""
    slope = math.expm1(epsilon) / (math.expm1(epsilon) + levels)
    middle, step = (lower + upper) / 2.0, (upper - lower) / (levels - 1)
    grid = np.linspace(lower, upper, levels)
    inside = np.mod(x - lower, step)
    squared = x**2 + inside * (step - inside)
    mean = slope * x + (1.0 - slope) * middle
    variance: Floats = (slope * squared + (1.0 - slope) * float((grid**2).mean()) - mean**2) / slope**2
    return variance


def mean_variance(epsilon: float, levels: int, lower: int, upper: int) -> float:
    """Averaged over all whole numbers of the range."""
    x = np.arange(lower, upper + 1, dtype=np.float64)
    return float(decoded_variance(epsilon, levels, float(lower), float(upper), x).mean())


@lru_cache(maxsize=512)
def best_levels(epsilon: float, lower: int, upper: int) -> int:
    """The number of levels with the smallest mean variance, among those whose levels are whole numbers.

    Where hardly any are (the range is a prime), among all.
    """
    width = upper - lower
    every = range(2, min(_MOST_LEVELS, width + 1) + 1)
    whole = [levels for levels in every if width % (levels - 1) == 0]
    return min(whole if len(whole) >= _FEW else every, key=lambda levels: mean_variance(epsilon, levels, lower, upper))
