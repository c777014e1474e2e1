"""Solving for the budget: from an accuracy target to the smallest ε per mechanism, and the mechanism to take."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.contract import AnyProduct
from workbench.products.solver import AnySolver, Case, Offer, best_of
from workbench.review.plan.plan import Plan
from workbench.review.run.measure import baseline_values
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import PreparedTable, prepare, product_of

CHOICE = (
    "The mechanism is chosen on public facts only: the strongest guarantee first (employers' sizes before single "
    "workers, whole histories before single years), pure ε before (ε, δ), then the smallest ε on a synthetic twin. A "
    "choice made on the confidential results would itself tell something about them."
)
INTERNAL = "Each ε was found on the confidential table and is as confidential as the table: do not publish it as found."
PUBLIC = "Each ε was found on public planning values or on simulated data: none depends on the confidential rows."


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAnswer:
    """The target as understood, the offers in the order of the mechanisms, and the best of them on public facts."""

    target: str
    offers: tuple[Offer, ...]

    @property
    def secret(self) -> bool:
        return not all(offer.public for offer in self.offers)

    @property
    def best(self) -> Offer:
        return best_of(self.offers)


def solve_plan(plan: Plan, *, base: Path, target: str, only: str, context: Context) -> BudgetAnswer:
    """Load and prepare what the plan says, then solve for every mechanism of its product, or for one."""
    _solver(product_of(plan)).target(target)  # said before the work
    loaded = load_data(plan, base=base, context=Part(context, 0.0, 0.3))
    prepared = prepare(loaded, plan, Part(context, 0.3, 0.4))
    return solve_prepared(plan, prepared, target=target, only=only, context=Part(context, 0.4, 1.0))


def solve_prepared(
    plan: Plan, prepared: PreparedTable, *, target: str, only: str = "", context: Context
) -> BudgetAnswer:
    """The same for data that are prepared already."""
    product = product_of(plan)
    solver = _solver(product)
    asked = solver.target(target)
    specs = [spec for spec in product.mechanisms if only in ("", spec.id)]
    if not specs:
        known = ", ".join(spec.id for spec in product.mechanisms)
        raise UserProblem(f"There is no mechanism called “{only}”", "--mechanism", f"Known: {known}")
    case = Case(
        prepared=prepared.value,
        mechanisms=tuple((spec, _params(spec, plan)) for spec in specs),
        baseline_params=plan.baselines[0].params if plan.baselines else None,
        baseline=lambda within: baseline_values(prepared, plan, within),
        seed=plan.study.seed,
    )
    offers = solver.offers(asked, case, context)
    context.step(1.0, "smallest ε found")
    return BudgetAnswer(target=asked.sentence(product.words), offers=offers)


def _solver(product: AnyProduct) -> AnySolver:
    if product.solver is None:
        raise UserProblem(
            f"{product.title} has no {product.words.row[1]} to set an accuracy target for",
            "--target",
            "See the error for each ε with `dwb explore PLAN.toml trade-off`, or in the window",
        )
    return product.solver


def _params(spec: AnyMechanism, plan: Plan) -> Any:
    """The plan's own settings for its mechanism; the others take over what has the same name (α, δ)."""
    if spec.id == plan.mechanism.id:
        return plan.mechanism.params
    shared = {field.name for field in fields(spec.params)} & {"alpha", "delta"}
    known = {field.name for field in fields(plan.mechanism.params)}
    return replace(spec.params(), **{name: getattr(plan.mechanism.params, name) for name in shared & known})
