"""What a fit starts from: predictors on a public grid between −1 and 1, an intercept, and a binary outcome.

Everything public (names, bounds, levels, number of coefficients) comes from the plan. Rows are on a grid of
thousandths, so that sums over them are exact integers. A row with a missing outcome or predictor contributes nothing;
values beyond the bounds count as the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import Release
from workbench.products.model_fits import logit

GRID = 1000  # a predictor between −1 and 1 is an integer of thousandths
INTERCEPT = "(intercept)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictor:
    """A predictor as declared: its bounds in its own unit, and its levels (0: continuous)."""

    name: str
    lower: float
    upper: float
    levels: int

    @property
    def middle(self) -> float:
        return (self.lower + self.upper) / 2.0

    @property
    def half(self) -> float:
        return (self.upper - self.lower) / 2.0

    def points(self) -> Floats:
        """The declared levels between −1 and 1."""
        return np.linspace(-1.0, 1.0, self.levels)


@dataclass(frozen=True, kw_only=True)
class FitData:
    """Rows × coefficients in thousandths, the intercept first, and the outcome of every row."""

    predictors: tuple[Predictor, ...]
    grid: Confidential[Integers]
    outcome: Confidential[Integers]
    bounded: bool  # whether only one row of each person is used
    left_out: Confidential[int] = field(default_factory=lambda: Confidential(0))  # rows with a missing value
    beyond: Confidential[int] = field(default_factory=lambda: Confidential(0))  # values taken to a declared bound
    copies: int = 1  # independent fits of the same rows that are drawn at once; more than one only for studies

    @property
    def names(self) -> tuple[str, ...]:
        return (INTERCEPT, *(predictor.name for predictor in self.predictors))

    @property
    def coefficients(self) -> int:
        """d, which counts the intercept."""
        return len(self.predictors) + 1

    @property
    def rows(self) -> int:
        return self.coefficients * self.copies

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return (("people", len(self.outcome.reveal())),)

    def row_rule(self, release: Release) -> None:
        """None: there is a row for every coefficient."""

    @cached_property
    def design(self) -> Confidential[Floats]:
        """The rows as floats between −1 and 1."""
        return Confidential(self.grid.reveal() / GRID)

    @cached_property
    def exact(self) -> Confidential[Floats]:
        """The exact fit on the scale of −1 to 1; for reviewers only."""
        return Confidential(exact_fit(self.design.reveal(), self.outcome.reveal()))

    @cached_property
    def people(self) -> Confidential[tuple[Floats, Floats]]:
        """Design and outcome as floats, for those who look at single people."""
        return Confidential((self.design.reveal(), self.outcome.reveal().astype(np.float64)))

    @cached_property
    def change_of_units(self) -> Floats:
        """From the scale of −1 to 1 to the predictors' own units: a linear map that the bounds alone decide."""
        change = np.eye(self.coefficients)
        for place, predictor in enumerate(self.predictors, start=1):
            change[place, place] = 1.0 / predictor.half
            change[0, place] = -predictor.middle / predictor.half
        return change

    def in_own_units(self, beta: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Coefficients and covariance per unit of each predictor."""
        change = self.change_of_units
        return change @ beta, change @ covariance @ change.T


def exact_fit(design: Floats, outcome: Integers) -> Floats:
    """Maximum likelihood by Newton's method, slightly steadied so that separated data stay finite."""
    ones = outcome.astype(np.float64)
    return logit.fit_counts(design, ones, 1.0 - ones)


def exact_covariance(design: Floats, beta: Floats) -> Floats:
    """The inverse of the information."""
    sampling, _ = logit.covariances(design, np.ones(len(design)), beta, 0.0)
    return sampling
