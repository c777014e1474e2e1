"""The budget by year: the source's sum over years and statistics, what history noise needs, and ε for an APD target.

From public planning values alone: people in a cell, and the plan's profile over years; without one, how many stay from
one year to the next. The
rule for years with noise of their own is ε ∝ 1/√n (smallest mean APD) or ε ∝ 1/n (equal APD); with history noise years
do not compete. ε for a target: the least at which so large a share of cells of the planned size has an APD within it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import counted, percent, show
from workbench.core.value_words import ValueName, declare
from workbench.explorations.contract import Scene
from workbench.mechanisms.dial import claimed
from workbench.products.outcome_reports.mechanisms.claims import for_each, reports
from workbench.products.outcome_reports.mechanisms.history_sums import BlockLaw
from workbench.products.outcome_reports.mechanisms.observed_mean import ObservedMeanParams, parts_of
from workbench.products.outcome_reports.mechanisms.year_budget import (
    Division,
    YearBudget,
    divided,
    parts_by_profile,
)
from workbench.products.outcome_reports.outcomes import Outcomes

declare(
    {
        "epsilon_for_target_source": ValueName("ε for the target, source's method"),
        "epsilon_for_target_history": ValueName("ε for the target, history noise"),
    }
)


class Rule(StrEnum):
    PLAN = "plan"
    MEAN = "mean"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetByYearParams:
    rule: Rule = param(
        Rule.PLAN, "Division over years", "As the plan has it, for the smallest mean APD, or for equal APD.",
        labels={"plan": "as the plan has it", "mean": "smallest mean APD", "equal": "equal APD"},
    )  # fmt: skip
    people: int = param(100, "Planned people", "In a cell in the first year, or where the plan's profile is 1.", ge=1)
    staying: Decimal = param(
        Decimal("0.95"), "Staying", "Share from one year to the next; a profile in the plan goes first.", gt=0, le=1
    )
    target: Decimal = param(Decimal("0.1"), "APD target", "Largest absolute percentage difference.", gt=0, lt=1)
    share: Decimal = param(Decimal("0.9"), "Share of cells", "How many cells are to be within the target.",
                           gt=0, lt=1)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BudgetByYear:
    """See the module's docstring."""

    id: str = "budget-by-year"
    version: int = 1
    title: str = "Budget by year"
    summary: str = "ε of each statistic and year by the source's sum, what history noise needs, and ε for a target."
    params: type[BudgetByYearParams] = BudgetByYearParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG002 - nothing depends on the data
        return {}

    def show(self, scene: Scene, params: BudgetByYearParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "dividing ε over years")
        prepared: Outcomes = scene.prepared
        names = prepared.layout.year.values
        epsilon = claimed(scene.mechanism, scene.params)
        profile = prepared.profile or tuple(float(params.staying) ** place for place in range(len(names)))
        planned = [params.people * share for share in profile]
        budget = _divided(scene, params, epsilon, planned)
        context.step(0.5, "ε for the target")
        least = min(planned)
        source = source_epsilon(least, len(names), float(params.target), float(params.share))
        ours = history_epsilon(least, len(names), prepared.layout.places, float(params.target), float(params.share))
        context.step(1.0, "budget known")
        whole = claimed(scene.mechanism, scene.params, prepared)
        return (
            Finding(
                id="budget-by-year",
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"ε = {show(epsilon)} for {for_each(prepared)}: the source divides it over {show(len(names))} "
                    "years and two statistics, history noise needs no division. For counts within "
                    f"{percent(params.target)} in {percent(params.share)} of cells of {least:.0f} people: "
                    f"ε {source:.2g} by the source, {ours:.2g} by history noise."
                ),
                values={"epsilon_for_target_source": source, "epsilon_for_target_history": ours},
                tables=(
                    _table(names, planned, budget, float(epsilon)),
                    _totals(float(epsilon), float(whole), prepared),
                ),
                figures=(_figure(names, budget),),
            ),
        )


def _divided(scene: Scene, params: BudgetByYearParams, epsilon: Decimal, planned: list[float]) -> YearBudget:
    names = scene.prepared.layout.year.values
    if params.rule is Rule.PLAN:
        parts = parts_of(scene.prepared, scene.params) if isinstance(scene.params, ObservedMeanParams) else {}
    else:
        parts = parts_by_profile(planned, Division(params.rule.value), names)
    return divided(epsilon, parts, names)


def source_epsilon(people: float, years: int, target: float, share: float) -> float:
    """Total ε of the source at which Laplace counts of every year keep the target: 2T·ln(1/(1 − share))/(target·n)."""
    return 2.0 * years * math.log(1.0 / (1.0 - share)) / (target * people)


def history_epsilon(people: float, years: int, places: int, target: float, share: float) -> float:
    """The same with history noise of count and mean, by halving; a count's noise is near normal."""
    from scipy.special import ndtri

    wide = float(ndtri(0.5 + share / 2.0))

    def sd(epsilon: float) -> float:
        return BlockLaw(Fraction(epsilon).limit_denominator(1000), years, places, 2).count_sd()

    start = 4.0
    scaled = sd(start) * start  # noise times ε is nearly constant
    return wide * scaled / (target * people)


def _table(names: tuple[str, ...], planned: list[float], budget: YearBudget, epsilon: float) -> Table:
    rows: list[tuple[Value, ...]] = [
        (name, float(people), float(a), float(b), 100.0 / (float(a) * people))
        for name, people, a, b in zip(names, planned, budget.employment, budget.earnings, strict=True)
    ]
    rows.append(("all years", None, float(sum(budget.employment)), float(sum(budget.earnings)), None))
    rows.append(("history noise, all years", None, epsilon, epsilon, None))
    return Table(
        title="ε by year and statistic",
        columns=("year", "planned people", "ε employment", "ε earnings", "expected APD of a count (%)"),
        rows=tuple(rows),
        note="The source spends the sum of both columns. History noise spends its ε once for both.",
    )


def _totals(epsilon: float, whole: float, prepared: Outcomes) -> Table:
    """By the plan's word on how many reports count a person; ρ is added up where there is one."""
    listed, counted_in = prepared.layout.institutions, reports(prepared)
    return Table(
        title="In all",
        columns=("who", "ε"),
        rows=(
            (f"{for_each(prepared)}: one person's history in it", epsilon),
            ("one person over all reports of this release", whole),
        ),
        note=(
            f"{counted(listed, 'institution')}, of which one person is counted in {show(counted_in)}: "
            f"{'reports of different people cost the dearest of them' if counted_in == 1 else 'every report costs'}."
        ),
    )


def _figure(names: tuple[str, ...], budget: YearBudget) -> Figure:
    place = tuple(float(at) for at in range(len(names)))
    return Figure(
        kind=Kind.BARS,
        title="ε by year, divided as the source does",
        x=Axis(label="Year since leaving", categories=names),
        y=Axis(label="ε"),
        stacked=True,
        series=(
            Series(name="employment", x=place, y=tuple(map(float, budget.employment))),
            Series(name="earnings", x=place, y=tuple(map(float, budget.earnings))),
        ),
    )


SPEC = BudgetByYear()
