"""Explore: what a product offers to turn and look at, with the data and the plan at hand. Nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.core.findings import Finding, found_by
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.specs import find
from workbench.explorations.contract import Scene
from workbench.review.plan.plan import Plan
from workbench.review.run.measure import baseline_values
from workbench.review.run.prepare import PreparedTable, product_of
from workbench.review.run.protect import mechanism_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What came out, and which values the text settings can take."""

    findings: tuple[Finding, ...]
    choices: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An exploration as window and command line list it; `params` are its settings, as a class."""

    id: str
    title: str
    summary: str
    params: type[Any]
    needs_release: bool


def explorations_at(plan: Plan, stage: str) -> tuple[Offer, ...]:
    """What the plan's product offers to turn and look at on the page of a stage."""
    return tuple(
        Offer(id=each.id, title=each.title, summary=each.summary, params=each.params, needs_release=each.needs_release)
        for each in product_of(plan).explorations
        if each.stage == stage
    )


def explore(
    name: str,
    params: Any,
    *,
    plan: Plan,
    prepared: PreparedTable,
    table: Published | None,
    context: Context,
) -> Explored:
    """The findings of one exploration, by its id, for the plan as it stands."""
    offer = find(product_of(plan).explorations, name, "exploration")
    scene = Scene(
        prepared=prepared.value,
        mechanism=mechanism_of(plan),
        params=plan.mechanism.params,
        table=table,
        baseline=(lambda part: baseline_values(prepared, plan, part)) if plan.baselines else None,
        cap=plan.policy.budget,
    )
    found = offer.show(scene, params, context)
    return Explored(findings=found_by(offer.id, found, stage=offer.stage), choices=dict(offer.choices(scene)))
