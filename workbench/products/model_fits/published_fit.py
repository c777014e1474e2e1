"""A fit as it is published: a coefficient and its margin of error in each row, in integers of the last decimal."""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import MISSING, Columns, Units
from workbench.products.model_fits.fit_data import FitData

DECIMALS = 4
LEVEL = 1.96  # a margin covers 95 of 100
_LARGEST = 10.0**9


def published_fit(prepared: FitData, beta: Floats, covariance: Floats, *, with_margins: bool = True) -> Columns:
    """Coefficients per unit of each predictor. Both columns follow from drawn values and the plan alone."""
    own, spread = prepared.in_own_units(beta, covariance)
    margin = LEVEL * np.sqrt(np.maximum(np.diag(spread), 0.0))
    shown = _units(margin) if with_margins else np.full(len(own), MISSING, np.int64)
    return Columns(
        columns=(
            Units(name="estimate", integers=_units(own), decimals=DECIMALS, unit="log odds per unit", additive=False),
            Units(
                name="margin_of_error",
                integers=shown,
                decimals=DECIMALS,
                unit="log odds per unit",
                additive=False,
                gaps=True,
            ),
        )
    )


def _units(values: Floats) -> Integers:
    finite = np.nan_to_num(values, nan=0.0, posinf=_LARGEST, neginf=-_LARGEST)
    units: Integers = np.rint(np.clip(finite, -_LARGEST, _LARGEST) * 10**DECIMALS).astype(np.int64)
    return units
