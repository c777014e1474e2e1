"""`dwb evaluate` with `study = "quasi-experiment"`: one simulated quasi-experiment by each shipped estimator.

Children of parents below the cutoff count as treated, and the later half of every tract's children as born after the
change. In the chosen tract the treated children born later gain what the file says; nothing changes elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param, parse
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.products.area_estimates.estimators.contract import Estimator, StudyRows
from workbench.products.area_estimates.estimators.differences import Differences
from workbench.products.area_estimates.estimators.discontinuity import Discontinuity
from workbench.products.area_estimates.estimators.line_at_rank import LineAtRank
from workbench.products.area_estimates.estimators.quasi_experiment import QuasiExperiment, pretended
from workbench.products.area_estimates.people import FINE
from workbench.products.area_estimates.twin.in_memory import twin_cells
from workbench.products.commands import Studied

declare(
    {
        "quasi_chi": ValueName("Sensitivity χ over pretended changes"),
        "quasi_estimate": ValueName("Estimate of the tract"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiExperimentParams:
    cells: int = param(60, "Areas", "How many simulated areas.", ge=2, le=20_000)
    people: int = param(150, "Mean children", "Of an area.", ge=20, le=2000)
    cell: int = param(0, "Area of the experiment", "Its number, from 0.", ge=0)
    effect: Decimal = param(Decimal("0.1"), "Effect", "What the treated gain, in ranks.", ge=0, le=1)
    cutoff: Decimal = param(Decimal("0.5"), "Cutoff", "Parents' rank below which children are treated.", gt=0, lt=1)
    epsilon: Decimal = param(Decimal(8), "ε", "Of the one published estimate.", gt=0, le=50)
    seed: int = param(1, "Seed", "Of the simulated areas.", ge=0)


def run_study(sections: Mapping[str, Any], where: str, context: Context) -> Studied:
    raw = sections.get("experiment", {})
    if not isinstance(raw, Mapping):
        raise UserProblem("This must be a section", where, "Write [experiment] and its settings beneath")
    unknown = [key for key in sections if key != "experiment"]
    if unknown:
        raise UserProblem(f"There is no section “{unknown[0]}”", where, "Write [experiment]")
    params = parse(QuasiExperimentParams, raw, f"{where}, [experiment]")
    if params.cell >= params.cells:
        raise UserProblem("There is no such area", f"{where}, [experiment] cell", f"Use 0 to {params.cells - 1}")
    context.step(0.0, "simulating areas")
    rows = study_rows(params)
    context.step(0.7, "pretending the change elsewhere")
    found = {each.title: pretended(each, rows, params.cell) for each in estimators_of(params)}
    context.step(1.0, "quasi-experiment estimated")
    findings = tuple(_finding(title, each, params) for title, each in found.items())
    page = "\n\n".join(f"**{each.title}.** {each.sentence}" for each in findings) + "\n"
    return Studied(findings=findings, page=page, facts={"areas": params.cells})


def estimators_of(params: QuasiExperimentParams) -> tuple[Estimator, ...]:
    return LineAtRank(), Differences(), Discontinuity(cutoff=float(params.cutoff))


def study_rows(params: QuasiExperimentParams) -> StudyRows:
    """Simulated children, with the effect in one area."""
    people = twin_cells(params.cells, params.people, seed=params.seed).prepared.people.reveal()
    cell = people.cell.astype(np.int64)
    size = np.bincount(cell, minlength=params.cells)
    within = np.arange(len(cell)) - np.repeat(np.cumsum(size) - size, size)
    treated, after = people.x < float(params.cutoff) * FINE, 2 * within >= size[cell]
    gains = treated & after & (cell == params.cell)
    y = np.clip(people.y[0] / FINE + float(params.effect) * gains, 0.0, 1.0)
    return StudyRows(cell=cell, x=people.x / FINE, y=y, cells=params.cells, treated=treated, after=after)


def _finding(title: str, found: QuasiExperiment, params: QuasiExperimentParams) -> Finding:
    scale = found.scale(float(params.epsilon))
    return Finding(
        id=f"quasi-experiment.{title.lower().replace(' ', '-')}",
        title=title,
        status=Status.INFO,
        sentence=(
            f"The estimate is {show(found.value, 4)} in an area of {show(found.people)}. Pretended in "
            f"{show(found.cells)} areas, χ is {show(found.chi, 4)} (its own would be {show(found.own, 4)}): noise of "
            f"scale {show(scale, 3)} at ε = {show(params.epsilon)}."
        ),
        values={"quasi_estimate": found.value, "quasi_chi": found.chi},
        tables=(
            Table(
                title=title,
                columns=("estimate", "people", "χ", "N·LS of the area itself", "scale of the noise"),
                rows=((found.value, found.people, found.chi, found.own, scale),),
            ),
        ),
    )
