"""Broken variants of noisy flows: each claims what the original claims and does something worse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.noise.geometric import discrete_laplace
from workbench.products.commuting_flows.noisy_flows import measure as module
from workbench.products.commuting_flows.noisy_flows.budget import Budget, budget_of
from workbench.products.commuting_flows.noisy_flows.measure import Measured
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams

Patch = tuple[str, Any]
CLAIMED = "workbench.products.commuting_flows.noisy_flows.mechanism.budget_of"
MEASURE = "workbench.products.commuting_flows.noisy_flows.measure"


def sensitivity_one(params: NoisyFlowsParams) -> Budget:
    """A home move counted as one changed cell."""
    honest = budget_of(params)
    return replace(
        honest,
        tract_flows=honest.tract_flows / 2,
        cells_of_larger=honest.cells_of_larger / 2,
        cells_of_small=honest.cells_of_small / 2,
    )


def each_level_all(params: NoisyFlowsParams) -> Budget:
    """Flows of tracts and cells given all of ε each."""
    honest = budget_of(params)
    return replace(honest, tract_flows=honest.cells_of_small, cells_of_larger=honest.cells_of_small)


def small_too(shape: Any, truth: Any, small: Any) -> Any:
    """Small populations also in the flows of tracts."""
    return _TRACT_FLOWS(shape, truth, np.zeros_like(small))


def by_true_size(sizes: Any, exact: Any, budget: Budget) -> Any:
    """Small by the true size, which unit “job” protects."""
    del sizes
    return exact <= budget.small_limit


def only_positive(exact: Any, scale: float, rng: Any, context: Any) -> Any:
    """Noise only where somebody is."""
    return np.where(exact > 0, _NOISY(exact, scale, rng, context), exact)


def cut(exact: Any, scale: float, rng: Any, context: Any) -> Any:
    """No noise beyond six workers."""
    return exact + np.clip(discrete_laplace(np.full(len(exact), scale), rng, context), -6, 6)


def reused() -> Callable[..., Any]:
    """One draw for the flows of a tract and for the cells of its populations."""
    kept: list[Any] = []

    def noisy(exact: Any, scale: float, rng: Any, context: Any) -> Any:
        if not kept or len(kept[0]) < len(exact):
            kept[:] = [discrete_laplace(np.full(len(exact), scale), rng, context)]
        return exact + kept[0][: len(exact)]

    return noisy


def true_sizes(measured: Measured, exact: Any) -> Measured:
    return replace(measured, sizes=exact)


_TRACT_FLOWS, _NOISY = module.tract_flows, module.noisy
