"""Protect: draw the release, once, with the operating system's randomness."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.core.errors import in_section, raise_if
from workbench.core.findings import Audience, Status
from workbench.core.params import names_of
from workbench.core.randomness import ReleaseRandom
from workbench.core.specs import find
from workbench.review.run.prepare import PreparedTable, product_of, refuse_other_versions

if TYPE_CHECKING:
    from workbench.core.claims import Claim
    from workbench.core.progress import Context
    from workbench.core.published import Published
    from workbench.mechanisms.contract import AnyMechanism, Release
    from workbench.review.plan.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Protected:
    claim: Claim
    release: Release
    table: Published


def mechanism_of(plan: Plan) -> AnyMechanism:
    return find(product_of(plan).mechanisms, plan.mechanism.id, "mechanism")


def promised(plan: Plan, prepared: Any) -> Claim:
    """What the plan's mechanism claims. Where units are keyed with a year, the claim is one for a single year of each:
    a reader must know, and a reviewer declare, that years add up."""
    claim = mechanism_of(plan).claim(prepared, plan.mechanism.params)
    roles = plan.data.roles
    by_year = tuple(
        f"each {roles[name]} is protected one {year} at a time, and what it loses in several adds up"
        for name, year in plan.data.shaping.by_year()
        if name in roles and roles[name].identifies
    )
    return replace(claim, provided=(*claim.provided, *by_year)) if claim.formal else claim


def protect(prepared: PreparedTable, plan: Plan, context: Context) -> Protected:
    """Draw what would be published. Every draw is recorded in the project: choosing among draws leaks."""
    refuse_other_versions(plan)
    mechanism = mechanism_of(plan)
    params = plan.mechanism.params
    with in_section("mechanism", fields=names_of(params)):
        raise_if(mechanism.problems(prepared.value, params))
        release = mechanism.release(prepared.value, params, ReleaseRandom(), context)
    return Protected(
        claim=_qualified(promised(plan, prepared.value), prepared),
        release=release,
        table=product_of(plan).public_table(prepared.value, release),
    )


def _qualified(claim: Claim, prepared: PreparedTable) -> Claim:
    """The claim, with what the table's own description found against its assumptions: a reader must see both at once.

    Only findings that anybody may read: a claim is printed in the public report.
    """
    against = tuple(
        f"Not settled for this table: {finding.sentence}"
        for finding in prepared.findings
        if finding.status in (Status.WARN, Status.FAIL) and finding.audience is Audience.PUBLIC
    )
    return replace(claim, assumptions=(*claim.assumptions, *against))
