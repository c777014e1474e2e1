"""Commute distances: how many workers live how far from work, in truth and in the release.

Shares of workers in the eight distance classes of the slides' grid, the largest gap between the two cumulative
distributions over all distances (Kolmogorov-Smirnov), and mean and median miles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.commuting_flows.flows.grid import DISTANCES, distance_class
from workbench.products.commuting_flows.flows.percentiles import grouped_percentile
from workbench.products.commuting_flows.flows.structures import Numbers, Populations
from workbench.products.commuting_flows.usefulness.draws import Commutes, commutes_of, drawn_flows
from workbench.utility.contract import Comparison

declare(
    {
        "mean_true": ValueName("Mean distance, true", "miles"),
        "mean_synthetic": ValueName("Mean distance, released", "miles"),
        "median_true": ValueName("Median distance, true", "miles"),
        "median_synthetic": ValueName("Median distance, released", "miles"),
        "largest_gap": share_of("Largest difference of the shares"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommuteDistanceParams:
    """Nothing to set: the classes are the slides'."""


@dataclass(frozen=True, slots=True)
class CommuteDistance:
    """See the module's docstring."""

    id: str = "commute-distance"
    version: int = 1
    title: str = "Commute distances"
    summary: str = "Workers by distance between home and work, true against released."
    params: type[CommuteDistanceParams] = CommuteDistanceParams

    def run(self, comparison: Comparison, params: CommuteDistanceParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        prepared: Populations = comparison.prepared
        context.step(0.0, "Measuring the true commutes")
        true = commutes_of(prepared, prepared.flows.reveal())
        context.step(0.4, "Measuring the released commutes")
        drawn = commutes_of(prepared, drawn_flows(comparison.release))
        context.step(0.8, "Comparing the distances")
        shown = comparison.baseline.reveal()
        today = _classes(true, np.nan_to_num(shown[: len(true.miles)]))
        found = _finding(true, drawn, today, comparison.baseline_title)
        context.step(1.0, "Distances compared")
        return (found,)


def _classes(commutes: Commutes, workers: Numbers) -> Numbers:
    counted = np.bincount(distance_class(commutes.miles), weights=workers, minlength=len(DISTANCES))
    return counted.astype(np.float64, copy=False)


def _share(counts: Numbers) -> Numbers:
    shares: Numbers = counts / max(float(counts.sum()), 1.0)
    return shares


def _middle(commutes: Commutes) -> tuple[float, float]:
    workers = commutes.flows.workers.astype(np.float64)
    if not workers.sum():
        return 0.0, 0.0
    group = np.zeros(len(workers), np.int64)
    median = grouped_percentile(commutes.miles, workers, group, groups=1, share=0.5)
    return float(np.average(commutes.miles, weights=workers)), float(median[0])


def largest_gap(true: Commutes, drawn: Commutes) -> float:
    """sup |F − G| over all distances."""
    miles = np.concatenate([true.miles, drawn.miles])
    steps = np.concatenate([
        true.flows.workers / max(int(true.flows.workers.sum()), 1),
        -drawn.flows.workers / max(int(drawn.flows.workers.sum()), 1),
    ])  # fmt: skip
    order = np.argsort(miles, kind="stable")
    gap = np.cumsum(steps[order])
    last = np.append(miles[order][1:] != miles[order][:-1], True)
    return float(np.max(np.abs(gap[last]), initial=0.0))


def _finding(true: Commutes, drawn: Commutes, today: Numbers, today_title: str) -> Finding:
    truth, private = (_classes(part, part.flows.workers.astype(np.float64)) for part in (true, drawn))
    (mean, median), (drawn_mean, drawn_median) = _middle(true), _middle(drawn)
    gap = largest_gap(true, drawn)
    shares = {"true": _share(truth), today_title: _share(today), "released": _share(private)}
    places = tuple(float(i) for i in range(len(DISTANCES)))
    return Finding(
        id="commute-distance",
        title="Commute distances",
        status=Status.INFO,
        sentence=(
            f"Half of the workers live within {show(median, 3)} miles of work, released ones within "
            f"{show(drawn_median, 3)}; the mean is {show(mean, 3)} against {show(drawn_mean, 3)} miles. The two "
            f"distributions are never more than {show(100 * gap, 3)} percentage points apart."
        ),
        values={
            "mean_true": mean,
            "mean_synthetic": drawn_mean,
            "median_true": median,
            "median_synthetic": drawn_median,
            "largest_gap": gap,
        },
        tables=(
            Table(
                title="Share of workers by distance",
                columns=("miles", *shares),
                rows=tuple((name, *(float(share[i]) for share in shares.values())) for i, name in enumerate(DISTANCES)),
                note="What the baseline shows is its own distribution: shares of the workers it does not suppress.",
            ),
        ),
        figures=(
            Figure(
                kind=Kind.BARS,
                title="Workers by commute distance",
                x=Axis(label="Distance between home and work", unit="miles", categories=DISTANCES),
                y=Axis(label="Share of workers"),
                series=tuple(Series(name=name, x=places, y=tuple(share.tolist())) for name, share in shares.items()),
            ),
        ),
        does_not_prove="Equal distributions over all workplaces can hide differences at each of them.",
    )


SPEC = CommuteDistance()
