"""What keeps noisy flows from being drawn: rules that would undo the guarantee, and reports that say nothing."""

from __future__ import annotations

import math

from workbench.core.errors import Problem
from workbench.core.progress import QUIET
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.noisy_flows.budget import budget_of
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit

_MOST_FLOWS = 400_000_000


def problems_of(prepared: Populations, params: NoisyFlowsParams) -> tuple[Problem, ...]:
    return (*_left_out(prepared, params), *_too_many(prepared), *_reports(prepared, params))


def _left_out(prepared: Populations, params: NoisyFlowsParams) -> list[Problem]:
    """Whatever leaves jobs out by looking at them, or prints sizes that are neither true nor noisy."""
    found = []
    for rule in prepared.left_out:
        if rule.startswith("small") and params.unit is Unit.HOME:
            continue  # sizes are public, and so is which of them are small
        where, do = _REMEDIES[rule.split()[0]]
        found.append(Problem(f"Noisy flows cannot be drawn where {rule}", where, do))
    return found


_REMEDIES = {
    "jobs": ("outside", "Count them at a block of unknown homes in the geography, or refuse such data"),
    "small": ("minimum_size", "Set the smallest population to 1: unit “job” protects sizes"),
    "sizes": ("sizes", "Publish true sizes (unit “home”), or let unit “job” protect them"),
}


def _too_many(prepared: Populations) -> list[Problem]:
    tracts = len(prepared.supports.work_tract)
    if tracts * len(prepared.geography.areas[0]) <= _MOST_FLOWS:
        return []
    do = "List fewer workplaces, or put far tracts together in the geography"
    return [Problem("There are too many pairs of work tracts and home tracts", "populations", do)]


def _reports(prepared: Populations, params: NoisyFlowsParams) -> list[Problem]:
    if not params.reports:
        return []
    from workbench.products.commuting_flows.noisy_flows.counts import shape_of
    from workbench.products.commuting_flows.noisy_flows.layout import layout_of

    listed = shape_of(layout_of(prepared, QUIET)).listed
    small = listed[prepared.size <= budget_of(params).small_limit]
    if not len(small) or _enough(params, int(small.min())):
        return []
    what = f"ε = {params.epsilon} is too small for reports: no small population has so few cells that one would tell"
    return [Problem(what, "reports", "Raise ε, or switch reports off")]


def _enough(params: NoisyFlowsParams, cells: int) -> bool:
    return float(params.epsilon) >= math.log(max(cells, 1)) + 1.0
