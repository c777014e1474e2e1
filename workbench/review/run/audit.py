"""Audit: every check of the plan on the mechanism, the params and the data at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.audit.contract import Subject
from workbench.core.findings import Finding, found_by
from workbench.core.progress import Context, Part
from workbench.core.specs import find
from workbench.review.run.prepare import PreparedTable, product_of
from workbench.review.run.protect import Protected, mechanism_of

if TYPE_CHECKING:
    from workbench.review.plan.plan import Plan


def audit(prepared: PreparedTable, protected: Protected, plan: Plan, context: Context) -> tuple[Finding, ...]:
    """Run the plan's checks in order and return everything they found."""
    product = product_of(plan)
    subject = Subject(
        prepared=prepared.value,
        mechanism=mechanism_of(plan),
        params=plan.mechanism.params,
        release=protected.release,
        table=protected.table,
        words=product.words,
    )
    findings: list[Finding] = []
    for i, choice in enumerate(plan.checks):
        check = find(product.checks, choice.id, "check")
        part = Part(context, i / len(plan.checks), (i + 1) / len(plan.checks))
        part.step(0.0, f"Check: {check.title}")
        findings.extend(found_by(check.id, check.run(subject, choice.params, part), stage="audit"))
    return tuple(findings)
