"""How far each margin of a release lies from the truth, beside what current SDL gives for it.

Margins are sums of drawn values, so their error is known by drawing: the mean over study draws of Σ|margin − true|.
The baseline's margin is the sum of its cells. The 99 % half-width of one count of a margin is that of the same draws.
Where a number of large establishments is published beside the table, it stands here with its own half-width.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.tabulation.margin_names import Margin, title_of
from workbench.products.employment_tables.tabulation.margins import cells_in, sums
from workbench.products.employment_tables.usefulness import half_widths
from workbench.products.employment_tables.usefulness.large_number import published_number
from workbench.utility.contract import Comparison
from workbench.utility.streams import stream

declare({"margins": ValueName("Margins"), "worst_ratio": ValueName("Largest ratio of a margin to current SDL")})

_MOST_DRAWS = 20
_RULE = (
    "A draw of its own would help a coarse cell only where √(ΣS²)/S_c exceeds e(ε_c)/e(ε): the scales of its finest "
    "cells against its own, and the errors of one count at the ε left for it and at the whole ε."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginErrorParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class MarginError:
    """See the module's docstring."""

    id: str = "margin-error"
    version: int = 1
    title: str = "Error by margin"
    summary: str = "Expected absolute error of every margin that is published with the table, beside current SDL."
    params: type[MarginErrorParams] = MarginErrorParams

    def run(self, comparison: Comparison, params: MarginErrorParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002
        cells: Cells = comparison.prepared
        context.step(0.0, "looking for margins")
        if not cells.margins:
            context.step(1.0, "no margins to measure")
            return (_nothing(), *published_number(comparison.release))
        lines = _lines(comparison, cells, context)
        context.step(1.0, "margins measured")
        return (_finding(comparison, lines), *published_number(comparison.release))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Sums of absolute errors over the cells of one margin, in jobs."""

    margin: Margin
    cells: int
    expected: float
    released: float
    baseline: float
    half_width: int | None = None

    @property
    def ratio(self) -> float | None:
        return self.expected / self.baseline if self.baseline > 0 else None


def raw_values(drawn: Columns) -> Integers:
    """What margins are sums of: the values before they were clipped or smoothed."""
    return (drawn.beside if drawn.beside is not None else drawn).units("value").integers


def _lines(comparison: Comparison, cells: Cells, context: Context) -> tuple[Line, ...]:
    placed = [cells_in(cells.domain, margin) for margin in cells.margins]
    true = cells.count.reveal()
    rng, trials = stream(comparison.seed, "margin-error"), max(min(comparison.trials, _MOST_DRAWS), 1)
    found = np.zeros((trials, len(placed)))
    farthest = [half_widths.Farthest(len(named), trials) for _, named in placed]
    for trial in range(trials):
        part = Part(context, trial / trials, (trial + 1) / trials)
        draw = comparison.mechanism.study(cells, comparison.mechanism_params, rng, part)
        errors = raw_values(draw.reveal()) - true
        for number, (where, named) in enumerate(placed):
            of_margin = sums(errors, where, len(named)).astype(np.float64)
            found[trial, number] = float(np.abs(of_margin).sum())
            farthest[number].add(of_margin)
    released = raw_values(comparison.release) - true
    today: Floats = np.nan_to_num(comparison.baseline.reveal() - true)
    return tuple(
        Line(
            margin=margin,
            cells=len(named),
            expected=float(mean),
            released=_off(released, where, len(named)),
            baseline=float(np.abs(np.bincount(where, weights=today, minlength=len(named))).sum()),
            half_width=far.half_width,
        )
        for margin, (where, named), mean, far in zip(cells.margins, placed, found.mean(axis=0), farthest, strict=True)
    )


def _off(errors: Integers, where: Integers, cells: int) -> float:
    return float(np.abs(sums(errors, where, cells)).sum())


def _row(line: Line) -> tuple[Value, ...]:
    sums = (line.expected, line.released, line.baseline, line.ratio)
    return (title_of(line.margin), line.cells, *sums, line.expected / max(line.cells, 1), line.half_width)


def _nothing() -> Finding:
    return Finding(
        id="margin-error",
        title="Error by margin",
        status=Status.INFO,
        sentence="No margin is published with this table. “marginals” in the plan adds them at no further cost.",
        values={"margins": 0},
        does_not_prove="Anything about tables that others add up from this one.",
    )


def _finding(comparison: Comparison, lines: tuple[Line, ...]) -> Finding:
    worst = max((line.ratio for line in lines if line.ratio is not None), default=float("nan"))
    values: dict[str, Value] = {"margins": len(lines), "worst_ratio": worst, "trials": comparison.trials}
    return Finding(
        id="margin-error",
        title="Error by margin",
        status=Status.INFO,
        sentence=(
            f"The largest ratio of a margin's error to {comparison.baseline_title} is {show(worst, 3)}. All "
            f"{len(lines)} margins are sums of the drawn cells. {_RULE}"
        ),
        values=values,
        tables=(
            Table(
                title="Absolute error over all cells of each margin, in jobs",
                columns=(
                    "Margin",
                    "Cells",
                    "Expected error",
                    "This release",
                    "Current SDL",
                    "Ratio",
                    "Mean error of one count",
                    half_widths.LABEL,
                ),
                rows=tuple(_row(line) for line in lines),
                note=f"{half_widths.NOTE} Empty where the draws are too few to tell.",
            ),
        ),
        does_not_prove="How current SDL does on average: its column is one draw of its factors.",
    )


SPEC = MarginError()
