"""How often an attack may be right although a formal guarantee holds.

An attacker who finds n candidates equally likely, of which w count as right, is right with probability q = w/n before
anything is published. Where the candidates are pairwise within log odds ε, publishing raises that to at most
b = e^ε·q/(e^ε·q + 1 − q) + δ, whatever is published (Bayes' rule), so also where the attacker answers only when the
values look telling. Added up over the answers the number right may exceed Σb by chance only: by more than four
standard deviations hardly ever.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats

_DEVIATIONS = 4.0
_LARGEST_EXPONENT = 700.0
_LEAST_WINDOW = 4.0  # sizes


def posterior_bound(prior: Floats, *, epsilon: float, delta: float) -> Floats:
    """b for each prior probability q of being right."""
    odds = math.exp(min(epsilon, _LARGEST_EXPONENT))
    bound: Floats = np.minimum(odds * prior / (odds * prior + (1.0 - prior)) + delta, 1.0)
    return bound


def size_prior(sizes: NDArray[np.int64], *, tolerance: float, alpha: float) -> Floats:
    """q for sizes within a share `tolerance` of the truth, in a window of pairwise neighbours around the truth.

    The window is [x/√(1+α), x·√(1+α)], or two adjacent sizes where that holds only one.
    """
    values = sizes.astype(np.float64)
    root = math.sqrt(1.0 + alpha)
    right = np.floor(values * (1.0 + tolerance)) - np.ceil(values * (1.0 - tolerance)) + 1.0
    window = np.maximum(np.floor(values * root) - np.ceil(values / root) + 1.0, 2.0)
    return np.minimum(right / window, 1.0)


def wide_window(sizes: NDArray[np.int64], *, alpha: float) -> NDArray[np.bool_]:
    """Whether the window around each size holds enough others to judge by.

    Equally likely candidates are a fair model of a wide window only: an establishment of one worker is guessed
    without looking, because such establishments are the most common.
    """
    root = math.sqrt(1.0 + alpha)
    wide: NDArray[np.bool_] = sizes * (root - 1.0 / root) >= _LEAST_WINDOW
    return wide


def few_prior(sizes: NDArray[np.int64], *, number: int, alpha: float) -> Floats:
    """q for naming `number` sizes out of the same window."""
    values, root = sizes.astype(np.float64), math.sqrt(1.0 + alpha)
    window = np.maximum(np.floor(values * root) - np.ceil(values / root) + 1.0, 2.0)
    return np.minimum(number / window, 1.0)


def shape_prior(counts: NDArray[np.int64], *, tolerance: float, alpha: float) -> Floats:
    """q for every share within a share `tolerance` of itself: the least over worker cells, since all must be right."""
    values = counts.astype(np.float64)
    size = values.sum(axis=1, keepdims=True)
    root = math.sqrt(1.0 + alpha)
    right = 2.0 * np.floor(tolerance * values) + 1.0
    window = np.maximum(np.minimum(np.floor(values * root), size) - np.ceil(values / root) + 1.0, 2.0)
    least: Floats = np.where(values > 0, np.minimum(right / window, 1.0), 1.0).min(axis=1, initial=1.0)
    return least


def most_right(bounds: Floats) -> float:
    """How many may be right: the expected number at most, plus four standard deviations, but never more than all."""
    slack = _DEVIATIONS * np.sqrt((bounds * (1.0 - bounds)).sum())
    return float(min(bounds.sum() + slack, len(bounds)))
