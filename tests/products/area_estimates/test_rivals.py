"""Rivals and the Gaussian table: published values, sensitivities by brute force, and what they claim."""

from __future__ import annotations

import dataclasses
import itertools
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.area_estimates import hand_made
from workbench.accounting import zcdp
from workbench.audit.contract import Subject
from workbench.core.claims import Definition, Standing
from workbench.core.confidential import Confidential
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.microdata.table import NumericColumn
from workbench.products.area_estimates import theil_sen
from workbench.products.area_estimates.area_data import TableSums
from workbench.products.area_estimates.audit import observed_sensitivity
from workbench.products.area_estimates.cell_statistics import Statistic, Wanted, statistics_of
from workbench.products.area_estimates.columns import DECIMALS
from workbench.products.area_estimates.fractional_sums import contributions
from workbench.products.area_estimates.line import lines_of
from workbench.products.area_estimates.mechanisms import (
    dp_theil_sen,
    fractional_gaussian,
    fractional_table,
    mos,
    noisy_stats,
    plain_laplace,
)
from workbench.products.area_estimates.mechanisms.fractional_gaussian import GaussianTableParams, measured
from workbench.products.area_estimates.observed_noise import Winsorise
from workbench.products.area_estimates.product import SPEC
from workbench.products.area_estimates.twin.in_memory import twin_cells


def test_that_noisy_stats_has_the_published_values(golden: Any) -> None:
    for case in golden("noisystats")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        x, y = np.array(inputs["x"]), np.array(inputs["y"])
        line = lines_of(x, y, np.zeros(len(x), np.int64), 1)
        epsilon = float(inputs["eps"])
        assert noisy_stats.slope_scale(line.size, epsilon)[0] == pytest.approx(expected["scale12"], rel=1e-10)
        sums = line.product + inputs["L1"], line.x_spread + inputs["L2"]
        slope, _ = noisy_stats.noisy_line(*sums, (line.x_mean, line.y_mean), np.zeros(1))
        scale = noisy_stats.intercept_scale(slope, line.size, epsilon)
        _, intercept = noisy_stats.noisy_line(*sums, (line.x_mean, line.y_mean), scale * inputs["l3_unit"])
        assert slope[0] == pytest.approx(expected["slope"], rel=1e-10)
        assert scale[0] == pytest.approx(expected["scale3"], rel=1e-10)
        assert intercept[0] == pytest.approx(expected["intercept"], rel=1e-10)
        assert (intercept + slope * inputs["p"])[0] == pytest.approx(expected["prediction"], rel=1e-10)


def test_that_no_replaced_row_moves_the_sums_of_a_line_further() -> None:
    """1 − 1/n by brute force over corners and random rows, and attained."""
    random, most = np.random.default_rng(2), 0.0
    corners = list(itertools.product((0.0, 1.0), repeat=2))
    for trial in range(3000):
        x, y = (np.rint(random.random(5)) if trial % 2 else random.random(5) for _ in range(2))
        base = lines_of(x, y, np.zeros(5, np.int64), 1)
        for new in (*corners, tuple(random.random(2))):
            other = lines_of(np.append(x[1:], new[0]), np.append(y[1:], new[1]), np.zeros(5, np.int64), 1)
            moved = abs(other.product[0] - base.product[0]), abs(other.x_spread[0] - base.x_spread[0])
            most = max(most, *moved)
    assert most == pytest.approx(1 - 1 / 5)


def test_that_levels_count_the_predictions_below_every_point_of_the_grid() -> None:
    points = theil_sen.LOW + np.arange(theil_sen.GRID + 1) * ((theil_sen.HIGH - theil_sen.LOW) / theil_sen.GRID)
    inside = np.random.default_rng(3).uniform(theil_sen.LOW, theil_sen.HIGH, 60)
    z = np.concatenate([points[[0, 0, 1, 777, 777, theil_sen.GRID, theil_sen.GRID]], inside])
    below = (z[:, None] < points).sum(axis=0)
    assert np.array_equal(theil_sen.levels(z), np.abs(2 * below - len(z)))


