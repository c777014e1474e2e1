"""Laws on the integers themselves: discrete Laplace, discrete Gaussian, and randomised response on codes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared.contract import Evidence, Words

_BITS = 64
_CLOSE = 1e-9
_SUMMED = 400.0  # σ up to which the law of the discrete Gaussian is summed


@dataclass(frozen=True, slots=True, eq=False)
class DiscreteLaplace:
    """center + X, P(X = k) = (1 − q)/(1 + q)·q^|k|, q = e^(−1/scale): the difference of two geometric integers."""

    center: Integers
    scale: Floats

    @property
    def width(self) -> int:
        return 1

    def __len__(self) -> int:
        return len(self.center)

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        """Score about ln scale: (|k| − E|X|)/scale. About the place: ± the rate at which the law falls."""
        k, s = (drawn - self.center).astype(np.float64), self.scale
        q = np.exp(-1.0 / s)
        mean = 2.0 * q / -np.expm1(-2.0 / s)
        square = 2.0 * q / np.expm1(-1.0 / s) ** 2
        return Evidence(
            uniform=_laplace_below(k, s) + inside * _laplace_chance(k, s),
            scale=(np.abs(k) - mean) / s,
            scale_information=(square - mean**2) / s**2,
            place=np.sign(k),
            place_information=1.0 - _laplace_chance(np.zeros_like(k), s),
        )

    def below(self, value: Integers) -> Floats:
        """P(drawn < value)."""
        return _laplace_below((value - self.center).astype(np.float64), self.scale)

    def value_at(self, share: Floats) -> Integers:
        """The value whose interval holds this share: a guess by the continuous law, then a step or two."""
        tail = np.maximum(2.0 * np.minimum(share, 1.0 - share), 1e-300)
        guess = np.rint(np.sign(share - 0.5) * -self.scale * np.log(tail)).astype(np.int64) + self.center
        for _ in range(4):
            guess = guess + (self.below(guess + 1) <= share) - (self.below(guess) > share)
        return guess

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        found: Floats = np.log(_laplace_chance((drawn - self.center).astype(np.float64), self.scale * factor))
        return found

    def noise(self, drawn: Integers) -> Integers:
        return drawn - self.center

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        """Remainder j of all k = j + m·i: two geometric series."""
        s = self.scale[:, None]
        j = np.arange(modulus, dtype=np.float64)
        up, down = np.exp(-j / s), np.exp(-np.where(j == 0, modulus, modulus - j) / s)
        whole = -np.expm1(-modulus / s)
        chance = _laplace_chance(np.zeros(len(s)), self.scale)[:, None] * (up + down) / whole
        return np.arange(len(self)), chance.sum(axis=0)

    def loss(self, other: DiscreteLaplace, epsilon: float) -> tuple[Floats, Floats]:  # noqa: ARG002 - pure
        """|shift|/scale; without bound where the scales differ, for the two tails do."""
        shift = np.abs(other.center - self.center) / self.scale
        found: Floats = np.where(self.scale == other.scale, shift, np.inf)
        return found, np.zeros(len(found))

    def foreseen(self, handed: Iterator[Words]) -> tuple[Integers, NDArray[np.bool_]]:
        """⌊−s·ln U⌋ of one word less that of another, request by request."""
        made, sure = [], []
        start = 0
        while start < len(self):
            first, second = next(handed), next(handed)
            scale = self.scale[start : start + len(first)]
            up, up_sure = _geometric(first, scale)
            down, down_sure = _geometric(second, scale)
            made.append(self.center[start : start + len(first)] + up - down)
            sure.append(up_sure & down_sure)
            start += len(first)
        return np.concatenate(made), np.concatenate(sure)


def _geometric(words: Words, scale: Floats) -> tuple[Integers, NDArray[np.bool_]]:
    real = scale * (_BITS * math.log(2.0) - np.log(words.astype(np.float64) + 0.5))
    whole = np.floor(real)
    room = np.minimum(real - whole, whole + 1.0 - real)
    return whole.astype(np.int64), room > _CLOSE * np.maximum(1.0, np.abs(real))


def _laplace_chance(k: Floats, scale: Floats) -> Floats:
    found: Floats = np.tanh(0.5 / scale) * np.exp(-np.abs(k) / scale)
    return found


def _laplace_below(k: Floats, scale: Floats) -> Floats:
    """P(X < k)."""
    far = np.exp(-np.abs(k) / scale) / (1.0 + np.exp(-1.0 / scale))
    return np.where(k > 0, 1.0 - far, far * np.exp(-1.0 / scale))


@dataclass(frozen=True, slots=True, eq=False)
class DiscreteGaussian:
    """center + X, P(X = k) ∝ e^(−k²/(2σ²)). Drawn with rejection, so no words are foreseen."""

    center: Integers
    sigma: Floats

    @property
    def width(self) -> int:
        return 1

    def __len__(self) -> int:
        return len(self.center)

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        k, s = (drawn - self.center).astype(np.float64), self.sigma
        low, chance, variance, fourth = (np.empty(len(k)) for _ in range(4))
        for sigma in np.unique(s):
            own = s == sigma
            low[own], chance[own], variance[own], fourth[own] = _gaussian(k[own], float(sigma))
        return Evidence(
            uniform=low + inside * chance,
            scale=(k**2 - variance) / s**2,
            scale_information=(fourth - variance**2) / s**4,
            place=k / s,
            place_information=variance / s**2,
        )

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        s = self.sigma * factor
        found: Floats = -((drawn - self.center) ** 2) / (2.0 * s**2) - np.log(s)
        return found

    def noise(self, drawn: Integers) -> Integers:
        return drawn - self.center

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        expected = np.zeros(modulus)
        for sigma, times in zip(*np.unique(self.sigma, return_counts=True), strict=True):
            reach = math.ceil(12 * min(float(sigma), _SUMMED)) + 12
            k = np.arange(-reach, reach + 1)
            weight = np.exp(-(k.astype(np.float64) ** 2) / (2.0 * min(float(sigma), _SUMMED) ** 2))
            expected += times * np.bincount(k % modulus, weight / weight.sum(), modulus)
        return np.arange(len(self)), expected


def _gaussian(k: Floats, sigma: float) -> tuple[Floats, Floats, float, float]:
    """P(X < k), P(X = k), variance and fourth moment; from σ = 400 on integers are as good as continuous."""
    if sigma > _SUMMED:
        from scipy.special import ndtr

        low, high = ndtr((k - 0.5) / sigma), ndtr((k + 0.5) / sigma)
        return low, high - low, sigma**2, 3.0 * sigma**4
    reach = int(max(math.ceil(12 * sigma) + 12, np.abs(k).max(initial=0)))
    values = np.arange(-reach, reach + 1, dtype=np.float64)
    weight = np.exp(-(values**2) / (2.0 * sigma**2))
    weight /= weight.sum()
    upto = np.cumsum(weight)
    place = (k + reach).astype(np.int64)
    return (
        upto[place] - weight[place],
        weight[place],
        float((values**2 * weight).sum()),
        float((values**4 * weight).sum()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """Randomised response: the true code with probability `kept`, each of the other levels alike with the rest."""

    true: Integers
    levels: Integers
    kept: Floats

    @property
    def width(self) -> int:
        return 1

    def __len__(self) -> int:
        return len(self.true)

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        """The true code first, then the others in order. The score is that of the share of changed codes."""
        changed = drawn != self.true
        each = (1.0 - self.kept) / np.maximum(self.levels - 1, 1)
        rank = np.where(drawn < self.true, drawn, drawn - 1)
        low = np.where(changed, self.kept + rank * each, 0.0)
        rest = (1.0 - self.kept) / self.kept
        return Evidence(
            uniform=low + inside * np.where(changed, each, self.kept),
            scale=np.where(changed, 1.0, -rest),
            scale_information=rest,
            place=np.where(changed, rank - (self.levels - 2) / 2.0, 0.0),
            place_information=np.maximum((1.0 - self.kept) * (self.levels * (self.levels - 2)) / 12.0, 1e-300),
        )

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        changed = np.minimum((1.0 - self.kept) * factor, 1.0 - 1e-12)
        each = changed / np.maximum(self.levels - 1, 1)
        found: Floats = np.log(np.where(drawn == self.true, 1.0 - changed, each))
        return found

    def noise(self, drawn: Integers) -> Integers:
        """1 where the code was changed: codes have no lattice."""
        return np.asarray(drawn != self.true).astype(np.int64)

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        told = np.zeros(modulus)
        told[:2] = self.kept.sum(), (1.0 - self.kept).sum()
        return np.arange(len(self)), told
