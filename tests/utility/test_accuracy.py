"""Shared measures of accuracy, each against a second way of working it out."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from workbench.core.errors import Defect
from workbench.utility.accuracy import (
    class_names,
    class_of,
    coverage,
    error_summary,
    errors_by_class,
    mean_percentage_difference,
    percentage_differences,
    tail_shares,
)

DRAW = np.random.default_rng(20)


def test_that_errors_are_those_of_a_plain_loop() -> None:
    true = DRAW.normal(50, 10, 400)
    estimate = true + DRAW.normal(1, 3, 400)
    estimate[::7] = np.nan
    pairs = [(a, b) for a, b in zip(estimate.tolist(), true.tolist(), strict=True) if not math.isnan(a)]
    found = error_summary(estimate, true)
    assert found.rmse == pytest.approx(math.sqrt(statistics.fmean((a - b) ** 2 for a, b in pairs)))
    assert found.bias == pytest.approx(statistics.fmean(a - b for a, b in pairs))
    assert found.mean_absolute == pytest.approx(statistics.fmean(abs(a - b) for a, b in pairs))
    assert (found.cells, found.missing) == (400, 400 - len(pairs))
    assert found.rmse**2 == pytest.approx(found.bias**2 + statistics.pvariance([a - b for a, b in pairs]))


def test_that_weights_count_a_cell_as_often_as_they_say() -> None:
    estimate, true, weights = np.array([1.0, 5.0]), np.array([0.0, 2.0]), np.array([1.0, 3.0])
    repeated = error_summary(np.repeat(estimate, [1, 3]), np.repeat(true, [1, 3]))
    weighted = error_summary(estimate, true, weights)
    assert (weighted.rmse, weighted.bias) == pytest.approx((repeated.rmse, repeated.bias))


def test_that_a_method_without_estimates_has_no_error_rather_than_none_at_all() -> None:
    found = error_summary(np.array([np.nan]), np.array([1.0]))
    assert found.missing == 1
    assert math.isnan(found.rmse)


def test_that_classes_begin_at_their_edges_and_are_named_so() -> None:
    sizes = np.array([0, 4, 5, 19, 20, 100])
    assert class_of(sizes, (5, 20)).tolist() == [0, 0, 1, 1, 2, 2]
    assert class_names((5, 20)) == ("under 5", "5–19", "20 and more")
    assert class_names((1, 2, 1_000)) == ("under 1", "1", "2–999", "1,000 and more")
    with pytest.raises(Defect):
        class_of(sizes, (20, 5))


def test_that_classes_together_make_up_the_whole() -> None:
    true, sizes = DRAW.normal(size=300), DRAW.integers(0, 50, 300)
    estimate = true + DRAW.normal(size=300) / np.sqrt(sizes + 1)
    classes = class_of(sizes, (5, 20))
    parts = errors_by_class(estimate, true, classes, 4)
    assert parts[3].cells == 0
    whole = error_summary(estimate, true)
    squares = sum(part.cells * part.rmse**2 for part in parts if part.cells)
    assert squares / 300 == pytest.approx(whole.rmse**2)
    assert sum(part.cells * part.bias for part in parts if part.cells) / 300 == pytest.approx(whole.bias)


def test_that_tails_without_ties_are_counted_as_sets() -> None:
    true = DRAW.normal(size=500)
    estimate = true + DRAW.normal(0, 0.7, 500)
    found = tail_shares(estimate, true)
    lowest = set(np.argsort(true)[:50]) & set(np.argsort(estimate)[:50])
    highest = set(np.argsort(true)[-50:]) & set(np.argsort(estimate)[-50:])
    assert (found.lowest, found.highest, found.cells) == (len(lowest) / 50, len(highest) / 50, 50)


def test_that_ties_count_as_random_order_would_on_average() -> None:
    true, estimate = DRAW.integers(0, 6, 40).astype(float), DRAW.integers(0, 4, 40).astype(float)
    found = tail_shares(estimate, true, 0.2)
    shares = []
    for _ in range(20_000):
        one, other = DRAW.random(40), DRAW.random(40)
        lowest = np.isin(np.lexsort((one, true))[:8], np.lexsort((other, estimate))[:8])
        shares.append(lowest.mean())
    assert found.lowest == pytest.approx(np.mean(shares), abs=5 * np.std(shares) / math.sqrt(20_000))


def test_that_equal_estimates_are_right_by_chance_only_and_the_truth_always() -> None:
    true = np.arange(100.0)
    assert tail_shares(np.zeros(100), true).lowest == pytest.approx(0.1)
    assert tail_shares(true, true) == tail_shares(3 * true + 1, true)
    assert tail_shares(true, true).highest == 1


def test_that_a_suppressed_cell_is_in_no_tail() -> None:
    true = np.arange(20.0)
    estimate = true.copy()
    estimate[:1] = np.nan
    assert tail_shares(estimate, true).lowest == 0.5  # 1 is still there, 2 has come in its place
    assert tail_shares(np.full(20, np.nan), true).highest == 0


def test_that_coverage_of_known_intervals_is_what_their_law_says() -> None:
    true = np.zeros(200_000)
    middle = DRAW.normal(size=200_000)
    found = coverage(middle - 1.6449, middle + 1.6449, true)
    assert abs(found.share - 0.9) < 5 * found.standard_error
    assert found.standard_error == pytest.approx(math.sqrt(0.9 * 0.1 / 200_000), rel=0.02)
    assert found.mean_width == pytest.approx(3.2898)


def test_that_ends_belong_to_an_interval_and_missing_ones_are_left_out() -> None:
    low, high = np.array([0.0, 1.0, np.nan]), np.array([1.0, 2.0, 5.0])
    found = coverage(low, high, np.array([1.0, 2.5, 3.0]))
    assert (found.cells, found.share) == (2, 0.5)
    assert coverage(low[2:], high[2:], np.zeros(1)).cells == 0


def test_that_percentage_differences_leave_out_a_truth_of_zero() -> None:
    estimate, true = np.array([11.0, 5.0, -8.0]), np.array([10.0, 0.0, -10.0])
    each = percentage_differences(estimate, true)
    assert each[[0, 2]].tolist() == pytest.approx([10, 20])
    assert math.isnan(each[1])
    assert mean_percentage_difference(estimate, true) == pytest.approx(15)
    assert math.isnan(mean_percentage_difference(estimate[1:2], true[1:2]))


def test_that_other_cells_are_a_defect() -> None:
    with pytest.raises(Defect):
        error_summary(np.zeros(2), np.zeros(3))
    with pytest.raises(Defect):
        tail_shares(np.zeros(2), np.zeros(2), 0.6)
