"""Noise on whole blocks of d values: scale·z with a density that depends on t = N(z) alone, rounded value by value.

N is ‖z‖₁, or with a weight on the total (1 − b)‖z‖₁ + b|Σz|. t^m = G_a/G_b, so w = t^m/(1 + t^m) has the Beta(a, b)
law, and z/t is uniform on the surface N = 1. One coordinate has P(|z_c| > y) = E[(1 − y/t)₊^(d−1)] for ‖·‖₁, and
E[P(u > y/t)] with `weighted_direction` otherwise, which a quadrature over ln t gives. The evidence of a block: its
coordinates in turn for the uniform, the sum of all coordinates' scores for scale and place (with the information seen,
for they depend on each other through t), and where the scale is so wide that rounding cannot be felt the law of the
radius itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared import weighted_direction
from workbench.noise.declared.contract import Evidence, Words
from workbench.noise.declared.pairs import KEPT, deltas
from workbench.noise.declared.radial_words import lengths_of
from workbench.noise.declared.scalar import Rounded, residues, rounded
from workbench.noise.declared.shapes import LaplaceShape, below, between, rounded_information, scores
from workbench.noise.declared.weighted_direction import largest, length_of

_NODES, _PANELS = 24, 16
_KNOTS = 1500
_NEAR, _FAR = 1e-4, 1e5
WIDE = 200.0  # scales from which rounding moves the radius by less than any number of draws in use can see
_FELT = 2  # so few values are all near zero often enough that rounding is felt in the radius at any scale
_WIDE_ENOUGH = 50.0  # scales from which a coordinate tells as much as before rounding
_NARROW = 0.9  # of what a wide coordinate tells: below, many blocks alike are no sign of how little they can tell
_LAGUERRE = 60
_GRID = np.concatenate([[0.0], np.geomspace(1e-4, 1e5, 1500)])


@dataclass(frozen=True, slots=True)
class Radius:
    """The law of t: dimension d and the shapes a and b; sharpness m = d/a, tail exponent g = d + b·m.

    `totals` is the weight on the total in the norm that t measures.
    """

    cells: int
    core: float
    far: float
    totals: float = 0.0

    @property
    def sharpness(self) -> float:
        return self.cells / self.core

    @property
    def exponent(self) -> float:
        return self.cells + self.far * self.sharpness

    def share(self, t: Floats) -> Floats:
        """w = t^m/(1 + t^m)."""
        from scipy.special import expit

        found: Floats = expit(self.sharpness * np.log(np.maximum(t, 1e-300)))
        return found

    def below(self, t: Floats) -> Floats:
        from scipy.special import betainc

        found: Floats = betainc(self.core, self.far, self.share(t))
        return found

    def log_density(self, t: Floats) -> Floats:
        """−(g/m)·ln(1 + t^m): of a point at this distance, up to a constant."""
        found: Floats = -(self.exponent / self.sharpness) * np.logaddexp(
            0.0, self.sharpness * np.log(np.maximum(t, 1e-300))
        )
        return found


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One coordinate's law, from tables of its tail and density over ln y."""

    radius: Radius

    def tail(self, z: Floats) -> Floats:
        log, tails, _ = _coordinate(self.radius)
        at = np.log(np.maximum(z, 1e-300))
        found: Floats = np.exp(np.interp(at, log, tails) - self._fall * np.maximum(at - log[-1], 0.0))
        near = z < _NEAR
        found[near] = 1.0 - z[near] / _NEAR * (1.0 - math.exp(tails[0]))
        return found

    def density(self, z: Floats) -> Floats:
        log, _, densities = _coordinate(self.radius)
        at = np.log(np.maximum(np.abs(z), _NEAR))
        fallen = (self._fall + 1.0) * np.maximum(at - log[-1], 0.0)
        found: Floats = 0.5 * np.exp(np.interp(at, log, densities) - fallen)
        return found

    @property
    def _fall(self) -> float:
        """Beyond the table P(|z_c| > y) falls as y^(−m·b): noise of a very large ε is rounded to nothing out there."""
        return self.radius.far * self.radius.sharpness

    def log_density(self, z: Floats) -> Floats:
        found: Floats = np.log(self.density(z))
        return found

    def size(self, tail: Floats) -> Floats:
        log, tails, _ = _coordinate(self.radius)
        found: Floats = np.exp(np.interp(-np.log(tail), -tails, log))
        return found

    @property
    def information(self) -> tuple[float, float]:
        return math.nan, math.nan


