"""From the words a block sampler was handed to the vectors it must draw, in the auditor's own arithmetic.

In this order, for so many blocks at a time: a word for each value, whose exponentials say how the length is divided; a
byte for each value, whose last bit is its sign. Where the total has a weight b, a word for each block comes before the
bytes, all in one request; its exponential must exceed b·|Σ|/(1 − b), or the block is asked for again. Then two gamma
variates for the length, each from one exponential for every whole part of its shape and one more times Jöhnk's beta,
X/(X + Y) with X = U^(1/φ), Y = V^(1/(1−φ)), the pair asked for again until X + Y ≤ 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from workbench.core.arrays import Floats
from workbench.noise.declared.contract import Words
from workbench.noise.declared.weighted_direction import length_of


def lengths_of(handed: Iterator[Words], cells: int, shapes: tuple[float, float] | None, totals: float = 0.0) -> Floats:
    """Signed standard noise of the next blocks, one row each; without shapes independent Laplace values."""
    signed = _accepted(handed, cells, totals) if totals else _signed(next(handed), next(handed), cells)
    if shapes is None:
        return signed
    core, far = (_gammas(handed, len(signed), shape) for shape in shapes)
    length = np.exp((np.log(core) - np.log(far)) * (shapes[0] / cells))
    found: Floats = length[:, None] * signed / length_of(signed, totals)[:, None]
    return found


def _signed(words: Words, signs: Words, cells: int) -> Floats:
    sizes = exponentials(words).reshape(-1, cells)
    upper = (signs.view(np.uint8)[: sizes.size] & 1).astype(np.bool_).reshape(sizes.shape)
    return np.where(upper, sizes, -sizes)


def _accepted(handed: Iterator[Words], cells: int, totals: float) -> Floats:
    """Blocks are tried together; those that are rejected are tried again together. All words of a try come at once."""
    found, waiting = np.zeros((0, cells)), np.zeros(0, dtype=np.intp)
    while not len(found) or len(waiting):
        words = next(handed)
        if not len(found):
            waiting = np.arange(_blocks(len(words), cells))
            found = np.zeros((len(waiting), cells))
        sizes, first, signs = np.split(words, [len(waiting) * cells, len(waiting) * (cells + 1)])
        found[waiting] = tried = _signed(sizes, signs, cells)
        rejected = (1.0 - totals) * exponentials(first) < totals * np.abs(tried.sum(axis=1))
        waiting = waiting[rejected]
    return found


def _blocks(words: int, cells: int) -> int:
    """How many blocks so many words are for: d + 1 each, and a byte for every sign."""
    about = 8 * words // (9 * cells + 8)
    return next(n for n in range(max(about - 2, 0), about + 3) if n * (cells + 1) + -(-n * cells // 8) == words)


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
