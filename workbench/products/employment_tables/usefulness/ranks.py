"""Spearman's rank correlation with ties, in numpy alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1, equal values sharing the mean of their places."""
    _, member, size = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    return np.asarray(((last - size + 1 + last) / 2.0)[member], dtype=np.float64)


def spearman(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Pearson's correlation of the average ranks; not-a-number where either side does not vary.

    Pairs with a suppressed (not-a-number) member are left out.
    """
    both = np.isfinite(first) & np.isfinite(second)
    if np.count_nonzero(both) < 2:
        return math.nan
    a, b = average_ranks(first[both]), average_ranks(second[both])
    a, b = a - a.mean(), b - b.mean()
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size > 0 else math.nan
