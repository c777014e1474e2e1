"""What an estimator is: a number for every cell from its rows, and the largest move of it by one added row.

An estimator divides the rows of a cell into sides (before and after, below and above) and works from the sums of each
side alone. Outcome and predictor lie between 0 and 1. A cell whose rows do not determine the estimate has neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.products.area_estimates.line import Lines, lines_of

Sides = tuple[Lines, ...]


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
    """Estimate, standard error and local sensitivity of every cell; not-a-number where there is none.

    `side`, `x` and `y` say which added row moves the estimate most.
    """

    value: Floats
    error: Floats
    sensitivity: Floats
    side: Integers
    x: Floats
    y: Floats


class Estimator(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def sides(self) -> int:
        """Into how many parts it divides the rows of a cell."""

    def side(self, rows: StudyRows) -> Integers:
        """The side of every row."""

    def estimated(self, sides: Sides) -> Estimated:
        """Every cell at once, from the sums of its sides."""

    def error(self, sides: Sides) -> Floats:
        """The standard error alone; not-a-number where there is none."""

    def fitted(self, side: Lines, x: float) -> Floats:
        """What is expected of somebody on this side with this predictor."""

    def tried(self, side: int) -> tuple[float, ...]:
        """Values of the predictor at which an added row is tried, those that matter among its bounds."""


def sides_of(estimator: Estimator, rows: StudyRows) -> Sides:
    """The sums of every side of every cell."""
    side = estimator.side(rows)
    return tuple(
        lines_of(rows.x[side == place], rows.y[side == place], rows.cell[side == place], rows.cells)
        for place in range(estimator.sides)
    )


def estimates(estimator: Estimator, rows: StudyRows) -> Estimated:
    """From the rows themselves."""
    return estimator.estimated(sides_of(estimator, rows))


def largest_side(moved: Floats) -> tuple[Floats, Integers]:
    """Of cells × sides: the largest move and the side it comes from; not-a-number where a side has none."""
    side = np.argmax(np.nan_to_num(moved, nan=-1.0), axis=1)
    known = np.isfinite(moved).all(axis=1)
    largest: Floats = np.where(known, moved[np.arange(len(moved)), side], np.nan)
    return largest, side
