"""The slides' trade-offs: divergence of residences against ε*, δ and min_p, one changed at a time.

For each setting the divergence of the posterior from the true residences (`flow_kl`), weighted by workers, for all and
for small populations, and the claimed ε with pruning, computed on the same populations with the same seed. Grids and
benchmark case [ε*, δ, min_p] = [4.6, 10⁻⁶, .025] are the slides' (section 6; their min_p .001 breaks the sequence).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import Delta, Epsilon, show
from workbench.core.value_words import ValueName, declare
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.commuting_flows.noisy_flows import NoisyFlowsParams
from workbench.products.commuting_flows.synthetic_residences import SyntheticResidencesParams
from workbench.products.commuting_flows.usefulness.kl import SMALL, Average, average, divergence
from workbench.products.commuting_flows.usefulness.noisy_trade_off import noisy_curve, noisy_finding
from workbench.products.commuting_flows.usefulness.posterior import MOST_POPULATIONS, PosteriorGrid, posterior_grid
from workbench.utility.contract import Comparison

declare(
    {
        "best_value": ValueName("Setting with the smallest divergence"),
        "best_kl_all": ValueName("Smallest divergence", "nats"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowTradeOffParams:
    most: int = param(
        MOST_POPULATIONS,
        "Maximum populations",
        "The trade-off is worked out on at most this many populations of each kind, chosen at random.",
        ge=1,
        le=1_000_000,
        unit="populations",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """A setting that the slides move: its grid, its value in the benchmark case and how to write it."""

    name: str
    title: str
    benchmark: str
    grid: tuple[str, ...]
    kind: Callable[[str], Decimal] = Decimal
    log: bool = False


LEVERS = (
    Lever(name="epsilon", title="Nominal ε*", benchmark="4.6", grid=("2", "4", "4.6", "10", "25"), kind=Epsilon),
    Lever(name="delta", title="δ", benchmark="1e-6", grid=("1e-3", "1e-4", "1e-5", "1e-6"), kind=Delta, log=True),
    Lever(name="min_p", title="min_p", benchmark="0.025", grid=("0.1", "0.05", "0.025", "0.001"), log=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One point of a curve."""

    kl: Average
    epsilon: float
    value: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class FlowTradeOff:
    """See the module's docstring."""

    id: str = "flow-trade-off"
    version: int = 2
    title: str = "Trade-off of privacy and divergence"
    summary: str = "Divergence of residences over ε*, δ and min_p, all and small populations, as on the slides."
    params: type[FlowTradeOffParams] = FlowTradeOffParams

    def run(self, comparison: Comparison, params: FlowTradeOffParams, context: Context) -> tuple[Finding, ...]:
        now = comparison.mechanism_params
        if isinstance(now, NoisyFlowsParams):
            curve = noisy_curve(comparison.prepared, now, seed=comparison.seed, context=context)
            return (noisy_finding(curve, now),)
        if not isinstance(now, SyntheticResidencesParams):
            context.step(1.0, "No trade-off to show")
            return (_nothing(),)
        grid = posterior_grid(
            comparison.prepared, most=params.most, seed=comparison.seed, context=Part(context, 0, 0.3)
        )
        curves = sweep(grid, comparison.mechanism, now, seed=comparison.seed, context=Part(context, 0.3, 1.0))
        return tuple(_finding(lever, curve, now, grid) for lever, curve in zip(LEVERS, curves, strict=True))


def sweep(
    grid: PosteriorGrid, mechanism: AnyMechanism, now: SyntheticResidencesParams, *, seed: int, context: Context
) -> tuple[tuple[Setting, ...], ...]:
    """A curve for each lever through the grid's values and the value in force; the other settings stay as they are."""
    values = [_values(lever, now) for lever in LEVERS]
    total = sum(map(len, values))
    done, curves = 0, []
    known: dict[SyntheticResidencesParams, Setting] = {}  # the setting in force is on every curve
    for lever, wanted in zip(LEVERS, values, strict=True):
        curve = []
        for value in wanted:
            context.step(done / total, f"Working out {lever.title} = {value}")
            moved = _moved(now, lever, value)
            if moved not in known:
                known[moved] = _setting(grid, mechanism, moved, seed=seed)
            curve.append(replace(known[moved], value=value))
            done += 1
        curves.append(tuple(curve))
    context.step(1.0, "Trade-off worked out")
    return tuple(curves)


def _values(lever: Lever, now: SyntheticResidencesParams) -> list[Decimal]:
    return sorted({*(Decimal(text) for text in lever.grid), Decimal(getattr(now, lever.name))})


def _moved(now: SyntheticResidencesParams, lever: Lever, value: Decimal) -> SyntheticResidencesParams:
    changed: dict[str, Any] = {lever.name: lever.kind(str(value))}
    return replace(now, **changed)


