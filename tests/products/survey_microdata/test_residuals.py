"""The residual basis: published values, brute force over records, and tables that come back."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from workbench.products.survey_microdata import residuals
from workbench.products.survey_microdata.residual_plan import ResidualPlan, best_plan


def test_that_plans_have_the_published_variances(golden: Any) -> None:
    for case in golden("survey_residual_plan")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        plan = best_plan(np.array(inputs["k"]), inputs["rho"], inputs["one_way_weight"])
        for name, variance in expected["sigma2"].items():
            places = [] if name == "total" else [int(place) for place in name.split(",")]
            found = (
                plan.total,
                plan.single[places[0]] if places else 0.0,
                plan.pair[tuple(places)] if len(places) == 2 else 0.0,
            )
            assert found[len(places)] == pytest.approx(variance, rel=1e-9)
        for name, variance in expected["cell_variance"].items():
            i, j = (int(place) for place in name.split(","))
            assert plan.cell_variance(i, j) == pytest.approx(variance, rel=1e-9)
        assert plan.rho() == pytest.approx(expected["rho_add_remove"], rel=1e-9)
        assert plan.rho_replaced() == pytest.approx(expected["rho_replace_one"], rel=1e-9)


def test_that_residuals_have_the_published_integers(golden: Any) -> None:
    for case in golden("survey_residual_integer")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        table = np.array(inputs["table"])
        found = residuals.of_margin(table) if table.ndim == 1 else residuals.of_table(table)
        assert found.ravel().tolist() == expected["u"]
        assert float(residuals.rho(inputs["gamma"], *inputs["k"])) == pytest.approx(expected["rho"], rel=1e-9)
        assert residuals.centred(found.astype(float)).ravel() == pytest.approx(expected["residual"], rel=1e-9)


def random_plan(seed: int, equal: bool) -> ResidualPlan:
    random = np.random.default_rng(seed)
    variables = int(random.integers(2, 5))
    k = random.integers(2, 5, variables)
    pair = random.uniform(1, 9, (variables, variables)) if not equal else np.full((variables, variables), 3.0)
    pair = np.triu(pair, 1) + np.triu(pair, 1).T
    return ResidualPlan(
        categories=k, total=float(random.uniform(1, 9)), single=random.uniform(1, 9, variables), pair=pair
    )


def measured(record: tuple[int, ...], plan: ResidualPlan) -> np.ndarray:
    """Everything one record adds, each part divided by the standard deviation of its noise."""
    k = plan.categories.tolist()
    parts = []
    for i, size in enumerate(k):
        unit = np.eye(size, dtype=int)[record[i]]
        parts.append(residuals.of_margin(unit) / (size * np.sqrt(plan.single[i])))
    for i, j in itertools.combinations(range(len(k)), 2):
        table = np.zeros((k[i], k[j]), dtype=int)
        table[record[i], record[j]] = 1
        parts.append(residuals.of_table(table).ravel() / (k[i] * k[j] * np.sqrt(plan.pair[i, j])))
    return np.concatenate(parts)


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_that_the_price_is_that_of_the_worst_records(seed: int, equal: bool) -> None:
    plan = random_plan(seed, equal)
    records = list(itertools.product(*[range(size) for size in plan.categories.tolist()]))
    vectors = np.array([measured(record, plan) for record in records])
    alone = 0.5 * ((vectors**2).sum(axis=1).max() + 1.0 / plan.total)
    apart = max(0.5 * ((a - b) ** 2).sum() for a in vectors for b in vectors)
    assert plan.rho() == pytest.approx(alone, rel=1e-12)
    assert plan.rho_replaced() == pytest.approx(apart, rel=1e-12)


def test_that_the_sorted_rule_is_not_used_where_pairs_differ() -> None:
    """k = (2, 3, 4) with one pair measured worse: the sorted rule would promise too much."""
    plan = random_plan(3, equal=False)
    assert plan._sorted_price(float(plan.pair[np.triu_indices(len(plan.categories), 1)].max())) != pytest.approx(
        plan.rho_replaced()
    )
    many = best_plan(np.resize(np.array([2, 3, 4, 5]), 40), 0.3, 10.0)
    uneven = ResidualPlan(
        categories=many.categories, total=many.total, single=many.single,
        pair=many.pair * (1 + np.triu(np.ones((40, 40)), 20) + np.triu(np.ones((40, 40)), 20).T),
    )  # fmt: skip
    assert uneven.rho_replaced() == pytest.approx(float(uneven._alone().sum()))


def test_that_tables_come_back_from_their_residuals_and_agree_on_margins() -> None:
    random = np.random.default_rng(1)
    table = random.integers(0, 50, (3, 4))
    pair = residuals.centred(residuals.of_table(table).astype(float))
    first = residuals.centred(residuals.of_margin(table.sum(axis=1)).astype(float))
    second = residuals.centred(residuals.of_margin(table.sum(axis=0)).astype(float))
    found = residuals.table_from(pair, first, second, float(table.sum()))
    assert found == pytest.approx(table.astype(float))
    assert found.sum(axis=1) == pytest.approx(residuals.margin_from(first, float(table.sum())))
    noisy = residuals.table_from(pair + residuals.centred(random.normal(size=(3, 4)) * 12), first, second, 9.0)
    assert noisy.sum(axis=1) == pytest.approx(residuals.margin_from(first, 9.0))


@pytest.mark.parametrize("categories", [(2,), (5,), (2, 3), (4, 4)])
def test_that_one_record_moves_the_integers_by_the_declared_norm(categories: tuple[int, ...]) -> None:
    declared = residuals.squared_sensitivity(*categories)
    for place in itertools.product(*[range(k) for k in categories]):
        table = np.zeros(categories, dtype=int)
        table[place] = 1
        moved = residuals.of_margin(table) if table.ndim == 1 else residuals.of_table(table)
        assert int((moved**2).sum()) == declared
