"""What an estimator is: a number for every cell from its rows, and the largest move of it by one added row.

Outcome and predictor lie between 0 and 1. A cell whose rows do not determine the estimate has neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StudyRows:
    """Rows of people: cell, predictor, outcome, and for comparisons before and after whether treated and after."""

    cell: Integers
    x: Floats
    y: Floats
    cells: int
    treated: Bools | None = None
    after: Bools | None = None

    @property
    def sizes(self) -> Integers:
        return np.bincount(self.cell, minlength=self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """Estimate and local sensitivity of every cell; not-a-number where there is none."""

    value: Floats
    sensitivity: Floats


class Estimator(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    def estimated(self, rows: StudyRows) -> Estimated:
        """Every cell at once."""
