"""Laws of single integers: continuous noise rounded to the nearest, on the counts or on their logarithm.

Between the edges k ± ½ lies P(k) = H(z₊) − H(z₋); z is the edge's distance from the exact value in units of the scale
(`Rounded`), or the logarithm of its ratio to it (`RoundedLog`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared import pairs
from workbench.noise.declared.contract import Evidence, Words
from workbench.noise.declared.shapes import LaplaceShape, Shape, below, between, rounded_information, scores

_BITS = 63
_CLOSE = 1e-6  # of a half-integer: what double arithmetic cannot decide, with more room far out
_FAR_OUT = 1e-11
_FORETOLD = 400_000  # probabilities worked out for the lattice
_LATTICE_REACH = 60.0


class InversionLaw(ABC):
    """What both have in common: independent values, one word each."""

    width = 1
    shape: Shape
    center: Integers

    def __len__(self) -> int:
        return len(self.center)

    @abstractmethod
    def edges(self, drawn: Integers, factor: float = 1.0) -> tuple[Floats, Floats]:
        """The edges of each value, standardised by noise `factor` times as large."""

    @abstractmethod
    def information(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Of each value's law about its scale and place."""

    @abstractmethod
    def real(self, upper: NDArray[np.bool_], size: Floats) -> Floats:
        """The value before rounding where the standard noise has this size on this side."""

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        low, high = self.edges(drawn)
        by_scale, by_place = scores(self.shape, low, high)
        about_scale, about_place = self.information(low, high)
        return Evidence(
            uniform=below(self.shape, low) + inside * between(self.shape, low, high),
            scale=by_scale,
            scale_information=about_scale,
            place=by_place,
            place_information=about_place,
        )

    @abstractmethod
    def log_density(self, drawn: Integers, factor: float) -> Floats:
        """Of the law before rounding: what an event needs is that it was fixed beforehand."""

    def foreseen(self, handed: Iterator[Words]) -> tuple[Integers, NDArray[np.bool_]]:
        """One bit chooses the side, 63 more are the tail beyond the value."""
        words = _taken(handed, len(self))
        upper = (words >> np.uint64(_BITS)).astype(np.bool_)
        tail = ((words & np.uint64(2**_BITS - 1)).astype(np.float64) + 0.5) * 2.0**-_BITS
        real = self.real(upper, self.shape.size(tail))
        return rounded(real)


