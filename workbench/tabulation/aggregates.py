"""What can be asked of a group of rows. Each aggregate is one column of integers in the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from workbench.core.errors import Problem
from workbench.tabulation.factors import Factors
from workbench.tabulation.keys import Scale


@dataclass(frozen=True, slots=True)
class Count:
    """Rows."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Σ x over the rows, x an integer of its grid."""

    of: Scale


class Half(StrEnum):
    """Which bits of each row's product are added up: two sums of halves fit where one of the whole might not."""

    WHOLE = "whole"
    LOWER = "lower"  # the product modulo 2^32
    UPPER = "upper"  # how often 2^32 goes into it


@dataclass(frozen=True, slots=True)
class Product:
    """Σ x·y over the rows: with counts and sums the sufficient statistics of a line through a group.

    With a weight Σ w·x·y. With `over` each row's product is divided by it, the nearest integer, halves up; that, like
    halves, is for products of numbers none of which is negative.
    """

    first: Scale
    second: Scale
    weight: Scale | None = None
    over: int = 1
    half: Half = Half.WHOLE

    @property
    def factors(self) -> tuple[Scale, ...]:
        return (self.first, self.second) if self.weight is None else (self.first, self.second, self.weight)

    @property
    def title(self) -> str:
        return " × ".join(factor.column for factor in self.factors)

    @property
    def most_before(self) -> int:
        """The largest magnitude of one row's product."""
        return math.prod(factor.most for factor in self.factors)

    @property
    def most(self) -> int:
        """The largest magnitude of what one row adds."""
        whole = (2 * self.most_before + self.over) // (2 * self.over)
        return {Half.WHOLE: whole, Half.LOWER: min(whole, HALF - 1), Half.UPPER: whole // HALF}[self.half]

    def check(self) -> tuple[Problem, ...]:
        """A row's product must fit into 64 bits, doubled where it is divided."""
        found = []
        if self.most_before * (2 if self.over > 1 else 1) + self.over >= 1 << 63:
            found.append(Problem("The sum could become too large to be exact", self.title, "Declare narrower bounds"))
        if (self.over > 1 or self.half is not Half.WHOLE) and any(f.lower < 0 and not f.steps for f in self.factors):
            found.append(
                Problem("A product of negative numbers cannot be divided", self.title, "Declare bounds from 0")
            )
        return tuple(found)


HALF = 1 << 32


@dataclass(frozen=True, slots=True)
class Ranked:
    """The smallest x that at least `part` of `parts` of the rows do not exceed: 1 of 2 is the median."""

    of: Scale
    part: int
    parts: int


@dataclass(frozen=True, slots=True)
class Distinct:
    """How many different values of a column the group has; missing is none."""

    column: str


@dataclass(frozen=True, slots=True)
class Largest:
    """The most that one unit has of the group: its rows, or its Σ x."""

    unit: str
    of: Scale | None = None


@dataclass(frozen=True, slots=True)
class TotalOfLargest:
    """What the unit of `Largest` has in the whole data set. Of units that share the most, the larger total."""

    unit: str
    of: Scale | None = None


@dataclass(frozen=True, slots=True)
class Distorted:
    """Σ over the rows of their unit's keyed factor, in billionths: what noise infusion publishes before rounding."""

    unit: str
    factors: Factors = field(repr=False)


Aggregate: TypeAlias = Count | Sum | Product | Ranked | Distinct | Largest | TotalOfLargest | Distorted
