"""Figures 3 to 7 of Haney et al. (2017) on the table at hand: every ε and α of the paper's grid, by stratum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from workbench.core.figures import Figure, Mark
from workbench.core.findings import Finding, Status
from workbench.core.params import fields_of, param
from workbench.core.progress import Context, Part
from workbench.explorations.contract import Scene
from workbench.products.employment_tables.mechanisms.cell import log_laplace, smooth_gamma, smooth_laplace
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.usefulness.contenders import ALPHAS, EPSILONS, Contender, points_of
from workbench.products.employment_tables.usefulness.evaluation import Ground, expected_errors
from workbench.products.employment_tables.usefulness.grid_figures import error_figures, ranking_figures
from workbench.products.employment_tables.usefulness.grid_rankings import ranked
from workbench.products.employment_tables.usefulness.workloads import Workload

_SEED = 1


class Shown(StrEnum):
    ERROR = "error"
    RANKING = "ranking"


class Calibrations(StrEnum):
    TIGHT = "tight"
    PAPER = "paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperGridParams:
    shown: Shown = param(
        Shown.ERROR,
        "What to draw",
        "Error against current SDL (Figures 3, 5, 6) or rank correlation with it (Figures 4, 7).",
        labels={"error": "L1 error against current SDL", "ranking": "Rank correlation with current SDL"},
    )
    calibrations: Calibrations = param(
        Calibrations.TIGHT,
        "Calibrations",
        "As tight as the exact loss allows, or as the paper printed them.",
        labels={"tight": "Tight", "paper": "As in the paper"},
    )
    trials: int = param(
        3, "Trials", "Draws at each point of a rank correlation; errors are closed forms.", ge=1, le=20, advanced=True
    )


@dataclass(frozen=True, slots=True)
class PaperGrid:
    """Log-Laplace, Smooth Gamma and Smooth Laplace over the paper's ε and α, on the table at hand."""

    id: str = "paper-grid"
    version: int = 1
    title: str = "Figures of Haney et al. (2017) for this table"
    summary: str = "Error and rank correlation over the paper's whole grid of ε and α, by stratum."
    params: type[PaperGridParams] = PaperGridParams
    stage: str = "compare"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG002
        return {}

    def show(self, scene: Scene, params: PaperGridParams, context: Context) -> tuple[Finding, ...]:
        cells = scene.prepared
        if not isinstance(cells, Cells) or scene.baseline is None:
            return ()
        today = scene.baseline(Part(context, 0.0, 0.1))
        ground = Ground(Workload(title="this table", cells=cells, baseline=today))
        points = tuple(
            point
            for one in _contenders(params.calibrations, scene.params)
            for point in points_of(one, cells, epsilons=EPSILONS, alphas=ALPHAS)
        )
        part = Part(context, 0.1, 1.0)
        words = f"this table ({params.calibrations.value} calibrations)"
        if params.shown is Shown.ERROR:
            figures = error_figures(3, words, expected_errors(ground, points, part), ground.names)
        else:
            found = ranked(ground, points, trials=params.trials, seed=_SEED, context=part)
            figures = ranking_figures(4, words, found, ground.names)
        return (_finding(tuple(_linked(figure, scene.params) for figure in figures if figure.series)),)


def _contenders(calibrations: Calibrations, now: Any) -> tuple[Contender, ...]:
    """The paper's three, Smooth Laplace with the plan's δ where the plan has one."""
    made = []
    for mechanism in (log_laplace.SPEC, smooth_gamma.SPEC, smooth_laplace.SPEC):
        names = {field.name: field for field in fields_of(mechanism.params)}
        params = replace(mechanism.params(), calibration=names["calibration"].type(calibrations.value))
        if "delta" in names and getattr(now, "delta", None):
            params = replace(params, delta=now.delta)
        made.append(Contender(name=mechanism.title, mechanism=mechanism, params=params))
    return tuple(made)


def _linked(figure: Figure, params: Any) -> Figure:
    """With a line at the plan's ε that can be dragged."""
    epsilon = getattr(params, "epsilon", None)
    if epsilon is None:
        return figure
    here = Mark(name="this plan", value=float(epsilon), vertical=True, moves="epsilon")
    return replace(figure, marks=(*figure.marks, here))


def _finding(figures: tuple[Figure, ...]) -> Finding:
    return Finding(
        id="paper-grid",
        title="Figures of Haney et al. (2017) for this table",
        status=Status.INFO,
        sentence=(
            "Log-Laplace, Smooth Gamma and Smooth Laplace over the paper's ε and α; α 0.1 stands out, others are "
            "grey, and settings that are not possible leave a gap."
        ),
        figures=figures,
        does_not_prove=(
            "The figures come from the confidential data; a setting chosen because it does best here tells a little "
            "about them. Choose on the guarantee and on public facts."
        ),
    )


SPEC = PaperGrid()
