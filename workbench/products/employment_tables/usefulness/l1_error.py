"""L1 error by stratum: how far the published counts are from the truth, against current SDL.

Formula: Σ E|published − true| over the cells of a stratum, divided by Σ E|baseline − true| over the same cells. Both
expectations are closed forms where there are any: the mechanism's over its noise, today's over its factors, whose
spread is told. Draws with the study sampler stand beside the mechanism's as a check.
Cells the baseline suppresses are left out of both sums. Beside the mean error of one count stands the half-width that
99 of 100 counts keep (`half_widths`). Source: Haney et al. (2017), section 10, Figures 3 to 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.baselines.alternatives import error_of
from workbench.core.arrays import Bools, Floats
from workbench.core.confidential import Confidential
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.progress import Context, Part
from workbench.core.quantities import agreeing, show
from workbench.core.value_words import ValueName, declare, only_for_scripts
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.usefulness import half_widths
from workbench.products.employment_tables.usefulness.strata import ALL, Strata, strata_of_cells
from workbench.utility.contract import Comparison
from workbench.utility.streams import stream
from workbench.utility.sweep import here, params_over_grid

declare(
    {
        "ratio": ValueName("Expected error, against current SDL", "times"),
        "expected_error": ValueName("Expected error, summed"),
        "sampled_error": ValueName("Error summed, mean of trials"),
        "baseline_error": ValueName("Error of current SDL, expected and summed"),
        "least_ratio": ValueName("The same where SDL's factors turn out large", "times"),
        "most_ratio": ValueName("The same where they turn out small", "times"),
        "released_error": ValueName("Error of this release, summed"),
        "formula_and_sampling_agree": ValueName("Formula and trials agree"),
        "mean_error": ValueName("Mean error of one count", "jobs"),
        "half_width": ValueName("Half-width that 99 of 100 counts keep", "jobs"),
        "suppressed_cells": ValueName("Cells suppressed by current SDL"),
        "trials": ValueName("Trials"),
    }
)
only_for_scripts("closed_form", "ratio_*")

_FAR = 6.0  # standard errors between formula and sampling beyond which something is wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class L1ErrorParams:
    """Nothing to set: strata and grid are the paper's, trials and seed are the study's."""


@dataclass(frozen=True, slots=True)
class L1Error:
    """See the module's docstring. Warns when sampling contradicts the closed form."""

    id: str = "l1-error"
    version: int = 2
    title: str = "L1 error by size of place"
    summary: str = "Expected absolute error, as a ratio to current SDL, by population of the place."
    params: type[L1ErrorParams] = L1ErrorParams

    def run(self, comparison: Comparison, params: L1ErrorParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        cells: Cells = comparison.prepared
        ground = _Ground(cells, comparison.baseline)
        sampled, farthest = _sampled(comparison, ground, Part(context, 0.0, 0.6))
        expected = _expected(comparison, comparison.mechanism_params, ground)
        lines = _Lines(
            formula=expected,
            sampled=sampled.mean(axis=0),
            deviation=_standard_error(sampled),
            baseline=ground.baseline_error,
            released=ground.error_of(comparison.release.values.astype(np.float64)),
        )
        figure = _figure(comparison, ground, Part(context, 0.6, 1.0))
        context.step(1.0, "L1 error measured")
        widths = half_widths.by_law(comparison, [group for _, group in ground.groups])
        one = _one_count(ground, lines, widths or [far.half_width for far in farthest], drawn=widths is None)
        return (_finding(comparison, ground, lines, figure, one),)


class _Ground:
    """True counts, strata and the baseline's error: what every sum here starts from."""

    def __init__(self, cells: Cells, baseline: Confidential[Floats]) -> None:
        self.true = cells.count.reveal().astype(np.float64)
        self.strata: Strata = strata_of_cells(cells)
        self.published = np.isfinite(baseline.reveal())
        self.suppressed = int(len(self.published) - np.count_nonzero(self.published))
        off = error_of(baseline, self.true)
        self.baseline_error = self.sums(np.where(self.published, off.mean, 0.0))
        self.spread = off.spread(self.published)

    @property
    def groups(self) -> list[tuple[str, Bools]]:
        """All cells that the baseline publishes, and those of each stratum where there are several."""
        names = self.strata.names if len(self.strata.names) > 1 else ()
        parts = [(name, self.published & (self.strata.member == number)) for number, name in enumerate(names)]
        return [(ALL, self.published), *parts]

    def error_of(self, values: Floats) -> Floats:
        return self.sums(np.abs(values - self.true))

    def sums(self, errors: Floats) -> Floats:
        return self.strata.sums(np.where(self.published, errors, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """Sums of absolute errors per stratum, in jobs."""

    formula: Floats | None
    sampled: Floats
    deviation: Floats
    baseline: Floats
    released: Floats

    @property
    def best(self) -> Floats:
        return self.sampled if self.formula is None else self.formula

    @property
    def disagree(self) -> bool:
        """True where formula and sampling differ by more than chance allows (and by more than half a job in all)."""
        if self.formula is None or not np.all(np.isfinite(self.deviation)):
            return False
        return bool(np.any(np.abs(self.formula - self.sampled) > _FAR * self.deviation + 0.5 + 0.001 * self.formula))


def _sampled(comparison: Comparison, ground: _Ground, context: Context) -> tuple[Floats, list[half_widths.Farthest]]:
    """Trials × strata: the error of each draw; and the largest errors of each group."""
    rng = stream(comparison.seed, "l1-error")
    trials = max(comparison.trials, 1)
    rows: list[Floats] = []
    groups = [group for _, group in ground.groups]
    farthest = [half_widths.Farthest(int(group.sum()), trials) for group in groups]
    for trial in range(trials):
        context.step(trial / trials, f"trial {trial + 1} of {trials}")
        part = Part(context, trial / trials, (trial + 1) / trials)
        draw = comparison.mechanism.study(comparison.prepared, comparison.mechanism_params, rng, part)
        values = draw.reveal().values.astype(np.float64)
        rows.append(ground.error_of(values))
        for group, far in zip(groups, farthest, strict=True):
            far.add((values - ground.true)[group])
    return np.stack(rows), farthest


def _standard_error(sampled: Floats) -> Floats:
    trials = len(sampled)
    if trials < 10:  # too few to judge a formula by
        return np.full(sampled.shape[1], math.nan)
    return np.asarray(sampled.std(axis=0, ddof=1) / math.sqrt(trials), dtype=np.float64)


def _expected(comparison: Comparison, params: Any, ground: _Ground) -> Floats | None:
    expected = comparison.mechanism.expected_error(comparison.prepared, params)
    return None if expected is None else ground.sums(expected.reveal())


def _ratio(error: Floats, baseline: Floats) -> Floats:
    ratio: Floats = np.divide(error, baseline, out=np.full(len(error), math.nan), where=baseline > 0)
    return ratio


def _figure(comparison: Comparison, ground: _Ground, context: Context) -> Figure | None:
    """Ratio against ε by stratum. Only where a closed form exists: a sweep needs no sampling then."""
    grid = params_over_grid(comparison)
    ratios: list[tuple[float, Floats]] = []
    for number, (epsilon, params) in enumerate(grid):
        context.step(number / len(grid), f"expected error at ε {epsilon}")
        expected = _expected(comparison, params, ground)
        if expected is None:
            return None
        ratios.append((float(epsilon), _ratio(expected, ground.baseline_error)))
    series = tuple(
        Series(name=name, x=tuple(x for x, _ in kept), y=tuple(float(y[i]) for _, y in kept))
        for i, name in enumerate(ground.strata.names)
        if (kept := [(x, y) for x, y in ratios if np.isfinite(y[i])])
    )
    if not series:
        return None
    return Figure(
        kind=Kind.LINES,
        title="L1 error against ε, by population of the place",
        subtitle=f"Ratio to {comparison.baseline_title}; below 1 is more accurate than current SDL",
        x=Axis(label="Privacy loss ε", log=True),
        y=Axis(label="L1 error as a ratio to current SDL", unit="times", log=True),
        series=series,
        marks=(
            Mark(name="current SDL", value=1.0),
            *here(comparison),
        ),
    )


def _one_count(ground: _Ground, lines: _Lines, widths: list[int | None], *, drawn: bool) -> Table:
    """The mean error of a single count beside the half-width, over all cells first."""
    sums = [float(lines.best.sum()), *lines.best.tolist()][: len(ground.groups)]
    rows = [
        (name, total / cells if (cells := int(group.sum())) else None, width, cells)
        for (name, group), total, width in zip(ground.groups, sums, widths, strict=True)
    ]
    source = "By study draws, as there is no closed form." if drawn else "By the law of the noise."
    return Table(
        title="Error of one published count, in jobs",
        columns=("Cells", "Mean error", half_widths.LABEL, "How many"),
        rows=tuple(rows),
        note=f"{half_widths.NOTE} {source}",
    )


def _finding(comparison: Comparison, ground: _Ground, lines: _Lines, figure: Figure | None, one: Table) -> Finding:
    ratio = _ratio(lines.best, lines.baseline)
    total = float(lines.best.sum() / lines.baseline.sum()) if lines.baseline.sum() > 0 else math.nan
    values: dict[str, Value] = {
        "ratio": total,
        **_range(lines, ground.spread),
        "headline": _headline(total),
        "expected_error": float(lines.best.sum()),
        "sampled_error": float(lines.sampled.sum()),
        "baseline_error": float(lines.baseline.sum()),
        "released_error": float(lines.released.sum()),
        "mean_error": one.rows[0][1],
        "half_width": one.rows[0][2],
        "closed_form": lines.formula is not None,
        "formula_and_sampling_agree": not lines.disagree,
        "suppressed_cells": ground.suppressed,
        "trials": comparison.trials,
    }
    values.update({f"ratio_{key}": float(r) for key, r in zip(ground.strata.keys, ratio, strict=True)})
    return Finding(
        id="l1-error",
        title="L1 error by size of place",
        status=Status.WARN if lines.disagree else Status.INFO,
        sentence=f"{_sentence(comparison, ground, total, lines)}{_within(one)}",
        values=values,
        tables=(_table(ground.strata.names, lines, ratio, comparison.words.unit), one),
        figures=() if figure is None else (figure,),
        does_not_prove="An average over cells says nothing about any single cell; look at the side-by-side table.",
    )


def _range(lines: _Lines, spread: float) -> dict[str, Value]:
    """The ratio where today's factors turn out two standard deviations larger or smaller in sum; empty without any."""
    today, off = float(lines.baseline.sum()), 2.0 * spread
    if not 0.0 < off < today:
        return {}
    error = float(lines.best.sum())
    return {"least_ratio": error / (today + off), "most_ratio": error / (today - off)}


def _sentence(comparison: Comparison, ground: _Ground, total: float, lines: _Lines) -> str:
    against = f"{comparison.baseline_title[:1].lower()}{comparison.baseline_title[1:]}"
    if math.isnan(total):
        head = f"The error of {against} is zero on these data, so no ratio exists."
    else:
        head = (
            f"Over all {comparison.words.row[1]} the expected L1 error is {show(total, 3)} times that expected of "
            f"{against}."
        )
        if told := _range(lines, ground.spread):
            low, high = (show(float(str(told[name])), 3) for name in ("least_ratio", "most_ratio"))
            head += f" With its factors as they happen to be it may lie between {low} and {high}."
    if ground.suppressed:
        left = comparison.words.rows(ground.suppressed)
        head += f" {left} that it suppresses {agreeing(ground.suppressed, 'is', 'are')} left out."
    if lines.disagree:
        head += " Sampling contradicts the closed form: do not rely on either before this is understood."
    return head


def _within(one: Table) -> str:
    mean, width = one.rows[0][1:3]
    if mean is None or width is None or not math.isfinite(float(str(mean))):
        return ""
    return (
        f" One count is off by {show(float(str(mean)), 2)} jobs on average, 99 of 100 by at most {int(str(width)):,}."
    )


def _table(names: tuple[str, ...], lines: _Lines, ratio: Floats, unit: str) -> Table:
    formula = [None] * len(names) if lines.formula is None else lines.formula.tolist()
    columns = (lines.sampled, lines.released, lines.baseline, ratio)
    rows = zip(names, formula, *(column.tolist() for column in columns), strict=True)
    return Table(
        title=f"Sum of absolute errors, in {unit}",
        columns=("Stratum", "Closed form", "Mean of trials", "This release", "Current SDL", "Ratio to current SDL"),
        rows=tuple(tuple(row) for row in rows),
        note="The ratio uses the closed form where there is one, otherwise the trials.",
    )


SPEC = L1Error()


def _headline(ratio: float) -> str:
    """A ratio in a few letters; one that rounds to nothing is not said to be nothing."""
    if not math.isfinite(ratio):
        return ""
    return f"{f'{ratio:.2f}' if ratio >= 0.005 or ratio == 0 else '< 0.01'} × SDL error"
