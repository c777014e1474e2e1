"""Settings of model fits: the outcome, the predictors with their declared bounds or levels, and who a person is."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from workbench.core.errors import Problem
from workbench.core.params import Rows, param, rows
from workbench.microdata.roles import Role

MOST_COMBINATIONS = 64  # of declared levels, for a table of counts
_LEAST_WIDTH, _MOST_WIDTH = Decimal("0.01"), Decimal(1_000_000_000)  # between which the grid is exact in 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictorParams:
    lower: Decimal = param(
        Decimal(0),
        "Lower bound",
        "Declared, never read from the data. Smaller values count as this.",
        effect="invariant",
    )
    upper: Decimal = param(
        Decimal(1),
        "Upper bound",
        "Declared, never read from the data. Larger values count as this.",
        effect="invariant",
    )
    levels: int = param(
        0,
        "Levels",
        "Number of equally spaced values from the lower to the upper bound; 0 for a continuous predictor.",
        ge=0,
        le=MOST_COMBINATIONS,
        effect="invariant",
    )

    def check(self) -> tuple[Problem, ...]:
        found = []
        if self.lower >= self.upper:
            found.append(Problem("The lower bound is not below the upper bound", "lower", "Declare a wider range"))
        if not _LEAST_WIDTH <= self.upper - self.lower <= _MOST_WIDTH and self.lower < self.upper:
            found.append(
                Problem(
                    f"The bounds are less than {_LEAST_WIDTH} or more than {_MOST_WIDTH} apart",
                    "upper",
                    "Recode the predictor to another unit",
                )
            )
        if self.levels == 1:
            found.append(Problem("A predictor of one level explains nothing", "levels", "Declare at least 2 levels"))
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFitsParams:
    outcome: str = param("", "Outcome", "The column that is 1 where the event occurred and 0 where not.",
                         roles=(Role.OUTCOME,))  # fmt: skip
    predictors: Rows[PredictorParams] = rows(
        PredictorParams,
        "Predictors",
        "One row for each predictor, with its declared bounds and, where it is discrete, its levels.",
        by="column",
        roles=(Role.PREDICTOR,),
    )
    person: str = param(
        "",
        "Person",
        "Identifies people. One row of each person is used. Without it the guarantee holds if every "
        "person has one row.",
        roles=(Role.PERSON_KEY,),
    )

    def check(self) -> tuple[Problem, ...]:
        found = []
        if not self.outcome:
            found.append(Problem("There is no outcome", "outcome", "Choose the column that is 0 or 1"))
        if not self.predictors:
            found.append(Problem("There is no predictor", "predictors", "Add a row for each predictor"))
        return tuple(found)
