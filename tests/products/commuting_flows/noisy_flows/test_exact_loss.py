"""The loss of everything that is measured, by enumeration: the code's own counts and scales on all small neighbours."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.noise.discrete_laplace import spent
from workbench.products.commuting_flows.noisy_flows.budget import Budget
from workbench.products.commuting_flows.noisy_flows.measure import Shape, TrueCounts, measure, tract_flows
from workbench.products.commuting_flows.noisy_flows.mechanism import question
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit

HOMES = ((0, 0), (1, 0), (2, 1), (3, 2))  # point and cell of each of four homes, the last off the map
SHAPE = Shape(tract_of=np.zeros(2, np.int64), tracts=1, points=4, listed=np.array([3, 3]))


def counts(table: Any) -> TrueCounts:
    """Workers of two populations at four homes."""
    held = np.array(table)
    population, home = np.nonzero(held)
    point, cell = np.array(HOMES)[home].T
    return TrueCounts(population=population, point=point, cell=cell, workers=held[population, home])


def distance(first: Any, second: Any, budget: Budget, small: tuple[bool, ...]) -> Fraction:
    """The largest log ratio of all that is measured, given which populations were found small: Σ |shift|/scale."""
    total = Fraction(0)
    exact = [counts(table) for table in (first, second)]
    if budget.sizes is not None:
        total += spent(int(np.abs(exact[0].sizes(2) - exact[1].sizes(2)).sum()), budget.sizes)
    elif not np.array_equal(exact[0].sizes(2), exact[1].sizes(2)):
        return Fraction(10**9)
    kinds = np.array(small)
    flows = [tract_flows(SHAPE, each, kinds) for each in exact]
    total += spent(int(np.abs(flows[0] - flows[1]).sum()), budget.tract_flows)
    for population, is_small in enumerate(small):
        cells = [
            np.bincount(each.cell[each.population == population], each.workers[each.population == population], 3)
            for each in exact
        ]
        scale = budget.cells_of_small if is_small else budget.cells_of_larger
        total += spent(int(np.abs(cells[0] - cells[1]).sum()), scale)
    return total


def kinds_of(table: Any, budget: Budget) -> list[tuple[bool, ...]]:
    """Noisy sizes make any population small or larger; public ones decide it."""
    if budget.sizes is not None:
        return list(product((False, True), repeat=2))
    return [tuple((np.array(table).sum(axis=1) <= budget.small_limit).tolist())]


TABLES = [[list(first), [2, 0, 1, 1]] for first in product(range(2), repeat=4)]


@pytest.mark.parametrize("epsilon", ["0.5", "2", "4", "8"])
def test_that_a_job_costs_epsilon_and_a_changed_record_twice_that(epsilon: str) -> None:
    asked = question(NoisyFlowsParams(epsilon=Epsilon(epsilon)))
    budget, whole = asked.budget, Fraction(Epsilon(epsilon))
    reached: dict[str, Fraction] = {"job": Fraction(0), "home": Fraction(0), "place": Fraction(0), "two": Fraction(0)}
    for table in TABLES:
        for home, other in product(range(4), repeat=2):
            more = [row.copy() for row in table]
            more[0][home] += 1
            away = [row.copy() for row in table]
            away[0][other] += 1
            elsewhere = [row.copy() for row in table]
            elsewhere[1][other] += 1
            twice = [row.copy() for row in more]
            twice[1][other] += 1
            for small in product((False, True), repeat=2):
                for name, pair in (
                    ("job", (table, more)),
                    ("home", (more, away)),
                    ("place", (more, elsewhere)),
                    ("two", (table, twice)),
                ):
                    reached[name] = max(reached[name], distance(*pair, budget, small))
    limits = {"job": whole, "home": 2 * (whole - budget.size_epsilon), "place": 2 * whole, "two": 2 * whole}
    for name, limit in limits.items():
        assert limit * (1 - Fraction(1, 10**9)) <= reached[name] <= limit, name


@pytest.mark.parametrize("epsilon", ["1", "4", "6"])
def test_that_a_home_costs_epsilon_also_off_the_map(epsilon: str) -> None:
    asked = question(NoisyFlowsParams(epsilon=Epsilon(epsilon), unit=Unit.HOME, small_limit=3))
    most = Fraction(0)
    for table in TABLES:
        for home, other in product(range(4), repeat=2):
            first, second = ([row.copy() for row in table] for _ in range(2))
            first[0][home] += 1
            second[0][other] += 1
            for small in kinds_of(first, asked.budget):
                most = max(most, distance(first, second, asked.budget, small))
    assert Fraction(Epsilon(epsilon)) * (1 - Fraction(1, 10**9)) <= most <= Fraction(Epsilon(epsilon))


def test_that_every_listed_number_is_drawn_also_where_nobody_is() -> None:
    asked = question(NoisyFlowsParams())
    _, answers = measure(SHAPE, counts([[0] * 4, [0] * 4]), asked, StudyRandom(3), QUIET)
    assert sum(len(answer.drawn) for answer in answers) == 2 + 4 + 6
    assert any((answer.drawn != 0).any() for answer in answers)


def test_that_every_worker_reports_once_wherever_they_live() -> None:
    asked = question(NoisyFlowsParams(epsilon=Epsilon(4), unit=Unit.HOME, reports=True))
    for table in ([[3, 0, 0, 0], [0, 0, 1, 0]], [[0, 0, 0, 3], [0, 1, 0, 0]]):
        measured, answers = measure(SHAPE, counts(table), asked, StudyRandom(5), QUIET)
        assert measured.reported.all()
        assert measured.cells.reshape(2, 3).sum(axis=1).tolist() == [3, 1]
        assert len(answers[-1].drawn) == 4
