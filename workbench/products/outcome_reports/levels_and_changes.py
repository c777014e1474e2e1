"""Gaussian noise for levels and for all changes between years, where ρ is accounted for or years are many.

Every level is measured with precision v and every difference of two years with precision w. A person in k years of one
cell has squared sensitivity vk + wk(T − k), at most 1; one who moves pays the sum over cells. Least squares gives the
covariance (vI + w(TI − 11ᵀ))⁻¹: variance of a level and of a change. δ comes from ρ, never from the formula for
continuous noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelsAndChanges:
    """Precisions for one cell over so many years, exact."""

    years: int
    levels: Fraction
    changes: Fraction

    def squared_sensitivity(self, years_in_cells: Sequence[int]) -> Fraction:
        """Of a person who spends so many years in each of several cells."""
        return sum((self.levels * k + self.changes * k * (self.years - k) for k in years_in_cells), start=Fraction(0))

    def variances(self) -> tuple[float, float]:
        """Of one level and of the change between two years, for noise of unit sensitivity.

        The matrix (v + Tw)I − w11ᵀ has the inverse (I + (w/v)·11ᵀ)/(v + Tw).
        """
        scale = 1 / (self.levels + self.years * self.changes)
        return float(scale * (1 + self.changes / self.levels)), float(2 * scale)


def best(years: int) -> LevelsAndChanges:
    """The precisions with the smallest variance of a level, such that no history of one cell exceeds 1.

    Over k the sensitivity is a parabola; on the grid of whole years the binding k lies next to its peak, so the best
    precisions are found among pairs of binding years.
    """
    if years == 1:
        return LevelsAndChanges(years=1, levels=Fraction(1), changes=Fraction(0))
    found: LevelsAndChanges | None = None
    for first in range(1, years + 1):
        for second in range(first + 1, years + 1):
            plan = _binding(years, first, second)
            if plan is None or any(plan.squared_sensitivity([k]) > 1 for k in range(1, years + 1)):
                continue
            if found is None or plan.variances()[0] < found.variances()[0]:
                found = plan
    whole = LevelsAndChanges(years=years, levels=Fraction(1, years), changes=Fraction(0))
    return found if found is not None and found.variances()[0] < whole.variances()[0] else whole


def _binding(years: int, first: int, second: int) -> LevelsAndChanges | None:
    """v and w with sensitivity 1 at both numbers of years."""
    a, b = first * (years - first), second * (years - second)
    determinant = first * b - second * a
    if determinant == 0:
        return None
    levels, changes = Fraction(b - a, determinant), Fraction(first - second, determinant)
    if levels <= 0 or changes < 0:
        return None
    return LevelsAndChanges(years=years, levels=levels, changes=changes)
