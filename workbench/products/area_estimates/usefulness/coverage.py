"""Whether margins of error hold, on a simulated twin where the truth is known.

A margin covers sampling and noise, so that it cannot be judged against the exact values of the confidential file. The
plan's method is run on simulated areas of the same number of people on average, with the plan's settings. Estimates of
one simulation share a model, so that its margins err together: the mean over a few simulations is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import percent, show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import declare, share_of
from workbench.products.area_estimates.columns import MARGIN
from workbench.products.area_estimates.twin.in_memory import TwinCells, twin_cells
from workbench.utility.contract import Comparison

declare(
    {
        "direct_coverage": share_of("Direct margins that hold"),
        "model_coverage": share_of("Model-based margins that hold"),
    }
)
_LEAST = 20
_SIMULATIONS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageParams:
    cells: int = param(300, "Areas", "How many simulated areas.", ge=50, le=20_000)
    people: int = param(100, "Mean people", "Of a simulated area.", ge=20, le=2000)


@dataclass(frozen=True, slots=True)
class CoverageMeasure:
    """Share of 90 % margins that hold the simulated truth."""

    id: str = "margin-coverage"
    version: int = 1
    title: str = "Margins of error"
    summary: str = "How often margins hold the truth, on simulated areas."
    params: type[CoverageParams] = CoverageParams

    def run(self, comparison: Comparison, params: CoverageParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "simulating areas")
        if comparison.prepared.estimator is not None:
            said = "Simulated areas have lines; margins of an effect are not judged here."
            return (Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said),)
        every: dict[str, list[float]] = {}
        for number in range(_SIMULATIONS):
            within = Part(context, number / _SIMULATIONS, (number + 1) / _SIMULATIONS)
            for key, share in _simulated(comparison, params, comparison.seed + number, within).items():
                every.setdefault(key, []).append(share)
        held = {key: float(np.mean(shares)) for key, shares in every.items()}
        context.step(1.0, "margins judged")
        if not held:
            said = "This method publishes no margins of error, so that there is nothing to judge."
            return (Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said),)
        told = " and ".join(f"{percent(share)} of the {_WORDS[key]}" for key, share in held.items())
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"On {show(params.cells)} simulated areas, {told} hold the truth; 90 % should. The mean of "
                    f"{_SIMULATIONS} simulations is shown.{_UNWEIGHTED if comparison.prepared.weighted else ''}"
                ),
                values={**held},
                tables=(
                    Table(
                        title="Margins that hold, simulated areas of 20 people and more",
                        columns=("estimates", "share"),
                        rows=tuple((_WORDS[key], share) for key, share in held.items()),
                    ),
                ),
            ),
        )


_UNWEIGHTED = " Simulated people have no weights: with weights, margins hold if the typical weight is right."
_WORDS = {"direct_coverage": "direct margins", "model_coverage": "model-based margins"}


def _simulated(comparison: Comparison, params: CoverageParams, seed: int, context: Context) -> dict[str, float]:
    """Shares that hold in one simulation, of the margins that the method publishes."""
    twin = twin_cells(params.cells, params.people, seed=seed)
    context.step(0.2, "drawing estimates of simulated areas")
    rng = StudyRandom(seed)
    drawn = comparison.mechanism.study(twin.prepared, comparison.mechanism_params, rng, Part(context, 0.2, 1.0))
    return {
        key: share
        for key, end in (("direct_coverage", ""), ("model_coverage", "_model"))
        if (share := _held(twin, drawn.reveal(), end)) is not None
    }


def _held(twin: TwinCells, drawn: Columns, end: str) -> float | None:
    large = twin.prepared.lines.reveal()[0].size >= _LEAST
    inside = []
    for place, name in enumerate(twin.prepared.rank_names()):
        estimate = drawn.units(name + end).numbers()[large]
        margin = drawn.units(f"{name}{end}_{MARGIN}").numbers()[large]
        known = np.isfinite(margin) & np.isfinite(estimate)
        inside.append((np.abs(estimate - twin.truth[large, place]) <= margin)[known])
    whole = np.concatenate(inside)
    return float(whole.mean()) if len(whole) else None


SPEC = CoverageMeasure()
