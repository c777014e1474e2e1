"""Divergence of noisy flows over ε: what is expected, and the released file, for all and for small populations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.quantities import Epsilon, show
from workbench.products.commuting_flows.flows.structures import Numbers, Populations
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams
from workbench.products.commuting_flows.usefulness.draws import on_grid
from workbench.products.commuting_flows.usefulness.kl import SMALL, Average, average, divergence, smoothed
from workbench.products.commuting_flows.usefulness.noisy_grid import NoisyGrid, expected_shares, noisy_grid

GRID = ("0.5", "1", "2", "3", "4", "6", "8")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisySetting:
    epsilon: Decimal
    expected: Average
    file: Average


def noisy_curve(
    prepared: Populations, now: NoisyFlowsParams, *, seed: int, context: Context
) -> tuple[NoisySetting, ...]:
    """One draw for each ε of the grid and the one in force, all with the same seed."""
    grid = noisy_grid(prepared, Part(context, 0.0, 0.2))
    true = on_grid(prepared, prepared.flows.reveal())
    wanted = sorted({*(Decimal(text) for text in GRID), Decimal(now.epsilon)})
    found = []
    for number, epsilon in enumerate(wanted):
        context.step(0.2 + 0.8 * number / len(wanted), f"Working out ε = {epsilon}")
        found.append(_setting(prepared, grid, true, replace(now, epsilon=Epsilon(epsilon), reports=False), seed))
    context.step(1.0, "Trade-off worked out")
    return tuple(found)


def _setting(
    prepared: Populations, grid: NoisyGrid, true: Numbers, params: NoisyFlowsParams, seed: int
) -> NoisySetting:
    fitted, file = grid.drawn(params, seed=seed)
    drawn = on_grid(prepared, file)
    return NoisySetting(
        epsilon=Decimal(params.epsilon),
        expected=average(divergence(true, expected_shares(fitted)), prepared.size),
        file=average(divergence(true, smoothed(drawn)), prepared.size),
    )


def noisy_finding(curve: tuple[NoisySetting, ...], now: NoisyFlowsParams) -> Finding:
    here = next(setting for setting in curve if setting.epsilon == Decimal(now.epsilon))
    return Finding(
        id="flow-trade-off.epsilon",
        title="Divergence against ε",
        status=Status.INFO,
        sentence=(
            f"At ε = {show(here.epsilon)} (unit “{now.unit.value}”) the released file diverges by "
            f"{show(here.file.everyone, 3)} nats from the true residences, what is expected by "
            f"{show(here.expected.everyone, 3)}."
        ),
        values={
            "kl_all": _known(here.expected.everyone),
            "kl_small": _known(here.expected.small),
            "kl_drawn_all": _known(here.file.everyone),
            "kl_drawn_small": _known(here.file.small),
            "claimed_epsilon": here.epsilon,
        },
        tables=(
            Table(
                title="One draw for each ε",
                columns=(
                    "ε",
                    "expected, all",
                    f"expected, fewer than {SMALL}",
                    "file, all",
                    f"file, fewer than {SMALL}",
                ),
                rows=tuple((each.epsilon, *(_known(value) for value in _four(each))) for each in curve),
                note="KL(L‖P) in nats on the 29-point grid, weighted by workers; one worker spread evenly over a file.",
            ),
        ),
        figures=(noisy_figure(curve, now),),
        does_not_prove="The curve holds for these data and this prior, and for one draw at each ε.",
    )


def noisy_figure(curve: tuple[NoisySetting, ...], now: NoisyFlowsParams) -> Figure:
    names = ("expected, all", f"expected, fewer than {SMALL}", "file, all", f"file, fewer than {SMALL}")
    lines = zip(names, zip(*(_four(each) for each in curve), strict=True), strict=True)
    return Figure(
        kind=Kind.LINES,
        title="Divergence by ε",
        x=Axis(label="ε", log=True),
        y=Axis(label="KL(L‖P), weighted by workers", unit="nats"),
        series=tuple(
            Series(name=name, x=tuple(float(each.epsilon) for each in curve), y=tuple(heights))
            for name, heights in lines
            if all(value == value for value in heights)
        ),
        marks=(Mark(name="in force", value=float(now.epsilon), vertical=True, moves="epsilon"),),
    )


def _four(setting: NoisySetting) -> tuple[float, float, float, float]:
    return setting.expected.everyone, setting.expected.small, setting.file.everyone, setting.file.small


def _known(value: float) -> float | None:
    return value if value == value else None
