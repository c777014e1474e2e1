"""From microdata to rows on the public grid, through the door to the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.progress import Context, Part
from workbench.microdata.inputs import Inputs
from workbench.products.model_fits.fit_data import GRID, FitData, Predictor
from workbench.products.model_fits.params import ModelFitsParams, PredictorParams
from workbench.tabulation.answers import Records
from workbench.tabulation.contract import First, Rows
from workbench.tabulation.door import rows_of
from workbench.tabulation.keys import Beyond, Scale

_DECIMALS = 4  # a predictor is read to so many decimals before it goes onto the grid
_BINARY = 1


def predictors_of(params: ModelFitsParams) -> tuple[Predictor, ...]:
    """The declared predictors, in the order of the plan."""
    return tuple(
        Predictor(name=name, lower=float(row.lower), upper=float(row.upper), levels=row.levels)
        for name, row in params.predictors.items()
    )


def outcome_problems(inputs: Inputs, params: ModelFitsParams, context: Context) -> tuple[Problem, ...]:
    """Told to the preparer before any draw, never published."""
    facts = rows_of(inputs.microdata).numbers(params.outcome, most=_BINARY, context=context)
    odd = facts.negative.reveal() + facts.fractional.reveal() + facts.above.reveal()
    if odd:
        return (
            Problem(
                "The outcome has values other than 0 and 1",
                "outcome",
                "Recode it to 0 and 1 in the plan, or choose another column",
            ),
        )
    return ()


def fit_data(inputs: Inputs, params: ModelFitsParams, context: Context) -> FitData:
    """One row for each person where people are identified, every value on its declared grid."""
    rows = rows_of(inputs.microdata)
    if params.person:
        context.step(0.1, "keeping one row of each person")
        rows = rows.bounded((params.person,), First(by=()), Part(context, 0.1, 0.4))
    context.step(0.4, "putting predictors on their grid")
    scales = [_scale(name, row) for name, row in params.predictors.items()]
    outcome = Scale(column=params.outcome, lower=0, upper=1, decimals=0, beyond=Beyond.LEAVE_OUT)
    records = _records(rows, (outcome, *scales), predictors_of(params), Part(context, 0.4, 0.9))
    columns, beyond = [np.full(len(records.numbers[params.outcome]), GRID, dtype=np.int64)], 0
    for scale in scales:
        # The scale is wider than the bounds by one unit on each side, so that values beyond them can be told.
        lower, width = scale.lower + 1, scale.upper - scale.lower - 2
        steps = records.numbers[scale.column] - lower
        beyond += int(np.count_nonzero((steps < 0) | (steps > width)))
        columns.append(np.clip((2 * 2 * GRID * steps + width) // (2 * width) - GRID, -GRID, GRID))
    context.step(1.0, "rows read")
    return FitData(
        predictors=predictors_of(params),
        grid=Confidential(np.stack(columns, axis=1)),
        outcome=Confidential(records.numbers[params.outcome]),
        bounded=bool(params.person),
        left_out=Confidential(records.left_out),
        beyond=Confidential(beyond),
    )


def _records(rows: Rows, scales: Sequence[Scale], predictors: Sequence[Predictor], context: Context) -> Records:
    """Every row; or, where rows stay where they are and every predictor has levels, as many equal ones as were counted.

    Both are the same rows but for their order, of which no method knows.
    """
    levels = [predictor.levels for predictor in predictors]
    if rows.gives_records or not all(levels):
        return rows.records((), scales, context).reveal()
    return rows.tallied((), scales, 2 * math.prod(levels), context).reveal().records()


def _scale(name: str, row: PredictorParams) -> Scale:
    """The declared bounds, and one unit of the last decimal more on both sides."""
    unit = Decimal(10) ** _DECIMALS
    return Scale(
        column=name,
        lower=int((row.lower * unit).to_integral_value()) - 1,
        upper=int((row.upper * unit).to_integral_value()) + 1,
        decimals=_DECIMALS,
        beyond=Beyond.LEAVE_OUT,
    )
