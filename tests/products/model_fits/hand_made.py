"""Forty people with one discrete predictor, small enough to count by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Fingerprint, Microdata, NumericColumn
from workbench.products.model_fits.coarse_fit import fitted_columns
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.params import ModelFitsParams, PredictorParams
from workbench.products.model_fits.product import SPEC

SECRET_NAME = "P-98765"


def rows(people: int = 400) -> tuple[list[str], np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    education = random.choice([8.0, 12.0, 16.0, 20.0], people)
    married = (random.random(people) < 1 / (1 + np.exp(2.0 - 0.15 * education))).astype(float)
    return [SECRET_NAME, *(f"P-{place:05d}" for place in range(1, people))], education, married


def inputs(people: int = 400) -> Inputs:
    names, education, married = rows(people)
    columns: dict[str, Any] = {
        "person": CodedColumn(
            name="person", codes=Confidential(np.arange(people, dtype=np.int32)), values=tuple(names)
        ),
        "education": NumericColumn(name="education", numbers=Confidential(education)),
        "married": NumericColumn(name="married", numbers=Confidential(married)),
    }
    microdata = Microdata(name="people", rows=people, columns=columns, fingerprint=Fingerprint(file="f", content="c"))
    roles = {"person": Role.PERSON_KEY, "education": Role.PREDICTOR, "married": Role.OUTCOME}
    return Inputs(microdata=microdata, roles=roles)


def params(**changes: Any) -> ModelFitsParams:
    predictor = PredictorParams(lower=Decimal(8), upper=Decimal(20), levels=4)
    settings = {"outcome": "married", "person": "person", "predictors": Rows({"education": predictor})}
    return ModelFitsParams(**{**settings, **changes})


def prepared() -> FitData:
    return SPEC.prepare(inputs(), params(), QUIET)


def truth(data: FitData) -> np.ndarray:
    """What is published, of the exact fit: no weak direction, and its accuracy; in units of each column."""
    exact = fitted_columns(data, data.design.reveal(), data.outcome.reveal())
    units: np.ndarray = np.rint(exact * [10**4, 10**4, 10**4, 1, 10**4]).astype(np.int64)
    return units


def settings(mechanism: Any) -> Any:
    """Few steps where there are many."""
    changes = {"steps": 20, "people": 400} if mechanism.id == "dp-sgd" else {}
    return mechanism.params(**changes)
