"""What every population spends, from the scales as they are placed, and how its size becomes public.

For noisy flows the loss of small and larger populations is added up again from the scales that the declared laws name;
every listed number must have been drawn, also those of populations without workers; and the rows of each population
must add up to its noisy size, cut at zero. For every mechanism it says whether sizes are published as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.findings import Audience, Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.mechanisms.contract import Release
from workbench.noise.discrete_laplace import mean_absolute, spent
from workbench.products.commuting_flows.flows.structures import POPULATION, SIZES, Populations, workers_by_replicate
from workbench.products.commuting_flows.noisy_flows.budget import budget_of
from workbench.products.commuting_flows.noisy_flows.counts import shape_of
from workbench.products.commuting_flows.noisy_flows.layout import layout_of
from workbench.products.commuting_flows.noisy_flows.measure import (
    CELLS_OF_LARGER,
    CELLS_OF_SMALL,
    REPORTS,
    TRACT_FLOWS,
    Shape,
    reporting,
)
from workbench.products.commuting_flows.noisy_flows.mechanism import question
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit

declare(
    {
        "small_epsilon": ValueName("ε of a small population, from its scales"),
        "larger_epsilon": ValueName("ε of a larger population, from its scales"),
        "numbers_listed": ValueName("Numbers listed"),
        "numbers_drawn": ValueName("Numbers drawn"),
    }
)

_LOST = Fraction(1, 10**9)  # relative: what scales lose by being rounded up


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowBudgetParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class FlowBudgetCheck:
    """Fails where scales spend more than ε, a listed number was not drawn, or rows tell another size than was drawn."""

    id: str = "flow-budget"
    version: int = 1
    title: str = "Budget of every population"
    summary: str = "The loss of each kind of population from the scales as placed, and how sizes become public."
    params: type[FlowBudgetParams] = FlowBudgetParams
    of_loss: bool = True

    def run(self, subject: Subject, params: FlowBudgetParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        context.step(0.0, "how sizes become public")
        settings = subject.params
        if not isinstance(settings, NoisyFlowsParams):
            context.step(1.0, "sizes looked at")
            return (_published_sizes(subject.prepared),)
        shape = shape_of(layout_of(subject.prepared, Part(context, 0.1, 0.8)))
        context.step(0.9, "adding up what every population spends")
        found = (_sizes(subject.prepared, settings, subject.release), _spent(subject, settings, shape))
        context.step(1.0, "budget of every population known")
        return found


def _published_sizes(prepared: Populations) -> Finding:
    told = bool(prepared.told_exactly)
    sentence = (
        "The sizes of the populations are published exactly: make sure that they are public already."
        if told
        else "The sizes of the populations are distorted by secret factors, which is no formal protection."
    )
    return _size_finding(Status.WARN, sentence, {"sizes_are_true": told})


def _sizes(prepared: Populations, params: NoisyFlowsParams, release: Release | None) -> Finding:
    if params.unit is Unit.HOME:
        return _published_sizes(prepared)
    budget = budget_of(params)
    error = mean_absolute(budget.sizes or 1.0)
    if release is not None and not _rows_tell(prepared, release):
        return _size_finding(Status.FAIL, "The rows of some population tell another size than was drawn.", {})
    sentence = (
        f"Sizes are protected: ε = {show(float(budget.size_epsilon))} is spent on them, and the noise is "
        f"{error:.2g} workers on average."
    )
    return _size_finding(Status.PASS, sentence, {"sizes_are_true": False, "size_error": error})


def _rows_tell(prepared: Populations, release: Release) -> bool:
    """Whether adding up the rows of a population gives its noisy size, cut at zero, and nothing else."""
    noisy = next((answer.drawn for answer in release.answers if answer.name == SIZES), None)
    if noisy is None:
        return False
    population, size = release.coded(POPULATION).codes, np.maximum(noisy, 0)
    told = (np.bincount(population, each, prepared.populations) for each in workers_by_replicate(release).T)
    return all(np.array_equal(each, size) for each in told)


def _size_finding(status: Status, sentence: str, values: dict[str, Any]) -> Finding:
    return Finding(
        id="flow-budget-sizes",
        title="How the sizes of populations become public",
        status=status,
        sentence=sentence,
        values=values,
        does_not_prove="That nobody learns from a size, or from a population being listed, who works there.",
        audience=Audience.PUBLIC,
    )


def placed_losses(laws: Any, params: NoisyFlowsParams) -> dict[bool, Fraction]:
    """ε of small (True) and larger populations from the scales in the declared laws: one job, or one move."""
    scales = {name: float(law.law(np.zeros(1, np.int64)).scale[0]) for name, law in laws.items() if name != REPORTS}
    job = params.unit is Unit.JOB
    moved = 1 if job else 2
    sizes = spent(1, scales[SIZES]) if job else Fraction(0)
    return {
        True: sizes + spent(moved, scales[CELLS_OF_SMALL]),
        False: sizes + spent(moved, scales[TRACT_FLOWS]) + spent(moved, scales[CELLS_OF_LARGER]),
    }


def _spent(subject: Subject, params: NoisyFlowsParams, shape: Shape) -> Finding:
    mechanism: Any = subject.mechanism
    losses = placed_losses(mechanism.laws(subject.prepared, params), params)
    epsilon = Fraction(params.epsilon)
    kept = all(epsilon * (1 - _LOST) <= loss <= epsilon for loss in losses.values())
    listed = _listed(shape, params, subject.prepared)
    drawn = None if subject.release is None else _drawn(subject.release)
    complete = drawn is None or drawn == listed
    small, larger = (float(losses[kind]) for kind in (True, False))
    what = "one job" if params.unit is Unit.JOB else "one home"
    sentence = f"In a small population {what} costs ε {small:#.4g}, in a larger one {larger:#.4g}."
    sentence += "" if kept else " The scales do not spend what is claimed."
    sentence += "" if complete else " Some listed numbers were not drawn, which tells where nobody is."
    return Finding(
        id="flow-budget-populations",
        title="Loss of every population",
        status=Status.PASS if kept and complete else Status.FAIL,
        sentence=sentence,
        values={
            "small_epsilon": small,
            "larger_epsilon": larger,
            "numbers_listed": listed,
            **({} if drawn is None else {"numbers_drawn": drawn}),
        },
        tables=(_table(params, losses),),
        does_not_prove="It adds up declared scales; that the noise has them is for the checks of the noise.",
        audience=Audience.PUBLIC,
    )


def _table(params: NoisyFlowsParams, losses: dict[bool, Fraction]) -> Table:
    budget = budget_of(params)
    rows = [
        ("small population: cells", budget.cells_of_small),
        ("larger population: flows of the work tract", budget.tract_flows),
        ("larger population: cells", budget.cells_of_larger),
    ]
    if budget.sizes is not None:
        rows.insert(0, ("every population: size", budget.sizes))
    return Table(
        title="Noise of every number",
        columns=("number", "scale, workers", "mean error, workers"),
        rows=tuple((name, scale, mean_absolute(scale)) for name, scale in rows),
        note=f"Populations up to {budget.small_limit} workers are small. Largest ε {float(max(losses.values())):.6g}.",
    )


def _listed(shape: Shape, params: NoisyFlowsParams, prepared: Populations) -> int:
    """Sizes where they are protected, flows of work tracts, cells of every population that does not report."""
    sizes = len(shape.listed) if params.unit is Unit.JOB else 0
    noisy = ~reporting(shape, prepared.size, question(params))
    return sizes + shape.tracts * shape.points + int(shape.listed[noisy].sum())


def _drawn(release: Release) -> int:
    """How many noisy numbers were drawn."""
    return sum(len(answer.drawn) for answer in release.answers if answer.name != REPORTS)


SPEC = FlowBudgetCheck()
