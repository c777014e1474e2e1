"""A fit as it is published: a row for each coefficient, in integers of the last decimal.

All columns follow from drawn values and the plan alone. `weak_directions` counts combinations of coefficients about
which the noise says more than the data: margins of error are less reliable where there are any, and are withheld where
the method says so. Methods without margins publish the same columns with gaps. `accuracy` is that of the whole fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.published import MISSING, Columns, Units
from workbench.products.model_fits.fit_data import FitData

DECIMALS = 4
COLUMNS = 5  # estimate, its standard error and margin, the weak directions, and the accuracy
LEVEL = 1.96  # a margin covers 95 of 100
_LARGEST = 10.0**9
_UNIT = "log odds per unit"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Margins:
    """What is known of the error of drawn fits: copies × coefficients², copies, and for which of them it is told."""

    covariance: Floats
    weak: Integers
    told: Bools


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnFits:
    """Coefficients on the scale of −1 to 1, a row for each copy (one, where it is released), and their margins."""

    beta: Floats
    margins: Margins | None = None
    accuracy: Floats | None = None  # the share of outcomes that each predicts, where it was paid for


def published_fit(prepared: FitData, drawn: DrawnFits) -> Columns:
    """Coefficients per unit of each predictor, copy by copy."""
    change = prepared.change_of_units
    estimate = _units(drawn.beta @ change.T)
    error, weak = np.full(estimate.shape, MISSING, np.int64), np.full(estimate.shape, MISSING, np.int64)
    margin = error
    if drawn.margins is not None:
        spread = np.einsum("ij,cjk,ik->ci", change, drawn.margins.covariance, change)
        deviation = np.sqrt(np.maximum(spread, 0.0))
        told = drawn.margins.told[:, None]
        error, margin = (np.where(told, _units(values), MISSING) for values in (deviation, LEVEL * deviation))
        weak = np.broadcast_to(drawn.margins.weak[:, None], estimate.shape)
    return Columns(
        columns=(
            _column("estimate", estimate),
            _column("standard_error", error, gaps=True),
            _column("margin_of_error", margin, gaps=True),
            Units(name="weak_directions", integers=weak.ravel(), unit="directions", additive=False, gaps=True),
            _accuracy(estimate.shape, drawn.accuracy),
        )
    )


def _column(name: str, units: Integers, *, gaps: bool = False) -> Units:
    return Units(name=name, integers=units.ravel(), decimals=DECIMALS, unit=_UNIT, additive=False, gaps=gaps)


def _accuracy(shape: tuple[int, ...], share: Floats | None) -> Units:
    """The same for every coefficient of a copy."""
    each = np.full(shape[0], np.nan) if share is None else share
    units = np.where(np.isnan(each), MISSING, _units(each))
    return Units(
        name="accuracy",
        integers=np.repeat(units, shape[1]),
        decimals=DECIMALS,
        unit="share predicted",
        additive=False,
        gaps=True,
    )


def _units(values: Floats) -> Integers:
    finite = np.nan_to_num(values, nan=0.0, posinf=_LARGEST, neginf=-_LARGEST)
    units: Integers = np.rint(np.clip(finite, -_LARGEST, _LARGEST) * 10**DECIMALS).astype(np.int64)
    return units
