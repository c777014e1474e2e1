"""The model of records and the file drawn from it: from noisy tables alone, closer to the truth than they are."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from workbench.accounting import zcdp
from workbench.core.progress import QUIET
from workbench.products.survey_microdata import mixture, records, residuals
from workbench.products.survey_microdata.residual_plan import best_plan


def survey(people: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Answers of people with two hidden attitudes: neither a mixture of products nor independent."""
    random = np.random.default_rng(seed)
    categories = random.integers(2, 6, 8)
    hidden = random.normal(size=(people, 2))
    answers = [
        np.digitize(
            hidden @ random.normal(size=2) + 0.8 * random.normal(size=people), np.sort(random.normal(size=k - 1))
        )
        for k in categories
    ]
    return np.stack(answers, axis=1), categories


def measured(data: np.ndarray, categories: np.ndarray, epsilon: float, seed: int) -> mixture.NoisyTables:
    """Float noise of the plan's variances, for studies only."""
    random, plan = np.random.default_rng(seed), best_plan(categories, zcdp.rho_of(epsilon, 1e-6), 10.0)
    places = np.concatenate([[0], np.cumsum(categories)])
    pair = np.zeros((places[-1], places[-1]))
    single = [
        residuals.centred(
            residuals.of_margin(np.bincount(data[:, i], minlength=k))
            + random.normal(size=k) * k * np.sqrt(plan.single[i])
        )
        for i, k in enumerate(categories)
    ]
    for i, j in combinations(range(len(categories)), 2):
        table = np.zeros((categories[i], categories[j]), dtype=int)
        np.add.at(table, (data[:, i], data[:, j]), 1)
        noise = random.normal(size=table.shape) * table.size * np.sqrt(plan.pair[i, j])
        block = residuals.centred(residuals.of_table(table) + noise)
        pair[places[i] : places[i + 1], places[j] : places[j + 1]] = block
        pair[places[j] : places[j + 1], places[i] : places[i + 1]] = block.T
    total = len(data) + random.normal() * np.sqrt(plan.total)
    return mixture.NoisyTables(
        categories=categories, total=total, single=np.concatenate(single), pair=pair,
        single_variance=plan.single, pair_variance=plan.pair,
    )  # fmt: skip


def distance(first: np.ndarray, second: np.ndarray, categories: np.ndarray) -> float:
    """Root mean square over the cells of all pairs of different variables."""
    variable = np.repeat(np.arange(len(categories)), categories)
    apart = variable[:, None] != variable[None, :]
    return float(np.sqrt(((first - second)[apart] ** 2).mean()))


def test_that_the_tables_of_a_mixture_have_the_published_values(golden: Any) -> None:
    for case in golden("survey_mixture_tables")["cases"]:
        theta = [np.array(one) for one in case["inputs"]["theta"]]
        chances = np.concatenate(theta, axis=1)
        found = mixture.two_way(chances, case["inputs"]["n"])
        ends = np.concatenate([[0], np.cumsum([one.shape[1] for one in theta])])
        for name, table in case["expected"].items():
            places = [int(digit) for digit in name if digit.isdigit()]
            if len(places) == 2:
                i, j = places
                block = found[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
                assert block == pytest.approx(np.array(table), rel=1e-9)


def test_that_the_slope_of_the_loss_is_that_of_small_steps() -> None:
    data, categories = survey(500, 3)
    tables = measured(data, categories, 2.0, 4)
    problem = mixture._Problem.of(tables, 4)
    logits = np.random.default_rng(5).normal(size=(4, int(categories.sum())))
    loss, slope = problem.loss_and_slope(problem.softmax(logits.astype(np.float32)))
    assert loss == pytest.approx(losses(tables, logits)[0] / problem.freedom, rel=1e-4)
    for place in ((0, 0), (2, 5), (3, 9)):
        step = np.zeros_like(logits)
        step[place] = 1e-5
        small = (sum(losses(tables, logits + step)) - sum(losses(tables, logits - step))) / 2e-5
        assert slope[place] == pytest.approx(small, rel=1e-3)


def losses(tables: mixture.NoisyTables, logits: np.ndarray) -> tuple[float, float]:
    """χ² of the pairs and of the variables, block by block as written in the module's first lines."""
    ends, n = tables.offsets, tables.size()
    theta = [np.exp(logits[:, first:last]) for first, last in pairwise(ends)]
    theta = [one / one.sum(axis=1, keepdims=True) for one in theta]
    pairs = singles = 0.0
    for i, first in enumerate(theta):
        share = first.mean(axis=0) - 1.0 / first.shape[1] - tables.single[ends[i] : ends[i + 1]] / n
        singles += float((share**2).sum()) * n**2 / tables.single_variance[i]
        for j, second in enumerate(theta[:i]):
            table = first.T @ second / len(first)
            table = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
            away = table - tables.pair[ends[i] : ends[i + 1], ends[j] : ends[j + 1]] / n
            pairs += float((away**2).sum()) * n**2 / tables.pair_variance[i, j]
    return pairs, singles


def test_that_model_and_file_come_close_to_the_survey_from_noisy_tables_alone() -> None:
    data, categories = survey(6000, 1)
    truth = records.file_tables(data, categories)
    tables = measured(data, categories, 1.0, 2)
    random = np.random.default_rng(6)
    chances = mixture.fit(tables, random, QUIET, components=100)
    model = mixture.two_way(chances, tables.size())
    alone = np.outer(np.diag(truth), np.diag(truth)) / len(data)
    assert distance(model, truth, categories) < 0.35 * distance(alone, truth, categories)
    drawn = records.drawn(chances, categories, tables.size(), random)
    better = records.polished(drawn, model, categories, random, QUIET)
    assert len(better) == tables.size()
    first, last = (distance(records.file_tables(r, categories), model, categories) for r in (drawn, better))
    assert last < 0.5 * first
    for place, size in enumerate(categories):  # swaps leave one-way tables as they are
        assert np.array_equal(
            np.bincount(drawn[:, place], minlength=size), np.bincount(better[:, place], minlength=size)
        )


def test_that_model_margins_are_the_noisy_ones() -> None:
    data, categories = survey(3000, 7)
    tables = measured(data, categories, 4.0, 8)
    chances = mixture.fit(tables, np.random.default_rng(9), QUIET, components=60)
    wanted = np.maximum(tables.margins(), 0.1)
    assert chances.mean(axis=0) * tables.size() == pytest.approx(wanted, rel=0.02, abs=1.0)


def test_that_the_number_of_records_is_the_noisy_one_and_never_zero() -> None:
    data, categories = survey(50, 1)
    tables = measured(data, categories, 8.0, 2)
    for total, size in ((-3.2, 1), (0.2, 1), (47.6, 48)):
        changed = mixture.NoisyTables(
            categories=categories, total=total, single=tables.single, pair=tables.pair,
            single_variance=tables.single_variance, pair_variance=tables.pair_variance,
        )  # fmt: skip
        assert changed.size() == size
