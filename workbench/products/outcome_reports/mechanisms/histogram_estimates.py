"""From noisy bins to count, mean and percentiles, with the noise that each of them has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.outcome_reports.mechanisms.history_sums import BlockLaw
from workbench.products.outcome_reports.outcomes import SHARES
from workbench.products.outcome_reports.percentiles import interpolated, onto_simplex
from workbench.products.outcome_reports.published_outcomes import Estimates

_CROWDED = 1.6  # pay is less spread than it is planned to be
_UNIFORM = 0.29  # sd of a uniform law of width 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Binned:
    """Noisy bins of some rows of the report, all with the same edges."""

    rows: Integers
    edges: Floats
    counts: Integers  # rows × bins
    law: BlockLaw


def bin_means(edges: Floats) -> Floats:
    """The mean of pay that is log-uniform within each bin."""
    low, high = np.maximum(edges[:-1], 1.0), np.maximum(edges[1:], 1.0)
    means: Floats = (high - low) / np.log(high / low)
    return means


def estimates_of(binned: Sequence[Binned], rows: int, cap: int) -> Estimates:
    count, mean, sd = np.full(rows, np.nan), np.full(rows, np.nan), np.full(rows, np.nan)
    median_sd = np.full(rows, np.nan)
    count_sd, percentiles = np.full(rows, np.nan), np.full((rows, len(SHARES)), np.nan)
    for part in binned:
        noisy = part.counts.astype(np.float64)
        kept, middle = onto_simplex(noisy), bin_means(part.edges)
        count[part.rows] = noisy.sum(axis=1)
        count_sd[part.rows] = part.law.sum_sd(noisy.shape[1])
        percentiles[part.rows] = np.minimum(interpolated(part.edges, kept, SHARES), cap)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean[part.rows] = np.minimum((kept @ middle) / kept.sum(axis=1), cap)
        sd[part.rows] = _mean_sd(part.law, middle, mean[part.rows], count[part.rows])
        median_sd[part.rows] = _median_sd(part, percentiles[part.rows, 1], count[part.rows])
    return Estimates(
        count=count, mean=mean, percentiles=percentiles, count_sd=count_sd, mean_sd=sd, median_sd=median_sd
    )


def _mean_sd(law: BlockLaw, middle: Floats, mean: Floats, count: Floats) -> Floats:
    """To first order, of the mean of bins before they are projected: Var·Σd² + Cov·((Σd)² − Σd²), d = middle − mean."""
    variance, shared, _ = law.moments
    away = middle[None, :] - mean[:, None]
    squares = (away**2).sum(axis=1)
    spread = variance * squares + shared * (away.sum(axis=1) ** 2 - squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(count > 0.0, np.sqrt(np.maximum(spread, 0.0)) / count, np.nan)


def _median_sd(part: Binned, median: Floats, count: Floats) -> Floats:
    """The noise of its rank over the people of its bin, and where in the bin it lies: uniform in the logarithm.

    Rank noise with half the bins on either side is K/4 times that of a bin. A bin near the median is taken to hold
    `_CROWDED` times its even share, so that a bin emptied by noise does not make the margin endless.
    """
    variance, shared, _ = part.law.moments
    bins = part.counts.shape[1]
    rank = float(np.sqrt(max((variance - shared) * bins / 4.0, 0.0)))
    width = float(np.log(part.edges[-1] / part.edges[0])) / bins
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(count > 0.0, rank * bins / (_CROWDED * count), np.nan)
    sd: Floats = median * np.minimum(width * np.hypot(steps, _UNIFORM), 1.0)
    return sd
