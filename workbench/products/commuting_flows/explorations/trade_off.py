"""Privacy against truth while a setting moves: ε of the release, and how many residences the prior alone decides.

For ε*, δ or min_p over a range around its present value, all else as it is: the claimed ε of the release, and the
share of synthetic workers that the least prior alone puts somewhere, Σ m·A/(n + A) / Σ m with A = k·p·α the prior
expected to be left after pruning and n = m. Populations stand in for others of like size, so that it follows a moving
handle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Delta, Epsilon, show
from workbench.core.value_words import ValueName, declare, share_of
from workbench.explorations.contract import Scene
from workbench.products.commuting_flows.explorations.noisy_trade_off import noisy_trade_off
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.noisy_flows import NoisyFlowsParams
from workbench.products.commuting_flows.synthetic_residences.claim import claim_of
from workbench.products.commuting_flows.synthetic_residences.params import SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.weights import kept_points, minimum_prior

declare(
    {
        "setting": ValueName("Setting"),
        "share_of_prior": share_of("Share of the prior"),
    }
)

_STEPS = 17
_KINDS = 48  # populations that stand in for all


class Lever(StrEnum):
    EPSILON = "epsilon"
    DELTA = "delta"
    MIN_P = "min_p"


_RANGES: dict[Lever, tuple[str, type[Decimal], float, float]] = {
    Lever.EPSILON: ("Nominal ε*", Epsilon, 0.5, 25.0),
    Lever.DELTA: ("δ", Delta, 1e-9, 1e-2),
    Lever.MIN_P: ("min_p", Decimal, 1e-3, 1.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOffParams:
    lever: Lever = param(
        Lever.EPSILON,
        "Setting that moves",
        "All others stay as they are. Drag the line to set it. Noisy flows have ε alone, whatever is chosen here.",
        labels={"epsilon": "Privacy loss ε", "delta": "δ", "min_p": "Minimum chance of keeping a prior"},
    )


@dataclass(frozen=True, slots=True)
class TradeOff:
    """See the module's docstring."""

    id: str = "trade-off"
    version: int = 1
    title: str = "Privacy against truth"
    summary: str = "What a setting buys as it moves: the ε of the release, and the noise or the part of the prior."
    params: type[TradeOffParams] = TradeOffParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        del scene
        return {}

    def show(self, scene: Scene, params: TradeOffParams, context: Context) -> tuple[Finding, ...]:
        if isinstance(scene.params, NoisyFlowsParams):
            return (noisy_trade_off(scene.prepared, scene.params, context),)
        title, kind, low, high = _RANGES[params.lever]
        now = float(getattr(scene.params, params.lever))
        values = np.unique(np.append(np.geomspace(min(low, now), max(high, now), _STEPS), now))
        settings = [_with(scene.params, params.lever, kind, value) for value in values.tolist()]
        claimed, shares = [], []
        for step, setting in enumerate(settings):
            context.step(step / len(settings), f"{title} {show(float(values[step]), 3)}")
            claimed.append(claim_of(scene.prepared, setting).epsilon)
            shares.append(100.0 * share_of_prior(scene.prepared, setting))
        context.step(1.0, "the curves are there")
        place = int(np.flatnonzero(values == now)[0])
        mark = Mark(name="now", value=now, vertical=True, moves=params.lever.value)
        lines = ([float(epsilon) for epsilon in claimed], shares)
        curves = _figures(axis=Axis(label=title, log=True), mark=mark, x=values.tolist(), lines=lines)
        return (_finding(title, now, (claimed[place], shares[place]), curves),)


def share_of_prior(prepared: Populations, params: SyntheticResidencesParams) -> float:
    """The part of all synthetic workers that the least prior alone puts somewhere, on populations that stand in."""
    size, points, weight = _stand_ins(prepared)
    prior = minimum_prior(size, size, points, params=params)
    keep = np.minimum(np.maximum(prior, float(params.min_p)), 1.0) if params.prunes else np.ones(len(prior))
    left = points * keep * prior
    return float(np.average(left / (size + left), weights=weight)) if weight.sum() else 0.0


def _stand_ins(prepared: Populations) -> tuple[Any, Any, Any]:
    """Sizes at even steps through all workers, each with the usual number of points, each standing for as many."""
    order = np.argsort(prepared.size, kind="stable")
    running = np.cumsum(prepared.size[order])
    marks = (np.arange(_KINDS) + 0.5) / _KINDS * (running[-1] if len(running) else 0)
    chosen = order[np.searchsorted(running, marks)] if len(order) else order
    size, counted = np.unique(prepared.size[chosen], return_counts=True)
    points = kept_points(prepared.supports).per_tract[prepared.support_of]
    usual = max(2, round(float(np.average(points, weights=prepared.size)))) if len(order) else 2
    return size.astype(np.int64), np.full(len(size), usual, dtype=np.int64), counted


def _with(params: Any, lever: Lever, kind: type[Decimal], value: float) -> Any:
    """The present settings with one of them moved; the present value is kept digit by digit."""
    present = getattr(params, lever)
    return params if float(present) == value else replace(params, **{lever.value: kind(f"{value:.6g}")})


def _figures(*, axis: Axis, mark: Mark, x: list[float], lines: tuple[list[float], list[float]]) -> tuple[Figure, ...]:
    """One plot for each line that is finite all along; the mark can be dragged."""
    titles = (
        ("Claimed ε of the release", "Privacy loss ε", "log odds"),
        ("Residences that the prior alone decides", "Share of synthetic workers", "%"),
    )
    return tuple(
        Figure(
            kind=Kind.LINES,
            title=title,
            x=axis,
            y=Axis(label=label, unit=unit),
            series=(Series(name=label, x=tuple(x), y=tuple(line)),),
            marks=(mark,),
        )
        for (title, label, unit), line in zip(titles, lines, strict=True)
        if all(np.isfinite(line))
    )


def _finding(title: str, now: float, here: tuple[Decimal, float], curves: tuple[Figure, ...]) -> Finding:
    return Finding(
        id="trade-off",
        title="Privacy against truth",
        status=Status.INFO,
        sentence=(
            f"At {title} = {show(now)} the release claims ε = {show(here[0])}, and the least prior alone decides "
            f"{show(here[1], 3)} % of the synthetic residences."
        ),
        values={"setting": now, "claimed_epsilon": float(here[0]), "share_of_prior": here[1] / 100.0},
        figures=curves,
        does_not_prove="It says how much is not from the data, not how far off that is: a good prior may be right.",
    )


SPEC = TradeOff()
