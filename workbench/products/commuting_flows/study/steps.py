"""What each step of the source's method buys: divergence and claimed ε with one of them left out, all else equal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.progress import QUIET, Context
from workbench.microdata.inputs import Inputs
from workbench.products.commuting_flows.flows.populations import PreparedFlows
from workbench.products.commuting_flows.study.prepared import prepared_twin
from workbench.products.commuting_flows.synthetic_residences import SPEC, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.weights import kept_points
from workbench.products.commuting_flows.usefulness.kl import Average, average, divergence
from workbench.products.commuting_flows.usefulness.posterior import posterior_grid

NO_ELIMINATION = {"eliminate_100": Decimal(0), "eliminate_200": Decimal(0), "eliminate_500": Decimal(0)}
NO_COARSENING = {"puma_beyond": Decimal(1), "super_puma_beyond": Decimal(1)}
NO_PRIOR = {"prior_weight": Decimal(0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One row: what was left out, points in force, divergence and claim."""

    name: str
    points: float
    kl: Average
    epsilon: float


# what is left out → settings of the product, settings of the mechanism
LEFT_OUT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing (benchmark)": ({}, {}),
    "informative prior": ({}, NO_PRIOR),
    "coarsening": (NO_COARSENING, {}),
    "elimination": (NO_ELIMINATION, {}),
    "pruning": ({}, {"pruning": False}),
    "all four": (NO_COARSENING | NO_ELIMINATION, NO_PRIOR | {"pruning": False}),
}


def steps_of(inputs: Inputs, *, most: int, seed: int, context: Context) -> tuple[Step, ...]:
    found = []
    for number, (name, (product, mechanism)) in enumerate(LEFT_OUT.items()):
        context.step(number / len(LEFT_OUT), f"leaving out {name}")
        prepared = prepared_twin(inputs, **product)
        found.append(measured(name, prepared, replace(SyntheticResidencesParams(), **mechanism), most=most, seed=seed))
    context.step(1.0, "steps measured")
    return tuple(found)


def measured(
    name: str,
    prepared: PreparedFlows,
    params: SyntheticResidencesParams,
    *,
    most: int,
    seed: int,
    searched: SyntheticResidencesParams | None = None,
) -> Step:
    """One setting; `searched` are the settings that the least prior is searched with, where they are others."""
    grid = posterior_grid(prepared, most=most, seed=seed, context=QUIET)
    likely = grid.posterior(params, np.random.Generator(np.random.PCG64(seed)), searched)
    return Step(
        name=name,
        points=float(kept_points(prepared.supports).per_tract.mean()),
        kl=average(divergence(grid.true, likely), grid.sample.size, grid.weight),
        epsilon=float(SPEC.claim(grid.sample, params).epsilon),
    )
