"""Error against ε for every method of the product: root mean square distance from the exact fit, in its own errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import Epsilon, show
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.explorations.marks import release_and_cap
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import dp_newton, dp_sgd, objective_perturbation, table_logit
from workbench.products.model_fits.study_draws import drawn_numbers, study_draws
from workbench.products.model_fits.usefulness.coefficient_error import exact_in_own_units

METHODS: tuple[AnyMechanism, ...] = (table_logit.SPEC, dp_newton.SPEC, dp_sgd.SPEC, objective_perturbation.SPEC)
_EPSILONS = ("0.25", "0.5", "1", "2", "4", "8")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorByEpsilonParams:
    draws: int = param(10, "Draws", "Of each method at each ε. More are slower and smoother.", ge=2, le=1000)
    seed: int = param(1, "Seed", "Of the study draws.", ge=0)


@dataclass(frozen=True, slots=True)
class ErrorByEpsilon:
    """See the module's docstring."""

    id: str = "error-by-epsilon"
    version: int = 1
    title: str = "Error against ε"
    summary: str = "How far each method is from the exact fit as ε moves, beside the coarsened fit."
    params: type[ErrorByEpsilonParams] = ErrorByEpsilonParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        del scene
        return {}

    def show(self, scene: Scene, params: ErrorByEpsilonParams, context: Context) -> tuple[Finding, ...]:
        prepared: FitData = scene.prepared
        usable = [each for each in METHODS if not each.problems(prepared, _settings(each, scene, Epsilon("1")))]
        lines: list[Series] = []
        for number, method in enumerate(usable):
            errors = []
            for place, epsilon in enumerate(_EPSILONS):
                done = (number + place / len(_EPSILONS)) / len(usable)
                within = Part(context, done, done + 1.0 / (len(usable) * len(_EPSILONS)))
                within.step(0.0, f"{method.title} at ε = {epsilon}")
                settings = _settings(method, scene, Epsilon(epsilon))
                errors.append(error_of(prepared, (method, settings), params, within))
            lines.append(Series(name=method.title, x=tuple(map(float, _EPSILONS)), y=tuple(errors)))
        marks = release_and_cap(scene, moves="epsilon")
        coarse = _coarse_error(scene, prepared, context)
        marks += (Mark(name="current SDL", value=coarse),) if coarse is not None else ()
        context.step(1.0, "errors drawn")
        best = min(lines, key=lambda line: line.y[_EPSILONS.index("1")])
        figure = Figure(
            kind=Kind.LINES,
            title="Error against ε",
            subtitle="1 is the standard error of the exact fit",
            x=Axis(label="Privacy loss ε", log=True),
            y=Axis(label="Error", unit="standard errors", log=True),
            series=tuple(lines),
            marks=marks,
        )
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"At ε = 1, {best.name} is nearest to the exact fit: "
                    f"{show(best.y[_EPSILONS.index('1')], 3)} standard errors off, over {show(params.draws)} draws."
                ),
                figures=(figure,),
                does_not_prove="What other data would show: a method must not be chosen for these rows by this curve.",
            ),
        )


def error_of(
    prepared: FitData, method: tuple[AnyMechanism, Any], params: ErrorByEpsilonParams, context: Context
) -> float:
    """Root mean square over coefficients and draws, in standard errors of the exact fit."""
    truth, error = exact_in_own_units(prepared)
    parts = study_draws(prepared, method, params.draws, StudyRandom(params.seed), context)
    drawn = drawn_numbers(parts, "estimate", prepared.coefficients)
    return float(np.sqrt(np.mean(((drawn - truth) / error) ** 2)))


def _settings(method: AnyMechanism, scene: Scene, epsilon: Epsilon) -> Any:
    """The present settings where it is the present method, its defaults otherwise, at this ε."""
    if method.id == scene.mechanism.id:
        return replace(scene.params, epsilon=epsilon)
    settings: Any = method.params(epsilon=epsilon)
    if method.id == dp_sgd.SPEC.id:
        settings = replace(settings, people=max(1, len(scene.prepared.outcome.reveal())))
    return settings


def _coarse_error(scene: Scene, prepared: FitData, context: Context) -> float | None:
    if scene.baseline is None:
        return None
    truth, error = exact_in_own_units(prepared)
    given: Floats = scene.baseline(Part(context, 0.99, 1.0)).reveal()[:, 0]
    return None if np.isnan(given).any() else float(np.sqrt(np.mean(((given - truth) / error) ** 2)))


SPEC = ErrorByEpsilon()
