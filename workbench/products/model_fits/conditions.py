"""What a preparer should know of the rows before anything is drawn. Internal: nothing published depends on it.

Rows with a missing value are left out and values beyond the bounds are taken to the bound, as the plan declares. A fit
needs more people than coefficients, predictors that vary, and outcomes that no line separates; private fits stay finite
without, and say little.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.core.findings import Finding, Status
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.products.model_fits.fit_data import FitData

declare(
    {
        "rows_left_out": ValueName("Rows with a missing value, left out"),
        "values_at_bound": ValueName("Values beyond the bounds, taken to the bound"),
    }
)
SEPARATED_FROM = 15.0  # log odds between the bounds that only separated outcomes reach


def conditions(prepared: FitData) -> tuple[Finding, ...]:
    return tuple(_found(prepared))


def _found(prepared: FitData) -> Iterator[Finding]:
    left_out, beyond, people = prepared.left_out.reveal(), prepared.beyond.reveal(), len(prepared.outcome.reveal())
    yield Finding(
        id="fit.rows-settled",
        title="Rows settled by rule",
        status=Status.INFO,
        sentence=(
            f"{show(left_out)} rows with a missing value are left out, and {show(beyond)} values beyond their declared "
            "bounds count as the bound. The numbers are internal."
        ),
        values={"rows_left_out": left_out, "values_at_bound": beyond},
    )
    if people <= prepared.coefficients:
        yield _warning(
            "few-people",
            "Too few people",
            f"There are not more people than the {show(prepared.coefficients)} coefficients. Drop predictors, or use "
            "more data.",
        )
        return
    constant = [
        predictor.name
        for place, predictor in enumerate(prepared.predictors, start=1)
        if np.ptp(prepared.grid.reveal()[:, place]) == 0
    ]
    if constant:
        yield _warning(
            "constant",
            "Constant predictors",
            f"Everybody has the same value of {', '.join(constant)}. Its coefficient is noise: drop it from the plan.",
        )
    elif float(np.abs(prepared.exact.reveal()).max()) > SEPARATED_FROM:
        yield _warning(
            "separated",
            "Separated outcomes",
            "The predictors separate the outcomes, or nearly so: the exact coefficients are infinite. Private ones "
            "stay finite, and their margins of error do not hold.",
        )


def _warning(name: str, title: str, sentence: str) -> Finding:
    return Finding(id=f"fit.{name}", title=title, status=Status.WARN, sentence=sentence)
