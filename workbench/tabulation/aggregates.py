"""What can be asked of a group of rows. Each aggregate is one column of integers in the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from workbench.tabulation.factors import Factors
from workbench.tabulation.keys import Scale


@dataclass(frozen=True, slots=True)
class Count:
    """Rows."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Σ x over the rows, x an integer of its grid."""

    of: Scale


@dataclass(frozen=True, slots=True)
class Product:
    """Σ x·y over the rows: with counts and sums the sufficient statistics of a line through a group."""

    first: Scale
    second: Scale


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