def _nodes() -> tuple[Floats, Floats]:
    """Gauss and Legendre on (0, 1), panel by panel."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    panel = np.arange(_PANELS)[:, None]
    return ((panel + 0.5 * (nodes + 1.0)) / _PANELS).ravel(), np.tile(0.5 * weights / _PANELS, _PANELS)


@lru_cache(maxsize=32)
def _coordinate(radius: Radius) -> tuple[Floats, Floats, Floats]:
    """ln y, ln P(|z_c| > y) and ln of the density of |z_c|."""
    from scipy.special import betaln

    a, b, m, d = radius.core, radius.far, radius.sharpness, radius.cells
    nodes, weights = _nodes()
    log_y = np.linspace(math.log(_NEAR), math.log(_FAR), _KNOTS)
    tails, densities = np.empty(_KNOTS), np.empty(_KNOTS)
    for number, y in enumerate(log_y):
        width = 30.0 / min(m * b, 1.0) + 30.0  # in ln t beyond ln y: the tail falls as t^(−m·b)
        log_t = y - math.log(largest(radius.totals)) + width * nodes**3
        jacobian = width * 3.0 * nodes**2 * weights
        log_mass = a * m * log_t - (a + b) * np.logaddexp(0.0, m * log_t) - betaln(a, b) + math.log(m)
        mass = np.exp(log_mass) * jacobian
        if d > 1 and radius.totals:
            tails[number], densities[number] = _weighted(radius, y, log_t, mass)
            continue
        left = -np.expm1(y - log_t)
        if d == 1:
            tails[number] = mass.sum()
            at = a * m * y - (a + b) * np.logaddexp(0.0, m * y) - betaln(a, b) + math.log(m)
            densities[number] = math.exp(at - y)
        else:
            tails[number] = (mass * left ** (d - 1)).sum()
            densities[number] = ((d - 1) * mass * left ** (d - 2) * np.exp(-log_t)).sum()
    return log_y, np.log(tails), np.log(densities)


def _weighted(radius: Radius, log_y: float, log_t: Floats, mass: Floats) -> tuple[float, float]:
    """P(|z_c| > y) and the density of |z_c| where the total has a weight: over lengths t with these masses."""
    from scipy.special import betaln

    d, totals, y = radius.cells, radius.totals, math.exp(log_y)
    share = np.exp(log_y - log_t)
    tail = float((mass * weighted_direction.beyond(share, d, totals)).sum())
    density = float((mass * weighted_direction.density(share, d, totals) * np.exp(-log_t)).sum())
    values, shares = weighted_direction.alone(d, totals)
    own = radius.core * radius.sharpness * np.log(y / values) + radius.log_density(y / values)
    own += math.log(radius.sharpness) - betaln(radius.core, radius.far)
    return tail + float(shares @ (1.0 - radius.below(y / values))), density + float(shares @ np.exp(own)) / y


@dataclass(frozen=True, slots=True, eq=False)
class Radial:
    """center + scale·z rounded, block by block; one scale for each block."""

    center: Integers
    scale: Floats
    radius: Radius

    @property
    def width(self) -> int:
        return self.radius.cells

    def __len__(self) -> int:
        return len(self.center)

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        d, shape = self.width, Coordinate(self.radius)
        noise = (drawn - self.center).reshape(-1, d).astype(np.float64)
        scale = self.scale[:, None]
        low, high = ((noise - 0.5) / scale).ravel(), ((noise + 0.5) / scale).ravel()
        by_scale, by_place = (found.reshape(-1, d).sum(axis=1) for found in scores(shape, low, high))
        turn = np.arange(len(noise)) * d + np.arange(len(noise)) % d
        uniform = below(shape, low[turn]) + inside * between(shape, low[turn], high[turn])
        wide = np.flatnonzero(self.scale >= WIDE) if d > _FELT else np.zeros(0, dtype=np.int64)
        every_second = wide[::2]  # the others keep their coordinate, so that both laws are looked at
        length = length_of(noise[every_second], self.radius.totals) / self.scale[every_second]
        uniform[every_second] = self.radius.below(length)
        return Evidence(
            uniform=uniform,
            scale=by_scale,
            scale_information=self._about_scale(by_scale**2),
            place=by_place,
            place_information=by_place**2,
        )

    def _about_scale(self, seen: Floats) -> Floats:
        """What was seen; where blocks are mostly rounded to nothing, what their coordinates are expected to tell.

        Blocks without noise would say of themselves that they had nothing to tell, however many were expected to have.
        """
        known, _ = rounded_information(Coordinate(self.radius), np.minimum(self.scale, _WIDE_ENOUGH))
        widest = rounded_information(Coordinate(self.radius), np.array([_WIDE_ENOUGH]))[0][0]
        narrow = known < (_NARROW * widest if self.width > 1 else np.inf)
        found: Floats = np.where(narrow, self.width * known, seen)
        return found

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        d, scale = self.width, self.scale * factor
        length = length_of((drawn - self.center).reshape(-1, d).astype(np.float64), self.radius.totals) / scale
        found: Floats = self.radius.log_density(length) - d * np.log(scale)
        return found

    def noise(self, drawn: Integers) -> Integers:
        return drawn - self.center

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        """Of one coordinate of each block, in turn: the coordinates of one block depend on each other."""
        blocks, expected = residues(self.scale, modulus, Coordinate(self.radius))
        return blocks * self.width + blocks % self.width, expected

    def loss(self, other: Radial, epsilon: float) -> tuple[Floats, Floats]:  # noqa: ARG002 - pure
        """Only lengths matter: the supremum over t ≥ 0 with the whole shift along the ray, both ways."""
        d = self.width
        moved = length_of((other.center - self.center).reshape(-1, d).astype(np.float64), self.radius.totals)
        smaller, larger = np.minimum(self.scale, other.scale), np.maximum(self.scale, other.scale)
        pairs = np.stack([np.round(moved / smaller, 12), np.round(larger / smaller, 12)], axis=1)
        distinct, where = np.unique(pairs, axis=0, return_inverse=True)
        losses = np.array([_farthest(self.radius, s, r) for s, r in distinct.tolist()])
        return losses[where.ravel()], np.zeros(len(moved))

    def foreseen(self, handed: Iterator[Words]) -> tuple[Integers, NDArray[np.bool_]]:
        d, values, sure = self.width, [], []
        start = 0
        while start * d < len(self):
            shapes = self.radius.core, self.radius.far
            signed = lengths_of(handed, self.radius.cells, shapes, self.radius.totals)
            rows = len(signed)
            part, certain = rounded(np.abs(signed) * self.scale[start : start + rows, None])
            values.append(np.where(signed < 0.0, -part, part))
            sure.append(certain)
            start += rows
        noise = np.concatenate(values).ravel()
        return self.center + noise, np.concatenate(sure).ravel()


@lru_cache(maxsize=KEPT)
def _farthest(radius: Radius, s: float, r: float) -> float:
    """The largest log ratio of two lengths' densities, the whole shift s along the ray, one scale r times the other."""
    density, dilation = radius.log_density, radius.cells * math.log(r)
    up = density(_GRID / r) - density(_GRID + s) - dilation
    down = density(_GRID) - density((_GRID + s) / r) + dilation
    return float(max(up.max(), down.max()))


