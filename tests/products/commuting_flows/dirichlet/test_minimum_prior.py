"""The bound on δ, the search for the least prior and the ε a prior reaches, against plain loops over the formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows.dirichlet import urn
from tests.products.commuting_flows.dirichlet.disclosing import disclosing_chance
from workbench.core.errors import UserProblem
from workbench.products.commuting_flows.dirichlet.minimum_prior import (
    minimum_prior,
    minimum_priors,
    minimum_steps,
)
from workbench.products.commuting_flows.dirichlet.prior_in_force import delta_of_priors, snapped
from workbench.products.commuting_flows.dirichlet.probabilistic import delta_bound


def library_tail(t: int, m: int, a: float, b: float) -> float:
    from scipy.stats import betabinom

    return float(betabinom.pmf(np.arange(t, m + 1), m, a, b).sum()) if t <= m else 0.0


def plain_bound(m: int, n: int, prior: list[float], epsilon: float) -> float:
    """k·T(0) + n·max (T(x) − T(0))⁺/x, every x looked at; the sum and the largest over cells that differ."""
    growth, total = math.expm1(epsilon), n + sum(prior)
    empties, excess = 0.0, 0.0
    chances: dict[float, tuple[float, float]] = {}
    for alpha in prior:
        if alpha not in chances:
            tails = [
                library_tail(
                    math.floor(growth * (alpha + max(x - 1, 0)) * (1 + 1e-12)) + 1, m, alpha + x, total - alpha - x
                )
                for x in range(n + 1)
            ]
            chances[alpha] = tails[0], max((tails[x] - tails[0]) / x for x in range(1, n + 1))
        empties += chances[alpha][0]
        excess = max(excess, chances[alpha][1])
    return min(empties + n * excess, 1.0)


def test_that_the_golden_search_comes_out(golden: Any) -> None:
    for case in golden("dirichlet_pdp_search")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        found = minimum_prior(draws=inputs["m"], workers=inputs["n"], cells=inputs["k"],
                              epsilon=inputs["eps"], delta=inputs["delta"])  # fmt: skip
        assert found.step == expected["j"]
        assert found.alpha == pytest.approx(expected["alpha_min"], rel=1e-10)
        assert found.pure_alpha == pytest.approx(expected["alpha_pure"], rel=1e-10)
        assert found.delta_bound == pytest.approx(expected["delta_bound_at_alpha"], rel=1e-10)


@pytest.mark.parametrize(
    ("m", "n", "k", "alpha", "epsilon"),
    [(10, 10, 40, 0.06, 4.6), (12, 30, 5, 1.3, 0.4), (40, 25, 3, 2.0, 0.9), (30, 30, 2, 0.5, 2.0),
     (60, 50, 20, 4.0, 0.15), (7, 1, 9, 0.2, 1.0)],
)  # fmt: skip
def test_that_the_bound_is_the_one_of_the_plain_loop(m: int, n: int, k: int, alpha: float, epsilon: float) -> None:
    found = delta_bound(alpha, draws=m, workers=n, cells=k, epsilon=epsilon)
    assert found[0] == pytest.approx(plain_bound(m, n, [alpha] * k, epsilon), rel=1e-9)


@pytest.mark.parametrize(("alpha", "epsilon"), [(0.3, 2.0), (0.5, 1.2), (1.0, 1.5)])
def test_that_no_data_set_discloses_more_often_than_the_bound(alpha: float, epsilon: float) -> None:
    n, k, m = 5, 3, 6
    chances = [disclosing_chance(data, [alpha] * k, draws=m, epsilon=epsilon) for data in urn.outcomes(n, k)]
    bound = float(delta_bound(alpha, draws=m, workers=n, cells=k, epsilon=epsilon)[0])
    assert 0.0 < max(chance.delta_exact for chance in chances) <= bound + 1e-12
    assert max(chance.delta_union for chance in chances) <= bound + 1e-12


def test_that_the_search_finds_the_first_candidate_that_keeps_delta() -> None:
    rng = np.random.default_rng(8)
    m, n, k = rng.integers(1, 35, 30), rng.integers(1, 35, 30), rng.integers(1, 60, 30)
    m[-1], n[-1], k[-1] = 150, 3, 2  # far more draws than rows: many candidates whose threshold lies below the mean
    for epsilon, delta in ((4.6, 1e-6), (1.0, 1e-2), (0.2, 1e-3)):
        growth = math.expm1(epsilon)
        steps = minimum_steps(m, n, k, epsilon=epsilon, delta=delta)
        for step, draws, rows, cells in zip(steps, m, n, k, strict=True):
            keeps = [int(cells) == 1 or plain_bound(int(draws), int(rows), [j / growth] * int(cells), epsilon) <= delta
                     for j in range(1, int(step) + 1)]  # fmt: skip
            assert keeps == [False] * (int(step) - 1) + [True]


def test_that_all_populations_at_once_give_what_each_gives_alone() -> None:
    rng = np.random.default_rng(9)
    m = np.minimum((rng.pareto(0.9, 200) * 12).astype(int) + 1, 5000)
    k = rng.integers(2, 900, 200)
    priors = minimum_priors(m, m, k, epsilon=4.6, delta=1e-6)
    assert priors.shape == (200,)
    for place in range(0, 200, 17):
        alone = minimum_prior(draws=int(m[place]), workers=int(m[place]), cells=int(k[place]), epsilon=4.6, delta=1e-6)
        assert priors[place] == alone.alpha
    assert np.all(delta_bound(priors, draws=m, workers=m, cells=k, epsilon=4.6) <= 1e-6)


def test_that_populations_where_nothing_can_be_told_need_the_least() -> None:
    priors = minimum_priors([0, 1, 5], [5, 1, 5], [10, 10, 1], epsilon=1.0, delta=1e-6)
    assert priors == pytest.approx(np.array([0.0, 1.0, 1.0]) / math.expm1(1.0))
    assert delta_bound(0.1, draws=[0, 5, 5], workers=[5, 0, 5], cells=[9, 9, 1], epsilon=1.0).tolist() == [0.0] * 3
    assert delta_bound(0.0, draws=5, workers=5, cells=9, epsilon=1.0).tolist() == [1.0]
    assert minimum_priors([], [], [], epsilon=1.0, delta=0.1).shape == (0,)


def delta_of_prior(prior: Any, *, draws: int, workers: int, epsilon: float) -> float:
    """The bound for one population, all of whose support points are listed."""
    here = np.zeros(len(prior), dtype=np.int64)
    return float(delta_of_priors(prior, population=here, draws=[draws], workers=[workers], epsilon=epsilon)[0])


def test_that_priors_that_differ_have_the_bound_of_the_plain_loop() -> None:
    prior = [0.3] * 6 + [0.45, 0.9, 2.0]
    for m, n, epsilon in ((12, 12, 1.5), (20, 8, 0.6)):
        found = delta_of_prior(prior, draws=m, workers=n, epsilon=epsilon)
        assert found == pytest.approx(plain_bound(m, n, prior, epsilon), rel=1e-9)
    both = delta_of_priors(
        [0.3, 0.45, 0.9, 2.0, 0.5], population=[1, 1, 1, 1, 0], cells=[6, 1, 1, 1, 40], draws=[9, 12], workers=[9, 12],
        epsilon=1.5,
    )  # fmt: skip
    assert both[1] == delta_of_prior(prior, draws=12, workers=12, epsilon=1.5)
    assert both[0] == pytest.approx(float(delta_bound(0.5, draws=9, workers=9, cells=40, epsilon=1.5)[0]), rel=1e-12)
    assert delta_of_prior([0.3, 0.0], draws=3, workers=3, epsilon=1.0) == 1.0


def test_that_raising_one_cell_between_candidates_costs_and_snapping_takes_it_back() -> None:
    least = minimum_prior(draws=10, workers=10, cells=1000, epsilon=4.6, delta=1e-6)
    raised = [least.alpha * (least.step + 0.999) / least.step] + [least.alpha] * 999
    assert delta_of_prior(raised, draws=10, workers=10, epsilon=4.6) > least.delta_bound * 1.01
    back = snapped(raised, epsilon=4.6)
    assert back == pytest.approx([least.alpha] * 1000, rel=1e-12)
    assert delta_of_prior(back, draws=10, workers=10, epsilon=4.6) == pytest.approx(least.delta_bound, rel=1e-9)


def test_that_bad_input_is_a_problem_in_words() -> None:
    with pytest.raises(UserProblem, match="δ must lie between") as problem:
        minimum_prior(draws=0, workers=5, cells=5, epsilon=0.0, delta=1.0)
    assert len(problem.value.problems) == 3
    with pytest.raises(UserProblem, match="whole numbers"):
        minimum_priors([1.5], [1], [2], epsilon=1.0, delta=0.1)
    with pytest.raises(UserProblem, match="negative"):
        delta_bound([-0.1], draws=1, workers=1, cells=2, epsilon=1.0)
    with pytest.raises(UserProblem, match="population"):
        delta_of_priors([0.1], population=[1], draws=[1], workers=[1], epsilon=1.0)