def _setting(grid: PosteriorGrid, mechanism: AnyMechanism, params: SyntheticResidencesParams, *, seed: int) -> Setting:
    likely = grid.posterior(params, np.random.Generator(np.random.PCG64(seed)))
    kl = average(divergence(grid.true, likely), grid.sample.size, grid.weight)
    return Setting(kl=kl, epsilon=float(mechanism.claim(grid.sample, params).epsilon))


def _finding(lever: Lever, curve: tuple[Setting, ...], now: SyntheticResidencesParams, grid: PosteriorGrid) -> Finding:
    here = next(setting for setting in curve if setting.value == Decimal(getattr(now, lever.name)))
    best = min(curve, key=lambda setting: setting.kl.everyone)
    columns = (lever.title, "KL, all", f"KL, fewer than {SMALL}", "claimed ε")
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (setting.value, _known(setting.kl.everyone), _known(setting.kl.small), _finite(setting.epsilon))
        for setting in curve
    )
    sampled = grid.sample.populations < grid.whole
    chosen = f" On {grid.sample.populations:,} populations chosen at random." if sampled else ""
    return Finding(
        id=f"flow-trade-off.{lever.name.replace('_', '-')}",
        title=f"Divergence against {lever.title}",
        status=Status.INFO,
        sentence=(
            f"At {lever.title} = {show(here.value)} the divergence is {show(here.kl.everyone, 3)} nats with a claimed "
            f"ε of {show(here.epsilon, 3)}; the smallest on this curve is {show(best.kl.everyone, 3)} at "
            f"{show(best.value)}.{chosen}"
        ),
        values={
            "kl_all": _known(here.kl.everyone),
            "kl_small": _known(here.kl.small),
            "claimed_epsilon": _finite(here.epsilon),
            "best_value": best.value,
            "best_kl_all": _known(best.kl.everyone),
        },
        tables=(
            Table(
                title=f"One setting changed at a time: {lever.title}",
                columns=columns,
                rows=rows,
                note="KL(L‖P) in nats on the 29-point grid, weighted by workers; the slides print it negative.",
            ),
        ),
        figures=figures_of(lever, curve, now),
        does_not_prove="The curve holds for these data and this prior; other years and places have their own.",
    )


def figures_of(lever: Lever, curve: tuple[Setting, ...], now: SyntheticResidencesParams) -> tuple[Figure, ...]:
    """Divergence, and the claimed ε, over one lever."""
    x = Axis(label=lever.title, log=lever.log)
    lines = (("all populations", "everyone"), (f"fewer than {SMALL} workers", "small"))
    divergences = Figure(
        kind=Kind.LINES,
        title=f"Divergence by {lever.title}",
        x=x,
        y=Axis(label="KL(L‖P), weighted by workers", unit="nats"),
        series=_series(curve, [(name, [getattr(setting.kl, part) for setting in curve]) for name, part in lines]),
        marks=_marks(lever, now),
    )
    losses = Figure(
        kind=Kind.LINES,
        title=f"Claimed ε by {lever.title}",
        x=x,
        y=Axis(label="Claimed ε, with pruning"),
        series=_series(curve, [("claimed ε", [setting.epsilon for setting in curve])]),
        marks=_marks(lever, now),
    )
    return tuple(figure for figure in (divergences, losses) if figure.series)


def _series(curve: tuple[Setting, ...], lines: list[tuple[str, list[float]]]) -> tuple[Series, ...]:
    """Only what is finite can be drawn; a line of which nothing is left is not drawn at all."""
    made = []
    for name, heights in lines:
        shown = [(float(s.value), y) for s, y in zip(curve, heights, strict=True) if np.isfinite(y)]
        if shown:
            made.append(Series(name=name, x=tuple(x for x, _ in shown), y=tuple(y for _, y in shown)))
    return tuple(made)


def _marks(lever: Lever, now: SyntheticResidencesParams) -> tuple[Mark, ...]:
    """The setting in force, which can be dragged, and the slides' benchmark case where it is another."""
    here, there = float(getattr(now, lever.name)), float(lever.benchmark)
    if here == there:
        return (Mark(name="benchmark case, in force", value=here, vertical=True, moves=lever.name),)
    return (
        Mark(name="in force", value=here, vertical=True, moves=lever.name),
        Mark(name="benchmark case", value=there, vertical=True),
    )


def _known(value: float) -> float | None:
    return value if value == value else None


def _finite(value: float) -> float | str:
    return value if np.isfinite(value) else "inf"


def _nothing() -> Finding:
    return Finding(
        id="flow-trade-off",
        title="Trade-off of privacy and divergence",
        status=Status.INFO,
        sentence="This mechanism has no ε*, δ and min_p to move.",
        does_not_prove="That it has no trade-off.",
    )


SPEC = FlowTradeOff()
