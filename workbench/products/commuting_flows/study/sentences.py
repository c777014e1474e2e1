"""The slides' sentences on their trade-offs, each with a rule fixed beforehand, under their search and under ours.

The slides' search finds the least prior as if nothing were pruned; ours keeps δ under pruning. “Close to zero” means a
quarter of the divergence at ε* = 2 or less; “significant” and “large” a fall by a tenth or more; “marginal” by less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.progress import Context
from workbench.core.quantities import Delta, Epsilon
from workbench.products.commuting_flows.flows.populations import PreparedFlows
from workbench.products.commuting_flows.synthetic_residences import SyntheticResidencesParams
from workbench.products.commuting_flows.usefulness.kl import Average, average, divergence
from workbench.products.commuting_flows.usefulness.posterior import PosteriorGrid
from workbench.products.commuting_flows.usefulness.trade_off import LEVERS

_CLOSE, _LARGE = 0.25, 0.10
Curves = Mapping[tuple[str, str], Average]  # (setting, value) → divergence


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of the slides, and whether it holds of these curves, with its numbers."""

    said: str
    holds: Callable[[Curves], bool]
    numbers: Callable[[Curves], str]


def _fall(curves: Curves, name: str, before: str, after: str, part: str) -> float:
    first, second = (getattr(curves[name, value], part) for value in (before, after))
    return 1.0 - float(second) / float(first)


def _gain(said: str, name: str, before: str, after: str, part: str, *, large: bool) -> Sentence:
    return Sentence(
        said=said,
        holds=lambda curves: (_fall(curves, name, before, after, part) >= _LARGE) == large,
        numbers=lambda curves: f"{100 * _fall(curves, name, before, after, part):.0f} %",
    )


_ALL, _SMALL = "everyone", "small"
SENTENCES = (
    Sentence(
        said="D_KL is close to zero for ε* above 4 (all)",
        holds=lambda curves: curves["epsilon", "4"].everyone <= _CLOSE * curves["epsilon", "2"].everyone,
        numbers=lambda curves: " and ".join(f"{curves['epsilon', at].everyone:.3f} at {at}" for at in ("4", "2")),
    ),
    _gain("significant gain for small populations from ε* 4 to 4.6", "epsilon", "4", "4.6", _SMALL, large=True),
    _gain("marginal gain beyond ε* 4.6, to 10 (all)", "epsilon", "4.6", "10", _ALL, large=False),
    _gain("marginal gain beyond ε* 4.6, to 10 (small)", "epsilon", "4.6", "10", _SMALL, large=False),
    _gain("marginal gain from δ 10⁻⁶ to 10⁻³ (all)", "delta", "1e-6", "1e-3", _ALL, large=False),
    _gain("marginal gain from δ 10⁻⁶ to 10⁻³ (small)", "delta", "1e-6", "1e-3", _SMALL, large=False),
    _gain("large gain from min_p .1 to .05 (all)", "min_p", "0.1", "0.05", _ALL, large=True),
    _gain("large gain from min_p .05 to .025 (small)", "min_p", "0.05", "0.025", _SMALL, large=True),
    _gain("marginal gain from min_p .025 to .001 (all)", "min_p", "0.025", "0.001", _ALL, large=False),
)


def curves_of(grid: PosteriorGrid, *, slides: bool, seed: int, context: Context) -> Curves:
    """Divergence over ε*, δ and min_p, one changed at a time; by the slides' search nothing counts as pruned."""
    now = SyntheticResidencesParams()
    kinds = {"epsilon": Epsilon, "delta": Delta, "min_p": Decimal}
    found: dict[tuple[str, str], Average] = {}
    wanted = [(lever.name, value) for lever in LEVERS for value in lever.grid]
    for number, (name, value) in enumerate(wanted):
        context.step(number / len(wanted), f"working out {name} = {value}")
        changed: dict[str, Any] = {name: kinds[name](value)}
        params = replace(now, **changed)
        searched = replace(params, pruning=False) if slides else None
        likely = grid.posterior(params, np.random.Generator(np.random.PCG64(seed)), searched)
        found[name, value] = average(divergence(grid.true, likely), grid.sample.size, grid.weight)
    return found


def sampled(prepared: PreparedFlows, *, most: int, seed: int, context: Context) -> PosteriorGrid:
    from workbench.products.commuting_flows.usefulness.posterior import posterior_grid

    return posterior_grid(prepared, most=most, seed=seed, context=context)