def test_that_theil_sen_has_the_published_values(golden: Any) -> None:
    for case in golden("dp_theilsen")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        x, y = np.array(inputs["x"]), np.array(inputs["y"])
        first, second = (np.array(places) for places in zip(*itertools.combinations(range(len(x)), 2), strict=True))
        z = theil_sen.predictions(x, y, first, second, inputs["p"])
        rate = inputs["eps"] / (len(x) - 1)
        assert len(z) == expected["n_pairs"]
        assert rate == pytest.approx(expected["eps_prime"])
        assert np.median(z) == pytest.approx(expected["median"], rel=1e-10)
        edges = np.unique(np.concatenate([[theil_sen.LOW, theil_sen.HIGH, *inputs["interval"]], z]))
        middle = (edges[1:] + edges[:-1]) / 2
        mass = np.diff(edges) * np.exp(-rate / 2 * np.abs((z[:, None] < middle).sum(axis=0) - len(z) / 2))
        low, high = inputs["interval"]
        inside = (middle > low) & (middle < high)
        assert mass[inside].sum() / mass.sum() == pytest.approx(expected["prob_interval"], rel=1e-10)
        points = theil_sen.LOW + np.arange(theil_sen.GRID + 1) * 2 / theil_sen.GRID
        weight = np.exp(-rate / 4 * theil_sen.levels(z))
        on_grid = weight[(points > low) & (points < high)].sum() / weight.sum()
        assert on_grid == pytest.approx(expected["prob_interval"], abs=1e-3)


def test_that_one_replaced_person_moves_no_level_by_more_than_twice_its_pairs() -> None:
    random, most = np.random.default_rng(4), 0
    for _ in range(200):
        x, y = random.random(8), random.random(8)
        order = np.argsort(random.random((3, 8)), axis=1)
        pairs = theil_sen.matchings(8, order)
        other = (np.append(random.random(), values[1:]) for values in (x, y))
        here, there = (theil_sen.levels(theil_sen.predictions(*rows, *pairs, 0.25)) for rows in ((x, y), tuple(other)))
        most = max(most, int(np.abs(here - there).max()))
    assert most == 2 * 3
    params = dp_theil_sen.TheilSenParams(epsilon=Epsilon(6), matchings=3)
    assert 2 * 2 * 3 * dp_theil_sen.rate_of(params, 1, 1) == 6  # a level by 6, over and under the fraction line


def test_that_equal_predictors_do_not_change_the_number_of_predictions() -> None:
    x, y = np.full(6, 0.4), np.arange(6) / 6
    z = theil_sen.predictions(x, y, np.array([0, 2, 4]), np.array([1, 3, 5]), 0.9)
    assert z == pytest.approx([1 / 12, 5 / 12, 9 / 12])


@pytest.mark.parametrize("outcomes", [1, 2, 3])
def test_that_a_corner_has_the_largest_square_of_the_gaussian_table(outcomes: int) -> None:
    """All corners and a lattice of people, by the code's own measurement."""
    sums, moment = fractional_gaussian.squared_sensitivities(outcomes, 1)
    largest, largest_moment = 0, 0
    for x in range(0, 1001, 250):
        for ys in itertools.product((0, 300, 500, 1000), repeat=outcomes):
            one = [contributions(np.array([x]), np.array([y])) for y in ys]
            table = TableSums(
                sums=np.stack([each.sums for each in one]),
                x_moment=one[0].x_moment,
                y_moment=np.stack([each.y_moment for each in one]),
            )
            counts, products = measured(table)
            square = sum(int(value) ** 2 for value in (*counts.ravel().tolist(), *products.ravel().tolist()))
            largest = max(largest, square)
            moments = (*table.x_moment.tolist(), *table.y_moment.ravel().tolist())
            largest_moment = max(largest_moment, *(int(value) ** 2 for value in moments))
    assert largest == sums
    assert largest_moment == moment