@dataclass(frozen=True, slots=True, eq=False)
class LaplaceBlocks(Rounded):
    """Independent Laplace values of one scale a block: the law of single values, drawn as blocks are."""

    cells: int = 1

    @classmethod
    def of(cls, center: Integers, scale: Floats, cells: int) -> LaplaceBlocks:
        """One scale for each block."""
        return cls(center=center, scale=np.repeat(scale, cells), shape=LaplaceShape(), cells=cells)

    def loss(self, other: Rounded, epsilon: float) -> tuple[Floats, Floats]:
        """One value for each block: all its values together, the whole shift in one of them, which is worst."""
        d = self.cells
        scales = np.minimum(self.scale, other.scale)[::d], np.maximum(self.scale, other.scale)[::d]
        shift = np.abs(other.center - self.center).reshape(-1, d).sum(axis=1) / scales[0]
        ratio = scales[1] / scales[0]
        delta = np.zeros(len(shift))
        for place in _not_exceeded(shift, ratio):
            delta[place] = _joint_delta(float(shift[place]), float(ratio[place]), d, epsilon)
        loss: Floats = np.where(ratio == 1.0, shift, np.inf)
        return loss, delta

    def foreseen(self, handed: Iterator[Words]) -> tuple[Integers, NDArray[np.bool_]]:
        signed: list[Floats] = []
        while sum(map(len, signed)) * self.cells < len(self):
            signed.append(lengths_of(handed, self.cells, None))
        noise = np.concatenate(signed).ravel()
        size, sure = rounded(np.abs(noise) * self.scale)
        return self.center + np.where(noise < 0.0, -size, size), sure


def _not_exceeded(shift: Floats, ratio: Floats) -> list[int]:
    """Places of the pairs that no other exceeds in shift and ratio: δ grows with both."""
    kept, most = [], -math.inf
    for place in np.lexsort((-ratio, -shift)).tolist():
        if ratio[place] > most * (1.0 + 1e-12):
            kept.append(place)
            most = float(ratio[place])
    return kept


def _joint_delta(s: float, r: float, cells: int, epsilon: float) -> float:
    """δ of d Laplace values of which one is shifted and all are r times as wide.

    The other d − 1 add up to a gamma variate T in size, which moves ε by (d − 1)·ln r − T·(1 − 1/r): averaged over T by
    Gauss and Laguerre.
    """
    shape = LaplaceShape()
    if cells == 1:
        at = np.array([epsilon])
        return float(max(side[0] for side in deltas(shape, s, r, (at, at))))
    from scipy.special import roots_genlaguerre

    size, weight = roots_genlaguerre(_LAGUERRE, cells - 2)
    weight = weight / weight.sum()
    moved = (cells - 1) * math.log(r)
    narrow, wide = epsilon - moved + size * (1.0 - 1.0 / r), epsilon + moved - r * size * (1.0 - 1.0 / r)
    found = deltas(shape, s, r, (narrow, wide))
    return float(max((weight * side).sum() for side in found))
