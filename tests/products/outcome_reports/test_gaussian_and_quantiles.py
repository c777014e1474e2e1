"""Levels and changes, quantiles inside one another, single job-years: what they spend and that they are right."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from workbench.accounting import gaussian_dp, zcdp
from workbench.accounting.entries import entries_of
from workbench.accounting.ledger import balances
from workbench.core.claims import Definition
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Delta, Epsilon
from workbench.core.randomness import StudyRandom
from workbench.noise import discrete_gaussian as noise
from workbench.products.outcome_reports.levels_and_changes import best
from workbench.products.outcome_reports.mechanisms import approximate_quantiles, discrete_gaussian, job_year
from workbench.products.outcome_reports.mechanisms.claims import UNIT
from workbench.products.outcome_reports.mechanisms.discrete_gaussian import (
    DiscreteGaussianParams,
    chosen,
    movers_sensitivity,
    precisions,
)
from workbench.products.outcome_reports.usefulness.planning_cells import Planned, planning_cells

DATA = hand_made.prepared()


@pytest.mark.parametrize(("years", "places"), [(3, 1), (4, 2), (4, 3), (5, 2)])
def test_that_the_sensitivity_of_movers_is_the_largest_of_all_histories(years: int, places: int) -> None:
    """From what is measured: every history's levels and differences, squared and weighted."""
    plan, largest = best(years), Fraction(0)
    for history in itertools.product(range(-1, places), repeat=years):
        cells = np.array([[place == where for where in history] for place in range(places)], dtype=int)
        levels = int((cells**2).sum())
        changes = sum(int(((cells[:, t] - cells[:, u]) ** 2).sum()) for t in range(years) for u in range(t))
        largest = max(largest, plan.levels * levels + plan.changes * changes)
    assert movers_sensitivity(plan, places) == largest


def test_that_three_sectors_cost_as_published_and_the_cheaper_plan_is_taken() -> None:
    assert movers_sensitivity(best(10), 3) == Fraction(96, 42)
    plan, most = chosen(10, 1)
    assert (plan, most) == (best(10), 1)
    for places in (1, 2, 3, 9):
        taken, factor = chosen(10, places)
        assert taken.variances()[0] * float(factor) <= 10.0 + 1e-9


@pytest.mark.parametrize("places", [1, 3])
def test_that_rho_of_the_noise_in_use_keeps_the_claim(places: int) -> None:
    params = DiscreteGaussianParams(epsilon=Epsilon("4"), delta=Delta("0.000001"))
    found = precisions(10, places, 250_000, params)
    assert zcdp.delta_of(float(found.rho), 4.0) <= 1e-6 * (1 + 1e-9)
    assert zcdp.delta_of(float(found.rho), 4.0) > 0.99e-6


def test_that_the_formula_for_continuous_noise_is_not_enough_for_integers(golden: Any) -> None:
    """δ from ρ of the σ that continuous noise would need is above the claim: such a plan must be refused."""
    for case in golden("gaussian_sigma")["cases"]:
        inputs = case["inputs"]
        mu = math.sqrt(inputs["squared_sensitivity"]) / case["expected"]["sigma"]
        assert gaussian_dp.delta_of(mu, float(inputs["eps"])) == pytest.approx(float(inputs["delta"]), rel=1e-6)
        rho = noise.rho(Fraction(inputs["squared_sensitivity"]), case["expected"]["sigma"])
        assert zcdp.delta_of(float(rho), float(inputs["eps"])) > float(inputs["delta"])


def test_that_counts_and_means_scatter_as_they_say() -> None:
    params = DiscreteGaussianParams(epsilon=Epsilon("8"))
    many = replace(DATA, layout=replace(DATA.layout, sectors=()))
    count = np.full(many.rows, 400)
    many = replace(many, count=Confidential(count), pay=Confidential(np.full(count.sum(), 30_000)), cap=100_000)
    values = np.stack(
        [discrete_gaussian.SPEC.study(many, params, StudyRandom(s), QUIET).reveal().values for s in range(150)]
    )
    found = precisions(2, 1, 100_000, params)
    sd = values[:, :, 0].std()
    assert sd == pytest.approx(math.hypot(found.count_sd(), 0.29), rel=0.08)
    assert values[:, :, 0].mean() == pytest.approx(400, abs=0.5)
    inside = np.abs(values[:, :, 1] - 30_000) <= values[:, :, 6]
    assert 0.92 < inside.mean() < 0.98


def test_that_quartiles_of_a_large_cell_are_near_and_in_order() -> None:
    random = np.random.default_rng(4)
    pay = np.sort(random.lognormal(10.6, 0.5, (DATA.rows, 3000)).clip(0, hand_made.CAP).astype(np.int64), axis=1)
    large = replace(DATA, count=Confidential(np.full(DATA.rows, 3000)), pay=Confidential(pay.reshape(-1)))
    params = approximate_quantiles.ApproximateQuantilesParams(epsilon=Epsilon("4"))
    drawn = approximate_quantiles.SPEC.study(large, params, StudyRandom(1), QUIET).reveal().values
    assert (np.diff(drawn[:, 2:5], axis=1) >= 0).all()
    assert np.abs(drawn[:, 2:5] / large.percentiles() - 1).max() < 0.02
    loss = approximate_quantiles.SPEC.exact_loss(large, params, QUIET)
    assert loss.epsilon == pytest.approx(4.0)


def test_that_a_job_year_promises_less_and_the_ledger_counts_every_year() -> None:
    params = job_year.HistoryParams(epsilon=Epsilon("1"))
    claim = job_year.SPEC.claim(DATA, params)
    assert (claim.definition, claim.group_size, claim.epsilon) == (Definition.CENTRAL, 2, Epsilon("1"))
    assert "history" in claim.sentence
    assert job_year.SPEC.exact_loss(DATA, params, QUIET).epsilon == pytest.approx(1.0)
    every = replace(DATA, one_institution=False)
    for data, rows in ((DATA, 2), (every, 4)):  # two years, and two institutions that each count the same person
        row, history = entries_of(job_year.SPEC.claim(data, params))
        assert (row.definition, row.epsilon) == (Definition.CENTRAL, 1)
        assert (history.definition, history.epsilon, history.unit) == (Definition.HISTORY, rows, UNIT)
        assert balances((row, history), None)[1].total.epsilon == rows


@pytest.mark.parametrize("people", [4, 60, 400, 3000])
def test_that_margins_of_percentiles_by_quantiles_hold_the_truth(people: int) -> None:
    """Of 1,500 planned cells each; a margin is told for every row, in small cells a wide one."""
    cells = planning_cells(DATA.layout, DATA.cap, Planned(people=people, median=40_000, spread=0.6))
    params = approximate_quantiles.ApproximateQuantilesParams(epsilon=Epsilon("6"))
    drawn = approximate_quantiles.SPEC.study(cells, params, StudyRandom(4), QUIET).reveal()
    for place, name in enumerate(("p25", "p50", "p75"), start=2):
        margin = drawn.units(f"{name}_margin_of_error").numbers()
        off = np.abs(drawn.units(f"{name}_earnings").numbers() - cells.truth.reveal()[:, place])
        assert np.isfinite(margin).all()
        assert np.mean(off <= margin) >= 0.93
