"""True and drawn flows over the 29-point grid and over distances, as counts per population."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.published import Columns
from workbench.products.commuting_flows.flows.grid import POINTS, commutes
from workbench.products.commuting_flows.flows.replicates import flows_of
from workbench.products.commuting_flows.flows.structures import BlockFlows, Numbers, Populations


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Commutes:
    """Flows with what they cover: miles, grid point and workers of each."""

    flows: BlockFlows
    miles: Numbers
    point: np.ndarray[tuple[int], np.dtype[np.int64]]


def drawn_flows(drawn: Columns) -> BlockFlows:
    """The rows of a draw as flows: of its first replicate, where there are several."""
    return flows_of(drawn)


def commutes_of(populations: Populations, flows: BlockFlows) -> Commutes:
    """Homes outside the map have no distance and are left out."""
    inside = flows.block >= 0
    kept = BlockFlows(population=flows.population[inside], block=flows.block[inside], workers=flows.workers[inside])
    miles, point = commutes(populations, kept.population, kept.block)
    return Commutes(flows=kept, miles=miles, point=point)


def on_grid(populations: Populations, flows: BlockFlows) -> Numbers:
    """Workers by population and grid point (populations × 29)."""
    known = commutes_of(populations, flows)
    key = known.flows.population.astype(np.int64) * POINTS + known.point
    counts = np.bincount(key, weights=known.flows.workers, minlength=populations.populations * POINTS)
    return counts.reshape(populations.populations, POINTS).astype(np.float64, copy=False)
