"""Divergence on the 29-point grid: how far the posterior and the drawn residences are from the true ones.

Kullback-Leibler, weighted by workers, for all populations and for those of fewer than ten; see `flow_kl` for formula,
signs and zeros. The posterior's is in closed form (`flow_posterior`); the draw's counts one worker spread evenly over
the grid, since a handful of draws leaves most points empty. Source: slides, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import agreeing, counted, show
from workbench.core.value_words import ValueName, declare, only_for_scripts, share_of
from workbench.products.commuting_flows.flows.grid import point_names
from workbench.products.commuting_flows.flows.structures import Numbers, Populations
from workbench.products.commuting_flows.noisy_flows import NoisyFlowsParams
from workbench.products.commuting_flows.synthetic_residences import SyntheticResidencesParams
from workbench.products.commuting_flows.usefulness.draws import drawn_flows, on_grid
from workbench.products.commuting_flows.usefulness.kl import (
    FLOOR,
    SMALL,
    Average,
    average,
    divergence,
    smoothed,
    unreached,
)
from workbench.products.commuting_flows.usefulness.noisy_grid import expected_shares, noisy_grid
from workbench.products.commuting_flows.usefulness.posterior import MOST_POPULATIONS, posterior_grid
from workbench.utility.contract import Comparison

declare(
    {
        "populations_looked_at": ValueName("Populations looked at"),
        "kl_all": ValueName("Divergence, all populations", "nats"),
        "kl_small": ValueName("Divergence, fewer than 10 workers", "nats"),
        "kl_drawn_all": ValueName("Divergence of the draw, all populations", "nats"),
        "kl_drawn_small": ValueName("Divergence of the draw, fewer than 10 workers", "nats"),
        "unreached_all": share_of("True residences that no draw can reach"),
    }
)
only_for_scripts("slide_kl_*")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDivergenceParams:
    most: int = param(
        MOST_POPULATIONS,
        "Maximum populations",
        "The posterior is worked out for at most this many populations of each kind, chosen at random.",
        ge=1,
        le=1_000_000,
        unit="populations",
    )


@dataclass(frozen=True, slots=True)
class FlowDivergence:
    """See the module's docstring."""

    id: str = "flow-divergence"
    version: int = 1
    title: str = "Divergence of residences"
    summary: str = "Kullback-Leibler divergence from the true residences by commute distance and direction."
    params: type[FlowDivergenceParams] = FlowDivergenceParams

    def run(self, comparison: Comparison, params: FlowDivergenceParams, context: Context) -> tuple[Finding, ...]:
        prepared: Populations = comparison.prepared
        context.step(0.0, "Placing true and released residences on the grid")
        true = on_grid(prepared, prepared.flows.reveal())
        context.step(0.2, "Placing the released residences on the grid")
        drawn = on_grid(prepared, drawn_flows(comparison.release))
        released = average(divergence(true, smoothed(drawn)), prepared.size)
        posterior = _posterior(comparison, params, Part(context, 0.3, 1.0))
        context.step(1.0, "Divergence measured")
        return (_finding(prepared, released, posterior, (true.sum(axis=0), drawn.sum(axis=0))),)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Posterior:
    kl: Average
    unreached: Average
    chosen: int
    words: str = "posterior"


def _posterior(comparison: Comparison, params: FlowDivergenceParams, context: Context) -> _Posterior | None:
    """None where the mechanism has no posterior to look at."""
    settings = comparison.mechanism_params
    if isinstance(settings, NoisyFlowsParams):
        return _expected(comparison, settings, context)
    if not isinstance(settings, SyntheticResidencesParams):
        return None
    grid = posterior_grid(comparison.prepared, most=params.most, seed=comparison.seed, context=context)
    likely = grid.posterior(settings, np.random.Generator(np.random.PCG64(comparison.seed)))
    size = grid.sample.size
    return _Posterior(
        kl=average(divergence(grid.true, likely), size, grid.weight),
        unreached=average(unreached(grid.true, likely), size, grid.weight),
        chosen=len(size),
    )


def _expected(comparison: Comparison, settings: NoisyFlowsParams, context: Context) -> _Posterior:
    """What noisy flows expect, of a draw for study: of every population."""
    prepared: Populations = comparison.prepared
    fitted, _ = noisy_grid(prepared, context).drawn(settings, seed=comparison.seed)
    true, likely = on_grid(prepared, prepared.flows.reveal()), expected_shares(fitted)
    return _Posterior(
        kl=average(divergence(true, likely), prepared.size),
        unreached=average(unreached(true, likely), prepared.size),
        chosen=prepared.populations,
        words="expected flows",
    )


def _finding(
    prepared: Populations, released: Average, posterior: _Posterior | None, totals: tuple[Numbers, Numbers]
) -> Finding:
    lines = [("Released file", released)] + ([(posterior.words.capitalize(), posterior.kl)] if posterior else [])
    main = posterior.kl if posterior else released
    what = posterior.words if posterior else "released residences"
    sampled = posterior is not None and posterior.chosen < prepared.populations
    small = f", {show(main.small, 3)} in populations of fewer than {SMALL}" if main.small == main.small else ""
    values: dict[str, float | int | str | None] = {"kl_drawn_all": _known(released.everyone)}
    values |= {"kl_drawn_small": _known(released.small), "populations": prepared.populations}
    if posterior:
        values |= {
            "kl_all": _known(posterior.kl.everyone),
            "kl_small": _known(posterior.kl.small),
            "slide_kl_all": _known(-posterior.kl.everyone),
            "slide_kl_small": _known(-posterior.kl.small),
            "unreached_all": _known(posterior.unreached.everyone),
            "populations_looked_at": posterior.chosen,
        }
    chosen = (
        f" {counted(posterior.chosen, 'population')} chosen at random "
        f"{agreeing(posterior.chosen, 'was', 'were')} looked at."
        if posterior and sampled
        else ""
    )
    rows = tuple(
        (name, kind, _known(value), _known(-value))
        for name, found in lines
        for kind, value in (("all", found.everyone), (f"fewer than {SMALL} workers", found.small))
    )
    return Finding(
        id="flow-divergence",
        title="Divergence of residences on the 29-point grid",
        status=Status.INFO,
        sentence=(
            f"The divergence of the {what} from the true residences is {show(main.everyone, 3)} nats, weighted by "
            f"workers{small}; 0 would be no difference.{chosen}"
        ),
        values=dict(values),
        tables=(
            Table(
                title="Kullback-Leibler divergence, weighted by workers",
                columns=("residences", "populations", "KL(L‖P)", "the slides' D_KL"),
                rows=rows,
                note=(
                    f"In nats. Points that the posterior cannot reach count with probability {FLOOR:g}; drawn "
                    "residences have one worker spread evenly over the grid added."
                ),
            ),
        ),
        figures=(_figure(*totals),),
        does_not_prove=(
            "A grid of 29 points says nothing about which block or tract a worker is put in. A small divergence is no "
            "sign of privacy, nor of its absence."
        ),
    )


def _known(value: float) -> float | None:
    return value if value == value else None


def _figure(true: Numbers, drawn: Numbers) -> Figure:
    names = point_names()
    places = tuple(float(i) for i in range(len(names)))
    shares = (("true", true), ("released", drawn))
    return Figure(
        kind=Kind.BARS,
        title="Residences by distance and direction from the workplace",
        x=Axis(label="Point of the grid", categories=names),
        y=Axis(label="Share of workers"),
        series=tuple(
            Series(name=name, x=places, y=tuple((counts / max(counts.sum(), 1.0)).tolist())) for name, counts in shares
        ),
    )


SPEC = FlowDivergence()