@dataclass(frozen=True, slots=True, eq=False)
class Rounded(InversionLaw):
    """center + scale·Z, rounded to the nearest integer."""

    center: Integers
    scale: Floats
    shape: Shape

    def edges(self, drawn: Integers, factor: float = 1.0) -> tuple[Floats, Floats]:
        off, scale = (drawn - self.center).astype(np.float64), self.scale * factor
        return (off - 0.5) / scale, (off + 0.5) / scale

    def information(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        return rounded_information(self.shape, 1.0 / (high - low))

    def real(self, upper: NDArray[np.bool_], size: Floats) -> Floats:
        found: Floats = self.center + np.where(upper, 1.0, -1.0) * self.scale * size
        return found

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        scale = self.scale * factor
        found: Floats = self.shape.log_density((drawn - self.center) / scale) - np.log(scale)
        return found

    def noise(self, drawn: Integers) -> Integers:
        return drawn - self.center

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        return residues(self.scale, modulus, self.shape)

    def loss(self, other: Rounded, epsilon: float) -> tuple[Floats, Floats]:
        shift = np.abs(other.center - self.center).astype(np.float64)
        return pairs.shifted(self.shape, shift, (self.scale, other.scale), epsilon)


@dataclass(frozen=True, slots=True, eq=False)
class RoundedLog(InversionLaw):
    """factor·(center + offset)·e^(spread·Z) − offset, Z Laplace, rounded to the nearest integer."""

    center: Integers
    offset: float
    spread: float
    factor: float = 1.0
    shape: Shape = LaplaceShape()

    def edges(self, drawn: Integers, factor: float = 1.0) -> tuple[Floats, Floats]:
        median = self.factor * (self.center + self.offset)
        with np.errstate(divide="ignore"):
            edges = [np.log(np.maximum(drawn + half + self.offset, 0.0) / median) for half in (-0.5, 0.5)]
        low, high = (np.asarray(edge / (self.spread * factor), dtype=np.float64) for edge in edges)
        return low, high

    def information(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002 - by kind of cell
        """By kind of cell, from its own quantiles: the scale that rounding sees is (center + offset)·spread."""
        local = np.maximum(self.factor * (self.center + self.offset) * self.spread, 1e-3)
        return rounded_information(self.shape, local)

    def real(self, upper: NDArray[np.bool_], size: Floats) -> Floats:
        grown = np.exp(np.minimum(np.where(upper, 1.0, -1.0) * self.spread * size, 600.0))
        return np.asarray(self.factor * (self.center + self.offset) * grown - self.offset, dtype=np.float64)

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        """On the logarithm; no value lies at or below −offset, where a half stands for the nothing that is left."""
        log = np.log(np.maximum(drawn + self.offset, 0.5) / (self.factor * (self.center + self.offset)))
        return self.shape.log_density(np.asarray(log / (self.spread * factor), dtype=np.float64))

    def noise(self, drawn: Integers) -> Integers:
        """The values themselves: their noise has another lattice in every cell."""
        return drawn

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        expected, foretold = np.zeros(modulus), np.zeros(len(self), dtype=np.bool_)
        left = _FORETOLD
        for center, times in zip(*np.unique(self.center, return_counts=True), strict=True):
            top = (center + self.offset) * self.factor * math.exp(min(_LATTICE_REACH * self.spread / 2.0, 50.0))
            left -= int(top) + 1
            if left < 0:
                break
            k = np.arange(-math.ceil(self.offset) - 1, int(top) + 2, dtype=np.int64)
            one = RoundedLog(np.full(len(k), center), self.offset, self.spread, self.factor)
            chance = between(self.shape, *one.edges(k))
            chance[one.edges(k)[1] == -np.inf] = 0.0
            expected += times * (np.bincount(k % modulus, chance, modulus) + max(1.0 - chance.sum(), 0.0) / modulus)
            foretold |= self.center == center
        return np.flatnonzero(foretold), expected

    def loss(self, other: RoundedLog, epsilon: float) -> tuple[Floats, Floats]:
        """Laplace on the logarithm: the shift of the median's logarithm over the spread; the spread is the same."""
        ratio = (other.factor * (other.center + other.offset)) / (self.factor * (self.center + self.offset))
        scale = np.full(len(self.center), self.spread), np.full(len(other.center), other.spread)
        return pairs.shifted(self.shape, np.abs(np.log(ratio)), scale, epsilon)


def rounded(real: Floats) -> tuple[Integers, NDArray[np.bool_]]:
    """The nearest integers, and which of them double arithmetic is sure of."""
    room = np.abs(real - np.floor(real) - 0.5)
    sure = (room > _CLOSE + _FAR_OUT * np.abs(real)) & (np.abs(real) < 2.0**50)
    return np.rint(np.where(sure, real, 0.0)).astype(np.int64), sure


def residues(scale: Floats, modulus: int, shape: Shape) -> tuple[Integers, Floats]:
    """Places and expected remainders of rounded noise, from the smallest scale on, as a fixed effort allows."""
    expected, left = np.zeros(modulus), _FORETOLD
    order, inverse, times = np.unique(scale, return_inverse=True, return_counts=True)
    last = -1
    for place, s in enumerate(order):
        reach = math.ceil(_LATTICE_REACH * s)
        left -= 2 * reach
        if left < 0:
            break
        k = np.arange(-reach, reach + 1, dtype=np.float64)
        chance = between(shape, (k - 0.5) / s, (k + 0.5) / s)
        of_one = np.bincount(k.astype(np.int64) % modulus, chance, modulus) + max(1.0 - chance.sum(), 0.0) / modulus
        expected += times[place] * of_one
        last = place
    return np.flatnonzero(inverse <= last), expected


def _taken(handed: Iterator[Words], count: int) -> Words:
    """So many words, request by request."""
    parts: list[Words] = []
    while sum(map(len, parts)) < count:
        parts.append(next(handed))
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)
