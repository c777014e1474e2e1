"""The noise of every method over ε: standard deviation of a count and of a mean, from formulas alone.

For one cell of so many people with a mean of so large a share of the cap. No data are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Epsilon
from workbench.explorations.contract import Scene
from workbench.mechanisms.dial import claimed
from workbench.noise import discrete_laplace
from workbench.products.outcome_reports.mechanisms.approximate_quantiles import ApproximateQuantilesParams
from workbench.products.outcome_reports.mechanisms.discrete_gaussian import DiscreteGaussianParams, precisions
from workbench.products.outcome_reports.mechanisms.histogram_estimates import mean_sd
from workbench.products.outcome_reports.mechanisms.history_histogram import HistoryHistogramParams
from workbench.products.outcome_reports.mechanisms.history_sums import BlockLaw
from workbench.products.outcome_reports.mechanisms.means_of_bins import flat_means
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.percentiles import number_of_bins, planned_edges

_RADIUS = 60  # of the noise: where it is larger, noise times ε hardly changes with ε, and a smaller table serves
_CAP = 1_000_000  # in dollars: noise is a share of it
_EPSILONS = tuple(np.exp(np.linspace(math.log(0.5), math.log(16.0), 9)).round(3).tolist())


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseOfMethodsParams:
    people: int = param(100, "People", "In the cell, planned or public.", ge=1)
    share: Decimal = param(Decimal("0.3"), "Mean over cap", "How large mean pay is beside the cap.", gt=0, lt=1)


@dataclass(frozen=True, slots=True)
class Method:
    """Standard deviations of a count and of a mean, in people and in shares of the cap, at an ε."""

    name: str
    noise: Callable[[float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class NoiseOfMethods:
    """See the module's docstring."""

    id: str = "noise-of-methods"
    version: int = 1
    title: str = "Noise of each method"
    summary: str = "Standard deviation of counts and means over ε for every method, by formula."
    params: type[NoiseOfMethodsParams] = NoiseOfMethodsParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG002 - nothing depends on the data
        return {}

    def show(self, scene: Scene, params: NoiseOfMethodsParams, context: Context) -> tuple[Finding, ...]:
        prepared: Outcomes = scene.prepared
        methods = methods_for(prepared.layout.years, prepared.layout.places, params.people, float(params.share))
        found: dict[str, list[tuple[float, float]]] = {}
        for place, method in enumerate(methods):
            context.step(place / len(methods), f"noise of {method.name}")
            found[method.name] = [method.noise(epsilon) for epsilon in _EPSILONS]
        now = float(claimed(scene.mechanism, scene.params))
        context.step(1.0, "noise of all methods known")
        ours = {method.name: method.noise(now) for method in methods}
        best, source = ours["history"], ours["observed-mean"]
        return (
            Finding(
                id="noise-of-methods",
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"At ε = {now:.3g} a count has a standard deviation of {best[0]:.2g} people with history noise and "
                    f"{source[0]:.2g} with the source's method; a mean of {params.people} people {100 * best[1]:.2g} % "
                    f"and {100 * source[1]:.2g} % of the cap."
                ),
                tables=(_table(ours, now),),
                figures=(_figure(found, 0, now), _figure(found, 1, now)),
            ),
        )


def methods_for(years: int, places: int, people: int, share: float) -> tuple[Method, ...]:
    """The source's with χ = cap; `job-year` protects one year only."""
    mixed = math.sqrt(share**2 + (1.0 - share) ** 2)

    def source(epsilon: float) -> tuple[float, float]:
        scale = 2.0 * years / epsilon
        return math.sqrt(discrete_laplace.variance(scale)), math.sqrt(2.0) * scale / people

    def history(epsilon: float) -> tuple[float, float]:
        law, grown = _law(epsilon, years, places, 2)
        variance, shared, _ = law.moments
        spread = mixed**2 * variance - 2.0 * share * (1.0 - share) * shared
        return law.count_sd() * grown, math.sqrt(spread) / (law.units * people) * grown

    def single(epsilon: float) -> tuple[float, float]:
        sd = math.sqrt(2.0) / epsilon
        return math.sqrt(2.0) * sd, mixed * sd / people

    def gaussian(epsilon: float) -> tuple[float, float]:
        plan = precisions(years, places, _CAP, DiscreteGaussianParams(epsilon=Epsilon(str(epsilon))))
        count = plan.count_sd()
        return count, math.hypot(plan.total / (2.0 * _CAP), (share - 0.5) * count) / people

    def quantiles(epsilon: float) -> tuple[float, float]:
        law, grown = _law(epsilon * float(ApproximateQuantilesParams().counts), years, places, 1)
        return law.count_sd() * grown, math.nan

    return (
        Method("observed-mean", source),
        Method("history", history),
        Method("history-histogram", partial(_histogram, years, places, people, share)),
        Method("approximate-quantiles", quantiles),
        Method("discrete-gaussian", gaussian),
        Method("job-year", single),
    )


def _law(epsilon: float, years: int, places: int, each: int) -> tuple[BlockLaw, float]:
    """The noise of a block, or noise of its shape with smaller tables, and by how much it is to grow."""
    used = max(epsilon, years * places * each / _RADIUS)
    return BlockLaw(Fraction(used).limit_denominator(1000), years, places, each), used / epsilon


def _histogram(years: int, places: int, people: int, share: float, epsilon: float) -> tuple[float, float]:
    """Bins by the rule for so many people, around pay whose mean is that share of the cap."""
    spread = float(HistoryHistogramParams().spread)
    median = share * _CAP * math.exp(-(spread**2) / 2.0)
    edges = planned_edges(median, spread, number_of_bins(people, epsilon / years), _CAP)
    law, grown = _law(epsilon, years, places * (len(edges) - 1), 1)
    mean = float(mean_sd(law, flat_means(edges), np.array([share * _CAP]), np.array([float(people)]))[0])
    return law.sum_sd(len(edges) - 1) * grown, mean * grown / _CAP


def _table(ours: dict[str, tuple[float, float]], now: float) -> Table:
    return Table(
        title=f"Standard deviation of the noise at ε = {now:.3g}",
        columns=("method", "count (people)", "mean (% of the cap)"),
        rows=tuple(
            (name, count, 100.0 * mean if math.isfinite(mean) else None) for name, (count, mean) in ours.items()
        ),
        note=(
            "job-year protects one row of one year only; discrete-gaussian has δ = 0.000001. The bins of "
            "history-histogram are planned for these people; where people are within their bins comes on top. "
            "approximate-quantiles gives a fifth of ε to counts and publishes no mean."
        ),
    )


def _figure(found: dict[str, list[tuple[float, float]]], which: int, now: float) -> Figure:
    label, unit, factor = (("Standard deviation of a count", "people", 1.0), ("of a mean", "% of the cap", 100.0))[
        which
    ]
    return Figure(
        kind=Kind.LINES,
        title="Noise of a count by method" if which == 0 else "Noise of a mean by method",
        x=Axis(label="ε of a whole history", log=True),
        y=Axis(label=label if which == 0 else "Standard deviation of a mean", unit=unit, log=True),
        series=tuple(
            Series(
                name=name, x=_EPSILONS, y=tuple(factor * each[which] for each in values), muted=name == "job-year",
                dashed=name == "job-year",
            )
            for name, values in found.items()
            if math.isfinite(values[0][which])
        ),
        marks=(Mark(name="ε now", value=now, vertical=True),) if now > 0 else (),
    )  # fmt: skip


SPEC = NoiseOfMethods()
