"""Measure: how useful the release is beside the truth and beside today's disclosure limitation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.baselines.alternatives import ProtectedFile, ProtectedValues, Rival, cells_of
from workbench.core.confidential import Confidential
from workbench.core.errors import raise_if
from workbench.core.findings import Finding, found_by
from workbench.core.progress import Context, Part
from workbench.core.randomness import StudyRandom
from workbench.core.side_by_side import Side, SideBySide
from workbench.core.specs import find
from workbench.review.run.prepare import PreparedTable, product_of
from workbench.review.run.protect import Protected, mechanism_of
from workbench.utility.contract import Comparison
from workbench.utility.methods import methods_compared
from workbench.utility.streams import stream

if TYPE_CHECKING:
    from workbench.core.arrays import Floats
    from workbench.core.published import Published
    from workbench.review.plan.plan import Choice, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    findings: tuple[Finding, ...]
    side_by_side: tuple[SideBySide, ...]


def baseline_values(prepared: PreparedTable, plan: Plan, context: Context) -> Confidential[Floats]:
    """The same table as today's disclosure limitation would show it, cell by cell."""
    return cells_of(_baseline(prepared, plan, plan.baselines[0], context).gives)


def rivals_of(prepared: PreparedTable, plan: Plan, context: Context) -> tuple[Rival, ...]:
    """Everything the release is compared with. Seeded, so that it comes out the same again."""
    made: list[Rival] = []
    ways = [(_baseline, choice) for choice in plan.baselines] + [(_studied, choice) for choice in plan.rivals]
    for number, (way, choice) in enumerate(ways):
        made.append(way(prepared, plan, choice, Part(context, number / len(ways), (number + 1) / len(ways))))
    return tuple(made)


def refuse_rivals(prepared: PreparedTable, plan: Plan) -> None:
    """What cannot be drawn for comparison is told before the release is drawn, which cannot be undone."""
    for choice in plan.rivals:
        mechanism = find(product_of(plan).mechanisms, choice.id, "mechanism")
        found = mechanism.problems(prepared.value, choice.params)
        raise_if(problem.at(f"[[rivals]] {mechanism.id}") for problem in found)


def _baseline(prepared: PreparedTable, plan: Plan, choice: Choice, context: Context) -> Rival:
    baseline = find(product_of(plan).baselines, choice.id, "baseline")
    context.step(0.0, f"Protecting the table with {baseline.title}")
    given = baseline.protect(prepared.value, choice.params, StudyRandom(plan.study.seed), context)
    return Rival(id=baseline.id, title=baseline.title, side=Side.SDL, gives=given)


def _studied(prepared: PreparedTable, plan: Plan, choice: Choice, context: Context) -> Rival:
    """Another mechanism's draw from seeded randomness, laid out as it would be published, and confidential."""
    product = product_of(plan)
    mechanism = find(product.mechanisms, choice.id, "mechanism")
    context.step(0.0, f"Drawing {mechanism.title} for study")
    drawn = mechanism.study(prepared.value, choice.params, stream(plan.study.seed, f"rival {mechanism.id}"), context)
    return Rival(
        id=mechanism.id,
        title=mechanism.title,
        side=Side.SOURCE if mechanism.traits.of_the_source else Side.OTHER,
        gives=ProtectedFile(published=Confidential(product.public_table(prepared.value, drawn.reveal()))),
    )


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
    context.step(0.95, "Comparing the tables side by side")
    for rival in rivals:
        if isinstance(rival.gives, ProtectedValues):
            continue
        findings.extend(found_by(rival.id, rival.gives.remarks, stage="compare"))
        if rival.gives.beside is not None:
            findings.extend(found_by(rival.id, rival.gives.beside(protected.table), stage="compare"))
    beside = product.side_by_side(prepared.value, protected.table, rivals)
    findings.extend(found_by("methods-compared", methods_compared(beside), stage="compare"))
    return Measured(findings=tuple(findings), side_by_side=beside)