def test_that_the_gaussian_table_spends_its_rho_and_no_more() -> None:
    params = GaussianTableParams()
    for outcomes in (1, 4, 10):
        scales = fractional_gaussian.gaussian_scales(params, outcomes, 1)
        budget = zcdp.rho_of(2.0, 1e-6)
        assert float(scales.rho()) <= budget
        assert float(scales.rho()) == pytest.approx(budget, rel=1e-9)
        real = (scales.sums / (2 * 1000**2)) ** 2 * 2 * budget  # σ² = Δ²/(2ρ) in units of half a count
        square = (1 + outcomes) / 4 + 1.79**2 / 64 + outcomes * 0.25 / 64
        assert real == pytest.approx(square, rel=1e-9)
    claim = fractional_gaussian.SPEC.claim(hand_made.prepared(), params)
    assert claim.rho is not None
    assert Fraction(claim.rho) >= fractional_gaussian.gaussian_scales(params, 1, 1).rho()
    assert claim.standing is Standing.PROVED


def test_that_gaussian_noise_pays_for_many_outcomes_only() -> None:
    """Variance of a direct estimate's noise, as it follows from the scales: from seven outcomes on at ε = 8."""

    def spread(outcomes: int, epsilon: str) -> tuple[float, float]:
        laplace = fractional_table.scales_for(
            Fraction(epsilon), fractional_table.FractionalTableParams().shares, outcomes, 1
        )
        gauss = fractional_gaussian.gaussian_scales(GaussianTableParams(epsilon=Epsilon(epsilon)), outcomes, 1)
        return 2 * laplace.sums**2, gauss.sums**2 / 2

    assert spread(1, "1")[0] < spread(1, "1")[1]
    assert spread(12, "1")[0] > spread(12, "1")[1]


def test_that_a_gaussian_table_without_noise_is_the_exact_table() -> None:
    table = hand_made.prepared().table.reveal()
    counts, products = measured(table)
    drawn = fractional_gaussian.DrawnGaussian(
        counts=counts, products=products, x_moment=table.x_moment, y_moment=table.y_moment
    )
    assert np.array_equal(drawn.sums(), 2 * table.sums)


def test_that_gaussian_margins_hold_and_errors_match_the_laplace_table() -> None:
    twin = twin_cells(600, 120, seed=5)
    params = GaussianTableParams(epsilon=Epsilon(4))
    drawn = fractional_gaussian.SPEC.study(twin.prepared, params, StudyRandom(2), QUIET).reveal()
    large = twin.prepared.lines.reveal()[0].size >= 20
    for place, name in enumerate(("p25", "p75")):
        off = np.abs(drawn.units(name).numbers() - twin.truth[:, place])[large]
        assert 0.86 <= np.mean(off <= drawn.units(f"{name}_margin_of_error").numbers()[large]) <= 0.94


def test_that_several_outcomes_share_one_measured_count() -> None:
    birth = (hand_made.rows()[3] > 0.5).astype(float)
    from tests.products.area_estimates.test_product import numbers

    inputs = hand_made.inputs(numbers("birth", birth))
    inputs = dataclasses.replace(inputs, roles={**inputs.roles, "birth": "outcome"})
    both = Rows({"child": hand_made.OUTCOME, "birth": hand_made.OUTCOME})
    prepared = SPEC.prepare(inputs, hand_made.params(outcomes=both), QUIET)
    drawn = fractional_gaussian.SPEC.release(prepared, GaussianTableParams(), ReleaseRandom(), QUIET)
    count = drawn.units("count").integers
    assert np.array_equal(count[:4], count[4:])


