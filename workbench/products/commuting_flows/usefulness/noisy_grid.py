"""What noisy flows expect on the 29-point grid, drawn for study: the counterpart of the synthesiser's posterior.

The expected flows follow from noisy answers and public facts; here the answers are drawn with a study's seed. Layout
and exact counts are worked out once for any number of settings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET, Context
from workbench.core.randomness import StudyRandom
from workbench.products.commuting_flows.flows.grid import POINTS
from workbench.products.commuting_flows.flows.structures import BlockFlows, Numbers, Populations
from workbench.products.commuting_flows.noisy_flows.counts import shape_of, true_counts
from workbench.products.commuting_flows.noisy_flows.fit import Fitted, fit
from workbench.products.commuting_flows.noisy_flows.layout import Layout, layout_of
from workbench.products.commuting_flows.noisy_flows.measure import TrueCounts, measure
from workbench.products.commuting_flows.noisy_flows.mechanism import question, rows_of
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams
from workbench.products.commuting_flows.usefulness.draws import drawn_flows


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NoisyGrid:
    layout: Layout
    truth: Confidential[TrueCounts]

    def drawn(self, params: NoisyFlowsParams, *, seed: int) -> tuple[Fitted, BlockFlows]:
        """What is expected, and a file, of one draw with this seed."""
        rng = StudyRandom(seed)
        measured, _ = measure(shape_of(self.layout), self.truth.reveal(), question(params), rng, QUIET)
        fitted = fit(self.layout, measured, QUIET)
        return fitted, drawn_flows(rows_of(self.layout, fitted, rng, QUIET))


def noisy_grid(populations: Populations, context: Context) -> NoisyGrid:
    layout = layout_of(populations, context)
    return NoisyGrid(layout=layout, truth=Confidential(true_counts(populations, layout)))


def expected_shares(fitted: Fitted) -> Numbers:
    """Expected workers by population and point of the grid; unknown homes have no place on it."""
    shares: Numbers = np.ascontiguousarray(fitted.cells[:, :POINTS])
    return shares
