"""A prior that is the confidential data once more, however it was saved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.errors import Problem
from workbench.microdata.table import Microdata, numbers_of
from workbench.products.commuting_flows.flows.columns import positions_of
from workbench.products.commuting_flows.flows.prior import tracts_of
from workbench.products.commuting_flows.flows.same_flows import alike, pair_counts
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Level, Numbers
from workbench.products.commuting_flows.params import CommutingFlowsParams
from workbench.products.commuting_flows.segments import sums_by_set, totals_of

_WHAT = "The prior holds the flows of the confidential data themselves, so the guarantee would mean nothing"


def own_prior(
    microdata: Microdata, prior: Microdata | None, params: CommutingFlowsParams, geography: Geography,
    counts: Sequence[Integers],
) -> list[Problem]:  # fmt: skip
    """`counts` are the jobs of each row, once or once a segment.

    Pairs of tracts are compared, as these are what the prior is used by, and pairs of blocks where both files have
    them: there a small region has enough pairs too.
    """
    if prior is None:
        return []
    known = params.prior_columns
    theirs = numbers_of(prior.columns[known.count]) if known.count else np.ones(prior.rows)
    ours = [held.astype(np.float64) for held in sums_by_set(params.segments, counts)]
    if params.segments:
        ours += [np.nan_to_num(numbers_of(microdata.columns[name])) for name in totals_of(microdata, params.jobs)]
    for level in (Level.TRACT, None):
        places = len(geography.blocks if level is None else geography.areas[level])
        mine = [_places(microdata, name, geography, level) for name in (params.work, params.home)]
        public = [_places(prior, name, geography, level) for name in (known.work, known.home)]
        published = pair_counts(public[0], public[1], theirs, places)
        if any(alike(pair_counts(mine[0], mine[1], held, places), published) for held in _different(ours)):
            do = "Use flows that have been published, of another year or from another source, or leave the prior out"
            return [Problem(_WHAT, "[data.companions] prior", do)]
    return []


def _places(table: Microdata, name: str, geography: Geography, level: Level | None) -> Indices:
    """The tract of each row, or its block."""
    column = table.coded(name)
    return positions_of(column, geography.blocks) if level is None else tracts_of(column, geography)


def _different(counts: Sequence[Numbers]) -> list[Numbers]:
    """Each once: sets of segments mostly add up to the same."""
    found: list[Numbers] = []
    for held in counts:
        if not any(np.array_equal(held, other) for other in found):
            found.append(held)
    return found
