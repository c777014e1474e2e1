"""The posterior transition matrix, live: choose a population and the worker whom the attacker does not know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.explorations.contract import Scene
from workbench.products.commuting_flows.audit.posterior_ratio import attack_finding, weighed
from workbench.products.commuting_flows.audit.posterior_ratio_population import names_of, population_called, view_of
from workbench.products.commuting_flows.synthetic_residences.params import SyntheticResidencesParams

_LISTED = 1000


class Draws(StrEnum):
    ONE = "one"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransitionMatrixParams:
    population: str = param("", "Population", "Workplace (and characteristic). Empty: the smallest one.")
    unknown: str = param(
        "", "Unknown worker lives in", "The attacker knows everybody else. Empty: the worker who is most alone."
    )
    draws: Draws = param(
        Draws.ONE,
        "Synthetic workers seen",
        "One, as on the slides, or all that are published.",
        labels={"one": "One", "all": "All that are published"},
    )
    points: int = param(12, "Points shown", "Rows and columns of the matrix.", ge=2, le=60)


@dataclass(frozen=True, slots=True)
class TransitionMatrix:
    """Chances of a synthetic residence for every candidate residence of one worker, the worst pair outlined."""

    id: str = "transition-matrix"
    version: int = 1
    title: str = "Transition matrix"
    summary: str = "What synthetic residences reveal about one worker to an attacker who knows all others."
    params: type[TransitionMatrixParams] = TransitionMatrixParams
    stage: str = "audit"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        """The smallest populations first: there a single worker counts most."""
        order = np.argsort(scene.prepared.size, kind="stable")[:_LISTED]
        names = names_of(scene.prepared)
        return {"population": tuple(names[population] for population in order.tolist())}

    def show(self, scene: Scene, params: TransitionMatrixParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "weighing the support points")
        if not isinstance(scene.params, SyntheticResidencesParams):
            context.step(1.0, "there is no posterior to look at")
            return (_no_posterior(),)
        prepared = scene.prepared
        smallest = int(np.argmin(np.where(prepared.size > 0, prepared.size, np.iinfo(np.int64).max)))
        population = population_called(prepared, params.population, smallest)
        weights, truth = weighed(prepared, scene.params)
        context.step(0.7, "the transition matrix")
        attack = view_of(prepared, weights, truth, population).attacked(params.unknown)
        context.step(1.0, "the transition matrix is there")
        return (attack_finding(attack, params.points, all_draws=params.draws is Draws.ALL),)


def _no_posterior() -> Finding:
    return Finding(
        id="transition-matrix",
        title="Transition matrix",
        status=Status.INFO,
        sentence="This mechanism does not draw homes from a posterior: its noise covers every home alike.",
        does_not_prove="Anything: nothing was computed.",
    )


SPEC = TransitionMatrix()
