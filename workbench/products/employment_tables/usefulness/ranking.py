"""Rank correlation: does the release put places and workplace cells in the right order?

Spearman's correlation (average ranks for ties) of totals: by place, over all workplace cells, and over those of each
population stratum; with `workers` the same of one kind of worker instead of all. Release against truth, baseline
against truth, and release against baseline, which is what the paper plots.
Source: Haney et al. (2017), section 10, Rankings 1 and 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.errors import UserProblem
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare
from workbench.products.employment_tables.tabulation.cells import Domain
from workbench.products.employment_tables.usefulness.ranks import spearman
from workbench.products.employment_tables.usefulness.strata import (
    ALL,
    Strata,
    place_attribute,
    strata_of_workplace_cells,
)
from workbench.utility.contract import Comparison
from workbench.utility.streams import stream
from workbench.utility.sweep import here, params_over_grid

declare(
    {
        "release_to_truth": ValueName("Rank correlation, release and truth"),
        "baseline_to_truth": ValueName("Rank correlation, current SDL and truth"),
        "release_to_baseline": ValueName("Rank correlation, release and current SDL"),
        "ranked": ValueName("Totals ranked"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingParams:
    workers: tuple[str, ...] = param(
        (),
        "Kind of worker",
        "One value for each worker attribute of the table, in their order, for example F and E4. Empty: all workers.",
        later=True,
        advanced=True,
    )
    sweep_trials: int = param(
        3, "Draws per ε", "Draws averaged at each ε of the curve. 0 leaves the curve out.", ge=0, le=100, advanced=True
    )


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """See the module's docstring."""

    id: str = "rank-correlation"
    version: int = 1
    title: str = "Rank correlation"
    summary: str = "Spearman correlation of totals by place and workplace cell, release and current SDL against truth."
    params: type[RankingParams] = RankingParams

    def run(self, comparison: Comparison, params: RankingParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "ranking places and workplace cells")
        totals = _Totals(comparison.prepared.domain, params.workers)
        true = totals.of(comparison.prepared.count.reveal().astype(np.float64))
        today = totals.of(comparison.baseline.reveal())
        release = totals.of(comparison.release.values.astype(np.float64))
        rows: list[_Row] = []
        for name in true:
            context.step(0.0, f"ranking {name}")
            rows.append(_row(name, release[name], today[name], true[name]))
        figure = _figure(comparison, totals, params.sweep_trials, context)
        context.step(1.0, "rankings compared")
        return (_finding(comparison, tuple(rows), figure, params.workers),)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    name: str
    release: float
    today: float
    between: float
    ranked: int


def _row(name: str, release: Floats, today: Floats, true: Floats) -> _Row:
    return _Row(
        name=name,
        release=spearman(release, true),
        today=spearman(today, true),
        between=spearman(release, today),
        ranked=len(true),
    )


@dataclass(slots=True)
class _Totals:
    """Sums the cells of a table into what is ranked: one array per ranking, by its name."""

    domain: Domain
    workers: tuple[str, ...] = ()
    strata: Strata = field(init=False)
    place: int = field(init=False)
    kept: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.strata = strata_of_workplace_cells(self.domain)
        self.place = place_attribute(self.domain) or 0
        self.kept = worker_cell(self.domain, self.workers)

    def of(self, values: Floats) -> dict[str, Floats]:
        """A suppressed cell makes the totals it belongs to unknown."""
        by_worker = values.reshape(len(self.domain.workplace_cells), self.domain.worker_combinations)
        per_cell = by_worker.sum(axis=1) if self.kept is None else by_worker[:, self.kept]
        found: dict[str, Floats] = {}
        if self.domain.workplace:
            attribute = self.domain.workplace[self.place]
            member = self.domain.workplace_cells[:, self.place]
            listed = np.unique(member)
            totals = np.bincount(member, weights=per_cell, minlength=len(attribute.values)).astype(np.float64)
            found[f"totals by {attribute.title or attribute.name}"] = totals[listed]
        found[f"workplace cells, {ALL}"] = per_cell
        for number, name in enumerate(self.strata.names if len(self.strata.names) > 1 else ()):
            found[f"workplace cells, {name}"] = per_cell[self.strata.member == number]
        return found


