"""What is said of prepared cells before any noise, and to the preparer about rows that do not count."""

from __future__ import annotations

import numpy as np

from workbench.core.findings import Finding, Status
from workbench.core.quantities import agreeing, counted, show
from workbench.core.value_words import ValueName, declare
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.left_out import cells_left_out
from workbench.products.area_estimates.line import LEAST_FOR_A_LINE

declare(
    {
        "pools": ValueName("Pools"),
        "rows_unlisted": ValueName("Rows with a missing or unlisted value"),
        "rows_outside": ValueName("Rows with a value outside its bounds"),
        "rows_repeated": ValueName("Further rows of the same person"),
        "cells_without_line": ValueName("Cells without an estimate of their own"),
        "cells_empty": ValueName("Empty cells"),
    }
)


def facts_of(prepared: AreaData) -> tuple[Finding, ...]:
    return (_described(prepared), _rows(prepared), _cells(prepared))


def _described(prepared: AreaData) -> Finding:
    places = prepared.places
    held = "One row of each person is used." if prepared.bounded else "Every row is taken for one person."
    return Finding(
        id="areas.described",
        title="What is estimated",
        status=Status.INFO,
        sentence=(
            f"{counted(len(prepared.outcomes), 'outcome')} in {counted(places.cells, 'cell')} of "
            f"{counted(places.pools, 'pool')}, {_what(prepared)}. {held}"
        ),
        values={"cells": places.cells, "pools": places.pools},
    )


def _what(prepared: AreaData) -> str:
    if prepared.estimator is not None:
        return f"by {prepared.estimator.title.lower()}"
    return f"at {counted(len(prepared.ranks), 'rank')} of “{prepared.predictor.name}”"


def _rows(prepared: AreaData) -> Finding:
    """For the preparer: exact numbers of rows must never be published."""
    facts = prepared.facts.reveal()
    left = facts.unlisted + facts.outside + facts.repeated
    return Finding(
        id="areas.rows",
        title="Rows that do not count",
        status=Status.WARN if left else Status.INFO,
        sentence=(
            f"{show(left)} of {counted(facts.rows, 'row')} {agreeing(left, 'does', 'do')} not count: "
            f"{show(facts.unlisted)} with a missing or unlisted value, {show(facts.outside)} with a value outside its "
            f"bounds, {show(facts.repeated)} further of the same person."
        ),
        values={
            "rows_unlisted": facts.unlisted,
            "rows_outside": facts.outside,
            "rows_repeated": facts.repeated,
        },
    )


def _cells(prepared: AreaData) -> Finding:
    empty = int(np.count_nonzero(prepared.lines.reveal()[0].size == 0))
    without, named = cells_left_out(prepared, LEAST_FOR_A_LINE)
    return Finding(
        id="areas.cells",
        title="Small cells",
        status=Status.INFO,
        sentence=(
            f"{show(empty)} of {counted(prepared.places.cells, 'cell')} {agreeing(empty, 'is', 'are')} empty, and "
            f"{show(without)} {agreeing(without, 'has', 'have')} no estimate of {agreeing(without, 'its', 'their')} "
            "own: fewer than 3 people, a constant predictor or an empty side. The fractional table needs no exclusion; "
            "methods with noise by cell leave such cells out."
        ),
        values={"cells_empty": empty, "cells_without_line": without},
        tables=() if named is None else (named,),
    )
