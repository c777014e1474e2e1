"""Whether margins of error hold, over ε and the number of people.

Data are simulated from the exact fit, so that the true coefficients are known; each data set gets one study draw. Fits
with a weak direction, or whose margins are withheld, are flagged: they are counted apart, as readers are told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import Epsilon, show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import declare, share_of
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms.published_fit import DECIMALS
from workbench.products.model_fits.usefulness.simulated import simulated
from workbench.utility.contract import Comparison

declare(
    {
        "coverage": share_of("Intervals that hold, at the plan's ε and size"),
        "flagged_fits": share_of("Fits with a weak direction or without margins, at the plan's ε and size"),
    }
)
NOMINAL = 95.0
_FACTORS = (0.5, 1.0, 2.0)  # of the plan's ε
_SIZES = (0.25, 1.0, 4.0)  # of the number of people
_MOST_PEOPLE = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalCoverageParams:
    data_sets: int = param(25, "Data sets", "Simulated for each ε and size.", ge=10, le=10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """One ε and size: percent of the intervals of unflagged fits that hold, and percent of fits that are flagged."""

    epsilon: float
    people: int
    held: float
    flagged: float


@dataclass(frozen=True, slots=True)
class IntervalCoverage:
    """See the module's docstring."""

    id: str = "interval-coverage"
    version: int = 1
    title: str = "Coverage of the intervals"
    summary: str = "Share of 95 % intervals that hold the true coefficient, over ε and the number of people."
    params: type[IntervalCoverageParams] = IntervalCoverageParams

    def run(self, comparison: Comparison, params: IntervalCoverageParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "simulating data sets")
        prepared: FitData = comparison.prepared
        people = len(prepared.outcome.reveal())
        given = comparison.release.units("weak_directions").given()
        if not given.any() or people <= prepared.coefficients:
            context.step(1.0, "no intervals to judge")
            return (self._nothing(),)
        sizes = sorted({max(prepared.coefficients + 1, min(_MOST_PEOPLE, round(people * size))) for size in _SIZES})
        found: list[Covered] = []
        cells = [(factor, size) for factor in _FACTORS for size in sizes]
        for place, (factor, size) in enumerate(cells):
            context.step(place / len(cells), f"intervals of {size:,} people")
            epsilon = Epsilon(f"{float(comparison.mechanism_params.epsilon) * factor:.6g}")
            settings = replace(comparison.mechanism_params, epsilon=epsilon)
            found.append(_covered(comparison, settings, size, params.data_sets))
        context.step(1.0, "intervals judged")
        here = found[cells.index((1.0, min(sizes, key=lambda size: abs(size - people))))]
        return (_finding(self.title, found, here, params.data_sets),)

    def _nothing(self) -> Finding:
        return Finding(
            id=self.id,
            title=self.title,
            status=Status.INFO,
            sentence="There are no margins of error to judge: the method publishes none, or there are too few people.",
        )


def _covered(comparison: Comparison, settings: Any, people: int, sets: int) -> Covered:
    rng, hits, flagged = StudyRandom(comparison.seed), [], 0
    prepared: FitData = comparison.prepared
    true = prepared.change_of_units @ prepared.exact.reveal()
    for _ in range(sets):
        data = simulated(prepared, people, rng)
        drawn = comparison.mechanism.study(data, settings, rng, QUIET).reveal()
        estimate, margin = (drawn.units(name).numbers() for name in ("estimate", "margin_of_error"))
        if drawn.units("weak_directions").integers[0] > 0 or np.isnan(margin).any():
            flagged += 1
        else:
            hits.append(np.abs(estimate - true) <= margin + 0.5 * 10.0**-DECIMALS)
    held = 100.0 * float(np.mean(hits)) if hits else float("nan")
    return Covered(epsilon=float(settings.epsilon), people=people, held=held, flagged=100.0 * flagged / sets)


def _finding(title: str, found: list[Covered], here: Covered, sets: int) -> Finding:
    far = not np.isnan(here.held) and abs(here.held - NOMINAL) > 5.0
    said = (
        "Every fit has a weak direction or no margins, so that no interval can be judged."
        if np.isnan(here.held)
        else f"{show(here.held, 3)} % of the 95 % intervals hold at the plan's ε and size, over {show(sets)} data "
        f"sets; {show(here.flagged, 3)} % of fits are flagged and left out."
    )
    values: dict[str, float] = {"flagged_fits": here.flagged / 100.0}
    if not np.isnan(here.held):
        values["coverage"] = here.held / 100.0
    return Finding(
        id="interval-coverage",
        title=title,
        status=Status.WARN if far or here.flagged > 50.0 else Status.INFO,
        sentence=said,
        values={**values},
        tables=(
            Table(
                title="Coverage over ε and size",
                columns=("ε", "people", "intervals that hold, %", "fits flagged, %"),
                rows=tuple((each.epsilon, each.people, _or_none(each.held), each.flagged) for each in found),
                note="Data simulated from the exact fit. Fits with a weak direction or without margins are left out.",
            ),
        ),
        figures=_figures(found),
    )


def _figures(found: list[Covered]) -> tuple[Figure, ...]:
    """One line for each size over the ε where anything can be judged; no figure where nothing can."""
    judged = [each for each in found if not np.isnan(each.held)]
    if not judged:
        return ()
    series = tuple(
        Series(
            name=f"{size:,} people",
            x=tuple(each.epsilon for each in judged if each.people == size),
            y=tuple(each.held for each in judged if each.people == size),
        )
        for size in sorted({each.people for each in judged})
    )
    return (
        Figure(
            kind=Kind.LINES,
            title="Intervals that hold",
            x=Axis(label="Privacy loss ε", log=True),
            y=Axis(label="Share of intervals", unit="%"),
            series=series,
            marks=(Mark(name="nominal", value=NOMINAL),),
        ),
    )


def _or_none(held: float) -> float | None:
    return None if np.isnan(held) else held


SPEC = IntervalCoverage()
