"""The law of noise made for whole histories, by its norm: P(z) ∝ e^(−rate·‖z‖) for each block.

‖z‖ = max over years of Σz⁺ + max over years of Σz⁻ says all that the law depends on. With c(s, w) points in a year of
Σz⁺ ≤ s, Σz⁻ ≤ w and W_r = Σ c(s, r − s)^T, the blocks of norm n are W_n − 2W_{n−1} + W_{n−2}: each block z is counted
r − ‖z‖ + 1 times in W_r. Which of the blocks of one norm comes is not judged here. No words are foreseen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared.contract import Evidence

_FAR = 60.0  # e-folds below the likeliest norm from which nothing counts
_LEAST = 1e-15


@dataclass(frozen=True, slots=True)
class NormTable:
    """P(‖z‖ = n) for n = 0, 1, …, and the mean square of the difference of the two parts of the norm."""

    chance: Floats
    square: float

    @property
    def mean(self) -> float:
        return float((np.arange(len(self.chance)) * self.chance).sum())

    @property
    def variance(self) -> float:
        return float(((np.arange(len(self.chance)) - self.mean) ** 2 * self.chance).sum())


@lru_cache(maxsize=64)
def norm_table(rate: float, years: int, coordinates: int) -> NormTable:
    """By counting points, in logarithms until the terms have fallen far enough."""
    logs: list[float] = []
    squares: list[float] = []
    top, r = -math.inf, 0
    while not logs or logs[-1] > top - _FAR:
        s = np.arange(r + 1)
        terms = years * np.log(_points(s, r - s, coordinates)) - rate * r
        most = float(terms.max())
        share = np.exp(terms - most)
        logs.append(most + math.log(float(share.sum())))
        squares.append(float(((2 * s - r) ** 2 * share).sum() / share.sum()))
        top, r = max(top, logs[-1]), r + 1
    weight = np.exp(np.array(logs) - top)  # q^r·W_r
    q = math.exp(-rate)
    before = np.concatenate([[0.0, 0.0], weight])
    chance = np.maximum(before[2:] - 2.0 * q * before[1:-1] + q * q * before[:-2], 0.0)
    spread = float((np.array(squares) * weight).sum() / weight.sum())
    return NormTable(chance=chance / chance.sum(), square=max(spread - 2.0 * q / (1.0 - q) ** 2, _LEAST))


def _points(s: Integers, w: Integers, coordinates: int) -> Floats:
    """c(s, w) = Σ_m C(d, m)·C(s, m)·C(w + d − m, d − m)."""
    from scipy.special import binom

    d = coordinates
    found = np.zeros(len(s))
    for m in range(d + 1):
        found += math.comb(d, m) * binom(s, m) * binom(w + d - m, d - m)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class HistoryBlocks:
    """Blocks of places × years × values of a cell, one draw each, around their exact values."""

    center: Integers
    rate: float
    years: int
    places: int
    each: int

    @property
    def width(self) -> int:
        return self.places * self.years * self.each

    def __len__(self) -> int:
        return len(self.center)

    def _parts(self, drawn: Integers, noise_factor: float = 1.0) -> tuple[Floats, Floats]:
        """The positive and the negative part of the norm of every block."""
        z = (drawn - self.center).reshape(-1, self.places, self.years, self.each) / noise_factor
        up, down = (np.maximum(side, 0).sum(axis=(1, 3)).max(axis=1) for side in (z, -z))
        return up.astype(np.float64), down.astype(np.float64)

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        up, down = self._parts(drawn)
        table = norm_table(self.rate, self.years, self.places * self.each)
        norm = np.minimum((up + down).astype(np.int64), len(table.chance) - 1)
        upto = np.cumsum(table.chance)
        one = np.ones(len(norm))
        return Evidence(
            uniform=np.clip(upto[norm] - table.chance[norm] + inside * table.chance[norm], 0.0, 1.0 - 1e-16),
            scale=self.rate * (up + down - table.mean),
            scale_information=self.rate**2 * table.variance * one,
            place=up - down,
            place_information=table.square * one,
        )

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        up, down = self._parts(drawn, factor)
        found: Floats = -self.rate * (up + down)
        return found

    def noise(self, drawn: Integers) -> Integers:
        return drawn - self.center

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        """Nothing is foretold: the remainders of single values have no short law."""
        return np.zeros(0, dtype=np.int64), np.zeros(modulus)
