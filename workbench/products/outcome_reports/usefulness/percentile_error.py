"""How far published percentiles are off, in rank points and in dollars, by size of the cell.

The rank of a published value is the share of the cell's people who earn no more; its error is the distance from 25, 50
or 75 points, less what a single person counts for. Methods that publish no percentiles are said to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.progress import Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare
from workbench.products.outcome_reports.outcomes import SHARES, VALUES, Outcomes
from workbench.products.outcome_reports.usefulness.percentage_error import SIZES, values_of
from workbench.utility.contract import Comparison

declare(
    {
        "rank_error": ValueName("Mean rank error of percentiles", "points"),
        "dollar_error": ValueName("Mean error of percentiles", "dollars"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PercentileErrorParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class PercentileError:
    """See the module's docstring."""

    id: str = "percentile-error"
    version: int = 1
    title: str = "Error of percentiles"
    summary: str = "How far percentiles are off in rank and in dollars, by size of the cell."
    params: type[PercentileErrorParams] = PercentileErrorParams

    def run(self, comparison: Comparison, params: PercentileErrorParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        prepared: Outcomes = comparison.prepared
        rng, ranks, dollars = StudyRandom(comparison.seed), [], []
        truth = prepared.percentiles().astype(np.float64)
        filled = prepared.count.reveal() > 0
        for trial in range(comparison.trials):
            within = Part(context, trial / comparison.trials, (trial + 1) / comparison.trials)
            drawn = comparison.mechanism.study(prepared, comparison.mechanism_params, rng, within).reveal()
            values = np.where(filled[:, None], values_of(drawn)[:, 2:VALUES], np.nan)
            ranks.append(rank_errors(prepared, values))
            dollars.append(np.abs(values - truth))
        context.step(1.0, "percentiles compared")
        rank, dollar = np.stack(ranks), np.stack(dollars)
        if not np.isfinite(dollar).any():
            return (self._told("This method publishes no percentiles.", {}, ()),)
        means = float(np.nanmean(rank)), float(np.nanmean(dollar))
        sentence = (
            f"Percentiles of this release are {show(means[0], 3)} rank points and {show(means[1], 3)} dollars off on "
            f"average, over {show(comparison.trials)} study draws."
        )
        values_told: dict[str, Value] = {"rank_error": means[0], "dollar_error": means[1]}
        return (self._told(sentence, values_told, (_by_size(prepared, rank, dollar),)),)

    def _told(self, sentence: str, values: dict[str, Value], tables: tuple[Table, ...]) -> Finding:
        return Finding(
            id=self.id, title=self.title, status=Status.INFO, sentence=sentence, values=values, tables=tables
        )


def rank_errors(prepared: Outcomes, values: Floats) -> Floats:
    """Rows × shares, in points; zero where the wanted rank lies between those below and those at or below the value."""
    width = prepared.cap + 1
    packed = prepared.cells_of_rows() * width + prepared.pay.reveal()
    count = np.maximum(prepared.count.reveal(), 1)[:, None]
    whole = np.nan_to_num(np.clip(np.floor(values), 0, prepared.cap)).astype(np.int64)
    start = (prepared.ends.reveal() - prepared.count.reveal())[:, None]
    key = np.arange(prepared.rows)[:, None] * width + whole
    below = (np.searchsorted(packed, key, side="left") - start) / count
    reached = (np.searchsorted(packed, key, side="right") - start) / count
    wanted = np.array(SHARES)[None, :]
    error = 100.0 * np.maximum(np.maximum(below - wanted, wanted - reached), 0.0)
    return np.where(np.isfinite(values), error, np.nan)


def _by_size(prepared: Outcomes, rank: Floats, dollar: Floats) -> Table:
    count = prepared.count.reveal()
    rows: list[tuple[Value, ...]] = []
    for low, high in SIZES:
        inside = (count >= low) & (count <= (np.inf if high is None else high))
        words = f"{low} or more" if high is None else f"{low} to {high}"
        told = [each[:, inside] for each in (rank, dollar)]
        means = [float(np.nanmean(each)) if np.isfinite(each).any() else float("nan") for each in told]
        rows.append((words, int(inside.sum()), *means))
    return Table(
        title="By true size of the cell",
        columns=("people", "cells", "rank error (points)", "error (dollars)"),
        rows=tuple(rows),
    )


SPEC = PercentileError()
