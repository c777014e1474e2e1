"""Cells put in the right tenth against ε, for every method: what a budget buys.

Every method is drawn for study at the same total ε for both ranks and the count. The true order is that of the exact
estimates; model-based estimates put cells in order by the chance of lying in the tenth, all others by value. The
published default of maximum observed sensitivity, ε = 8 for each statistic, is marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import percent
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.explorations.marks import release_and_cap
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import claimed
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import at_words, truth
from workbench.products.area_estimates.exact import exact_estimates
from workbench.products.area_estimates.explorations.chosen import rank_called
from workbench.products.area_estimates.mechanisms import (
    adassp,
    dp_theil_sen,
    fractional_gaussian,
    fractional_table,
    mos,
    noisy_stats,
    plain_laplace,
)
from workbench.products.area_estimates.same_total import at_total
from workbench.products.area_estimates.usefulness.tails import right_of

_TOTALS = tuple(Decimal(text) for text in ("0.5", "1", "2", "4", "8", "16", "24"))
_METHODS: tuple[tuple[str, AnyMechanism, str], ...] = (
    ("fractional table, model-based", fractional_table.SPEC, "_model"),
    ("fractional table, direct", fractional_table.SPEC, ""),
    ("fractional table, Gaussian, direct", fractional_gaussian.SPEC, ""),
    ("maximum observed sensitivity", mos.SPEC, ""),
    ("NoisyStats", noisy_stats.SPEC, ""),
    ("AdaSSP", adassp.SPEC, ""),
    ("Theil-Sen", dp_theil_sen.SPEC, ""),
    ("global sensitivity", plain_laplace.GLOBAL, ""),
    ("local sensitivity", plain_laplace.LOCAL, ""),
)
_DRAWS = 2
_ONE_BY_ONE, _MOST_CELLS = dp_theil_sen.SPEC.id, 500  # what takes cells one by one is left out where there are many


@dataclass(frozen=True, slots=True, kw_only=True)
class TailsByEpsilonParams:
    rank: str = param("", "Rank", "The first where none is chosen.")
    seed: int = param(1, "Seed", "Of the draws.", ge=0)


@dataclass(frozen=True, slots=True)
class TailsByEpsilon:
    """Share of both tails that is right, over ε."""

    id: str = "tails-by-epsilon"
    version: int = 2
    title: str = "Right tenths by ε"
    summary: str = "Share of the lowest and highest tenth that is right, for every method at the same total ε."
    params: type[TailsByEpsilonParams] = TailsByEpsilonParams
    stage: str = "compare"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        return {"rank": scene.prepared.rank_names()}

    def show(self, scene: Scene, params: TailsByEpsilonParams, context: Context) -> tuple[Finding, ...]:
        prepared: AreaData = scene.prepared
        name, cells = prepared.rank_names()[rank_called(prepared, params.rank)], prepared.places.cells
        exact = truth(prepared).units(name).numbers()[:cells]
        usable = exact_estimates(prepared, 0).usable
        series = []
        for place, (words, mechanism, end) in enumerate(_METHODS):
            settings = mechanism.params()
            if mechanism.problems(prepared, settings) or (mechanism.id == _ONE_BY_ONE and cells > _MOST_CELLS):
                continue
            shares = []
            for step, total in enumerate(_TOTALS):
                done = (place + step / len(_TOTALS)) / len(_METHODS)
                context.step(done, f"drawing {words} for study")
                at = at_total(mechanism, settings, prepared, total)
                rng = StudyRandom(params.seed)
                drawn = [mechanism.study(prepared, at, rng, QUIET).reveal() for _ in range(_DRAWS)]
                found = [right_of(each, name, end, exact, usable) for each in drawn]
                shares.append(float(np.mean(found)))
            series.append(Series(name=words, x=tuple(float(each) for each in _TOTALS), y=tuple(shares)))
        published = float(claimed(mos.SPEC, mos.MosParams(), prepared))
        figure = Figure(
            kind=Kind.LINES,
            title=f"Cells put in the right tenth {at_words(name)}",
            subtitle="Lowest and highest tenth of the exact estimates; guessing gives .1",
            x=Axis(label="Total ε", log=True),
            y=Axis(label="Share that is right"),
            series=tuple(series),
            marks=(
                *release_and_cap(scene),
                Mark(name="published default of the source", value=published, vertical=True),
            ),
        )
        context.step(1.0, "methods compared")
        best = max(series, key=lambda each: each.y[2])
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=f"At a total ε of 2, {best.name} puts most cells in the right tenth: {percent(best.y[2])}.",
                figures=(figure,),
            ),
        )


SPEC = TailsByEpsilon()