@pytest.mark.parametrize("mechanism", [noisy_stats.SPEC, dp_theil_sen.SPEC], ids=["noisy stats", "theil-sen"])
def test_that_rivals_that_publish_counts_claim_values_only(mechanism: Any) -> None:
    prepared = hand_made.prepared()
    claim = mechanism.claim(prepared, mechanism.params())
    assert claim.definition is Definition.REPLACED
    assert claim.standing is Standing.PROVED_IF
    drawn = mechanism.release(prepared, mechanism.params(), ReleaseRandom(), QUIET)
    assert drawn.units("count").integers.tolist() == list(hand_made.SIZES)


@pytest.mark.parametrize("mechanism", [noisy_stats.SPEC, dp_theil_sen.SPEC], ids=["noisy stats", "theil-sen"])
def test_that_exact_counts_tell_whose_values_are_left_out_and_the_claim_says_so(mechanism: Any) -> None:
    rank = hand_made.rows()[2]
    counts = []
    for value in (0.0, 1.0, 7.0, np.nan):
        other = rank.copy()
        other[0] = value
        changed = {"parent": NumericColumn(name="parent", numbers=Confidential(other))}
        prepared = SPEC.prepare(hand_made.inputs(changed), hand_made.params(), QUIET)
        counts.append(
            mechanism.release(prepared, mechanism.params(), ReleaseRandom(), QUIET).units("count").integers[0]
        )
    assert counts == [30, 30, 29, 29]
    claim = mechanism.claim(hand_made.prepared(), mechanism.params())
    assert "within their bounds" in claim.unit
    assert "within their bounds" in claim.sentence
    assert any("whose values are missing or left out" in each for each in claim.provided)


@pytest.mark.parametrize("epsilon", ["0.3", "1", "3", "7", "9"])
@pytest.mark.parametrize(("lower", "width"), [(0.0, 1.0), (12.5, 0.3), (1e9, 0.01), (-3e8, 7.0)])
def test_that_global_noise_is_as_wide_as_the_range_in_the_integers_it_is_drawn_in(
    epsilon: str, lower: float, width: float
) -> None:
    """As the sampler gets them: the scale, and how far a clipped value moves its centre."""
    params = plain_laplace.PlainLaplaceParams(epsilon=Epsilon(epsilon))
    ends = np.array([0.0, 1.0, 1 / 3, np.nextafter(1.0, 0.0)])
    statistic = Statistic(column="p25", outcome=0, value=ends, local=ends, scale=width, shift=lower)
    factor = statistic.scale * 10.0**DECIMALS
    center = [Fraction(each) for each in (ends * factor + statistic.shift * 10.0**DECIMALS).tolist()]
    scale = np.full(1, plain_laplace.global_scale(params, statistic)) * factor
    assert (max(center) - min(center)) / Fraction(float(scale[0])) <= Fraction(epsilon)


def test_that_global_noise_is_proved_and_useless_and_local_noise_is_neither() -> None:
    prepared, params = hand_made.prepared(), plain_laplace.PlainLaplaceParams()
    everywhere = plain_laplace.GLOBAL.release(prepared, params, ReleaseRandom(), QUIET)
    assert everywhere.units("p25").given().all()  # which cells have a line must not show
    assert plain_laplace.GLOBAL.claim(prepared, params).standing is Standing.PROVED
    assert plain_laplace.LOCAL.claim(prepared, params).standing is Standing.NOT_FORMAL
    twin = twin_cells(200, 100, seed=2)
    exact = twin.prepared.lines.reveal()[0].at(0.25)
    off = []
    for mechanism in (plain_laplace.GLOBAL, plain_laplace.LOCAL):
        drawn = mechanism.study(twin.prepared, params, StudyRandom(1), QUIET).reveal()
        off.append(np.sqrt(np.mean((drawn.units("p25").numbers() - exact) ** 2)))
    assert off[0] > 1.0
    assert off[1] < 0.2


