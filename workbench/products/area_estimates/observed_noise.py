"""Settings of maximum observed sensitivity, and the noise they give: χ of every pool, the scale of every cell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.core.errors import Problem
from workbench.core.params import Rows, param
from workbench.core.quantities import Epsilon
from workbench.mechanisms.observed_sensitivity import noise
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.cell_statistics import Statistic, Wanted, statistics_of
from workbench.products.area_estimates.effects import estimated_cells
from workbench.products.area_estimates.own_epsilon import OwnEpsilon, by_pool, own_epsilons


class Search(StrEnum):
    """Where the worst added row is looked for."""

    EXACT = "exact"
    CORNERS = "corners"


class Winsorise(StrEnum):
    """What is cut off at a percentile."""

    NOTHING = "none"
    SENSITIVITY = "sensitivity"
    ESTIMATES = "estimates"


@dataclass(frozen=True, slots=True, kw_only=True)
class MosParams:
    epsilon: Epsilon = param(
        Epsilon("8"), "ε of each statistic", "Every rank, slope, mean, standard error and the count spends this.",
        gt=0, le=MOST_EPSILON, effect="dial",
    )  # fmt: skip
    minimum: int = param(
        20, "Minimum people", "Smaller cells get no estimate, which reveals that they are small.", ge=3
    )
    search: Search = param(
        Search.EXACT, "Worst added row", "The original looks at the corners of the bounds alone and can miss it.",
        labels={"exact": "Everywhere within the bounds", "corners": "At the corners, as in the original"},
        advanced=True,
    )  # fmt: skip
    winsorise: Winsorise = param(
        Winsorise.NOTHING, "Cut off",
        "What is cut off at percentiles of its pool: N times local sensitivity from above before χ is taken, or the "
        "estimates themselves at both ends before noise, which biases them.",
        labels={
            "none": "Nothing",
            "sensitivity": "N times local sensitivity, cell by cell",
            "estimates": "The estimates, cell by cell, at both ends",
        }, advanced=True,
    )  # fmt: skip
    percentile: Decimal = param(
        Decimal(99), "Percentile", "At which it is cut off; the lower end is as far from 0 as this from 100.", gt=50,
        lt=100, advanced=True,
    )  # fmt: skip
    slope: bool = param(False, "Slope", "Publish the slope too; it spends ε again.")
    mean: bool = param(False, "Mean", "Publish the mean too; it spends ε again.")
    larger: Rows[OwnEpsilon] = own_epsilons()
    errors: bool = param(False, "Standard errors", "Publish margins of error too; each spends ε again.")

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)

    @property
    def wanted(self) -> Wanted:
        return Wanted(slope=self.slope, mean=self.mean, errors=self.errors)


def published_cells(prepared: AreaData, outcome: int, params: MosParams) -> Bools:
    """Cells with an estimate of their own and enough people."""
    shown: Bools = estimated_cells(prepared, outcome) & (prepared.lines.reveal()[outcome].size >= params.minimum)
    return shown


def observed_statistics(prepared: AreaData, params: MosParams) -> tuple[Statistic, ...]:
    """What gets noise: the statistics as they are, or estimates cut off at percentiles of their pool.

    A cut moves no two estimates further apart, so that χ of the uncut ones covers it where the percentiles are held
    fixed. It is not lowered, as the percentiles are read from the same data.
    """
    found = statistics_of(prepared, params.wanted, corners=params.search is Search.CORNERS)
    if params.winsorise is not Winsorise.ESTIMATES:
        return found
    return tuple(each if each.is_error else cut_off(prepared, each, params) for each in found)


def cut_off(prepared: AreaData, statistic: Statistic, params: MosParams) -> Statistic:
    """Estimates of published cells between the two percentiles of their pool, and by how much each was moved."""
    shown, pool = published_cells(prepared, statistic.outcome, params), prepared.places.pool
    upper = float(params.percentile)
    low, high = (
        _percentiles(statistic.value[shown], pool[shown], prepared.places.pools, percentile)[pool]
        for percentile in (100.0 - upper, upper)
    )
    value = np.where(shown, np.clip(statistic.value, low, high), statistic.value)
    return replace(statistic, value=value, bias=value - statistic.value)


def noise_scales(prepared: AreaData, params: MosParams) -> tuple[tuple[Statistic, ...], tuple[Floats, ...]]:
    """The statistics and χ/(εN) for every cell; not-a-number where a cell is not published."""
    statistics = observed_statistics(prepared, params)
    chi = prepared.held.reveal() if prepared.held is not None else chi_of(prepared, statistics, params)
    epsilon = np.array([float(each) for each in by_pool(prepared.places, params.epsilon, params.larger)])
    scales = []
    for statistic, largest in zip(statistics, chi, strict=True):
        size = prepared.lines.reveal()[statistic.outcome].size
        shown = published_cells(prepared, statistic.outcome, params)
        own = noise.scales(np.maximum(size, 1), largest[prepared.places.pool], epsilon[prepared.places.pool])
        scales.append(np.where(shown, own, np.nan))
    return statistics, tuple(scales)


def chi_of(prepared: AreaData, statistics: tuple[Statistic, ...], params: MosParams) -> tuple[Floats, ...]:
    """χ of every pool, statistic by statistic, over the published cells."""
    places, found = prepared.places, []
    for statistic in statistics:
        shown = published_cells(prepared, statistic.outcome, params)
        size, local = prepared.lines.reveal()[statistic.outcome].size[shown], statistic.local[shown]
        pool = places.pool[shown]
        if params.winsorise is Winsorise.SENSITIVITY:
            found.append(_percentiles(size * local, pool, places.pools, float(params.percentile)))
        else:
            found.append(noise.largest_by_pool(size, local, pool, places.pools))
    return tuple(found)


def _percentiles(values: Floats, pool: np.ndarray, pools: int, percentile: float) -> Floats:
    cut = np.zeros(pools)
    for place in np.unique(pool).tolist():
        cut[place] = np.percentile(values[pool == place], percentile)
    return cut
