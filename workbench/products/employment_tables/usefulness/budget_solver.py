"""The budget solver of employment tables: the smallest ε per mechanism, on the table at hand and on a public twin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.core.confidential import Confidential
from workbench.core.progress import Context, Part
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.employment_tables.noise_infusion import NoiseInfusionParams
from workbench.products.employment_tables.paper.plan import FindingsPlan, TableParams, TwinParams
from workbench.products.employment_tables.paper.workloads import make_workloads
from workbench.products.employment_tables.usefulness.contenders import Contender
from workbench.products.employment_tables.usefulness.solving import Judge, solve
from workbench.products.employment_tables.usefulness.targets import Kind, Target, target_from
from workbench.products.employment_tables.usefulness.workloads import Workload
from workbench.products.solver import Case, Offer

TWIN_JOBS = 200_000


@dataclass(frozen=True, slots=True)
class BudgetSolver:
    """See workbench.products.solver; targets are read by `targets`."""

    def target(self, words: str) -> Target:
        return target_from(words)

    def offers(self, target: Target, case: Case, context: Context) -> tuple[Offer, ...]:
        with_workers = bool(case.prepared.domain.worker)
        here = Judge(_workload(case, target, Part(context, 0.0, 0.1)), target, case.seed)
        twin = Judge(_twin(case.baseline_params, with_workers, Part(context, 0.1, 0.25)), target, case.seed)
        parts = len(case.mechanisms)
        return tuple(
            _offer(spec, params, here, twin, Part(context, 0.25 + 0.75 * i / parts, 0.25 + 0.75 * (i + 1) / parts))
            for i, (spec, params) in enumerate(case.mechanisms)
        )


def _offer(spec: AnyMechanism, params: Any, here: Judge, twin: Judge, context: Context) -> Offer:
    contender = Contender(name=spec.title, mechanism=spec, params=params)
    found = solve(here, contender, Part(context, 0.0, 0.5))
    on_twin = solve(twin, contender, Part(context, 0.5, 1.0))
    return Offer(
        mechanism=spec,
        claim=spec.claim(here.cells, params),
        epsilon=found.epsilon,
        on_twin=on_twin.epsilon,
        why=found.why,
        by_draws=found.by_draws,
    )


def _workload(case: Case, target: Target, context: Context) -> Workload:
    """Today's values only where the target compares with them."""
    if target.kind is Kind.L1:
        today = case.baseline(context)
    else:
        today = Confidential(case.prepared.count.reveal().astype(float))
    return Workload(title="the plan's table", cells=case.prepared, baseline=today)


def _twin(baseline: NoiseInfusionParams, with_workers: bool, context: Context) -> Workload:
    """A public table of the same kind: by place, sector and ownership, with sex and education where workers count."""
    plan = FindingsPlan(twin=TwinParams(jobs=TWIN_JOBS), baseline=baseline, tables=TableParams())
    made = make_workloads(plan, context)
    return made.whole if with_workers else made.marginal


SOLVER = BudgetSolver()
