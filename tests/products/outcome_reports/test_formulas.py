"""The formulas of outcome reports against published values, and by a second route."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from workbench.core.quantities import Epsilon
from workbench.noise import discrete_laplace
from workbench.products.outcome_reports import allocation, clipped_mean, complementary_sums, percentiles
from workbench.products.outcome_reports.levels_and_changes import best
from workbench.products.outcome_reports.mechanisms import observed_mean
from workbench.products.outcome_reports.mechanisms.observed_mean import ObservedMeanParams, parts_of
from workbench.products.outcome_reports.mechanisms.year_budget import Division, divided


def test_that_the_clipped_mean_has_the_published_loss(golden: Any) -> None:
    for case in golden("mean_upper_bound_exact_loss")["cases"]:
        found = clipped_mean.exact_loss(case["inputs"]["eps"], case["inputs"]["smallest_count"])
        assert found == pytest.approx(case["expected"]["epsilon_exact"], rel=1e-10)


def test_that_the_unclipped_mean_has_the_published_log_ratio(golden: Any) -> None:
    for case in golden("mean_upper_bound_unclipped")["cases"]:
        inputs = dict(case["inputs"])
        found = clipped_mean.unclipped_log_ratio(epsilon=inputs.pop("eps"), **inputs)
        assert found == pytest.approx(case["expected"]["log_ratio"], rel=1e-10)


def test_that_a_floor_is_calibrated_as_published(golden: Any) -> None:
    for case in golden("mean_with_floor_calibration")["cases"]:
        inner = clipped_mean.inner_epsilon(case["inputs"]["eps"], case["inputs"]["floor"])
        if case["expected"]["inner_eps"] is None:
            assert inner is None
        else:
            assert inner is not None
            assert inner == pytest.approx(case["expected"]["inner_eps"], rel=1e-10)
            scale = clipped_mean.floored_scale(inner=inner, count=100, floor=case["inputs"]["floor"], cap=1.0)
            assert scale == pytest.approx(case["expected"]["scale_at_count_100_per_cap"], rel=1e-10)


def clipped_law(center: float, scale: float, cap: int) -> np.ndarray:
    """P of each whole value 0 … B: the Laplace law at the unrounded mean, what lies beyond at the ends."""
    edges = np.concatenate([[-np.inf], np.arange(cap) + 0.5, [np.inf]])
    low, high = (edges[:-1] - center) / scale, (edges[1:] - center) / scale
    above = 0.5 * (np.exp(-np.maximum(low, 0)) - np.exp(-np.maximum(high, 0)))  # what lies above the centre
    below = 0.5 * (np.exp(np.minimum(high, 0)) - np.exp(np.minimum(low, 0)))
    law: np.ndarray = above + below
    return law


@pytest.mark.parametrize("epsilon", [0.4, 1.0, 2.0])
@pytest.mark.parametrize("floor", [1, 3, 10])
def test_that_the_integer_law_of_neighbours_never_loses_more(epsilon: float, floor: int) -> None:
    """Counts from none on, totals at both ends and between, every joiner: both directions, every published value."""
    inner = clipped_mean.inner_epsilon(epsilon, floor)
    if inner is None:
        assert math.log1p(1 / floor) > epsilon
        return
    cap, worst = 30, 0.0
    for count in range(2 * floor + 2):
        for total in {0, count * cap, count * cap // 2, count * 7}:
            for joiner in (0, 1, 15, cap):
                laws = [
                    clipped_law(
                        (t + max(floor - n, 0) * cap / 2) / max(n, floor),
                        clipped_mean.floored_scale(inner=inner, count=n, floor=floor, cap=cap),
                        cap,
                    )
                    for n, t in ((count, total), (count + 1, total + joiner))
                ]
                worst = max(worst, float(np.abs(np.log(laws[0] / laws[1])).max()))
    assert worst <= epsilon * (1 + 1e-9)
    assert worst > 0.6 * epsilon


def test_that_complementary_sums_have_the_published_values(golden: Any) -> None:
    for case in golden("complementary_sums")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        rows = complementary_sums.of_rows(np.array(inputs["earnings"]), inputs["cap"])
        earned, missing = int(rows.earned.sum()), int(rows.missing.sum())
        scale = inputs["cap"] * inputs["years"] / inputs["eps"]
        noise = discrete_laplace.variance(scale)
        count, mean = complementary_sums.count_and_mean(
            np.array([earned], float), np.array([missing], float), inputs["cap"]
        )
        assert (earned, missing, scale) == (expected["u"], expected["v"], expected["noise_scale"])
        assert noise == pytest.approx(expected["noise_variance"], rel=1e-10)
        assert (count[0], mean[0]) == pytest.approx((expected["count"], expected["mean"]), rel=1e-10)
        assert complementary_sums.count_error(noise, inputs["cap"]) == pytest.approx(expected["sd_count"], rel=1e-10)
        error = complementary_sums.mean_error(noise, count=count[0], mean=mean[0], cap=inputs["cap"])
        assert error == pytest.approx(expected["sd_mean_first_order"], rel=1e-10)


def test_that_every_row_adds_exactly_the_cap_whatever_it_earns() -> None:
    rows = complementary_sums.of_rows(np.array([-5, 0, 1, 12_345, 250_000, 900_000]), 250_000)
    assert set((np.abs(rows.earned) + np.abs(rows.missing)).tolist()) == {250_000}


def test_that_percentile_rules_have_the_published_values(golden: Any) -> None:
    for case in golden("percentile_rules")["cases"]:
        edges = np.array(case["inputs"]["edges"], float)
        counts = np.array(case["inputs"]["noisy_counts"], float)
        for name, rule in (("running_sum", percentiles.running_sum), ("clipped", percentiles.clipped)):
            for share, value in case["expected"][name].items():
                found = rule(edges, counts, float(share))
                assert found is None if value is None else found == pytest.approx(value, rel=1e-10)


def test_that_bins_and_percentiles_of_the_source_are_the_published_ones(golden: Any) -> None:
    for case in golden("pseo_percentile")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        if "mu" in inputs:
            edges = percentiles.lognormal_edges(inputs["mu"], inputs["s"], inputs["B"])
            assert edges == pytest.approx(expected["inner_edges"], rel=1e-10)
        else:
            edges, counts = np.array(inputs["edges"], float), np.array(inputs["noisy_counts"], float)
            for name, share in (("p25", 0.25), ("p50", 0.5), ("p75", 0.75)):
                assert percentiles.clipped(edges, counts, share) == pytest.approx(expected[name], rel=1e-10)


def test_that_projected_bins_are_the_nearest_of_their_sum() -> None:
    from scipy.optimize import minimize

    counts = np.array([4.0, 12.0, -2.0, 9.0, -6.0])
    found = percentiles.onto_simplex(counts[None, :])[0]
    assert found.sum() == pytest.approx(17.0)
    best_ = minimize(
        lambda z: ((z - counts) ** 2).sum(), np.full(5, 3.4), bounds=[(0, None)] * 5,
        constraints={"type": "eq", "fun": lambda z: z.sum() - 17.0}, options={"ftol": 1e-14},
    ).x  # fmt: skip
    assert found == pytest.approx(best_, abs=1e-4)


def test_that_percentiles_of_projected_bins_are_in_order_and_within_the_edges() -> None:
    random = np.random.default_rng(2)
    edges = np.array([1.0, 10_000, 20_000, 40_000, 90_000, 300_000])
    for _ in range(200):
        counts = random.integers(-4, 12, 5).astype(float)
        values = [percentiles.projected(edges, counts, share) for share in (0.25, 0.5, 0.75)]
        if counts.sum() <= 0:
            assert values == [None, None, None]
            continue
        assert all(value is not None and 1.0 <= value <= 300_000 for value in values)
        assert values == sorted(value for value in values if value is not None)


@pytest.mark.parametrize(
    ("planned", "epsilon", "bins"),
    [(10, 1.0, 5), (100, 1.0, 12), (1000, 1.0, 28), (10, 4.0, 20), (10**7, 1.0, 64)],
)
def test_that_the_number_of_bins_follows_the_planning_size(planned: float, epsilon: float, bins: int) -> None:
    assert percentiles.number_of_bins(planned, epsilon) == bins


def test_that_the_rank_has_the_published_noise(golden: Any) -> None:
    for case in golden("rank_noise_variance")["cases"]:
        inputs = case["inputs"]
        found = percentiles.rank_variance(
            bins=inputs["bins"], below=inputs["bins_at_or_below"], share=inputs["quantile"], epsilon=inputs["eps"]
        )
        assert found == pytest.approx(case["expected"]["variance"], rel=1e-10)


def test_that_levels_and_changes_have_the_published_precisions(golden: Any) -> None:
    for case in golden("levels_and_changes")["cases"]:
        plan, expected = best(case["inputs"]["years"]), case["expected"]
        assert plan.levels == Fraction(expected["weight_levels"])
        assert plan.changes == Fraction(expected["weight_changes"])
        assert plan.variances() == pytest.approx((expected["variance_level"], expected["variance_change"]), rel=1e-10)
    for case in golden("levels_and_changes_mover")["cases"]:
        plan = best(case["inputs"]["years"])
        found = plan.squared_sensitivity(case["inputs"]["years_in_each_cell"])
        assert float(found) == pytest.approx(case["expected"]["squared_sensitivity"], rel=1e-10)


@pytest.mark.parametrize("years", [2, 3, 5, 10])
def test_that_the_variances_are_those_of_least_squares(years: int) -> None:
    plan = best(years)
    v, w = float(plan.levels), float(plan.changes)
    matrix = v * np.eye(years) + w * (years * np.eye(years) - np.ones((years, years)))
    covariance = np.linalg.inv(matrix)
    change = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert plan.variances() == pytest.approx((covariance[0, 0], change), rel=1e-12)
    most = max(float(plan.squared_sensitivity([k])) for k in range(1, years + 1))
    assert most == pytest.approx(1.0)


def test_that_epsilon_is_divided_as_published(golden: Any) -> None:
    for case in golden("allocation")["cases"]:
        inputs = case["inputs"]
        found = allocation.over_years(inputs["planning_counts"], inputs["eps"], inputs["rule"])
        assert found == pytest.approx(case["expected"]["eps_by_year"], rel=1e-10)
        assert found.sum() == pytest.approx(inputs["eps"])


def test_that_the_plan_divides_epsilon_over_years_by_its_profile_as_published(golden: Any) -> None:
    """The profile reaches the method through the plan alone; ε of counts and of means are halves of each year's."""
    data = hand_made.prepared()
    for case in golden("allocation")["cases"]:
        inputs, counts = case["inputs"], case["inputs"]["planning_counts"]
        years = replace(data.layout.year, values=tuple(map(str, range(len(counts)))))
        shares = tuple(count / counts[0] for count in counts)
        there = replace(data, layout=replace(data.layout, year=years), profile=shares)
        params = ObservedMeanParams(epsilon=Epsilon(str(inputs["eps"])), division=Division(inputs["rule"]))
        budget = divided(params.epsilon, parts_of(there, params), years.values)
        found = [float(a + b) for a, b in zip(budget.employment, budget.earnings, strict=True)]
        assert found == pytest.approx(case["expected"]["eps_by_year"], rel=1e-9)
        assert budget.total == Fraction(str(inputs["eps"]))
        assert budget.formula() in observed_mean.SPEC.claim(there, params).workings


def test_that_movers_and_second_rows_pay_as_published(golden: Any) -> None:
    for case in golden("who_pays")["cases"]:
        rows = [tuple(row) for row in case["inputs"]["rows"]]
        found, expected = allocation.payment(rows, case["inputs"]["years"]), case["expected"]
        assert found.rows_in_one_year == expected["rows_in_one_year"]
        assert found.cells_in_one_year == expected["cells_in_one_year"]
        assert found.cells_over_years == expected["cells_over_years"]
        assert found.institutions == expected["institutions"]
        assert found.independent == pytest.approx(expected["independent_noise_multiple"])
        assert found.history == expected["history_noise_one_cell_multiple"]
