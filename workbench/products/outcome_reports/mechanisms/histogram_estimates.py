"""From noisy bins to count, mean and percentiles, with the noise that each of them has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.outcome_reports.mechanisms.history_sums import BlockLaw
from workbench.products.outcome_reports.mechanisms.means_of_bins import UNIFORM, means_of
from workbench.products.outcome_reports.outcomes import SHARES
from workbench.products.outcome_reports.percentiles import interpolated, onto_simplex
from workbench.products.outcome_reports.published_outcomes import Estimates

_FEWEST = 0.5  # of the people that a bin holds on average


@dataclass(frozen=True, slots=True, kw_only=True)
class Binned:
    """Noisy bins of some rows of the report, all with the same edges."""

    rows: Integers
    edges: Floats
    counts: Integers  # rows × bins
    law: BlockLaw


def estimates_of(binned: Sequence[Binned], rows: int, cap: int) -> Estimates:
    count, mean, sd = np.full(rows, np.nan), np.full(rows, np.nan), np.full(rows, np.nan)
    count_sd = np.full(rows, np.nan)
    percentiles, percentile_sd = np.full((rows, len(SHARES)), np.nan), np.full((rows, len(SHARES)), np.nan)
    for part in binned:
        noisy = part.counts.astype(np.float64)
        kept = onto_simplex(noisy)
        means = means_of(part.edges, kept, cap, float(np.sqrt(part.law.moments[0])))
        count[part.rows] = noisy.sum(axis=1)
        count_sd[part.rows] = part.law.sum_sd(noisy.shape[1])
        percentiles[part.rows] = np.minimum(interpolated(part.edges, kept, SHARES), cap)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean[part.rows] = np.minimum((kept * means.mean).sum(axis=1) / kept.sum(axis=1), cap)
        noise = mean_sd(part.law, means.mean, mean[part.rows], count[part.rows])
        sd[part.rows] = np.hypot(noise, means.off)
        percentile_sd[part.rows] = _percentile_sd(part, kept, percentiles[part.rows])
    return Estimates(
        count=count, mean=mean, percentiles=percentiles, count_sd=count_sd, mean_sd=sd, percentile_sd=percentile_sd
    )


def mean_sd(law: BlockLaw, middle: Floats, mean: Floats, count: Floats) -> Floats:
    """Of noise, to first order, bins not projected: Var·Σd² + Cov·((Σd)² − Σd²), d = middle − mean."""
    variance, shared, _ = law.moments
    away = middle - mean[:, None]
    squares = (away**2).sum(axis=1)
    spread = variance * squares + shared * (away.sum(axis=1) ** 2 - squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(count > 0.0, np.sqrt(np.maximum(spread, 0.0)) / count, np.nan)


def _percentile_sd(part: Binned, kept: Floats, values: Floats) -> Floats:
    """The noise of a rank over the people near it, and where in its bin the percentile lies: uniform in the logarithm.

    The rank at share τ has τ(1 − τ)·K times the variance of a bin, with as many bins below as planned. People near it
    are those of its bin and the two beside, after projection, and at least half of what bins hold on average: bins
    emptied by noise do not make the margin endless.
    """
    variance, shared, _ = part.law.moments
    bins = kept.shape[1]
    log_edges = np.log(np.maximum(part.edges, 1.0))
    first, last = np.maximum(np.arange(bins) - 1, 0), np.minimum(np.arange(bins) + 2, bins)
    sums = np.concatenate([np.zeros((len(kept), 1)), np.cumsum(kept, axis=1)], axis=1)
    least = _FEWEST * (last - first) / bins * np.maximum(sums[:, -1:], 1.0)
    near = np.maximum(sums[:, last] - sums[:, first], least) / (log_edges[last] - log_edges[first])
    found = np.full(values.shape, np.nan)
    for place, share in enumerate(SHARES):
        at = np.searchsorted(part.edges[1:-1], np.nan_to_num(values[:, place]), side="right")
        rank = float(np.sqrt(max((variance - shared) * bins * share * (1.0 - share), 0.0)))
        away = rank / np.take_along_axis(near, at[:, None], axis=1)[:, 0]
        found[:, place] = values[:, place] * np.minimum(np.hypot(away, UNIFORM * np.diff(log_edges)[at]), 1.0)
    return found
