"""Solve for the budget: from an accuracy target to the smallest ε per mechanism, and the mechanism to take.

The ε of each mechanism is found on the data at hand, so it is confidential: for the reviewer, not for publication.
Which mechanism is taken must not depend on those data, or the choice itself would tell something about them that no
budget covers. So it is made on public facts only: the strength of the guarantee, whether it needs a δ, and the ε that
each mechanism needs on a synthetic twin.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.employment_tables.paper.plan import FindingsPlan, TableParams, TwinParams
from workbench.products.employment_tables.paper.workloads import make_workloads
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.usefulness.contenders import Contender
from workbench.products.employment_tables.usefulness.solving import Judge, Solved, solve
from workbench.products.employment_tables.usefulness.targets import Kind, Target
from workbench.products.employment_tables.usefulness.workloads import Workload
from workbench.review.plan.plan import Plan
from workbench.review.run.measure import baseline_values
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import PreparedTable, prepare, product_of

TWIN_JOBS = 200_000
_STRENGTH = {Definition.STRONG: 0, Definition.NODE: 0, Definition.WEAK: 1, Definition.EDGE: 2}
CHOICE = (
    "The mechanism is chosen on public facts only: the strongest guarantee first (employers' sizes before single "
    "workers), pure ε before (ε, δ), then the smallest ε on a synthetic twin. A choice made on the confidential "
    "results would itself tell something about them."
)
INTERNAL = "Each ε was found on the confidential table and is as confidential as the table: do not publish it as found."


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one mechanism asks for: its promise, the ε on these data and the ε on the public twin."""

    mechanism: AnyMechanism
    claim: Claim
    here: Solved
    on_twin: Decimal | None

    def order(self) -> tuple[int, bool, Decimal]:
        """Public facts only; the smallest is best."""
        strength = _STRENGTH.get(self.claim.definition, 3)
        return strength, self.claim.delta > 0, self.on_twin if self.on_twin is not None else Decimal("Infinity")


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAnswer:
    """The offers, the best on public facts first among those the twin can reach."""

    target: Target
    offers: tuple[Offer, ...]

    @property
    def best(self) -> Offer:
        reachable = [offer for offer in self.offers if offer.on_twin is not None]
        return min(reachable or self.offers, key=Offer.order)

    @property
    def epsilon(self) -> Decimal | None:
        return self.best.here.epsilon

    @property
    def reached(self) -> bool:
        return self.best.here.reached


def solve_plan(plan: Plan, *, base: Path, target: Target, only: str, context: Context) -> BudgetAnswer:
    """Load and tabulate what the plan says, then solve for every mechanism of its product, or for one."""
    specs = [spec for spec in product_of(plan).mechanisms if only in ("", spec.id)]
    if not specs:
        known = ", ".join(spec.id for spec in product_of(plan).mechanisms)
        raise UserProblem(f"There is no mechanism called “{only}”", "--mechanism", f"Known: {known}")
    loaded = load_data(plan, base=base, context=Part(context, 0.0, 0.3))
    prepared = prepare(loaded, plan, Part(context, 0.3, 0.4))
    if not isinstance(prepared.value, Cells):
        raise UserProblem(
            f"{product_of(plan).title} has no {product_of(plan).words.row[1]} to set an accuracy target for",
            "--target",
            "See what ε buys with `dwb explore PLAN.toml trade-off`, or in the window",
        )
    here = Judge(_workload(prepared, plan, target, Part(context, 0.4, 0.45)), target, plan.study.seed)
    twin = Judge(_twin(plan, bool(prepared.value.domain.worker), Part(context, 0.45, 0.55)), target, plan.study.seed)
    offers = []
    for number, spec in enumerate(specs):
        part = Part(context, 0.55 + 0.45 * number / len(specs), 0.55 + 0.45 * (number + 1) / len(specs))
        offers.append(_offer(spec, plan, (here, twin), part))
    context.step(1.0, "smallest ε found")
    return BudgetAnswer(target=target, offers=tuple(offers))


def _offer(spec: AnyMechanism, plan: Plan, judges: tuple[Judge, Judge], context: Context) -> Offer:
    contender = Contender(name=spec.title, mechanism=spec, params=_params(spec, plan))
    here = solve(judges[0], contender, Part(context, 0.0, 0.5))
    on_twin = solve(judges[1], contender, Part(context, 0.5, 1.0))
    claim = spec.claim(judges[0].cells, contender.params)
    return Offer(mechanism=spec, claim=claim, here=here, on_twin=on_twin.epsilon)


def _params(spec: AnyMechanism, plan: Plan) -> Any:
    """The plan's own settings for its mechanism; the others take over what has the same name (α, δ)."""
    if spec.id == plan.mechanism.id:
        return plan.mechanism.params
    shared = {field.name for field in fields(spec.params)} & {"alpha", "delta"}
    known = {field.name for field in fields(plan.mechanism.params)}
    return replace(spec.params(), **{name: getattr(plan.mechanism.params, name) for name in shared & known})


def _workload(prepared: PreparedTable, plan: Plan, target: Target, context: Context) -> Workload:
    """Today's values only where the target compares with them."""
    if target.kind is Kind.L1:
        today = baseline_values(prepared, plan, context)
    else:
        today = Confidential(prepared.value.count.reveal().astype(float))
    return Workload(title="the plan's table", cells=prepared.value, baseline=today)


def _twin(plan: Plan, with_workers: bool, context: Context) -> Workload:
    """A public table of the same kind: by place, sector and ownership, with sex and education where workers count."""
    made = make_workloads(
        FindingsPlan(twin=TwinParams(jobs=TWIN_JOBS), baseline=plan.baseline.params, tables=TableParams()), context
    )
    return made.whole if with_workers else made.marginal