def test_that_estimates_can_be_cut_off_at_percentiles_and_their_bias_is_told() -> None:
    """By numpy's percentiles in each pool; χ stays as it is, and the expected error contains the bias."""
    random = np.random.default_rng(4)
    twin = twin_cells(40, 60, seed=4).prepared
    params = mos.MosParams(winsorise=Winsorise.ESTIMATES, percentile=Decimal(90), minimum=5)
    plain = mos.MosParams(minimum=5)
    (cut, _), scales = mos.noise_scales(twin, params)
    (uncut, _), same = mos.noise_scales(twin, plain)
    assert np.array_equal(scales, same, equal_nan=True)
    shown = np.isfinite(scales[0])
    for pool in range(twin.places.pools):
        here = shown & (twin.places.pool == pool)
        low, high = np.percentile(uncut.value[here], [10, 90])
        assert cut.value[here] == pytest.approx(np.clip(uncut.value[here], low, high))
    assert cut.bias is not None
    assert np.count_nonzero(cut.bias[shown]) >= 4
    error = mos.SPEC.expected_error(twin, params).reveal()[:, 0]
    moved = int(np.flatnonzero(shown)[np.argmax(np.abs(cut.bias[shown]))])
    bias, scale = float(cut.bias[moved]), float(scales[0][moved])
    drawn = np.abs(bias + random.laplace(0, scale, 400_000)).mean()
    assert error[moved] == pytest.approx(drawn, rel=0.01)
    claim = mos.SPEC.claim(twin, params)
    assert "cut off" in claim.condition
    assert any("percentiles 10 and 90" in said for said in claim.assumptions)
    subject = Subject(words=SPEC.words, prepared=twin, mechanism=mos.SPEC, params=params)
    told = observed_sensitivity.SPEC.run(subject, observed_sensitivity.ObservedSensitivityParams(), QUIET)[0]
    rows = dict(told.tables[0].rows)
    pool = int(np.argmax(np.bincount(twin.places.pool[shown])))
    own = np.abs(cut.bias[shown & (twin.places.pool == pool)])
    assert rows["largest bias by the cut"] == pytest.approx(own.max())
    assert rows["estimates that this cut moves"] == np.count_nonzero(own)


@pytest.mark.parametrize("column", ["p25", "slope"])
def test_that_no_added_row_moves_a_standard_error_further_than_is_searched(column: str) -> None:
    """Rows of a cell fitted again by numpy with a person anywhere, on the line too; corners alone would miss it."""
    twin = twin_cells(6, 25, seed=2).prepared
    wanted = Wanted(slope=True, errors=True)
    name = f"{column}_margin_of_error"
    exact, corners = (
        next(each for each in statistics_of(twin, wanted, corners=only) if each.column == name)
        for only in (False, True)
    )
    people = twin.people.reveal()

    def error(x: np.ndarray, y: np.ndarray) -> float:
        design = np.stack([np.ones_like(x), x], axis=1)
        fit = np.linalg.lstsq(design, y, rcond=None)[0]
        spread = ((y - design @ fit) ** 2).sum() / (len(x) - 2)
        at = np.array([1.0, 0.25]) if column == "p25" else np.array([0.0, 1.0])
        return float(np.sqrt(spread * at @ np.linalg.inv(design.T @ design) @ at))

    for cell in range(6):
        rows = people.cell == cell
        x, y = people.x[rows] / 1e6, people.y[0][rows] / 1e6
        before = error(x, y)
        assert exact.value[cell] == pytest.approx(before)
        intercept, slope = np.polynomial.polynomial.polyfit(x, y, 1)
        most = max(
            abs(error(np.append(x, new), np.append(y, other)) - before)
            for new in np.linspace(0, 1, 51)
            for other in (0.0, 0.3, 0.7, 1.0, float(np.clip(intercept + slope * new, 0, 1)))
        )
        assert most <= exact.local[cell] * 1.002
        assert exact.local[cell] >= corners.local[cell]
