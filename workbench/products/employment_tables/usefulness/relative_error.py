"""Relative error: in what share of the cells is the release about as good as today, or better?

A cell counts when |published − true|/true exceeds the baseline's relative error by at most ten percentage points.
Cells that are truly empty have no relative error and are left out. Source: Haney et al. (2017), section 10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.usefulness.strata import Strata, strata_of_cells
from workbench.utility.contract import Comparison

declare(
    {
        "share": share_of("Cells within reach of current SDL"),
        "margin": ValueName("How far beyond SDL's still counts", "points"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeErrorParams:
    margin: Decimal = param(
        Decimal("10"), "Margin", "How much worse than current SDL a cell can be and still count.", ge=0, unit="points"
    )


@dataclass(frozen=True, slots=True)
class RelativeError:
    """See the module's docstring."""

    id: str = "relative-error"
    version: int = 1
    title: str = "Relative error within reach of current SDL"
    summary: str = "Share of cells whose relative error is within 10 points of current SDL, or better."
    params: type[RelativeErrorParams] = RelativeErrorParams

    def run(self, comparison: Comparison, params: RelativeErrorParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "relative error of each cell")
        cells: Cells = comparison.prepared
        true = cells.count.reveal().astype(np.float64)
        baseline = comparison.baseline.reveal()
        judged = (true > 0) & np.isfinite(baseline)
        release_error = np.abs(comparison.release.values - true)
        good = judged & (release_error - np.abs(baseline - true) <= float(params.margin) / 100.0 * true)
        context.step(1.0, "relative errors compared")
        return (_finding(comparison, strata_of_cells(cells), (good, judged), params.margin),)


def _finding(
    comparison: Comparison, strata: Strata, marks: tuple[NDArray[np.bool_], NDArray[np.bool_]], margin: Decimal
) -> Finding:
    good, judged = (strata.sums(mark.astype(np.float64)) for mark in marks)
    shares = np.divide(good, judged, out=np.full(len(judged), math.nan), where=judged > 0)
    total = float(good.sum() / judged.sum()) if judged.sum() else math.nan
    rows = comparison.words.row[1]
    today = f"{comparison.baseline_title[:1].lower()}{comparison.baseline_title[1:]}"
    return Finding(
        id="relative-error",
        title="Relative error within reach of current SDL",
        status=Status.INFO,
        sentence=(
            f"In {show(100 * total, 3)} % of the {show(int(judged.sum()))} {rows} that are not empty the relative "
            f"error is at most {show(margin)} points above that of {today}."
            if judged.sum()
            else f"There is no {comparison.words.row[0]} to judge: all are empty or suppressed by current SDL."
        ),
        values={"share": total, "cells": int(judged.sum()), "margin": margin},
        tables=(
            Table(
                title=f"Share of {rows} within reach",
                columns=("Stratum", "Cells judged", "Share within reach"),
                rows=tuple(zip(strata.names, judged.astype(int).tolist(), shares.tolist(), strict=True)),
            ),
        ),
        figures=_figures(strata.names, shares),
        does_not_prove="It is one draw of the release; another draw moves the share a little.",
    )


def _figures(names: tuple[str, ...], shares: NDArray[np.float64]) -> tuple[Figure, ...]:
    kept = [(name, share) for name, share in zip(names, shares.tolist(), strict=True) if math.isfinite(share)]
    if not kept:
        return ()
    return (
        Figure(
            kind=Kind.BARS,
            title="Cells about as accurate as current SDL, or better",
            x=Axis(label="Population of the place", categories=tuple(name for name, _ in kept)),
            y=Axis(label="Share of cells"),
            series=(
                Series(
                    name="within reach",
                    x=tuple(float(i) for i in range(len(kept))),
                    y=tuple(share for _, share in kept),
                ),
            ),
        ),
    )


SPEC = RelativeError()
