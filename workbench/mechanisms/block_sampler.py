"""Exact integer noise for whole blocks of worker cells, from random bits only.

Heavy tail (block-gamma): z = t·(±E_c/ΣE)_c, E_c = −ln U_c independent exponentials (so E/ΣE is uniform on the simplex)
and t = U^(1/d)·V^(−1/(g−d)), the pair (U, V) drawn again until U^(g/d) + V^(g/(g−d)) ≤ 1. That is Jöhnk's beta: with
X = U^(g/d), Y = V^(g/(g−d)), X/(X + Y) has the law Beta(d/g, 1 − d/g), and t = (X/Y)^(1/g) the density
∝ t^(d−1)/(1 + t^g). At least π/4 of the pairs are accepted. Vector Laplace (block-laplace): z_c = ±E_c.
Published: n_c + z_c·σ rounded to the nearest integer, σ = κ·S.

Why the integers are exact. Each uniform is an endless row of bits, of which 64 are drawn first; the published vector
is a function of the endless rows. Double arithmetic gives each |z_c|·σ with an error bound that adds up the unknown
bits (U known to 2⁻⁶⁴), and at least four times the worst rounding error of every logarithm, exponential, product and
quotient. Where no rounding threshold k + ½ (and, for the pair, no acceptance threshold) lies within the bound, the
endless rows would give the same integer. Everything else goes to `block_exact`, which appends bits and digits until
the integer is certain. So no value depends on where double precision ends.
Not certified by us: that the processor's or numpy's log and exp keep within eight units in the last place (numpy
documents at most four; the bound allows more than eight), and that the keystream of `ReleaseRandom` is as good as
uniform.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.block_exact import LARGEST, Radius, Words, decide_laplace, decide_radial
from workbench.mechanisms.block_tail import Floats

_ULP = 2.0**-49  # sixteen units in the last place, as a share
_TRUSTED = 2.0**52  # beyond it doubles have no halves
_ROUNDS = 200
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scales:
    """σ = κ·max(α·x, 1) per block, as doubles and exactly."""

    kappa: float
    alpha: Decimal
    largest: Integers

    def doubles(self) -> Floats:
        found: Floats = self.kappa * np.maximum(float(self.alpha) * self.largest, 1.0)
        return found

    def exact(self, block: int) -> Callable[[], Decimal]:
        """σ of one block at whatever precision is in force when it is called."""
        size = int(self.largest[block])
        return lambda: Decimal(self.kappa) * max(self.alpha * size, Decimal(1))


def draw(scales: Scales, cells: int, radius: Radius | None, words: Words) -> Integers:
    """Integer noise, one row per block and one column per worker cell."""
    blocks = len(scales.largest)
    pairs, open_pairs = (None, np.zeros(blocks, dtype=bool)) if radius is None else _pairs(blocks, radius, words)
    raw = words(blocks * cells).reshape(blocks, cells)
    sizes, slack = _exponential(raw)
    if radius is None or pairs is None:
        values, margin = _laplace(scales.doubles(), sizes, slack)
    else:
        values, margin = _radial(scales.doubles(), (sizes, slack), pairs, radius)
    rounded, open_cells = _rounded(values, margin)
    for block in np.flatnonzero(open_cells.any(axis=1) | open_pairs):
        known = [int(word) for word in raw[block]]
        exact = scales.exact(int(block))
        if radius is None or pairs is None:
            rounded[block] = decide_laplace(known, scale=exact, words=words)
        else:
            first = (int(pairs[block, 0]), int(pairs[block, 1]))
            rounded[block] = decide_radial(first, known, radius, scale=exact, words=words)
    return np.where(_signs(blocks, cells, words), rounded, -rounded)


def _signs(blocks: int, cells: int, words: Words) -> NDArray[np.bool_]:
    bits = words(-(-blocks * cells // 8)).view(np.uint8)[: blocks * cells] & 1
    return bits.astype(bool).reshape(blocks, cells)


def _exponential(raw: NDArray[np.uint64]) -> tuple[Floats, Floats]:
    """−ln U and a bound on its error: U is (word + something below 1)/2⁶⁴; nothing is known of ln U for word 0."""
    word = raw.astype(np.float64)
    size = 64.0 * math.log(2.0) - np.log(word + 0.5)
    unknown = np.divide(1.0, word, out=np.full_like(word, np.inf), where=word > 0)
    bound: Floats = unknown + _ULP * (64.0 + np.abs(size))
    return np.maximum(size, 0.0), bound


def _pairs(blocks: int, radius: Radius, words: Words) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """The first accepted pair of each block, and which blocks have a pair that doubles cannot judge."""
    pairs = np.empty((blocks, 2), dtype=np.uint64)
    unsure = np.zeros(blocks, dtype=bool)
    powers = np.array([radius.exponent / radius.cells, radius.exponent / (radius.exponent - radius.cells)])
    waiting = np.arange(blocks)
    for _ in range(_ROUNDS):
        if not len(waiting):
            return pairs, unsure
        pairs[waiting] = words(2 * len(waiting)).reshape(-1, 2)
        sizes, slack = _exponential(pairs[waiting])
        parts = np.exp(-powers * sizes)
        gap = parts.sum(axis=1) - 1.0
        bound = _weighted(parts, powers * (slack + _ULP * (1.0 + sizes))) + _ULP
        undecided = ~(np.abs(gap) > bound)
        unsure[waiting[undecided]] = True
        waiting = waiting[(gap > 0) & ~undecided]
    unsure[waiting] = True
    return pairs, unsure


def _weighted(parts: Floats, errors: Floats) -> Floats:
    """Σ part·(e^error − 1), bounded; an unknown logarithm leaves its part anywhere between 0 and 1."""
    small = errors < 0.1
    bound: Floats = np.where(small, 1.1 * parts * np.where(small, errors, 0.0), 1.0).sum(axis=1)
    return bound


def _laplace(scale: Floats, sizes: Floats, slack: Floats) -> tuple[Floats, Floats]:
    return scale[:, None] * sizes, scale[:, None] * (slack + _ULP * sizes) * (1.0 + _ULP)


def _radial(
    scale: Floats, cells: tuple[Floats, Floats], pairs: NDArray[np.uint64], radius: Radius
) -> tuple[Floats, Floats]:
    """|z_c|·σ and its error bound, to first order doubled, which covers the second where errors are below 2⁻²⁰."""
    sizes, slack = cells
    logs, log_slack = _exponential(pairs)
    powers = np.array([1.0 / radius.cells, 1.0 / (radius.exponent - radius.cells)])
    length = scale * np.exp(logs @ (powers * np.array([-1.0, 1.0])))
    length_error = (log_slack + 2.0 * _ULP * logs) @ powers + 4.0 * _ULP
    total, total_slack = sizes.sum(axis=1), slack.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = sizes / total[:, None]
        error = length_error + total_slack / total + _ULP * sizes.shape[1]
        margin = 2.0 * length[:, None] * (slack / total[:, None] + share * error[:, None])
        margin[~(error < 2.0**-20)] = np.inf
        return length[:, None] * share, margin


def _rounded(values: Floats, margin: Floats) -> tuple[Integers, NDArray[np.bool_]]:
    """The nearest integers, and which of them are not certain."""
    below = np.floor(values)
    certain = (np.abs(values - below - 0.5) > margin) & (values < _TRUSTED)
    nearest = np.where(certain, np.rint(values), 0.0).astype(np.int64)
    return np.minimum(nearest, LARGEST), ~certain
