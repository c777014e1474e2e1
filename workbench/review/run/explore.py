"""Explore: what a product offers to turn and look at, with the data and the plan at hand. Nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.core.findings import Finding, found_by
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.explorations.contract import AnyExploration, Scene
from workbench.review.plan.plan import Plan
from workbench.review.run.measure import baseline_values
from workbench.review.run.prepare import PreparedTable, product_of
from workbench.review.run.protect import mechanism_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What came out, and which values the text settings can take."""

    findings: tuple[Finding, ...]
    choices: dict[str, tuple[str, ...]]


def explorations_at(plan: Plan, stage: str) -> tuple[AnyExploration, ...]:
    return tuple(offer for offer in product_of(plan).explorations if offer.stage == stage)


def explore(
    offer: AnyExploration,
    params: Any,
    *,
    plan: Plan,
    prepared: PreparedTable,
    table: Published | None,
    context: Context,
) -> Explored:
    """The findings of one exploration for the plan as it stands."""
    scene = Scene(
        prepared=prepared.value,
        mechanism=mechanism_of(plan),
        params=plan.mechanism.params,
        table=table,
        baseline=(lambda part: baseline_values(prepared, plan, part)) if plan.baselines else None,
    )
    found = offer.show(scene, params, context)
    return Explored(findings=found_by(offer.id, found, stage=offer.stage), choices=dict(offer.choices(scene)))
