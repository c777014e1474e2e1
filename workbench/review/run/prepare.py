"""Prepare: from microdata to what mechanisms take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core.errors import Problem, in_section, raise_if
from workbench.core.findings import Finding, found_by
from workbench.core.params import names_of
from workbench.core.progress import Context, Part
from workbench.core.specs import Spec, find
from workbench.microdata import columns

if TYPE_CHECKING:
    from workbench.products.contract import AnyProduct
    from workbench.review.plan.plan import Choice, Plan
    from workbench.review.run.opening import LoadedData


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedTable:
    """What a product made of the data, its describing findings, and the digest of what was asked.

    Two of them are the same only where they are one: nobody compares confidential tables by their values.
    """

    product: AnyProduct
    value: Any
    findings: tuple[Finding, ...]
    digest: str


def product_of(plan: Plan) -> AnyProduct:
    from workbench.products import registry

    return registry.product(plan.product.id)


def refuse_other_versions(plan: Plan) -> None:
    """What was stored with another version of a plug-in can be read for ever, but not run as if nothing had changed."""
    product = product_of(plan)
    choices: list[tuple[Spec, Choice]] = [
        (product, plan.product),
        (find(product.mechanisms, plan.mechanism.id, "mechanism"), plan.mechanism),
    ]
    choices += [(find(product.baselines, each.id, "baseline"), each) for each in plan.baselines]
    choices += [(find(product.mechanisms, rival.id, "mechanism"), rival) for rival in plan.rivals]
    choices += [(find(product.checks, check.id, "check"), check) for check in plan.checks]
    raise_if(
        Problem(
            f"The plan was written for {spec.id} version {choice.version}, this program has version {spec.version}",
            do="Use the program version it was written for, or make a new release",
        )
        for spec, choice in choices
        if spec.version != choice.version
    )


def refuse_columns(loaded: LoadedData, plan: Plan) -> None:
    """Settings of the mechanism may name columns too, in a table of settings for one: they must be there."""
    params = plan.mechanism.params
    with in_section("mechanism", fields=names_of(params)):
        raise_if(columns.problems_of(loaded.inputs, params))


def prepare(loaded: LoadedData, plan: Plan, context: Context) -> PreparedTable:
    """Tabulate what the plan's product asks for."""
    refuse_other_versions(plan)
    product = product_of(plan)
    params = plan.product.params
    with in_section("product", fields=names_of(params)):
        raise_if(product.problems(loaded.inputs, params))
        value = product.prepare(loaded.inputs, params, Part(context, 0.0, 0.95))
    context.step(0.95, "Describing the table")
    described = found_by(product.id, product.describe(value), stage="release")
    return PreparedTable(product=product, value=value, findings=described, digest=plan.prepared_digest())
