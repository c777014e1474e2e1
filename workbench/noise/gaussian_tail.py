"""The normal law as a law of |Z|: T(z) = erfc(z/√2), in floats and to any number of digits.

erf(x) = 2x/√π·e^(−x²)·Σ (2x²)^j/(3·5·…·(2j+1)): every term is positive, so nothing cancels; T = 1 − erf loses as many
digits as T is small, and that many more are carried.
"""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from functools import cache

from workbench.core.arrays import Floats

_GUARD_DIGITS = 12


class GaussianTail:
    """T(z) = P(|Z| > z) of the standard normal distribution."""

    def survival(self, z: Floats) -> Floats:
        from scipy.special import erfc

        tail: Floats = erfc(z * math.sqrt(0.5))
        return tail

    def quantile(self, tail: Floats, polish: int = 0) -> Floats:  # noqa: ARG002 - exact to float precision already
        from scipy.special import ndtri

        z: Floats = -ndtri(0.5 * tail)
        return z

    def survival_to(self, z: Fraction, digits: int) -> Decimal:
        lost = math.ceil(float(z) ** 2 / 2.0 * math.log10(math.e)) + len(str(int(z))) + 1
        with decimal.localcontext() as context:
            context.prec = digits + lost + _GUARD_DIGITS
            context.Emin = decimal.MIN_EMIN
            square = Decimal((z * z).numerator) / Decimal((z * z).denominator) / 2
            term = total = Decimal(1)
            least, j = Decimal(10) ** -(context.prec + 2), 0
            while term > least * total:
                j += 1
                term = term * 2 * square / (2 * j + 1)
                total += term
            return 1 - 2 * (square / pi(context.prec)).sqrt() * (-square).exp() * total


@cache
def pi(digits: int) -> Decimal:
    """π to so many digits, by Machin's formula 16·arctan(1/5) − 4·arctan(1/239)."""
    with decimal.localcontext() as context:
        context.prec = digits + _GUARD_DIGITS
        return 16 * _arctan_of_inverse(5, digits) - 4 * _arctan_of_inverse(239, digits)


def _arctan_of_inverse(n: int, digits: int) -> Decimal:
    power = total = Decimal(1) / n
    least, j = Decimal(10) ** -(digits + _GUARD_DIGITS), 0
    while power > least:
        j += 1
        power /= n * n
        total += (-1) ** j * power / (2 * j + 1)
    return total
