"""Standard continuous laws, symmetric about 0, by formulas of the auditor's own, not the samplers'."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from workbench.core.arrays import Floats

_FAR = 3.0  # from here on the series of the quartic tail converges to the last digit
_TERMS = 9
_REACH = 40.0  # scales on either side that are summed one by one; what lies beyond counts as one value
_KNOTS = 160
_NARROWEST, _WIDEST = 0.02, 60.0


class Shape(Protocol):
    """Hashable, so that tables can be kept."""

    def __hash__(self) -> int: ...

    def tail(self, z: Floats) -> Floats:
        """P(|Z| > z) for z ≥ 0, with its relative precision."""

    def density(self, z: Floats) -> Floats:
        """The density of Z."""

    def log_density(self, z: Floats) -> Floats: ...

    def size(self, tail: Floats) -> Floats:
        """That z ≥ 0 with P(|Z| > z) = tail."""

    @property
    def information(self) -> tuple[float, float]:
        """Fisher information about ln scale and about the place in units of the scale, before rounding."""


@dataclass(frozen=True, slots=True)
class LaplaceShape:
    """Density e^(−|z|)/2."""

    def tail(self, z: Floats) -> Floats:
        found: Floats = np.exp(-z)
        return found

    def density(self, z: Floats) -> Floats:
        found: Floats = 0.5 * np.exp(-np.abs(z))
        return found

    def log_density(self, z: Floats) -> Floats:
        found: Floats = -np.abs(z)
        return found

    def size(self, tail: Floats) -> Floats:
        found: Floats = -np.log(tail)
        return found

    @property
    def information(self) -> tuple[float, float]:
        return 1.0, 1.0


@dataclass(frozen=True, slots=True)
class NormalShape:
    """Density e^(−z²/2)/√(2π)."""

    def tail(self, z: Floats) -> Floats:
        from scipy.special import erfc

        found: Floats = erfc(z / math.sqrt(2.0))
        return found

    def density(self, z: Floats) -> Floats:
        found: Floats = np.exp(self.log_density(z)) / math.sqrt(2.0 * math.pi)
        return found

    def log_density(self, z: Floats) -> Floats:
        found: Floats = -0.5 * z * z
        return found

    def size(self, tail: Floats) -> Floats:
        from scipy.special import erfcinv

        found: Floats = math.sqrt(2.0) * erfcinv(tail)
        return found

    @property
    def information(self) -> tuple[float, float]:
        return 2.0, 1.0


@dataclass(frozen=True, slots=True)
class PowerShape:
    """Density ∝ 1/(1 + |z|^g): w = z^g/(1 + z^g) has the Beta(1/g, 1 − 1/g) law. For g = 4 in closed form."""

    exponent: float = 4.0

    def tail(self, z: Floats) -> Floats:
        if self.exponent == 4.0:
            return _quartic_tail(z)
        from scipy.special import betainc

        q = 1.0 / self.exponent
        near = z <= 1.0
        power = np.where(near, z, 1.0 / np.where(near, 1.0, z)) ** self.exponent  # of z or of 1/z: never above 1
        small = power / (1.0 + power)  # w near 0, 1 − w far out
        found: Floats = np.where(near, 1.0 - betainc(q, 1.0 - q, small), betainc(1.0 - q, q, small))
        return found

    def density(self, z: Floats) -> Floats:
        found: Floats = np.exp(self.log_density(z)) * self.exponent * math.sin(math.pi / self.exponent) / math.tau
        return found

    def log_density(self, z: Floats) -> Floats:
        size = np.maximum(np.abs(z), 1e-300)
        found: Floats = -np.logaddexp(0.0, self.exponent * np.log(size))
        return found

    def size(self, tail: Floats) -> Floats:
        from scipy.special import betaincinv

        q = 1.0 / self.exponent
        beyond, inside = betaincinv(1.0 - q, q, tail), betaincinv(q, 1.0 - q, 1.0 - tail)  # 1 − w, w
        far = tail < 0.5
        odds = np.where(far, 1.0 - beyond, inside) / np.where(far, beyond, 1.0 - inside)
        found: Floats = odds**q
        return found

    @property
    def information(self) -> tuple[float, float]:
        """g²·Var w = (g − 1)/2; and the mean of (g·z^(g−1)/(1 + z^g))², which the Beta law gives too."""
        g = self.exponent
        a, b = 1.0 / g, 1.0 - 1.0 / g
        place = (
            g
            * g
            * math.exp(
                math.lgamma(a + 2.0 - 2.0 / g)
                - math.lgamma(a)
                + math.lgamma(b + 2.0 / g)
                - math.lgamma(b)
                - math.lgamma(3.0)
            )
        )
        return (g - 1.0) / 2.0, place


def _quartic_tail(z: Floats) -> Floats:
    """∫ over |t| > z of (√2/π)/(1 + t⁴): logarithm and arcs near 0, the series Σ ±z^(−4j−3)/(4j + 3) far out."""
    root = math.sqrt(2.0)
    near, found = z <= _FAR, np.empty_like(z)
    x = z[near]
    arcs = np.arctan(root * x + 1.0) + np.arctan(root * x - 1.0)
    found[near] = 1.0 - (np.log((x * x + root * x + 1.0) / (x * x - root * x + 1.0)) / 2.0 + arcs) / math.pi
    inverse = 1.0 / z[~near]
    fourth, total = inverse**4, np.zeros(len(inverse))
    for j in reversed(range(_TERMS)):
        total = 1.0 / (4 * j + 3) - fourth * total
    found[~near] = 2.0 * root / math.pi * inverse**3 * total
    return found


def between(shape: Shape, low: Floats, high: Floats) -> Floats:
    """P(low < Z < high), as differences of tails on the side where nothing cancels."""
    flip = low + high < 0.0
    near, far = np.where(flip, -high, low), np.where(flip, -low, high)
    outer = shape.tail(np.maximum(far, 0.0))
    inner = shape.tail(np.abs(near))
    found: Floats = np.where(near >= 0.0, inner - outer, 2.0 - inner - outer) / 2.0
    return np.maximum(found, 1e-300)


def below(shape: Shape, z: Floats) -> Floats:
    """P(Z < z)."""
    half = shape.tail(np.abs(z)) / 2.0
    found: Floats = np.where(z < 0.0, half, 1.0 - half)
    return found


def scores(shape: Shape, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """d ln P/d ln scale and d ln P/d place (in units of the scale) of what lies between two edges."""
    chance = between(shape, low, high)
    at_low, at_high = (
        np.where(np.isfinite(z), shape.density(np.where(np.isfinite(z), z, 0.0)), 0.0) for z in (low, high)
    )
    weighed = [np.where(np.isfinite(z), z, 0.0) * h for z, h in ((low, at_low), (high, at_high))]
    return -(weighed[1] - weighed[0]) / chance, -(at_high - at_low) / chance


def information_of(shape: Shape, scale: float) -> tuple[float, float]:
    """Σ P·score² of both scores for noise of one scale, rounded to integers."""
    reach = max(60, math.ceil(_REACH * scale))
    k = np.arange(-reach, reach + 1, dtype=np.float64)
    low, high = (k - 0.5) / scale, (k + 0.5) / scale
    chance = between(shape, low, high)
    by_scale, by_place = scores(shape, low, high)
    edge = np.array([(reach + 0.5) / scale])
    beyond, density = float(shape.tail(edge)[0]), float(shape.density(edge)[0])
    chance, by_scale, by_place = (
        np.append(inner, outer)
        for inner, outer in (
            (chance, beyond),
            (by_scale, 2.0 * edge[0] * density / max(beyond, 1e-300)),
            (by_place, 2.0 * density / max(beyond, 1e-300)),
        )
    )
    return float((chance * by_scale**2).sum()), float((chance * by_place**2).sum())


@lru_cache(maxsize=64)
def _information_table(shape: Shape) -> tuple[Floats, Floats]:
    knots = np.linspace(math.log(_NARROWEST), math.log(_WIDEST), _KNOTS)
    return knots, np.array([information_of(shape, math.exp(knot)) for knot in knots])


def rounded_information(shape: Shape, scale: Floats) -> tuple[Floats, Floats]:
    """Σ P·score² of noise rounded to integers; the continuous law's own from a scale of sixty on."""
    knots, known = _information_table(shape)
    log, limit = np.log(scale), shape.information
    found = [np.where(log > knots[-1], limit[i], np.interp(log, knots, known[:, i])) for i in range(2)]
    return found[0], found[1]
