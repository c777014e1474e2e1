"""Findings 1 to 5 of the paper on a synthetic twin: with the paper's calibrations, and with the tight ones.

The twin holds nobody's records, so everything here may be shown to anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from workbench.core.figures import Figure
from workbench.core.progress import Context, Part
from workbench.core.quantities import Alpha, Epsilon
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.paper.contenders import PAPER, TIGHT, block_contender, contenders
from workbench.products.employment_tables.paper.plan import FindingsPlan
from workbench.products.employment_tables.paper.statements import BLOCK, Results
from workbench.products.employment_tables.paper.workloads import Workloads, make_workloads, under
from workbench.products.employment_tables.usefulness.closeness import within_reach
from workbench.products.employment_tables.usefulness.contenders import Contender, Point, points_of
from workbench.products.employment_tables.usefulness.drawn_errors import drawn_error
from workbench.products.employment_tables.usefulness.evaluation import Ground, PointError, expected_errors
from workbench.products.employment_tables.usefulness.grid_figures import (
    dominance_figure,
    error_figures,
    ranking_figures,
)
from workbench.products.employment_tables.usefulness.grid_rankings import PointRanking, ranked
from workbench.products.employment_tables.usefulness.shared_draws import SampledErrors, sampled_errors
from workbench.products.employment_tables.usefulness.workloads import Workload

_L1_FIGURES = ((1, 3, "place × sector × ownership"), (2, 5, "single queries by sex and education"),
               (3, 6, "the same × sex × education"))  # fmt: skip
PAPER_WORDS = "the paper's calibrations"
_PAPER_QUERIES = 10  # the paper's Figure 6 gives each of ten queries ε/10
_TWO, _FOUR, _TENTH = Epsilon("2"), Epsilon("4"), Alpha("0.1")
_RANK_FIGURES = ((1, 4, "cells by total"), (2, 7, "cells by one kind of worker"))


@dataclass(slots=True)
class Calibrated:
    """Everything one set of calibrations gave, by workload and ranking."""

    results: Results = field(default_factory=Results)
    errors: dict[int, tuple[PointError, ...]] = field(default_factory=dict)
    sampled: dict[int, SampledErrors] = field(default_factory=dict)
    rankings: dict[int, tuple[PointRanking, ...]] = field(default_factory=dict)
    processed: dict[tuple[PostProcessing, Decimal], float] = field(default_factory=dict)  # workload 3, by ε


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsStudy:
    """The measured grids, ready to be told and drawn."""

    plan: FindingsPlan
    cells: tuple[int, int]
    establishments: int
    worker_cells: int
    strata: tuple[str, ...]
    paper: Calibrated
    tight: Calibrated
    other: Calibrated  # the paper's calibrations against the other baseline
    tenths: Results  # workload 3 with ε/10 for each query, as the paper divides it
    figures: tuple[Figure, ...]


def study_findings(plan: FindingsPlan, context: Context) -> FindingsStudy:
    """Make the twin, measure both sets of calibrations on every workload and ranking."""
    loads = make_workloads(plan, Part(context, 0.0, 0.35))
    paper = _calibrated(loads, plan, PAPER, Part(context, 0.35, 0.58))
    tight = _calibrated(loads, plan, TIGHT, Part(context, 0.58, 0.8))
    otherwise = under(loads, plan.other_baseline, plan, Part(context, 0.8, 0.82))
    other = _calibrated(otherwise, plan, PAPER, Part(context, 0.82, 0.96), checked=False)
    tenths = _in_tenths(loads, plan, Part(context, 0.96, 0.98))
    context.step(0.98, "drawing the figures")
    names = Ground(loads.marginal).names
    study = FindingsStudy(
        plan=plan,
        cells=(loads.marginal.cells.domain.cells, loads.whole.cells.domain.cells),
        establishments=loads.marginal.cells.establishments_total,
        worker_cells=loads.worker_cells,
        strata=names,
        paper=paper,
        tight=tight,
        other=other,
        tenths=Results(errors={_key(3, error.point): error for error in tenths}),
        figures=(
            dominance_figure(loads.marginal.cells),
            *_figures(paper, names, PAPER_WORDS),
            *error_figures(6, f"{_L1_FIGURES[2][2]}, ε/{_PAPER_QUERIES} ({PAPER_WORDS})", tenths, names),
            *_figures(tight, names, "tight calibrations"),
        ),
    )
    context.step(1.0, "findings measured")
    return study


def _in_tenths(loads: Workloads, plan: FindingsPlan, context: Context) -> tuple[PointError, ...]:
    """Workload 3 as the paper divides ε: among ten queries, where the twin has eight worker cells."""
    who = contenders(PAPER, delta=plan.grid.delta, sharing=_PAPER_QUERIES)
    return expected_errors(Ground(loads.sharing), _points(who, loads.sharing, plan), context)


def _calibrated(
    loads: Workloads, plan: FindingsPlan, calibration: str, context: Context, *, checked: bool = True
) -> Calibrated:
    delta, made = plan.grid.delta, Calibrated()
    three = contenders(calibration, delta=delta)
    sharing = contenders(calibration, delta=delta, sharing=loads.worker_cells)
    for number, (workload, who) in enumerate(
        ((loads.marginal, three), (loads.singles, three), (loads.sharing, sharing)), start=1
    ):
        part = Part(context, (number - 1) * 0.2, number * 0.2)
        _measure(made, number, workload, _points(who, workload, plan), plan=plan, context=part, checked=checked)
    if calibration == TIGHT:
        _measure_block(made, 1, loads.marginal, plan=plan, context=Part(context, 0.6, 0.62))
        _measure_block(made, 3, loads.whole, plan=plan, context=Part(context, 0.62, 0.63))
        _measure_processed(made, loads.whole, plan=plan, context=Part(context, 0.63, 0.65))
    for number, workload in ((1, loads.marginal), (2, loads.ranked)):
        part = Part(context, 0.65 + 0.17 * (number - 1), 0.65 + 0.17 * number)
        _rank(made, number, workload, _points(three, workload, plan), plan=plan, context=part)
    _reach(made, loads.marginal, three)
    return made


def _points(who: Sequence[Contender], workload: Workload, plan: FindingsPlan) -> tuple[Point, ...]:
    epsilons, alphas = plan.grid.epsilon_values, plan.grid.alpha_values
    return tuple(point for one in who for point in points_of(one, workload.cells, epsilons=epsilons, alphas=alphas))


def _measure(
    made: Calibrated, number: int, workload: Workload, points: tuple[Point, ...], *, plan: FindingsPlan,
    context: Context, checked: bool,
) -> None:  # fmt: skip
    """Closed forms for every point; where asked, a sampled check beside them, for as many trials as the plan says."""
    ground = Ground(workload)
    errors = expected_errors(ground, points, Part(context, 0.0, 0.2))
    made.errors[number] = errors
    if checked:
        made.sampled[number] = sampled_errors(
            ground, points, trials=plan.grid.trials, seed=plan.grid.seed, context=Part(context, 0.2, 1.0)
        )
    for error in errors:
        made.results.errors[_key(number, error.point)] = error


def _measure_block(made: Calibrated, number: int, workload: Workload, *, plan: FindingsPlan, context: Context) -> None:
    errors = expected_errors(Ground(workload), _points((block_contender(),), workload, plan), context)
    made.errors[number] += errors
    for error in errors:
        made.results.errors[(number, BLOCK, error.point.epsilon, error.point.alpha)] = error


def _measure_processed(made: Calibrated, workload: Workload, *, plan: FindingsPlan, context: Context) -> None:
    """Block noise for the whole marginal after post-processing, by draws: it has no closed form."""
    ground, kinds = Ground(workload), (PostProcessing.NON_NEGATIVE, PostProcessing.CONSISTENT)
    settings = [(kind, epsilon) for kind in kinds for epsilon in (_TWO, _FOUR)]
    for number, (kind, epsilon) in enumerate(settings):
        part = Part(context, number / len(settings), (number + 1) / len(settings))
        (point,) = points_of(block_contender(kind), workload.cells, epsilons=(epsilon,), alphas=(_TENTH,))
        error = drawn_error(ground, point, trials=plan.grid.trials, seed=plan.grid.seed, context=part)
        made.processed[kind, epsilon] = error.total


def _rank(
    made: Calibrated, number: int, workload: Workload, points: tuple[Point, ...], *, plan: FindingsPlan,
    context: Context,
) -> None:  # fmt: skip
    found = ranked(Ground(workload), points, trials=plan.grid.trials, seed=plan.grid.seed, context=context)
    made.rankings[number] = found
    for ranking in found:
        made.results.rankings[_key(number, ranking.point)] = ranking


def _reach(made: Calibrated, marginal: Workload, three: Sequence[Contender]) -> None:
    ground = Ground(marginal)
    for contender in three:
        (point,) = points_of(contender, marginal.cells, epsilons=(_TWO,), alphas=(_TENTH,))
        made.results.reach[contender.mechanism.id] = within_reach(ground, point)


def _key(number: int, point: Point) -> tuple[int, str, Decimal, Decimal]:
    return number, point.contender.mechanism.id, point.epsilon, point.alpha


def _figures(made: Calibrated, names: tuple[str, ...], calibrations: str) -> tuple[Figure, ...]:
    drawn: list[Figure] = []
    for workload, number, words in _L1_FIGURES:
        drawn.extend(error_figures(number, f"{words} ({calibrations})", made.errors[workload], names))
    for ranking, number, words in _RANK_FIGURES:
        drawn.extend(ranking_figures(number, f"{words} ({calibrations})", made.rankings[ranking], names))
    return tuple(drawn)
