"""The attacks' arithmetic: published values, and a second way to every answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.core.progress import QUIET
from workbench.products.employment_tables.audit.attacks import known_cell, lone_holder, nothing_known, permitted
from workbench.products.employment_tables.audit.attacks.nothing_known import FactorRange
from workbench.tabulation.factors import Shape, quantile

RANGE = FactorRange(least=0.05, most=0.15)


def _one(values: list[float]) -> np.ndarray[Any, Any]:
    return np.array([values], dtype=np.float64)


def test_that_one_known_count_gives_the_published_answers(golden: Any) -> None:
    table = golden("attack_fw")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        known, true = np.array([inputs["known_index"]]), np.array([inputs["known_true"]])
        if "published" in inputs:
            exact = known_cell.from_exact(_one(inputs["published"]), known, true)
            found = {"f": exact.factor[0], "true": exact.counts[0], "size": exact.size[0], "shape": exact.shape[0]}
        else:
            bounds = known_cell.from_rounded(_one(inputs["published_rounded"]), known, true)
            found = {
                "f_lo": bounds.factor_low[0],
                "f_hi": bounds.factor_high[0],
                "intervals": np.stack([bounds.low[0], bounds.high[0]], axis=1),
                "integer_candidates": np.stack([bounds.least[0], bounds.most[0]], axis=1),
                "exact_cells": bounds.exact_cells[0],
            }
        for name, value in expected.items():
            assert np.asarray(found[name], float) == pytest.approx(np.asarray(value, float), rel=table["rtol"])


def test_that_intervals_from_rounded_values_hold_the_truth() -> None:
    rng = np.random.Generator(np.random.PCG64(3))
    true = rng.integers(3, 400, (500, 4))
    factor = quantile(rng.random(500), least=0.05, most=0.15, shape=Shape.RAMP)
    known = rng.integers(0, 4, 500)
    bounds = known_cell.from_rounded(np.rint(factor[:, None] * true), known, true[np.arange(500), known])
    assert np.all((bounds.least <= true) & (true <= bounds.most))
    assert bounds.exact_cells.mean() > 0.2


@pytest.mark.parametrize("exact", [True, False])
def test_that_bounds_on_the_size_hold_it_and_are_tight_where_values_are_exact(exact: bool) -> None:
    rng = np.random.Generator(np.random.PCG64(9))
    true = rng.integers(0, 60, (600, 4))
    true[:, 1] += 5
    factor = quantile(rng.random(600), least=0.05, most=0.15, shape=Shape.RAMP)
    small = (true > 0) & (true < 2.5)
    shown = np.where(small, rng.integers(1, 3, true.shape), factor[:, None] * true)
    known = np.full(600, 1)
    low, high = known_cell.size_bounds(shown if exact else np.rint(shown), known, true[:, 1], exact=exact)
    size = true.sum(axis=1)
    possible = ~(small.any(axis=1) & ~exact)  # rounded to 1 or 2, a count of three can be taken for a redrawn one
    assert np.all((low - 1e-9 <= size) & (size <= high + 1e-9) | ~possible)
    if exact:
        assert high - low == pytest.approx(small.sum(axis=1), abs=1e-9)


def test_that_a_known_cell_that_is_published_as_nothing_gives_no_answer() -> None:
    values, known, true = _one([0.0, 12.0]), np.array([0]), np.array([5])
    assert np.isnan(known_cell.from_exact(values, known, true).size[0])
    assert np.isnan(known_cell.size_bounds(values, known, true, exact=False)).all()
    assert np.isnan(known_cell.shares(_one([0.0, -3.0]))).all()


def test_that_integer_ratios_leave_the_published_candidates(golden: Any) -> None:
    for case in golden("attack_shape_only")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        factors = FactorRange(least=inputs["A"], most=inputs["B"])
        rows = _one(inputs["published"])
        vectors = nothing_known.primitive(rows, largest=1000, context=QUIET)
        assert vectors[0].tolist() == expected["primitive"]
        left = nothing_known.candidate_sizes(rows[0], factors, largest=1000, context=QUIET)
        assert list(left) == expected["candidate_sizes"]
        assert [size // int(vectors.sum()) for size in left] == expected["multipliers"]
        assert expected["true_size"] in left
        many = nothing_known.sizes_left(rows, factors, largest=1000, context=QUIET)
        assert many.number[0] == len(left)
        assert [size for size in range(1, 2000) if many.hold(np.array([size]))[0]] == list(left)


def test_that_the_primitive_vector_is_the_true_one_over_its_greatest_common_divisor() -> None:
    rng = np.random.Generator(np.random.PCG64(4))
    true = rng.integers(0, 300, (300, 3))
    true[:, 0] += 1
    factor = quantile(rng.random(300), least=0.05, most=0.15, shape=Shape.UNIFORM)
    found = nothing_known.primitive(factor[:, None] * true, largest=300, context=QUIET)
    assert np.array_equal(found, true // np.gcd.reduce(true, axis=1)[:, None])


def test_that_sizes_left_from_rounded_values_are_never_fewer_than_by_trying_all() -> None:
    rng = np.random.Generator(np.random.PCG64(5))
    for _ in range(30):
        true = rng.integers(1, 9, 2)
        factor = float(quantile(rng.random(1), least=0.05, most=0.15, shape=Shape.UNIFORM)[0])
        shown = np.rint(factor * true)
        grid = np.concatenate([np.linspace(low, high, 60) for low, high in RANGE.sides()])
        possible = {
            a + b
            for a in range(1, 14)
            for b in range(1, 14)
            if np.any((np.rint(grid * a) == shown[0]) & (np.rint(grid * b) == shown[1]))
        }
        left = nothing_known.sizes_left_rounded(shown[None, :], RANGE)
        assert left.number[0] >= len(possible)
        assert all(left.hold(np.array([size]))[0] for size in possible)


def test_that_redrawn_cells_stand_for_one_worker_or_two() -> None:
    rng = np.random.Generator(np.random.PCG64(8))
    true = rng.integers(0, 12, (400, 3))
    true[:, 0] += 1
    factor = quantile(rng.random(400), least=0.05, most=0.15, shape=Shape.RAMP)
    shown = np.where((true > 0) & (true < 2.5), rng.integers(1, 3, true.shape), factor[:, None] * true)
    exact = nothing_known.sizes_left(shown, RANGE, largest=50, context=QUIET)
    rounded = nothing_known.sizes_left_rounded(np.rint(shown), RANGE)
    size = true.sum(axis=1)
    assert exact.hold(size).all()
    assert rounded.hold(size).all()
    assert (exact.number == 1).mean() > 0.2
    assert np.all(exact.number[exact.number > 0] >= 1)


def test_that_one_published_value_gives_the_published_posterior(golden: Any) -> None:
    table = golden("ramp_posterior")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        first, last = inputs["uniform_prior"]
        sizes = np.arange(first, last + 1)
        factors = FactorRange(least=inputs["A"], most=inputs["B"])
        found = nothing_known.size_posterior(inputs["y"], sizes, np.ones(len(sizes)), factors, Shape.RAMP)
        assert sizes[found > 1e-12].tolist() == expected["support"]
        assert found[found > 1e-12] == pytest.approx(expected["posterior"], rel=table["rtol"])
        assert sizes[np.argmax(found)] == expected["map"]
        assert float((sizes * found).sum()) == pytest.approx(expected["mean"], rel=table["rtol"])


def test_that_the_edge_of_the_gap_belongs_to_the_factors() -> None:
    """4.5 is 0.9 of five and 1.125 of four; in doubles 4.5/5 lies a hair inside the gap of A = 0.1."""
    sizes = np.arange(3, 7)
    found = nothing_known.size_posterior(4.5, sizes, np.ones(4), FactorRange(least=0.1, most=0.2), Shape.RAMP)
    assert found == pytest.approx([0.0, 0.484, 0.516, 0.0], abs=5e-4)


def test_that_lone_holders_are_those_found_one_by_one() -> None:
    rng = np.random.Generator(np.random.PCG64(6))
    counts = rng.poisson(0.4, (40, 6))  # two sexes, three degrees
    holders = lone_holder.lone_holders(counts, (2, 3))
    expected = set()
    for row, cells in enumerate(counts.reshape(40, 2, 3)):
        for axis, values in ((0, 2), (1, 3)):
            for value in range(values):
                part = np.take(cells, value, axis=axis)
                if part.sum() == 1:
                    other = int(np.argmax(part))
                    expected.add((row, value * 3 + other if axis == 0 else other * 3 + value))
    assert set(zip(holders.row.tolist(), holders.column.tolist(), strict=True)) == expected
    assert np.array_equal(lone_holder.named_columns(counts.astype(float), holders), holders.column)


def test_that_a_table_with_one_worker_attribute_has_nothing_left_to_read_off() -> None:
    assert len(lone_holder.lone_holders(np.eye(3, dtype=np.int64), (3,)).row) == 0
    assert len(lone_holder.lone_holders(np.ones((3, 1), dtype=np.int64), ()).row) == 0


def test_that_randomised_response_is_right_as_often_as_permitted_and_no_more() -> None:
    """The bound is reached by keeping the truth with probability e^ε/(e^ε + k − 1)."""
    epsilon, candidates = 1.2, 5
    bound = permitted.posterior_bound(np.array([1 / candidates]), epsilon=epsilon, delta=0.0)[0]
    assert bound == pytest.approx(np.exp(epsilon) / (np.exp(epsilon) + candidates - 1), rel=1e-12)
    assert permitted.posterior_bound(np.array([0.3]), epsilon=0.0, delta=0.0)[0] == pytest.approx(0.3)
    assert permitted.posterior_bound(np.array([0.3]), epsilon=1e9, delta=0.0)[0] == pytest.approx(1.0)


def test_that_windows_are_counted_as_by_listing_them() -> None:
    for size in (1, 7, 50, 1234):
        window = [x for x in range(1, 3 * size) if size / 1.1**0.5 <= x <= size * 1.1**0.5]
        right = [x for x in window if abs(x - size) <= 0.01 * size]
        expected = min(len(right) / max(len(window), 2), 1.0)
        assert permitted.size_prior(np.array([size]), tolerance=0.01, alpha=0.1)[0] == pytest.approx(expected)
    shape = permitted.shape_prior(np.array([[500, 300, 0]]), tolerance=0.01, alpha=0.1)
    window = [x for x in range(800) if 500 / 1.1**0.5 <= x <= 500 * 1.1**0.5]
    assert shape[0] == pytest.approx(len([x for x in window if abs(x - 500) <= 5]) / len(window))
