"""Measure: how useful the release is beside the truth and beside today's disclosure limitation."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.baselines.alternatives import Rival, cells_of
from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.findings import Finding, found_by
from workbench.core.progress import Context, Part
from workbench.core.published import Published
from workbench.core.randomness import StudyRandom
from workbench.core.side_by_side import Side, SideBySide
from workbench.core.specs import find
from workbench.review.plan.plan import Plan
from workbench.review.run.prepare import PreparedTable, product_of
from workbench.review.run.protect import Protected, mechanism_of
from workbench.utility.contract import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    findings: tuple[Finding, ...]
    side_by_side: tuple[SideBySide, ...]


def baseline_values(prepared: PreparedTable, plan: Plan, context: Context) -> Confidential[Floats]:
    """The same table as today's disclosure limitation would show it, cell by cell."""
    return cells_of(rivals_of(prepared, plan, context)[0].gives)


def rivals_of(prepared: PreparedTable, plan: Plan, context: Context) -> tuple[Rival, ...]:
    """Everything the release is compared with. Seeded, so that it comes out the same again."""
    baseline = find(product_of(plan).baselines, plan.baseline.id, "baseline")
    context.step(0.0, f"Protecting the table with {baseline.title}")
    given = baseline.protect(prepared.value, plan.baseline.params, StudyRandom(plan.study.seed), context)
    return (Rival(id=baseline.id, title=baseline.title, side=Side.SDL, gives=given),)


def lay_again(prepared: PreparedTable, plan: Plan, table: Published, context: Context) -> tuple[SideBySide, ...]:
    """The tables side by side for a draw that was stored earlier: looking again must not need drawing again."""
    return product_of(plan).side_by_side(prepared.value, table, rivals_of(prepared, plan, context))


def measure(prepared: PreparedTable, protected: Protected, plan: Plan, context: Context) -> Measured:
    """Protect the same data in every other way of the plan, and let every measure of the product compare."""
    product = product_of(plan)
    rivals = rivals_of(prepared, plan, Part(context, 0.0, 0.2))
    comparison = Comparison(
        prepared=prepared.value,
        mechanism=mechanism_of(plan),
        mechanism_params=plan.mechanism.params,
        mechanisms=product.mechanisms,
        rivals=rivals,
        release=protected.release,
        seed=plan.study.seed,
        trials=plan.study.trials,
        words=product.words,
    )
    findings: list[Finding] = []
    for i, spec in enumerate(product.measures):
        part = Part(context, 0.2 + 0.75 * i / len(product.measures), 0.2 + 0.75 * (i + 1) / len(product.measures))
        part.step(0.0, f"Measure: {spec.title}")
        findings.extend(found_by(spec.id, spec.run(comparison, spec.params(), part), stage="compare"))
    context.step(0.95, "Laying the tables side by side")
    return Measured(
        findings=tuple(findings),
        side_by_side=product.side_by_side(prepared.value, protected.table, rivals),
    )
