"""From the words a block sampler was handed to the vectors it must draw, in the auditor's own arithmetic.

In this order, for so many blocks at a time: a word for each value, whose exponentials say how the length is divided; a
byte for each value, whose last bit is its sign; then two gamma variates for the length, each from one exponential for
every whole part of its shape and one more times Jöhnk's beta, X/(X + Y) with X = U^(1/φ), Y = V^(1/(1−φ)), the pair
asked for again until X + Y ≤ 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from workbench.core.arrays import Floats
from workbench.noise.declared.contract import Words


def lengths_of(handed: Iterator[Words], cells: int, shapes: tuple[float, float] | None) -> Floats:
    """Signed standard noise of the next blocks, one row each; without shapes independent Laplace values."""
    raw = next(handed)
    rows = len(raw) // cells
    sizes = exponentials(raw).reshape(rows, cells)
    upper = (next(handed).view(np.uint8)[: rows * cells] & 1).astype(np.bool_).reshape(rows, cells)
    if shapes is None:
        return np.where(upper, sizes, -sizes)
    core, far = (_gammas(handed, rows, shape) for shape in shapes)
    length = np.exp((np.log(core) - np.log(far)) * (shapes[0] / cells))
    found: Floats = length[:, None] * sizes / sizes.sum(axis=1, keepdims=True)
    return np.where(upper, found, -found)


def exponentials(words: Words) -> Floats:
    """−ln U, U the middle of what the word leaves open."""
    found: Floats = 64.0 * math.log(2.0) - np.log(words.astype(np.float64) + 0.5)
    return found


def _gammas(handed: Iterator[Words], rows: int, shape: float) -> Floats:
    whole, rest = int(shape), shape - int(shape)
    total: Floats = exponentials(next(handed)).reshape(rows, whole).sum(axis=1)
    if not rest:
        return total
    first = exponentials(next(handed))
    beta = np.empty(rows)
    waiting = np.arange(rows)
    while len(waiting):
        logs = -exponentials(next(handed)).reshape(-1, 2) / np.array([rest, 1.0 - rest])
        beta[waiting] = 1.0 / (1.0 + np.exp(np.minimum(logs[:, 1] - logs[:, 0], 690.0)))
        waiting = waiting[np.exp(logs).sum(axis=1) > 1.0]
    return total + first * beta