def worker_cell(domain: Domain, workers: tuple[str, ...]) -> int | None:
    """Which worker cell has these values, one for each worker attribute; None where all workers are ranked."""
    if not workers:
        return None
    names = [attribute.title or attribute.name for attribute in domain.worker]
    if len(workers) != len(names):
        known = ", ".join(names) or "none"
        raise UserProblem(
            f"The ranking names {len(workers)} values, the table has {len(names)} worker attributes",
            "rank-correlation.workers",
            f"Give one value for each, in this order: {known}",
        )
    places = []
    for value, attribute in zip(workers, domain.worker, strict=True):
        if value not in attribute.values:
            do = f"Use one of {', '.join(attribute.values[:20])}"
            raise UserProblem(f"“{value}” is not a value of {attribute.name}", "rank-correlation.workers", do)
        places.append(attribute.values.index(value))
    return int(np.ravel_multi_index(places, [len(attribute.values) for attribute in domain.worker]))


def _figure(comparison: Comparison, totals: _Totals, trials: int, context: Context) -> Figure | None:
    """Correlation of study draws with today's values against ε, mean of a few draws each."""
    grid = params_over_grid(comparison) if trials else ()
    if not grid:
        return None
    today = totals.of(comparison.baseline.reveal())
    rng = stream(comparison.seed, "rank-correlation")
    curves: dict[str, list[tuple[float, float]]] = {name: [] for name in today}
    for number, (epsilon, params) in enumerate(grid):
        draws: list[dict[str, Floats]] = []
        for trial in range(trials):
            done = number * trials + trial
            part = Part(context, done / (len(grid) * trials), (done + 1) / (len(grid) * trials))
            draws.append(totals.of(_draw(comparison, params, rng, part)))
        for name, curve in curves.items():
            mean = float(np.mean([spearman(draw[name], today[name]) for draw in draws]))
            if np.isfinite(mean):
                curve.append((float(epsilon), mean))
    series = tuple(
        Series(name=name, x=tuple(x for x, _ in curve), y=tuple(y for _, y in curve))
        for name, curve in curves.items()
        if curve
    )
    if not series:
        return None
    return Figure(
        kind=Kind.LINES,
        title="Rank correlation with current SDL against ε",
        subtitle=f"Spearman, mean of {trials} draw{'s' if trials > 1 else ''} at each ε",
        x=Axis(label="Privacy loss ε", log=True),
        y=Axis(label="Spearman correlation with current SDL"),
        series=series,
        marks=(Mark(name="same order", value=1.0), *here(comparison)),
    )


def _draw(comparison: Comparison, params: Any, rng: StudyRandom, context: Context) -> Floats:
    context.step(0.0, "drawing for the ranking curve")
    return comparison.mechanism.study(comparison.prepared, params, rng, context).reveal().values.astype(np.float64)


def _today(comparison: Comparison, row: _Row) -> str:
    """Nothing where no correlation is defined: where totals are withheld, or all are equal."""
    title = f"{comparison.baseline_title[:1].lower()}{comparison.baseline_title[1:]}"
    return f", {title} to {show(row.today)}" if math.isfinite(row.today) else ""


def _finding(
    comparison: Comparison, rows: tuple[_Row, ...], figure: Figure | None, workers: tuple[str, ...]
) -> Finding:
    first, whose = rows[0], f" of {', '.join(workers)}" if workers else ""
    values: dict[str, Value] = {
        "release_to_truth": first.release,
        "baseline_to_truth": first.today,
        "release_to_baseline": first.between,
        "ranked": first.ranked,
    }
    return Finding(
        id="rank-correlation",
        title="Rank correlation",
        status=Status.INFO,
        sentence=(
            f"Ranking {show(first.ranked)} {first.name}{whose}: the release agrees with the truth to "
            f"{show(first.release)}{_today(comparison, first)} (Spearman; 1 is the same order)."
        ),
        values=values,
        tables=(
            Table(
                title=f"Spearman correlation{whose}",
                columns=("Ranked", "How many", "Release and truth", "Current SDL and truth", "Release and current SDL"),
                rows=tuple((row.name, row.ranked, row.release, row.today, row.between) for row in rows),
                note="Equal totals share the mean of their ranks. “Not defined” where all totals are equal.",
            ),
        ),
        figures=() if figure is None else (figure,),
        does_not_prove="A high correlation over many places does not keep two neighbours in a ranking in order.",
    )


SPEC = RankCorrelation()
