"""One population at a time: what the settings mean for it, and what keeps a release from being drawn."""

from __future__ import annotations

import math

import numpy as np

from workbench.core.errors import Problem
from workbench.core.quantities import agreeing, counted, show
from workbench.mechanisms.contract import Calibration
from workbench.products.commuting_flows.dirichlet.pruning import pruning_price
from workbench.products.commuting_flows.dirichlet.pure import log_ratios
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.synthetic_residences.loss import reached
from workbench.products.commuting_flows.synthetic_residences.params import (
    MinimumPrior,
    PopulationCase,
    SyntheticResidencesParams,
)
from workbench.products.commuting_flows.synthetic_residences.weights import (
    LARGEST_TOTAL,
    ONE,
    kept_points,
    minimum_prior,
    units,
)


def calibrated(params: SyntheticResidencesParams, case: PopulationCase) -> Calibration:
    """A population of `count` workers, as many drawn, over `largest` support points without public prior.

    `scale` is the least prior; the expected error is how many of the workers drawn the prior alone puts somewhere,
    m·A/(n + A) with A the prior expected to be left after pruning.
    """
    workers, points = max(1, round(case.count)), max(2, round(case.largest))
    one, many = np.array([workers]), np.array([points])
    prior = float(units(minimum_prior(one, one, many, params=params))[0]) / ONE
    keep = min(max(prior, float(params.min_p)), 1.0) if params.prunes else 1.0
    reach = int(reached(np.array([prior]), one, params)[0])
    loss = float(log_ratios(prior, reach))
    if params.prunes and prior > 0:
        loss = pruning_price(draws=workers, workers=workers, alpha=prior, keep=keep, cell_draws=reach).exact
    left = points * keep * prior
    return Calibration(
        scale=prior,
        expected_absolute_error=workers * left / (workers + left),
        spent_epsilon=params.replicates * loss,
        spent_delta=params.replicates * (float(params.delta) if params.minimum_prior is MinimumPrior.SEARCH else 0.0),
        any_table=False,
        notes=(
            f"For a population of {counted(workers, 'worker')} over {show(points)} support points without public "
            "prior.",
            "The scale is the least prior of a support point, in workers; the error is how many synthetic workers "
            "are where the prior alone puts them.",
        ),
    )


def problems_of(prepared: Populations, params: SyntheticResidencesParams) -> tuple[Problem, ...]:
    """Populations without a point to draw from, and priors too large to be counted exactly."""
    found = []
    points = kept_points(prepared.supports).per_tract[prepared.support_of]
    empty = np.flatnonzero((points == 0) & (np.asarray(prepared.size) > 0))
    if len(empty):
        found.append(
            Problem(
                f"{counted(len(empty), 'population')} {agreeing(len(empty), 'has', 'have')} no support point left, "
                f"the first in {keys_of(prepared, int(empty[0]))}",
                "elimination",
                "Eliminate fewer points, or add the area around these workplaces to the geography",
            )
        )
    growth = math.expm1(float(params.epsilon))
    least = (
        float(params.fixed_prior) if params.minimum_prior is MinimumPrior.FIXED else np.asarray(prepared.size) / growth
    )
    heaviest = (least + float(params.prior_weight)) * points + 2.0 * np.asarray(prepared.size)
    if np.any(heaviest * ONE >= LARGEST_TOTAL / 4):
        found.append(Problem("The prior is so large that no data would be left in the result", "epsilon", "Raise ε*"))
    return tuple(found)


def keys_of(prepared: Populations, population: int) -> str:
    """Workplace and characteristic of a population, both public."""
    area = prepared.work_area[prepared.area_of[population]]
    if len(prepared.characteristic) < 2:
        return f"workplace {area}"
    return f"workplace {area}, {prepared.characteristic[prepared.characteristic_of[population]]}"


def pair_in_words(prepared: Populations, population: int) -> str:
    if not prepared.populations:
        return "there is no population"
    return (
        f"one worker of {keys_of(prepared, population)}, who lives at the point with the least prior or elsewhere, "
        "when draws pile up at that point"
    )
