"""Whether two tables of flows are one and the same: saved again, packed, scaled, rounded, added up.

A prior that was made from the protected data breaks every promise, and no setting would show it. Two tables are alike
where nearly all jobs of both are at pairs of places whose counts are proportional but for rounding, or where most
pairs have exactly the same count. Flows that were measured or drawn another time are far from either: at pairs with a
few jobs chance alone makes counts differ, even where the flows expected are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.products.commuting_flows.flows.columns import UNKNOWN
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.flows.structures import Indices, Numbers

_ENOUGH_PAIRS = 20  # fewer could agree by chance
_NEARLY_ALL = 0.95  # of the jobs
_MOST = 0.6  # of the pairs
_FINEST = 6  # decimals to which a table may have been rounded
_CLOSE = 1e-6
_COARSE = 0.02  # of a count; rounding that is coarser leaves too little to tell tables apart


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PairCounts:
    """Jobs by pair of places: one entry a pair with a job, in the order of `pair`."""

    pair: NDArray[np.int64]
    count: Numbers


def pair_counts(work: Indices, home: Indices, count: Numbers, places: int) -> PairCounts:
    """Rows added up by pair of places; those with an unknown place are left out."""
    known = (work != UNKNOWN) & (home != UNKNOWN) & (count > 0)
    pair, place = np.unique(work[known].astype(np.int64) * places + home[known], return_inverse=True)
    return PairCounts(pair=pair, count=totals(place, count[known], len(pair)))


def alike(data: PairCounts, prior: PairCounts) -> bool:
    """Whether the prior is the data once more, by any of the two signs above."""
    if min(len(data.pair), len(prior.pair)) < _ENOUGH_PAIRS:
        return False
    _, in_data, in_prior = np.intersect1d(data.pair, prior.pair, assume_unique=True, return_indices=True)
    if not len(in_data):
        return False
    ours, theirs = data.count[in_data], prior.count[in_prior]
    either = len(data.pair) + len(prior.pair) - len(ours)
    if np.count_nonzero(ours == theirs) >= _MOST * either:
        return True
    step = _step(prior.count)
    return any(
        _proportional(data, prior, ours=ours, theirs=theirs, scale=scale, step=step)
        for scale in (_middle(ours / theirs, ours), float(ours.sum() / theirs.sum()))
    )


def _proportional(
    data: PairCounts, prior: PairCounts, *, ours: Numbers, theirs: Numbers, scale: float, step: float
) -> bool:
    """Whether nearly all jobs of both are at pairs where one count is `scale` times the other, but for rounding."""
    rounding = np.minimum(scale * step / 2, np.maximum(1.0, _COARSE * ours)) + _CLOSE * ours
    same = np.abs(ours - scale * theirs) <= rounding
    shares = (ours[same].sum() / data.count.sum(), theirs[same].sum() / prior.count.sum())
    return bool(min(shares) >= _NEARLY_ALL)


def _middle(ratio: Numbers, weight: Numbers) -> float:
    """The weighted median, which a few odd pairs do not move."""
    order = np.argsort(ratio)
    running = np.cumsum(weight[order])
    return float(ratio[order][np.searchsorted(running, running[-1] / 2)])


def _step(count: Numbers) -> float:
    """The coarsest power of ten, from 1 down, that all counts are multiples of; 0 where there is none."""
    for digits in range(_FINEST + 1):
        scaled = count * 10.0**digits
        if np.all(np.abs(scaled - np.rint(scaled)) <= _CLOSE):
            return 10.0**-digits
    return 0.0
