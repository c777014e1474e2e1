"""What a reviewer turns: paths over years, noise of each method, the budget by year."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from tests.products.outcome_reports import hand_made
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.products.outcome_reports.explorations import budget_by_year, noise_of_methods, paths
from workbench.products.outcome_reports.explorations.budget_by_year import BudgetByYearParams, Rule
from workbench.products.outcome_reports.explorations.noise_of_methods import methods_for
from workbench.products.outcome_reports.explorations.paths import PathsParams, Statistic
from workbench.products.outcome_reports.mechanisms import (
    approximate_quantiles,
    history,
    history_histogram,
    observed_mean,
)
from workbench.products.outcome_reports.mechanisms.means_of_bins import means_of
from workbench.products.outcome_reports.percentiles import onto_simplex
from workbench.products.outcome_reports.product import SPEC
from workbench.products.outcome_reports.source_draw import source_draw
from workbench.products.outcome_reports.usefulness.planning_cells import Planned, planning_cells

DATA = hand_made.prepared()


def scene(mechanism: Any, *, drawn: bool = False) -> Scene:
    params = hand_made.settings(mechanism)
    made = mechanism.study(DATA, params, StudyRandom(1), QUIET).reveal()
    return Scene(
        prepared=DATA, mechanism=mechanism, params=params, table=SPEC.public_table(DATA, made) if drawn else None
    )


@pytest.mark.parametrize("statistic", list(Statistic))
@pytest.mark.parametrize("drawn", [True, False])
def test_that_paths_are_those_of_the_chosen_cells(statistic: Statistic, drawn: bool) -> None:
    here = scene(history_histogram.SPEC, drawn=drawn)
    params = PathsParams(statistic=statistic, institution="B", title="student", sector="university", threshold=2)
    assert paths.SPEC.choices(here)["sector"] == ("all", "business", "university")
    findings = paths.SPEC.show(here, params, QUIET)
    judge_findings(findings, hand_made.SECRETS)
    series = {each.name: each for each in findings[0].figures[0].series}
    names = list(zip(*DATA.layout.names(), strict=True))
    rows = [names.index(("B", "student", "university", year)) for year in ("1", "2")]
    column = {"count": 0, "mean_earnings": 1, "p50_earnings": 3}[statistic.value]
    assert series["confidential"].y == tuple(DATA.truth.reveal()[rows, column].astype(float))
    assert "this release" in series if drawn else "a study draw" in series
    assert ("source's method" in series) is (statistic is not Statistic.MEDIAN)
    assert findings[0].tables[0].columns[:4] == ("cell", "year", "confidential", "suppressed below 2")


def test_that_all_titles_and_sectors_are_seen_at_once_with_every_year_in_the_table() -> None:
    (found,) = paths.SPEC.show(scene(history.SPEC, drawn=True), PathsParams(institution="B"), QUIET)
    cells = [f"{title}, {sector}" for title in ("faculty", "student") for sector in ("business", "university")]
    assert [figure.title for figure in found.figures] == [f"Mean earnings: {cell}" for cell in cells]
    table = found.tables[0]
    assert [row[:2] for row in table.rows] == [(cell, year) for cell in cells for year in ("1", "2")]
    truth = DATA.truth.reveal()[DATA.rows // 2 :, 1]
    assert [row[2] for row in table.rows] == truth.tolist()
    assert table.columns[4:7] == ("source's method", "this release", "± margin")


def test_that_a_method_without_medians_says_so() -> None:
    (found,) = paths.SPEC.show(scene(history.SPEC), PathsParams(statistic=Statistic.MEDIAN), QUIET)
    assert "publishes no median" in found.sentence


def test_that_the_noise_is_that_of_draws_and_of_the_published_table() -> None:
    """ε·sd at T = 10 and three sectors: 28.3 for the source, 13.2 and 8.0 for history noise (p = .3)."""
    methods = {method.name: method.noise for method in methods_for(10, 3, 1, 0.3)}
    assert [4 * value for value in methods["observed-mean"](4.0)] == pytest.approx([28.3, 28.3], rel=0.01)
    assert [4 * value for value in methods["history"](4.0)] == pytest.approx([13.2, 8.0], rel=0.02)
    assert [method.name for method in methods_for(10, 3, 1, 0.3)] == [
        "observed-mean", "history", "history-histogram", "approximate-quantiles", "discrete-gaussian", "job-year"
    ]  # fmt: skip
    assert set(methods) == {mechanism.id for mechanism in SPEC.mechanisms}
    for mechanism in (history.SPEC, observed_mean.SPEC):
        judge_findings(noise_of_methods.SPEC.show(scene(mechanism), mechanism_params(), QUIET), hand_made.SECRETS)


@pytest.mark.parametrize("mechanism", [history_histogram, approximate_quantiles], ids=lambda each: each.SPEC.id)
def test_that_noise_of_bins_and_of_counts_beside_quantiles_is_that_of_the_mechanism(mechanism: Any) -> None:
    """A second route: the margins that the mechanism publishes for a planned cell of 200 people."""
    layout, epsilon = replace(DATA.layout, sectors=()), 1
    planned = planning_cells(layout, 250_000, Planned(people=200, median=60_000, spread=0.75))
    settings = {"planned": 200} if mechanism is history_histogram else {}
    params = mechanism.SPEC.params(epsilon=Epsilon("1"), **settings)
    drawn = mechanism.SPEC.study(planned, params, StudyRandom(3), QUIET).reveal()
    share = 60_000 * np.exp(0.75**2 / 2) / 250_000
    methods = {each.name: each.noise(epsilon) for each in methods_for(layout.years, 1, 200, share)}
    count, mean = methods[mechanism.SPEC.id]
    margins = {name: drawn.units(name).numbers() for name in ("count", "margin_of_error", "mean_margin_of_error")}
    assert margins["margin_of_error"][0] / 1.96 == pytest.approx(count, rel=0.05, abs=0.3)
    if mechanism is approximate_quantiles:
        assert np.isnan(mean)
        return
    assert drawn.beside is not None
    low, high, noisy = (
        drawn.beside.units(name).numbers().reshape(len(margins["count"]), -1)
        for name in ("earnings_from", "earnings_to", "noisy_people")
    )
    sd = margins["margin_of_error"][0] / (1.96 * np.sqrt(noisy.shape[1]))  # of one bin
    off = means_of(np.append(low[0], high[0, -1]), onto_simplex(noisy), 250_000, sd).off
    noise = np.sqrt((margins["mean_margin_of_error"] / 1.96) ** 2 - off**2)  # what bins leave open comes on top
    told = np.median(noise * margins["count"]) / (200 * 250_000)
    assert told == pytest.approx(mean, rel=0.1)


def mechanism_params() -> noise_of_methods.NoiseOfMethodsParams:
    return noise_of_methods.NoiseOfMethodsParams()


def test_that_epsilon_for_a_target_is_the_published_one_for_laplace_counts(golden: Any) -> None:
    for case in golden("umetrics")["cases"]:
        if "eps_for_95pct" in case["expected"]:
            inputs = case["inputs"]
            found = budget_by_year.source_epsilon(inputs["count"], 1, inputs["tau"], 0.95) / 2
            assert found == pytest.approx(case["expected"]["eps_for_95pct"], rel=1e-10)


def test_that_history_noise_at_its_epsilon_keeps_the_target() -> None:
    from fractions import Fraction

    from workbench.noise.history_norm import HistoryNorm

    epsilon = budget_by_year.history_epsilon(100, 3, 2, 0.1, 0.9)
    law = HistoryNorm(Fraction(round(epsilon * 100), 100) / 20, 3, 4)
    noise = law.draw(20_000, StudyRandom(1), QUIET).reshape(-1, 3, 2, 2).sum(axis=3) / 20
    assert np.mean(np.abs(noise) <= 10) == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize("rule", list(Rule))
def test_that_the_budget_adds_up_whatever_the_rule(rule: Rule) -> None:
    (found,) = budget_by_year.SPEC.show(scene(observed_mean.SPEC), BudgetByYearParams(rule=rule), QUIET)
    judge_findings((found,), hand_made.SECRETS)
    bars = found.figures[0].series
    assert math.fsum([*bars[0].y, *bars[1].y]) == pytest.approx(1.5)


def test_that_the_profile_of_the_plan_goes_before_a_constant_share() -> None:
    here = replace(scene(observed_mean.SPEC), prepared=replace(DATA, profile=(1.0, 0.25)))
    (found,) = budget_by_year.SPEC.show(here, BudgetByYearParams(people=80, rule=Rule.MEAN), QUIET)
    assert [row[1] for row in found.tables[0].rows[:2]] == [80.0, 20.0]
    employment = found.figures[0].series[0].y
    assert employment == pytest.approx((0.25, 0.5))  # of ε = 1.5, half for counts: 1/√n gives 1 : 2


@pytest.mark.parametrize("one", [True, False])
def test_that_a_person_in_every_report_pays_for_every_report(one: bool) -> None:
    """Two institutions: their ε each, and once or twice for one person, as the ledger has it."""
    here = replace(scene(history.SPEC), prepared=replace(DATA, one_institution=one))
    (found,) = budget_by_year.SPEC.show(here, BudgetByYearParams(), QUIET)
    each, person = (row[1] for row in found.tables[1].rows)
    assert person == (each if one else 2 * each)
    assert person == float(history.SPEC.claim(here.prepared, here.params).epsilon)


def test_that_the_sources_means_are_shown_where_the_plan_leaves_values_out_by_their_margin() -> None:
    """The source publishes no margin of a mean: by the plan's rule all its means would be gone from the comparison."""
    data = replace(hand_made.prepared(), largest_margin=Decimal("0.5"))
    drawn = source_draw(data, history.SPEC, history.HistoryParams(), StudyRandom(3), QUIET)
    assert np.isfinite(drawn.units("mean_earnings").numbers()).all()
