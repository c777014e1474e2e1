"""How far estimates are from the truth, whatever the product: errors by class, tails, coverage, percentage differences.

A cell without an estimate (suppressed, excluded by rule) is not-a-number. It is left out of errors and counted, so that
a method that leaves out the hard cells does not look better for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Defect


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSummary:
    """Over the cells of one class. All four are not-a-number where no cell has an estimate."""

    cells: int
    missing: int  # of these, without an estimate
    rmse: float  # √ mean (estimate − true)²
    bias: float  # mean (estimate − true)
    mean_absolute: float  # mean |estimate − true|


@dataclass(frozen=True, slots=True, kw_only=True)
class TailShares:
    """Of the cells that truly are in a tail, how many the estimates put there."""

    lowest: float
    highest: float
    cells: int  # in each tail


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How often intervals hold the truth, ends included, with the binomial standard error of that share."""

    cells: int
    share: float
    standard_error: float
    mean_width: float


def error_summary(estimate: Floats, true: Floats, weights: Floats | None = None) -> ErrorSummary:
    """Errors over all cells, each counted once or by its weight."""
    _require_alike(estimate, true, *(() if weights is None else (weights,)))
    known = ~np.isnan(estimate)
    if not known.any():
        return ErrorSummary(cells=len(true), missing=len(true), rmse=np.nan, bias=np.nan, mean_absolute=np.nan)
    away = estimate[known] - true[known]
    weigh = None if weights is None else weights[known]
    return ErrorSummary(
        cells=len(true),
        missing=int(np.count_nonzero(~known)),
        rmse=float(np.sqrt(np.average(away**2, weights=weigh))),
        bias=float(np.average(away, weights=weigh)),
        mean_absolute=float(np.average(np.abs(away), weights=weigh)),
    )


def class_of(sizes: Integers | Floats, edges: Sequence[float]) -> Integers:
    """The class of each size: 0 below the first edge, k from the k-th edge on. Edges are declared, not from data."""
    if list(edges) != sorted(set(edges)):
        raise Defect("classes need edges that rise")
    return np.searchsorted(np.asarray(edges, dtype=np.float64), sizes, side="right").astype(np.int64)


def class_names(edges: Sequence[int]) -> tuple[str, ...]:
    """ "under 5", "5–19", "20 and more" for the edges 5 and 20."""
    between = (f"{low:,}–{high - 1:,}" if high - 1 > low else f"{low:,}" for low, high in pairwise(edges))
    return (f"under {edges[0]:,}", *between, f"{edges[-1]:,} and more")


def errors_by_class(estimate: Floats, true: Floats, classes: Integers, count: int) -> tuple[ErrorSummary, ...]:
    """One summary for each class 0 … count − 1, also for those without a cell."""
    _require_alike(estimate, true, classes)
    return tuple(error_summary(estimate[classes == k], true[classes == k]) for k in range(count))


def tail_shares(estimate: Floats, true: Floats, tail: float = 0.1) -> TailShares:
    """Share of the truly lowest and highest cells that the estimates put among their own lowest and highest.

    Both tails hold the nearest whole number to tail · cells, at least one. Where cells tie at the edge of a tail, on
    either side, the share is what random ordering of the tied gives on average, worked out and not drawn. A cell
    without an estimate is in no tail of the estimates.
    """
    _require_alike(estimate, true)
    if not 0 < tail <= 0.5:
        raise Defect("a tail is a share above 0 and at most one half")
    if not len(true):
        return TailShares(lowest=np.nan, highest=np.nan, cells=0)
    cells = max(1, round(tail * len(true)))
    shares = (
        float(_chances_of_tail(side * estimate, cells) @ _chances_of_tail(side * true, cells)) / cells
        for side in (1.0, -1.0)
    )
    return TailShares(lowest=next(shares), highest=next(shares), cells=cells)


def _chances_of_tail(values: Floats, cells: int) -> Floats:
    """The chance of each to be among so many lowest when ties are ordered at random; 0 where there is no value."""
    known = np.sort(values[~np.isnan(values)])
    if len(known) <= cells:
        return (~np.isnan(values)).astype(np.float64)
    edge = known[cells - 1]
    below, tied = int(np.searchsorted(known, edge)), int(np.count_nonzero(known == edge))
    return np.where(values < edge, 1.0, np.where(values == edge, (cells - below) / tied, 0.0))


def coverage(low: Floats, high: Floats, true: Floats) -> Coverage:
    """Over the cells that have an interval."""
    _require_alike(low, high, true)
    known = ~(np.isnan(low) | np.isnan(high))
    cells = int(np.count_nonzero(known))
    if not cells:
        return Coverage(cells=0, share=np.nan, standard_error=np.nan, mean_width=np.nan)
    share = float(np.mean((low[known] <= true[known]) & (true[known] <= high[known])))
    return Coverage(
        cells=cells,
        share=share,
        standard_error=float(np.sqrt(share * (1 - share) / cells)),
        mean_width=float(np.mean(high[known] - low[known])),
    )


def percentage_differences(estimate: Floats, true: Floats) -> Floats:
    """APD of each cell in percent: 100 · |estimate − true| / |true|; not-a-number where the truth is 0."""
    _require_alike(estimate, true)
    size = np.where(true == 0, np.nan, np.abs(true))
    made: Floats = 100.0 * np.abs(estimate - true) / size
    return made


def mean_percentage_difference(estimate: Floats, true: Floats) -> float:
    """Mean APD over the cells that have one."""
    each = percentage_differences(estimate, true)
    known = each[~np.isnan(each)]
    return float(known.mean()) if len(known) else float("nan")


def _require_alike(*parts: Floats | Integers) -> None:
    if len({len(part) for part in parts}) > 1:
        raise Defect("estimates and truth are not of the same cells")
