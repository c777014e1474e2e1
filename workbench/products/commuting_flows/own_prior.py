"""A prior that is the confidential data once more, however it was saved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.errors import Problem
from workbench.microdata.table import Microdata, Texts, numbers_of
from workbench.products.commuting_flows.flows.columns import find_codes, rows_of
from workbench.products.commuting_flows.flows.prior import tracts_of_texts
from workbench.products.commuting_flows.flows.same_flows import alike, pair_counts
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Level, Numbers
from workbench.products.commuting_flows.pairs import Pairs
from workbench.products.commuting_flows.params import CommutingFlowsParams
from workbench.products.commuting_flows.segments import sums_by_set

_WHAT = "The prior holds the flows of the confidential data themselves, so the guarantee would mean nothing"


def own_prior(
    pairs: Pairs, prior: Microdata | None, params: CommutingFlowsParams, geography: Geography
) -> list[Problem]:
    """Whether the public file holds the flows of the data.

    Pairs of tracts are compared, as these are what the prior is used by, and pairs of blocks where both files have
    them: there a small region has enough pairs too.
    """
    if prior is None:
        return []
    known = params.prior_columns
    theirs = numbers_of(prior.columns[known.count]) if known.count else np.ones(prior.rows)
    counts = list(pairs.counts.values()) or [pairs.rows]
    ours = [held.astype(np.float64) for held in sums_by_set(params.segments, counts)]
    ours += list(pairs.totals.values())
    for level in (Level.TRACT, None):
        places = len(geography.blocks if level is None else geography.areas[level])
        mine = [
            pairs.spread(name, places_of(pairs.texts[name], geography, level)) for name in (params.work, params.home)
        ]
        public = [
            rows_of(column, places_of(column.values, geography, level))
            for column in (prior.coded(known.work), prior.coded(known.home))
        ]
        published = pair_counts(public[0], public[1], theirs, places)
        if any(alike(pair_counts(mine[0], mine[1], held, places), published) for held in _different(ours)):
            do = "Use flows that have been published, of another year or from another source, or leave the prior out"
            return [Problem(_WHAT, "[data.companions] prior", do)]
    return []


def places_of(texts: Texts, geography: Geography, level: Level | None) -> Indices:
    """The tract of each text, or its block."""
    return find_codes(texts, geography.blocks) if level is None else tracts_of_texts(texts, geography)


def _different(counts: Sequence[Numbers]) -> list[Numbers]:
    """Each once: sets of segments mostly add up to the same."""
    found: list[Numbers] = []
    for held in counts:
        if not any(np.array_equal(held, other) for other in found):
            found.append(held)
    return found
