"""The estimator that a plan chooses, and the side of every person by it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.products.area_estimates.estimators.contract import Estimator, StudyRows
from workbench.products.area_estimates.estimators.differences import Differences
from workbench.products.area_estimates.estimators.discontinuity import Discontinuity
from workbench.products.area_estimates.params import AreaEstimatesParams, EstimatorKind
from workbench.products.area_estimates.people import FINE


def estimator_of(params: AreaEstimatesParams) -> Estimator | None:
    """None for the line, which has ranks of its own."""
    if params.estimator is EstimatorKind.DIFFERENCES:
        return Differences()
    if params.estimator is EstimatorKind.DISCONTINUITY and params.cutoff is not None:
        lower, upper = params.bounds
        return Discontinuity(cutoff=float((params.cutoff - lower) / (upper - lower)))
    return None


def comparisons(params: AreaEstimatesParams) -> tuple[str, ...]:
    """Columns of 0 and 1 that the estimator needs."""
    return (params.treated, params.after) if params.estimator is EstimatorKind.DIFFERENCES else ()


def side_of(
    params: AreaEstimatesParams, x: NDArray[np.int32], numbers: Mapping[str, Integers]
) -> NDArray[np.int8] | None:  # fmt: skip
    """The side of every row; rows that do not count have any."""
    estimator = estimator_of(params)
    if estimator is None:
        return None
    marks = [numbers[name] == 1 for name in comparisons(params)]
    rows = StudyRows(
        cell=np.zeros(len(x), np.int64), x=x / FINE, y=np.zeros(len(x)), cells=1,
        treated=marks[0] if marks else None, after=marks[1] if marks else None,
    )  # fmt: skip
    return estimator.side(rows).astype(np.int8)
