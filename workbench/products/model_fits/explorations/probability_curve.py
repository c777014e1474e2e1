"""Probability by predictor: the exact curve and the private one, all other predictors at the middle of their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.products.model_fits.explorations.predictor_choice import chosen_place, predictor_names
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.study_draws import drawn_numbers, study_draws

_POINTS, _DRAWS = 101, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbabilityCurveParams:
    predictor: str = param("", "Predictor", "Whose curve is drawn; the first one where none is chosen.")
    seed: int = param(1, "Seed", "Of the private draws that are shown for study.", ge=0)


@dataclass(frozen=True, slots=True)
class ProbabilityCurve:
    """Exact and private curves over one predictor."""

    id: str = "probability-curve"
    version: int = 1
    title: str = "Probability by predictor"
    summary: str = "The probability of the outcome over one predictor: exact, and in three private draws."
    params: type[ProbabilityCurveParams] = ProbabilityCurveParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        return predictor_names(scene)

    def show(self, scene: Scene, params: ProbabilityCurveParams, context: Context) -> tuple[Finding, ...]:
        prepared: FitData = scene.prepared
        place = chosen_place(prepared, params.predictor)
        chosen = prepared.predictors[place]
        x = np.linspace(chosen.lower, chosen.upper, _POINTS)
        zero = np.zeros((prepared.coefficients, prepared.coefficients))
        exact, _ = prepared.in_own_units(prepared.exact.reveal(), zero)
        series = [_curve("exact fit (confidential)", prepared, exact, place, x)]
        parts = study_draws(prepared, (scene.mechanism, scene.params), _DRAWS, StudyRandom(params.seed), context)
        for draw, beta in enumerate(drawn_numbers(parts, "estimate", prepared.coefficients)):
            series.append(_curve(f"private draw {draw + 1}", prepared, beta, place, x))
        figure = Figure(
            kind=Kind.LINES,
            title=f"Probability of the outcome by {chosen.name}",
            subtitle="Other predictors at the middle of their bounds",
            x=Axis(label=chosen.name),
            y=Axis(label="Probability"),
            series=tuple(series),
        )
        context.step(1.0, "curves drawn")
        return (
            Finding(
                id="probability-curve",
                title=self.title,
                status=Status.INFO,
                sentence=f"The probability over {chosen.name}: the exact fit and study draws at the present setting.",
                figures=(figure,),
            ),
        )


def _curve(name: str, prepared: FitData, beta: Floats, place: int, x: Floats) -> Series:
    odds = np.full(len(x), float(beta[0]))
    for other, predictor in enumerate(prepared.predictors):
        odds = odds + float(beta[other + 1]) * (x if other == place else predictor.middle)
    p = 1.0 / (1.0 + np.exp(-np.clip(odds, -700.0, 700.0)))
    return Series(name=name, x=tuple(x.tolist()), y=tuple(p.tolist()))


SPEC = ProbabilityCurve()
