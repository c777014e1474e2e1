"""How a column becomes a dimension of an answer, or an integer that can be added up.

Everything here is a declaration: it names columns and public lists, never a value met in the data. That is what lets
numpy, DuckDB and Spark give the same digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Problem
from workbench.microdata.table import Texts

NOWHERE = -1  # the position of a cell that is missing or not listed, where such rows are kept
_LARGEST = 1 << 62


class Beyond(StrEnum):
    """What becomes of rows whose cell is missing or not listed."""

    REFUSE = "refuse"  # no answer before the data or the list are mended
    LEAVE_OUT = "leave out"  # not counted; the answer says how many rows that were
    OWN = "own"  # counted under the position NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Key:
    """A coded column as a dimension: `texts[i]` stands for `positions[i]`, one of 0 … `size` − 1.

    Several texts may share a position: a block counts under its tract. Without `texts` the values met in the data are
    the positions, in the order of their code points; which ones there are is then confidential.
    """

    column: str
    texts: Texts | None = None
    positions: NDArray[np.int32] | None = None  # None: every text stands for its own place in the list
    size: int = 0
    beyond: Beyond = Beyond.REFUSE

    @classmethod
    def met(cls, column: str, beyond: Beyond = Beyond.REFUSE) -> Key:
        """The values met in the data."""
        return cls(column=column, beyond=beyond)

    @classmethod
    def listed(cls, column: str, values: Sequence[str], beyond: Beyond = Beyond.REFUSE) -> Key:
        """The values that a dictionary or another public list has, in its order."""
        return cls(column=column, texts=tuple(values), size=len(values), beyond=beyond)

    @classmethod
    def coarser(
        cls, column: str, texts: Texts, positions: NDArray[np.int32], *, size: int, beyond: Beyond = Beyond.REFUSE
    ) -> Key:
        """A public list of texts, each with the number of the coarser class it counts under."""
        return cls(column=column, texts=texts, positions=positions, size=size, beyond=beyond)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A number on a declared grid: x becomes the integer nearest to x·10^decimals, cut off at `lower` and `upper`.

    Rounding: the double x times the double 10^decimals, then half to even: two IEEE operations that every engine has.
    `lower` and `upper` are integers of the last decimal. A cell that is missing or no finite number is beyond the grid.
    With `steps` the range from lower to upper is then divided into so many, the nearest step being taken, halves up;
    and with `coarser` so many of those count as one, by the same rule.
    """

    column: str
    lower: int
    upper: int
    decimals: int = 0
    beyond: Beyond = Beyond.REFUSE  # OWN counts the row and adds nothing
    steps: int = 0
    coarser: int = 1

    def check(self) -> tuple[Problem, ...]:
        wrong = []
        if self.lower > self.upper:
            wrong.append(Problem("The lower bound is above the upper bound", self.column, "Exchange them"))
        if not 0 <= self.decimals <= 9:
            wrong.append(Problem("A grid has 0 to 9 decimals", self.column, "Choose fewer decimals"))
        if self.steps and (self.lower == self.upper or 2 * self.steps * (self.upper - self.lower) >= _LARGEST):
            wrong.append(Problem("The bounds cannot be divided into steps exactly", self.column, "Declare others"))
        if max(abs(self.lower), abs(self.upper)) >= _LARGEST:
            wrong.append(Problem("The bounds are too wide to add up exactly", self.column, "Declare narrower bounds"))
        return tuple(wrong)

    @property
    def most(self) -> int:
        """The largest magnitude on the grid."""
        if self.steps:
            return -(-self.steps // self.coarser)
        return max(abs(self.lower), abs(self.upper))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """A number as a dimension: position i where edges[i−1] ≤ x < edges[i], x taken on the grid.

    Edges are integers of the grid's last decimal and rise. There is one bin more than edges: the first is below all
    of them, the last at or above the last one.
    """

    of: Scale
    edges: tuple[int, ...]

    @property
    def column(self) -> str:
        return self.of.column

    @property
    def size(self) -> int:
        return len(self.edges) + 1

    @property
    def beyond(self) -> Beyond:
        return self.of.beyond

    def check(self) -> tuple[Problem, ...]:
        rising = all(low < high for low, high in zip(self.edges, self.edges[1:], strict=False))
        order = () if rising else (Problem("The edges do not rise", self.column, "Write each once, in order"),)
        return (*self.of.check(), *order)


Dimension: TypeAlias = Key | Bins
