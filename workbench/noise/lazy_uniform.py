"""A uniform number whose further bits are drawn only when a comparison asks for them.

Inversion compares a uniform U with probabilities that no float holds exactly. The first 64 bits decide nearly always;
where they cannot, the probability is computed to more digits and more bits are appended, until the answer is certain.
Source: Knuth and Yao (1976); Mironov (2012) for what floats alone would tell.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from workbench.core.randomness import UniformWords

_MORE_BITS = 64
_FIRST_DIGITS = 40


class LazyUniform:
    """A uniform number of which only so many bits are known as were needed."""

    def __init__(self, bits: int, known: int, rng: UniformWords) -> None:
        self.bits = bits
        self.known = known
        self._rng = rng

    def is_below(self, probability: Callable[[int], Decimal]) -> bool:
        """Whether U < p, where `probability(digits)` gives p with a relative error below 10^−digits."""
        digits = _FIRST_DIGITS
        while True:
            decimal = probability(digits)
            if decimal.adjusted() < -self.known // 3 - 2:  # below 2^−known: as a fraction it could fill the memory
                if self.bits:
                    return False
                self._append()
                continue
            p = Fraction(decimal)
            error = p / 10**digits
            low, high = Fraction(self.bits, 2**self.known), Fraction(self.bits + 1, 2**self.known)
            if high <= p - error:
                return True
            if low >= p + error:
                return False
            self._append()
            digits += 20

    def _append(self) -> None:
        self.bits = (self.bits << _MORE_BITS) | int(self._rng.words(1)[0])
        self.known += _MORE_BITS


def last_true(holds: Callable[[int], bool], start: int) -> int:
    """The last integer for which a statement holds that is true up to some integer and false beyond: gallop, halve."""
    step = 1
    if holds(start):
        inside, outside = start, start + 1
        while holds(outside):
            inside, step = outside, 2 * step
            outside += step
    else:
        outside, inside = start, start - 1
        while not holds(inside):
            outside, step = inside, 2 * step
            inside -= step
    while outside - inside > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside
