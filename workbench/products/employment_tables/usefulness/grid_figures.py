"""Figures 2 to 7 of Haney et al. (2017) as figure values, for the window and the report alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.quantities import show
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.usefulness.evaluation import PointError
from workbench.products.employment_tables.usefulness.grid_rankings import PointRanking
from workbench.products.employment_tables.usefulness.strata import with_figures

_SHOWN = 200


def dominance_figure(cells: Cells) -> Figure:
    """Figure 2: over the cells that are not empty, how many have at most this share from one establishment."""
    count, largest = cells.count.reveal(), cells.largest.reveal()
    filled = count > 0
    share = np.sort(largest[filled] / count[filled])
    steps = np.linspace(0.0, 1.0, _SHOWN + 1)
    below = np.searchsorted(share, steps, side="right") / max(len(share), 1)
    return Figure(
        kind=Kind.LINES,
        title="Figure 2: share of a cell's jobs at its largest establishment",
        x=Axis(label="Largest establishment's share"),
        y=Axis(label="Cells with at most this share"),
        series=(Series(name="cells that are not empty", x=tuple(steps.tolist()), y=tuple(below.tolist())),),
        marks=(Mark(name="65 %", value=0.65, vertical=True),),
    )


def error_figures(number: int, words: str, errors: Sequence[PointError], names: Sequence[str]) -> tuple[Figure, ...]:
    """L1 ratio against ε, one figure for all cells and one per stratum; α 0.1 stands out, other α are muted."""
    return tuple(
        Figure(
            kind=Kind.LINES,
            title=f"Figure {number}: L1 error, {words}",
            subtitle=f"{name}; below 1 is more accurate than current SDL",
            x=Axis(label="Privacy loss ε", log=True),
            y=Axis(label="L1 error as a ratio to current SDL", unit="times", log=True),
            series=_series(errors, None if place == 0 else place - 1),
            marks=(Mark(name="current SDL", value=1.0),),
        )
        for place, name in enumerate(with_figures(names))
    )


def ranking_figures(
    number: int, words: str, rankings: Sequence[PointRanking], names: Sequence[str]
) -> tuple[Figure, ...]:
    """Spearman's correlation with today against ε, one figure for all cells and one per stratum."""
    return tuple(
        Figure(
            kind=Kind.LINES,
            title=f"Figure {number}: rank correlation, {words}",
            subtitle=f"{name}; 1 is the order of current SDL",
            x=Axis(label="Privacy loss ε", log=True),
            y=Axis(label="Spearman correlation with current SDL"),
            series=_series(rankings, None if place == 0 else place - 1),
            marks=(Mark(name="same order", value=1.0),),
        )
        for place, name in enumerate(with_figures(names))
    )


def _series(results: Sequence[PointError] | Sequence[PointRanking], stratum: int | None) -> tuple[Series, ...]:
    """One line per contender and α; infeasible and unbounded points are gaps."""
    lines: dict[tuple[str, Decimal], list[tuple[float, float]]] = {}
    for one in results:
        value = one.of(stratum)
        if math.isfinite(value):
            lines.setdefault((one.point.contender.name, one.point.alpha), []).append((float(one.point.epsilon), value))
    return tuple(
        Series(
            name=f"{name}, α {show(alpha)}",
            x=tuple(x for x, _ in line),
            y=tuple(y for _, y in line),
            muted=alpha != Decimal("0.1"),
        )
        for (name, alpha), line in lines.items()
    )
