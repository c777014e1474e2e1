"""The exact estimates of every cell, for reviewers: what the release is compared with.

A cell without a line of its own (fewer than three people, or all with the same predictor) is laid at the exact line of
its pool, so that every row has something to be compared with; `usable` says which cells have their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.effects import effect_of
from workbench.products.area_estimates.fractional_sums import SUMS
from workbench.products.area_estimates.line import Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """Of one outcome, between 0 and 1: cells × ranks with standard errors; slope, mean; number of people."""

    at: Floats
    error: Floats
    slope: Floats
    slope_error: Floats
    mean: Floats
    mean_error: Floats
    count: Floats
    usable: Bools


def exact_estimates(prepared: AreaData, outcome: int) -> Exact:
    """From the exact line of every cell."""
    if prepared.estimator is not None:
        return _exact_effect(prepared, outcome)
    lines, pool = prepared.lines.reveal()[outcome], prepared.places.pool
    usable = lines.usable
    own = _where(usable, lines)
    a, b = pool_lines(lines, pool, prepared.places.pools)
    ranks = prepared.inner_ranks
    at = [np.where(usable, own.at(rank), (a + b * rank)[pool]) for rank in ranks]
    error = [np.where(usable, own.standard_error(rank), 0.0) for rank in ranks]
    return Exact(
        at=np.stack(at, axis=1),
        error=np.stack(error, axis=1),
        slope=np.where(usable, own.slope, b[pool]),
        slope_error=np.where(usable, own.slope_error(), 0.0),
        mean=np.where(lines.size > 0, lines.y_mean, (a + 0.5 * b)[pool]),
        mean_error=np.where(usable, np.sqrt(own.residual / (own.size - 2) / own.size), 0.0),
        count=prepared.table.reveal().sums[0].sum(axis=1) / (SUMS * prepared.weight_grid),
        usable=usable,
    )


def _exact_effect(prepared: AreaData, outcome: int) -> Exact:
    """A cell without an effect of its own is laid at the mean of its pool's, none where there is none."""
    lines, pool, pools = prepared.lines.reveal()[outcome], prepared.places.pool, prepared.places.pools
    found = effect_of(prepared, outcome)
    known = np.isfinite(found.sensitivity)
    weight = np.where(known, lines.size, 0).astype(np.float64)
    total = np.bincount(pool, weights=weight * np.where(known, found.value, 0.0), minlength=pools)
    middle = total / np.maximum(np.bincount(pool, weights=weight, minlength=pools), 1.0)
    return Exact(
        at=np.where(known, found.value, middle[pool])[:, None],
        error=np.nan_to_num(found.error)[:, None],
        slope=np.full(len(known), np.nan),
        slope_error=np.full(len(known), np.nan),
        mean=np.full(len(known), np.nan),
        mean_error=np.full(len(known), np.nan),
        count=lines.size.astype(np.float64),
        usable=known,
    )


def pool_lines(lines: Lines, pool: Integers, pools: int) -> tuple[Floats, Floats]:
    """Intercept and slope of every pool from the lines of its cells; level where there is no spread."""

    def added(values: Floats) -> Floats:
        total: Floats = np.bincount(pool, weights=values, minlength=pools).astype(np.float64)
        return total

    n = np.maximum(added(lines.size.astype(np.float64)), 1.0)
    x, y = added(lines.size * lines.x_mean) / n, added(lines.size * lines.y_mean) / n
    dx, dy = lines.x_mean - x[pool], lines.y_mean - y[pool]
    spread = added(lines.x_spread + lines.size * dx * dx)
    product = added(lines.product + lines.size * dx * dy)
    slope = np.where(spread > 0.0, product / np.where(spread > 0.0, spread, 1.0), 0.0)
    return y - slope * x, slope


def _where(usable: Bools, lines: Lines) -> Lines:
    """The same lines, with harmless numbers where there is none."""
    return Lines(
        size=np.where(usable, lines.size, 3),
        x_mean=lines.x_mean,
        y_mean=lines.y_mean,
        x_spread=np.where(usable, lines.x_spread, 1.0),
        product=lines.product,
        y_spread=lines.y_spread,
    )
