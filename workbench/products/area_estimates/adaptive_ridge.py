"""AdaSSP for a line in every cell: what is measured, its noise, and the ridge that follows from noisy values.

With u = 2x − 1 and v = 2y − 1 between −1 and 1, a cell has S = Σ(1, u)(1, u)′, t = Σv(1, u) for each outcome, and
λ_min(S). In integers of 1/m² one person adds (m², mU, U²), (mV, UV) and at most m² + U²: at most 4m⁴, 2m⁴ and (2m²)² in
squares where the entry beside the diagonal counts twice (it has noise of σ/√2). A third of ρ goes to each; λ_min is
rounded to an integer, which adds a unit, and a further one covers its floats. Adding a row raises λ_min by at most the
row's square (Weyl's inequality).
Ridge: λ = max(0, σ·√(2·ln(8/ϱ)) − max(0, λ̃_min − σ_λ·√ln(6/δ))) with ϱ = .05, as in the source; the line solves
(S̃ + λI)·(a, b) = t̃, and there is none where S̃ + λI is not positive.
Source: Wang (2018), algorithm 2, with integer noise accounted for by ρ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise import discrete_gaussian
from workbench.products.area_estimates.area_data import TableSums
from workbench.products.area_estimates.fractional_sums import MOMENT, SUMS

_PARTS = 3
_MATRIX, _BESIDE, _VECTOR = Fraction(4 * SUMS**2), Fraction(2 * SUMS**2), 2 * SUMS**2
_SMALLEST = Fraction((2 * SUMS + 2) ** 2)
_RISK = 0.05  # ϱ: that the noise of S is larger than what λ is set against


@dataclass(frozen=True, slots=True, kw_only=True)
class RidgeScales:
    """σ in integers of 1/m²: on the diagonal of S, beside it, of each entry of t, and of λ_min; and how many t."""

    matrix: float
    beside: float
    vector: float
    smallest: float
    outcomes: int

    def rho(self) -> Fraction:
        """Of the person at a corner, who attains all at once; rounding of λ_min included."""
        corner = Fraction(SUMS**2)
        matrix = discrete_gaussian.rho(2 * corner, self.matrix) + discrete_gaussian.rho(corner, self.beside)
        vector = discrete_gaussian.rho(Fraction(_VECTOR * self.outcomes), self.vector)
        return matrix + vector + discrete_gaussian.rho(_SMALLEST, self.smallest)


def ridge_scales(budget: Fraction, outcomes: int) -> RidgeScales:
    """A third of ρ for each of S, all t together, and λ_min."""
    share = budget / _PARTS
    return RidgeScales(
        matrix=discrete_gaussian.sigma_for(_MATRIX, share),
        beside=discrete_gaussian.sigma_for(_BESIDE, share),
        vector=discrete_gaussian.sigma_for(Fraction(_VECTOR * outcomes), share),
        smallest=discrete_gaussian.sigma_for(_SMALLEST, share),
        outcomes=outcomes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RidgeSums:
    """Integers of 1/m² for every cell: n, Σu, Σu² (cells × 3), Σv and Σuv (outcomes × cells × 2), and λ_min of S."""

    matrix: Integers
    vector: Integers
    smallest: Integers

    def flat(self) -> Integers:
        """In the order in which noise is drawn."""
        return np.concatenate([self.matrix.ravel(), self.vector.ravel(), self.smallest])

    def like(self, flat: Integers) -> RidgeSums:
        first, second = self.matrix.size, self.matrix.size + self.vector.size
        return RidgeSums(
            matrix=flat[:first].reshape(self.matrix.shape),
            vector=flat[first:second].reshape(self.vector.shape),
            smallest=flat[second:],
        )


def ridge_sums(table: TableSums) -> RidgeSums:
    """From the exact sums of cells, to which one person adds (1−x)(1−y), (1−x)y, x(1−y) and xy."""
    low_low, low_high, high_low, high_high = (table.sums[:, :, place] for place in range(4))
    people = table.sums[0].sum(axis=1)
    along = (high_low + high_high - low_low - low_high)[0]
    square = table.x_moment + MOMENT * (people // SUMS)
    matrix = np.stack([people, along, square], axis=1)
    vector = np.stack([low_high + high_high - low_low - high_low, low_low + high_high - low_high - high_low], axis=2)
    return RidgeSums(matrix=matrix, vector=vector, smallest=np.rint(least_eigenvalue(matrix)).astype(np.int64))


def least_eigenvalue(matrix: Integers | Floats) -> Floats:
    """Of [[n, Σu], [Σu, Σu²]], row by row."""
    first, beside, last = (matrix[:, place].astype(np.float64) for place in range(3))
    least: Floats = (first + last - np.hypot(first - last, 2.0 * beside)) / 2.0
    return least


def spreads(exact: RidgeSums, scales: RidgeScales) -> Floats:
    """σ of every integer, in the order of `flat`."""
    cells = len(exact.matrix)
    return np.concatenate(
        [
            np.tile([scales.matrix, scales.beside, scales.matrix], cells),
            np.full(exact.vector.size, scales.vector),
            np.full(cells, scales.smallest),
        ]
    )


def ridge_lines(noisy: RidgeSums, scales: RidgeScales, delta: float) -> tuple[Floats, Floats]:
    """a and b of v = a + b·u, outcomes × cells, from noisy values alone; not-a-number where there is no line."""
    known = np.maximum(noisy.smallest - scales.smallest * math.sqrt(math.log(6.0 / delta)), 0.0)
    ridge = np.maximum(scales.matrix * math.sqrt(2.0 * math.log(8.0 / _RISK)) - known, 0.0)
    first, beside, last = (noisy.matrix[:, place].astype(np.float64) for place in range(3))
    first, last = first + ridge, last + ridge
    determinant = first * last - beside * beside
    positive = (first > 0.0) & (determinant > 0.0)
    safe = np.where(positive, determinant, 1.0)
    level, product = noisy.vector[:, :, 0].astype(np.float64), noisy.vector[:, :, 1].astype(np.float64)
    intercept = np.where(positive, (last * level - beside * product) / safe, np.nan)
    slope = np.where(positive, (first * product - beside * level) / safe, np.nan)
    return intercept, slope
