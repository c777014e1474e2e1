"""Some of the populations, as populations again: samples for studies that would take too long on all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.products.commuting_flows.flows.structures import BlockFlows, Likelihood, Populations

P = TypeVar("P", bound=Populations)


def chosen_populations(populations: P, chosen: NDArray[np.int64]) -> P:
    """The chosen populations, numbered anew in their order; geography, support points and workplaces stay."""
    likelihood, flows = populations.likelihood.reveal(), populations.flows.reveal()
    entries, start = _ranges(likelihood.start, chosen)
    number = np.full(populations.populations, -1, dtype=np.int32)
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    mine = np.flatnonzero(number[flows.population] >= 0)
    return replace(
        populations,
        area_of=populations.area_of[chosen],
        characteristic_of=populations.characteristic_of[chosen],
        support_of=populations.support_of[chosen],
        size=populations.size[chosen],
        moved=Confidential(populations.moved.reveal()[chosen]),
        likelihood=Confidential(
            Likelihood(start=start, point=likelihood.point[entries], workers=likelihood.workers[entries])
        ),
        flows=Confidential(
            BlockFlows(population=number[flows.population[mine]], block=flows.block[mine], workers=flows.workers[mine])
        ),
    )


def _ranges(start: Integers, chosen: NDArray[np.int64]) -> tuple[Integers, Integers]:
    """The entries of the chosen lists one after another, and where each now starts."""
    length = start[chosen + 1] - start[chosen]
    begins = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    entries = np.arange(begins[-1]) - np.repeat(begins[:-1] - start[chosen], length)
    return entries.astype(np.int64), begins
