"""Settings of area estimates: cells, predictor and outcomes with declared bounds, and the ranks that are published."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from workbench.core.errors import Problem
from workbench.core.params import Rows, param, rows
from workbench.microdata.roles import Role

_LEAST_WIDTH, _MOST_WIDTH = Decimal("0.01"), Decimal(1_000_000_000)  # between which the grid is exact in 64 bits
_MOST_WEIGHT = 1000
_BOUND = "Declared, never read from the data."
COMPARISON = Role("comparison", "0 or 1: whether a person is treated, or was seen after a change.", numbers=True)


class EstimatorKind(StrEnum):
    """What is estimated in every cell."""

    LINE = "line"
    DIFFERENCES = "difference-in-differences"
    DISCONTINUITY = "regression-discontinuity"


class Outside(StrEnum):
    """What becomes of a row whose predictor or outcome lies outside its declared bounds."""

    LEAVE_OUT = "leave out"
    CLIP = "clip"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeParams:
    lower: Decimal | None = param(None, "Lower bound", _BOUND, effect="invariant")
    upper: Decimal | None = param(None, "Upper bound", _BOUND, effect="invariant")

    def check(self) -> tuple[Problem, ...]:
        if self.lower is None or self.upper is None:
            return (Problem("The bounds of the outcome are not declared", "lower", "Write lower and upper"),)
        return width_problems(self.lower, self.upper, "upper")

    @property
    def bounds(self) -> tuple[Decimal, Decimal]:
        return _declared(self.lower, self.upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaEstimatesParams:
    cell: str = param("", "Area", "The small area of each person, such as the tract.", roles=(Role.CELL,))
    groups: tuple[str, ...] = param(
        (), "Groups", "Columns that divide every area, such as sex and race. The data dictionary lists their values.",
        roles=(Role.GROUP,),
    )  # fmt: skip
    pool: str = param("", "Pool column", "The column of the areas file that names the larger area, such as the state.")
    predictor: str = param(
        "", "Predictor", "The number that predicts the outcome, such as the parents' rank.", roles=(Role.PREDICTOR,)
    )
    lower: Decimal | None = param(None, "Lower bound", f"Of the predictor. {_BOUND}", effect="invariant")
    upper: Decimal | None = param(None, "Upper bound", f"Of the predictor. {_BOUND}", effect="invariant")
    outcomes: Rows[OutcomeParams] = rows(
        OutcomeParams, "Outcomes", "One row for each outcome, with its declared bounds.", by="column",
        roles=(Role.OUTCOME,),
    )  # fmt: skip
    ranks: tuple[str, ...] = param(
        ("0.25", "0.75"), "Ranks", "Values of the predictor at which every area is estimated."
    )
    estimator: EstimatorKind = param(
        EstimatorKind.LINE, "Estimator", "What is estimated in every area. Effects can be published by “mos” alone.",
        labels={
            "line": "The line of the outcome by the predictor, at the ranks",
            "difference-in-differences": "How much more the treated changed than the others",
            "regression-discontinuity": "How far the outcome jumps at the cutoff",
        },
    )  # fmt: skip
    treated: str = param(
        "", "Treated", "0 or 1, for a difference in differences: whether a person is treated.", roles=(COMPARISON,)
    )
    after: str = param(
        "", "After", "0 or 1, for a difference in differences: whether a person was seen after the change.",
        roles=(COMPARISON,),
    )  # fmt: skip
    cutoff: Decimal | None = param(None, "Cutoff", "Of the predictor, for a regression discontinuity.")
    person: str = param(
        "", "Person",
        "Identifies people. One row of each person is used. Without it the guarantee holds if every person has one "
        "row.", roles=(Role.PERSON_KEY,),
    )  # fmt: skip
    weight: str = param("", "Weight", "How much a row counts; empty where every row counts once.", roles=(Role.WEIGHT,))
    most_weight: int = param(
        1, "Largest weight", "Declared. Larger weights count as this; noise grows with it.", ge=1, le=_MOST_WEIGHT,
        effect="invariant",
    )  # fmt: skip
    typical_weight: Decimal | None = param(
        None, "Typical weight",
        "Sum of squared weights over the sum of weights, as documented with the survey. Margins follow it.", gt=0,
        le=_MOST_WEIGHT, effect="invariant",
    )  # fmt: skip
    outside: Outside = param(
        Outside.LEAVE_OUT, "Values outside bounds",
        "What becomes of a row whose predictor or outcome is outside its bounds.",
        labels={"leave out": "Leave the row out", "clip": "Count the value as the bound"},
    )  # fmt: skip
    latitude: str = param("", "Latitude column", "Of the areas file, for the map; empty where there is none.")
    longitude: str = param("", "Longitude column", "Of the areas file, for the map; empty where there is none.")

    rank_column: str = param("rank", "Rank column", "Of the dollar table: ranks of the outcome.", advanced=True)
    dollar_column: str = param("dollars", "Dollar column", "Of the dollar table: what each rank earns.", advanced=True)

    def check(self) -> tuple[Problem, ...]:
        found = []
        if not self.cell:
            found.append(Problem("There is no area", "cell", "Choose the column that names the area"))
        if not self.predictor:
            found.append(Problem("There is no predictor", "predictor", "Choose the column of the predictor"))
        if not self.outcomes:
            found.append(Problem("There is no outcome", "outcomes", "Add a row for each outcome"))
        if self.lower is None or self.upper is None:
            found.append(Problem("The bounds of the predictor are not declared", "lower", "Write lower and upper"))
        else:
            found += [*width_problems(self.lower, self.upper, "upper"), *_rank_problems(self), *_effect_problems(self)]
        found += _weight_problems(self)
        if bool(self.latitude) != bool(self.longitude):
            found.append(Problem("A map needs both coordinates", "latitude", "Name both columns, or neither"))
        return tuple(found)

    def idle(self) -> tuple[str, ...]:
        return () if self.weight else ("most_weight", "typical_weight")

    @property
    def bounds(self) -> tuple[Decimal, Decimal]:
        """Of the predictor."""
        return _declared(self.lower, self.upper)


def _declared(lower: Decimal | None, upper: Decimal | None) -> tuple[Decimal, Decimal]:
    """Both bounds; the check has seen that they are there."""
    assert lower is not None
    assert upper is not None
    return lower, upper


def _weight_problems(params: AreaEstimatesParams) -> list[Problem]:
    if not params.weight:
        return []
    if params.typical_weight is None:
        what = "The typical weight is not declared, which margins of error need"
        remedy = "Write the sum of squared weights over the sum of weights, from the survey's documentation"
        return [Problem(what, "typical_weight", remedy)]
    if params.typical_weight > params.most_weight:
        what = "The typical weight is above the largest weight"
        return [Problem(what, "typical_weight", f"Write at most {params.most_weight}, or declare a larger one")]
    return []


def _effect_problems(params: AreaEstimatesParams) -> list[Problem]:
    if params.estimator is EstimatorKind.DISCONTINUITY:
        lower, upper = params.bounds
        if params.cutoff is None or not lower < params.cutoff < upper:
            return [Problem("There is no cutoff within the bounds", "cutoff", f"Write one between {lower} and {upper}")]
    if params.estimator is EstimatorKind.DIFFERENCES:
        return [
            Problem(f"A difference in differences needs the column “{place}”", place, "Choose a column of 0 and 1")
            for place, column in (("treated", params.treated), ("after", params.after))
            if not column
        ]
    return []


def width_problems(lower: Decimal, upper: Decimal, place: str) -> tuple[Problem, ...]:
    if lower >= upper:
        return (Problem("The lower bound is not below the upper bound", place, "Declare a wider range"),)
    if not _LEAST_WIDTH <= upper - lower <= _MOST_WIDTH:
        what = f"The bounds are less than {_LEAST_WIDTH} or more than {_MOST_WIDTH:,} apart"
        return (Problem(what, place, "Recode the column to another unit"),)
    return ()


def _rank_problems(params: AreaEstimatesParams) -> list[Problem]:
    lower, upper = params.bounds
    if not params.ranks:
        return [Problem("There is no rank", "ranks", "Write at least one value of the predictor")]
    if len(set(params.ranks)) < len(params.ranks):
        return [Problem("A rank stands twice", "ranks", "Write each value once")]
    found = []
    for text in params.ranks:
        try:
            inside = lower <= Decimal(text) <= upper
        except InvalidOperation:
            inside = False
        if not inside:
            what = f"“{text}” is not a value of the predictor"
            found.append(Problem(what, "ranks", f"Write numbers between {lower} and {upper}"))
    return found
