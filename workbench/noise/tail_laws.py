"""The laws of |Z| behind the noise: survival in floats with a stated error, survival to any number of digits, quantile.

Both laws are written for T(z) = P(|Z| > z), which keeps its relative precision however far out z lies.
Floats are trusted only to a relative `FLOAT_ERROR`, some hundred times more than they lose (the tests measure it
against the exact values); what lies closer than that is decided with decimals.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Protocol

import numpy as np

from workbench.core.arrays import Floats

FLOAT_ERROR = 2.0**-40
_GUARD_DIGITS = 12
_TERMS = 56  # w^j ≤ 2^−56 is below the last bit of a sum that is at least 1
_KNOTS = 4096


class TailLaw(Protocol):
    """A symmetric continuous law with a density that falls from 0 outward, known by T(z) = P(|Z| > z)."""

    def survival(self, z: Floats) -> Floats:
        """T(z) for z ≥ 0, relative error at most FLOAT_ERROR wherever T(z) ≥ 2^−64."""

    def quantile(self, tail: Floats, polish: int = 0) -> Floats:
        """About that z with T(z) = tail: a good guess, never trusted. Each polishing step doubles its digits."""

    def survival_to(self, z: Fraction, digits: int) -> Decimal:
        """T(z) with a relative error below 10^−digits."""


class LaplaceTail:
    """T(z) = e^(−z): the standard Laplace distribution, density e^(−|z|)/2."""

    def survival(self, z: Floats) -> Floats:
        tail: Floats = np.exp(-z)
        return tail

    def quantile(self, tail: Floats, polish: int = 0) -> Floats:  # noqa: ARG002 - nothing to polish
        z: Floats = -np.log(tail)
        return z

    def survival_to(self, z: Fraction, digits: int) -> Decimal:
        """The digits before the point of z are lost in the exponential, so that many more are carried."""
        whole = len(str(int(z)))
        with decimal.localcontext() as context:
            context.prec = digits + whole + _GUARD_DIGITS
            context.Emin = decimal.MIN_EMIN
            return (-(Decimal(z.numerator) / Decimal(z.denominator))).exp()


class PowerTail:
    """Density of |Z| proportional to z^(d−1)/(1 + z^g), g > d: d = 1 is Smooth Gamma's noise with tail exponent g.

    With w = z^g/(1 + z^g) and F(q; w) = ₂F₁(1, 1; 1+q; w) = Σ j!/(1+q)_j · w^j (Euler's transformation; every term
    is positive, so nothing cancels):

        below(z) = ∫₀^z = z^d/(d(1 + z^g)) · F(d/g; w)           used for z ≤ 1, where w ≤ ½
        above(z) = ∫_z^∞ = z^d/((g−d)(1 + z^g)) · F(1−d/g; 1−w)  used for z > 1, where 1−w < ½

    and T = above/total or 1 − below/total, total = below(1) + above(1). At most g − d moments exist.
    """

    def __init__(self, exponent: Decimal | int = 4, degree: int = 1) -> None:
        self.exponent = Decimal(exponent)
        self.degree = degree
        self._inner = Fraction(degree) / Fraction(self.exponent)  # q of the part below 1
        self._power = float(self.exponent)
        self._decay = self._power - degree
        total = self._total(40)
        self._below = _coefficients(self._inner, total * degree)
        self._above = _coefficients(1 - self._inner, total * (self.exponent - degree))
        self._knots = self._table()

    def survival(self, z: Floats) -> Floats:
        tail = np.empty_like(z)
        near = z <= 1.0
        tail[near] = self._near(z[near])
        far = ~near
        tail[far] = self._far(1.0 / z[far])
        return tail

    def _near(self, z: Floats) -> Floats:
        power = z**self._power
        share = 1.0 / (1.0 + power)
        return 1.0 - z**self.degree * share * _horner(self._below, power * share)

    def _far(self, inverse: Floats) -> Floats:
        power = inverse**self._power
        share = 1.0 / (1.0 + power)
        return (power / inverse**self.degree) * share * _horner(self._above, power * share)

    def quantile(self, tail: Floats, polish: int = 0) -> Floats:
        """z·T^(1/(g−d)) is bounded and smooth from z = 0 to ∞, so a table of it serves both ends."""
        root = tail ** (1.0 / self._decay)
        z: Floats = np.interp(root, self._knots[0], self._knots[1]) / root
        for _ in range(polish):
            z = np.abs(z + (self.survival(z) - tail) / np.maximum(self.density(z), 1e-300))
        return z

    def survival_to(self, z: Fraction, digits: int) -> Decimal:
        if z == 0:
            return Decimal(1)
        with decimal.localcontext() as context:
            context.prec = digits + _GUARD_DIGITS + len(str(int(z)))
            point = Decimal(z.numerator) / Decimal(z.denominator)
            part = self._part(point, digits)
            share = part / self._total(digits + _GUARD_DIGITS)
            return 1 - share if point <= 1 else share

    def density(self, z: Floats) -> Floats:
        """The density of |Z|; for d = 1 the density of Z is half of it."""
        value: Floats = z ** (self.degree - 1) / (1.0 + z**self._power) / float(self._total(40))
        return value

    def _part(self, point: Decimal, digits: int) -> Decimal:
        """below(point) for a point up to 1, above(point) beyond: the smaller w, in the current decimal context."""
        power = point ** int(self.exponent) if self._whole else (self.exponent * point.ln()).exp()
        share = 1 / (1 + power)
        front = point**self.degree * share
        if point <= 1:
            return front / self.degree * _hypergeometric(self._inner, power * share, digits)
        return front / (self.exponent - self.degree) * _hypergeometric(1 - self._inner, share, digits)

    @property
    def _whole(self) -> bool:
        return self.exponent == self.exponent.to_integral_value()

    def _total(self, digits: int) -> Decimal:
        return _total(self.exponent, self.degree, digits)

    def _table(self) -> tuple[Floats, Floats]:
        """Knots about evenly spaced in T^(1/(g−d)), with the limit for z → ∞ as the first."""
        s = np.linspace(1.0, 0.0, _KNOTS + 1)[:-1]
        z = ((1.0 - s) / s)[::-1]
        root = self.survival(z) ** (1.0 / self._decay)
        limit = (self._decay * float(self._total(40))) ** (-1.0 / self._decay)
        return np.concatenate([[0.0], root]), np.concatenate([[limit], z * root])


@cache
def _total(exponent: Decimal, degree: int, digits: int) -> Decimal:
    """∫₀^∞ z^(d−1)/(1 + z^g), as the two series at z = 1: no value of π is needed."""
    inner = Fraction(degree) / Fraction(exponent)
    with decimal.localcontext() as context:
        context.prec = digits + _GUARD_DIGITS
        half = Decimal("0.5")
        below = half / degree * _hypergeometric(inner, half, digits)
        return below + half / (exponent - degree) * _hypergeometric(1 - inner, half, digits)


def _hypergeometric(q: Fraction, w: Decimal, digits: int) -> Decimal:
    """Σ j!/(1+q)_j · w^j for w ≤ ½. What is left out is less than the last term."""
    top, bottom = Decimal(q.numerator), Decimal(q.denominator)
    term = total = Decimal(1)
    least = Decimal(10) ** -(digits + 4)
    j = 0
    while term > least:
        j += 1
        term = term * w * (j * bottom) / (top + j * bottom)
        total += term
    return total


def _coefficients(q: Fraction, divisor: Decimal) -> tuple[float, ...]:
    """j!/(1+q)_j divided by `divisor`, the last first."""
    made, term = [], Fraction(1) / Fraction(divisor)
    for j in range(1, _TERMS + 1):
        made.append(float(term))
        term = term * j / (q + j)
    return tuple(reversed(made))


def _horner(coefficients: tuple[float, ...], w: Floats) -> Floats:
    total = np.full_like(w, coefficients[0])
    for coefficient in coefficients[1:]:
        total *= w
        total += coefficient
    return total
