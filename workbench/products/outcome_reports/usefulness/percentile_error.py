"""How far published percentiles are off, in rank points and in dollars, by size of the cell.

The rank of a published value is the share of the cell's people who earn no more; its error is the distance from 25, 50
or 75 points, less what a single person counts for. Beside it stand the plan's rivals where they publish percentiles,
and the public PSEO rule at the same ε. Methods that publish no percentiles are said to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.columns import headed
from workbench.core.arrays import Floats
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.progress import Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare
from workbench.products.outcome_reports.outcomes import SHARES, VALUES, Outcomes
from workbench.products.outcome_reports.usefulness.percentage_error import SIZES, Told, studied, values_given
from workbench.products.outcome_reports.usefulness.public_pseo import public_pseo
from workbench.utility.contract import Comparison

declare(
    {
        "rank_error": ValueName("Mean rank error of percentiles", "points"),
        "dollar_error": ValueName("Mean error of percentiles", "dollars"),
    }
)
PUBLIC_RULE = "public PSEO rule"


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
        truth = prepared.percentiles().astype(np.float64)
        ours = studied(comparison, Part(context, 0.0, 0.8))
        if not any(np.isfinite(each[:, 2:VALUES]).any() for each in ours.values):
            return (self._told("This method publishes no percentiles.", {}, ()),)
        rivals = [
            Told(name=heading, values=(values_given(rival.gives),)) for rival, heading in headed(comparison.rivals)
        ]
        told = [*rivals, *_public_rule(comparison, Part(context, 0.8, 0.9)), ours]
        errors = {way.name: _errors(prepared, truth, way) for way in told}
        context.step(1.0, "percentiles compared")
        means = {name: tuple(_mean(part) for part in both) for name, both in errors.items()}
        rank, dollar = means[ours.name]
        sentence = (
            f"Percentiles of this release are {show(rank, 3)} rank points and {show(dollar, 3)} dollars off on "
            f"average, over {show(comparison.trials)} study draws{_beside(means)}."
        )
        values_told: dict[str, Value] = {"rank_error": rank, "dollar_error": dollar}
        return (self._told(sentence, values_told, (_by_size(prepared, errors),)),)

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


Errors = tuple[Floats, Floats]  # rank points and dollars: draws × rows × shares


def _errors(prepared: Outcomes, truth: Floats, way: Told) -> Errors:
    filled = (prepared.count.reveal() > 0)[:, None]
    found = [np.where(filled, values[:, 2:VALUES], np.nan) for values in way.values]
    return np.stack([rank_errors(prepared, each) for each in found]), np.stack([np.abs(each - truth) for each in found])


def _public_rule(comparison: Comparison, context: Context) -> list[Told]:
    """The running sum of noisy bins at the same ε, years apart, where the method has an ε that is all there is."""
    epsilon = getattr(comparison.mechanism_params, "epsilon", None)
    if epsilon is None:
        return []
    prepared: Outcomes = comparison.prepared
    rng, drawn = StudyRandom(comparison.seed), []
    for trial in range(comparison.trials):
        context.step(trial / comparison.trials, "drawing the public PSEO rule")
        values = np.full((prepared.rows, VALUES), np.nan)
        values[:, 2:] = public_pseo(prepared, float(epsilon), rng)
        drawn.append(values)
    return [Told(name=PUBLIC_RULE, values=tuple(drawn))]


def _mean(errors: Floats) -> float:
    known = np.isfinite(errors)
    return float(errors[known].mean()) if known.any() else float("nan")


def _beside(means: dict[str, tuple[float, ...]]) -> str:
    if PUBLIC_RULE not in means:
        return ""
    rank, dollar = means[PUBLIC_RULE]
    return f"; by the public PSEO rule at the same ε, {show(rank, 3)} points and {show(dollar, 3)} dollars"


def _by_size(prepared: Outcomes, errors: dict[str, Errors]) -> Table:
    count = prepared.count.reveal()
    rows: list[tuple[Value, ...]] = []
    for low, high in SIZES:
        inside = (count >= low) & (count <= (np.inf if high is None else high))
        words = f"{low} or more" if high is None else f"{low} to {high}"
        rows.append((words, int(inside.sum()), *(_mean(each[:, inside]) for both in errors.values() for each in both)))
    heads = [head for name in errors for head in (f"{name}: rank error (points)", f"{name}: error (dollars)")]
    return Table(title="By true size of the cell", columns=("people", "cells", *heads), rows=tuple(rows))


SPEC = PercentileError()
