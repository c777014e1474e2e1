"""Published tables as differencing sees them: keys, values, what is suppressed, and how they were protected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.core.claims import Definition


class Protection(StrEnum):
    """How far a published value may be from the true one, which decides what can be derived from it."""

    FORMAL = "formally private"  # random noise with a proved guarantee: differences are noisy and their ε adds up
    EXACT = "exact"  # true values, some of them suppressed
    ROUNDED = "rounded"  # within half a base of the true value
    NOISY = "noisy"  # random noise without a proved guarantee: no exact relation holds


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTable:
    """A table that readers hold or would hold. Values are whole numbers in units of 10 to the power −`decimals`.

    `suppressed` marks rows that are listed without a value. `population` identifies the data behind the table: tables
    of different populations are never combined; an empty one (a table from outside) is taken to match every other.
    `content` is the fingerprint of exactly the rows that it was made from, where that is known.
    Values that do not add up (means, slopes, protected records) are not `additive`: nothing can be subtracted.
    """

    name: str
    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]  # one tuple of texts per key column
    value_name: str
    values: NDArray[np.int64]
    protection: Protection
    suppressed: NDArray[np.bool_] | None = None
    decimals: int = 0
    base: int = 0  # of rounding, in units of the published value
    epsilon: Decimal | None = None
    definition: Definition | None = None
    population: str = ""
    content: str = ""
    additive: bool = True

    @property
    def rows(self) -> int:
        return len(self.values)

    @property
    def algebraic(self) -> bool:
        """True where values stand in exact (or bounded) relations, so that subtraction means something."""
        return self.protection in (Protection.EXACT, Protection.ROUNDED)

    def is_suppressed(self, row: int) -> bool:
        return self.suppressed is not None and bool(self.suppressed[row])


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy:
    """Codes of one dimension that nest: the parent of each code, and the columns whose codes belong to it."""

    dimension: str
    parents: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()  # other column names, such as one per level

    def covers(self, column: str) -> bool:
        return column.strip().casefold() in {name.strip().casefold() for name in (self.dimension, *self.columns)}


def comparable(under_review: PublishedTable, others: tuple[PublishedTable, ...]) -> tuple[PublishedTable, ...]:
    """The other tables that speak of the same thing: the same data and, within the project, the same value."""
    same = (other for other in others if other.additive and _same_data(under_review, other))
    return tuple(other for other in same if _same_value(under_review, other))


def of_other_values(under_review: PublishedTable, others: tuple[PublishedTable, ...]) -> tuple[PublishedTable, ...]:
    """The other tables of the same data that cannot be combined with this one: they count something else."""
    same = (other for other in others if _same_data(under_review, other))
    return tuple(other for other in same if not other.additive or not _same_value(under_review, other))


def _same_data(one: PublishedTable, other: PublishedTable) -> bool:
    return not other.population or not one.population or one.population == other.population


def _same_value(one: PublishedTable, other: PublishedTable) -> bool:
    """A table from outside is taken to count the same thing: nobody has said what it counts."""
    if not other.population or not one.population:
        return True
    return one.value_name.strip().casefold() == other.value_name.strip().casefold()
