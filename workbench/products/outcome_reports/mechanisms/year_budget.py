"""ε of each statistic and year, where the noise of years is independent: parts of one ε, exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.products.outcome_reports.allocation import over_years

_DIGITS = 12  # of a part: the same on every machine


class Division(StrEnum):
    """How ε is divided over years: by the table of parts, or by the public profile of the plan."""

    TABLE = "table"
    MEAN = "mean"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True, kw_only=True)
class YearParts:
    employment: Decimal = param(
        Decimal(1), "Employment", "Part of ε for the count of this year, beside all others.", gt=0, le=1000
    )
    earnings: Decimal = param(
        Decimal(1), "Earnings", "Part of ε for the mean of this year, beside all others.", gt=0, le=1000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class YearBudget:
    """ε of employment and of earnings, year by year; together they are ε."""

    employment: tuple[Fraction, ...]
    earnings: tuple[Fraction, ...]

    @property
    def total(self) -> Fraction:
        return sum((*self.employment, *self.earnings), start=Fraction(0))

    def formula(self) -> str:
        """The sum of the source with its numbers."""
        each = [f"({float(a):.3g} + {float(b):.3g})" for a, b in zip(self.employment, self.earnings, strict=True)]
        return f"ε = Σ over years of (ε employment + ε earnings) = {' + '.join(each)} = {float(self.total):.4g}"


def divided(epsilon: Decimal, parts: Mapping[str, YearParts], years: Sequence[str]) -> YearBudget:
    """ε by the parts of the plan; equal where it names none."""
    named = [parts.get(year, YearParts()) for year in years]
    whole = sum((Fraction(part.employment) + Fraction(part.earnings) for part in named), start=Fraction(0))
    share = Fraction(epsilon) / whole
    return YearBudget(
        employment=tuple(share * Fraction(part.employment) for part in named),
        earnings=tuple(share * Fraction(part.earnings) for part in named),
    )


def parts_by_profile(people: Sequence[float], division: Division, years: Sequence[str]) -> dict[str, YearParts]:
    """Parts by the people planned in each year: counts and means alike. `people` are public."""
    shares = over_years(people, 1.0, division.value).tolist()
    parts = [Decimal(f"{share:.{_DIGITS}f}") for share in shares]
    return {name: YearParts(employment=part, earnings=part) for name, part in zip(years, parts, strict=True)}


def year_problems(parts: Mapping[str, YearParts], years: Sequence[str]) -> tuple[Problem, ...]:
    """Rows of the table for years that are not published. A year without a row has parts of 1."""
    return tuple(
        Problem(f"“{name}” is not a published year", "years", f"Years: {', '.join(years)}")
        for name in parts
        if name not in years
    )
