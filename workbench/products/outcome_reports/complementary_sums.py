"""Count and mean from one ε: U = Σy and V = Σ(B − y). One person-year adds exactly B in L1, whatever it earns.

count = (U + V)/B, mean = B·U/(U + V). V is taken as B less U for each person, never rounded apart. With discrete
Laplace noise of scale BT/ε on both, sd(count) = √2·sd(noise)/B and, to first order, sd(mean) is
√((1 − p)² + p²)·sd(noise)/n with p = mean/B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """U and V of a cell, in units of the grid."""

    earned: Integers
    missing: Integers


def of_rows(earnings: Integers, cap: int) -> Pair:
    """Each row's contribution; earnings are clipped to 0 … B first."""
    earned = np.clip(earnings, 0, cap)
    return Pair(earned=earned, missing=cap - earned)


def count_and_mean(earned: Floats, missing: Floats, cap: float) -> tuple[Floats, Floats]:
    """Count and mean from noisy sums; no mean where the noisy count is not positive."""
    total = earned + missing
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(total > 0.0, cap * earned / total, np.nan)
    return total / cap, np.clip(mean, 0.0, cap)


def count_error(noise_variance: float, cap: float) -> float:
    """sd of the count."""
    return math.sqrt(2.0 * noise_variance) / cap


def mean_error(noise_variance: float, *, count: float, mean: float, cap: float) -> float:
    """sd of the mean, to first order."""
    share = mean / cap
    return math.sqrt(noise_variance * ((1.0 - share) ** 2 + share**2)) / count
