"""The log-likelihood over two coefficients, with the exact path and the private one over it, both from the same θ₀.

The exact path takes the same steps on everybody, without clipping and without noise. The private path is gradient
descent with the present settings or, for other methods, the usual ones at the same ε and δ. Other coefficients are
those of the exact fit. Where the mean of the second half is published, its path is shown over a few of the private
steps. Coefficients are on the scale on which every predictor lies between −1 and 1. Large data are
thinned for the surface and the exact path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.products.model_fits import logit
from workbench.products.model_fits.explorations.predictor_choice import chosen_place, predictor_names
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import dp_sgd
from workbench.products.model_fits.mechanisms.dp_sgd import DpSgdParams
from workbench.products.model_fits.mechanisms.fit_random import study

_CELLS, _MOST_ROWS, _SHOWN = 41, 5000, 40
_ROOM = 0.15  # of the paths' extent, on every side


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelihoodSurfaceParams:
    predictor: str = param("", "Predictor", "Shown beside the intercept; the first one where none is chosen.")
    seed: int = param(1, "Seed", "Of the private path, which is drawn for study.", ge=0)


@dataclass(frozen=True, slots=True)
class LikelihoodSurface:
    """See the module's docstring."""

    id: str = "likelihood-surface"
    version: int = 1
    title: str = "Likelihood surface and paths"
    summary: str = "The log-likelihood over two coefficients, with the exact and the private descent from one start."
    params: type[LikelihoodSurfaceParams] = LikelihoodSurfaceParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        return predictor_names(scene)

    def show(self, scene: Scene, params: LikelihoodSurfaceParams, context: Context) -> tuple[Finding, ...]:
        prepared: FitData = scene.prepared
        place = 1 + chosen_place(prepared, params.predictor)
        settings = _settings(scene)
        design, outcome = _thinned(prepared)
        exact = _exact_path(design, outcome, settings, Part(context, 0.0, 0.4))
        private = dp_sgd.descent(prepared, settings, study(StudyRandom(params.seed)), Part(context, 0.4, 0.9))[:, 0]
        context.step(0.9, "working out the surface")
        published = _running_means(private) if settings.averaged else private
        named = [("private steps", private[:: max(1, len(private) // _SHOWN)])] if settings.averaged else []
        named += [("private path, averaged" if settings.averaged else "private path", published), ("exact path", exact)]
        figure = _surface(prepared, (design, outcome), place, {name: path[:, [0, place]] for name, path in named})
        away = float(np.sqrt(np.mean((published[-1] - exact[-1]) ** 2)))
        context.step(1.0, "surface drawn")
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"Both paths take {show(settings.steps)} steps from the same public start. The private one ends "
                    f"{show(away, 3)} log odds from the exact one, at ε = {show(settings.epsilon)}."
                ),
                figures=(figure,),
                does_not_prove="How far other draws end: one private path is shown.",
            ),
        )


def _settings(scene: Scene) -> DpSgdParams:
    if isinstance(scene.params, DpSgdParams):
        return scene.params
    claim = scene.mechanism.claim(scene.prepared, scene.params)
    return dp_sgd.settings_for(claim, len(scene.prepared.outcome.reveal()))


def _thinned(prepared: FitData) -> tuple[Floats, Floats]:
    """At most a few thousand rows, evenly spaced through the file."""
    design, outcome = prepared.people.reveal()
    every = max(1, -(-len(outcome) // _MOST_ROWS))
    return design[::every], outcome[::every]


def _exact_path(design: Floats, outcome: Floats, settings: DpSgdParams, context: Context) -> Floats:
    theta = dp_sgd.start(design.shape[1], settings.seed)
    path = [theta]
    for step in range(settings.steps):
        context.step(step / settings.steps, f"exact step {step + 1} of {settings.steps}")
        gradient = design.T @ (outcome - logit.probability(design, theta)) / max(1, len(outcome))
        theta = theta + settings.rate_at(step, design.shape[1]) * gradient
        path.append(theta)
    return np.array(path)


def _running_means(path: Floats) -> Floats:
    """What the averaged iterate would be after every step: the mean of the second half so far."""
    return np.array([path[step // 2 : step + 1].mean(axis=0) for step in range(len(path))])


def _surface(prepared: FitData, rows: tuple[Floats, Floats], place: int, paths: Mapping[str, Floats]) -> Figure:
    both = np.concatenate(list(paths.values()))
    low, high = both.min(axis=0), both.max(axis=0)
    room = np.maximum(_ROOM * (high - low), 0.05)
    low, high = low - room, high + room
    across, up = (np.linspace(low[axis], high[axis], _CELLS) for axis in (0, 1))
    beta = np.tile(prepared.exact.reveal(), (_CELLS * _CELLS, 1))
    beta[:, 0], beta[:, place] = np.tile(across, _CELLS), np.repeat(up, _CELLS)
    likelihood = -logit.log_loss(*rows, beta).reshape(_CELLS, _CELLS)
    half = (across[1] - across[0]) / 2.0, (up[1] - up[0]) / 2.0
    name = prepared.names[place]
    return Figure(
        kind=Kind.HEAT_MAP,
        title=f"Log-likelihood over the intercept and {name}",
        subtitle="Every predictor between −1 and 1; other coefficients as in the exact fit",
        x=Axis(label="Intercept", unit="log odds"),
        y=Axis(label=f"Coefficient of {name}", unit="log odds"),
        grid=tuple(tuple(row) for row in likelihood.tolist()),
        extent=(
            float(low[0] - half[0]), float(high[0] + half[0]), float(low[1] - half[1]), float(high[1] + half[1])
        ),
        colour=Axis(label="Log-likelihood", unit="for each person"),
        series=tuple(
            Series(
                name=name, x=tuple(path[:, 0].tolist()), y=tuple(path[:, 1].tolist()), dashed=name == "exact path",
                muted=name == "private steps",
            )
            for name, path in paths.items()
        ),
    )  # fmt: skip


SPEC = LikelihoodSurface()
