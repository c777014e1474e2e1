"""The norm with a weight b on the total, N(z) = a‖z‖₁ + b|Σz|, a = 1 − b > 0: how it divides noise among the cells.

Why it costs nothing: the proof of `block_tail` uses that ‖·‖₁ is a norm, that the normaliser grows as S^d and that one
step moves the counts by v ≥ 0 with ‖v‖₁ ≤ S. For v ≥ 0 N(v) = Σv, so everything stays as it is: κ, the shapes, what is
feasible and the exact loss. For counts that move both ways N(v) takes the place of ‖v‖₁. With a = 0 N(1, −1) = 0: it
is no norm and there is no law.
Direction: z/N(z) is that of θ with density ∝ e^(−N(θ)). In an orthant with k cells above and l = d − k below zero let P
and Q be the two sums. Where P ≥ Q, N = 2aQ + D with D = P − Q, and expanding P^(k−1) = (Q + D)^(k−1) makes the law a
mixture: with weight C(d, k)·C(d−2−i, l−1)·(2a)^(−(d−1−i)), i = 0 … k−1, D has the gamma law of shape i+1 and 2aQ that
of d−1−i, independent of each other; P and Q are divided evenly at random. The mirror image is the same, and the two
orthants of one sign have weight 1 and D of shape d. So E‖θ‖₁, E|Σθ| and second moments are finite sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

MOST = Fraction(9, 10)  # b; beyond it almost every direction is drawn in vain


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Of a direction u = θ/N(θ): means of ‖u‖₁ and |Σu|, mean squares of a cell and of the total, and what is drawn."""

    sizes: float
    total: float
    cell_square: float
    total_square: float
    accepted: float  # of the tries

    def covariance(self, cells: int) -> float:
        """E u_c·u_c′ of two cells, from (Σu)² = Σu_c² + Σu_c·u_c′."""
        return (self.total_square - cells * self.cell_square) / (cells * (cells - 1)) if cells > 1 else 0.0


def _terms(cells: int, own: Fraction) -> Iterator[tuple[Fraction, int, int]]:
    """(weight, cells above zero, shape of D) of the half in which the total is above zero."""
    yield Fraction(1), cells, cells
    for above in range(1, cells):
        for i in range(above):
            ways = math.comb(cells, above) * math.comb(cells - 2 - i, cells - above - 1)
            if ways:
                yield ways / (2 * own) ** (cells - 1 - i), above, i + 1


@lru_cache(maxsize=64)
def moments(cells: int, totals: Fraction) -> Moments:
    """By the mixture, in fractions: nothing is lost where terms of very different size meet. L1 has closed forms."""
    own, d = 1 - totals, cells
    if not totals:
        sums, square = 2.0 * float(Fraction(math.comb(2 * d, d), 4**d)), 2.0 / (d * (d + 1))
        return Moments(sizes=1.0, total=sums, cell_square=square, total_square=d * square, accepted=1.0)
    weights = sizes = total = squares = totals_squared = Fraction(0)
    for weight, above, shape in _terms(cells, own):
        rest, below = d - shape, d - above
        q, q2 = rest / (2 * own), rest * (rest + 1) / (2 * own) ** 2  # of Q
        t, t2 = Fraction(shape), Fraction(shape * (shape + 1))  # of D, which is independent of Q
        p2 = q2 + 2 * q * t + t2
        weights += weight
        sizes += weight * (2 * q + t)
        total += weight * t
        totals_squared += weight * t2
        squares += weight * (p2 * Fraction(2, above + 1) + (q2 * Fraction(2, below + 1) if below else 0))
    per_length = d * (d + 1)  # E N², N of the gamma law of shape d
    return Moments(
        sizes=float(sizes / weights / d),
        total=float(total / weights / d),
        cell_square=float(squares / weights / d / per_length),
        total_square=float(totals_squared / weights / per_length),
        accepted=float(2 * weights * own**d / 2**d),
    )
