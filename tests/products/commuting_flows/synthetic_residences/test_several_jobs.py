"""Several jobs of one worker in one population: the bound for one home, steps otherwise, and why the home matters."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows.few_flows import populations
from tests.products.commuting_flows.synthetic_residences.test_mechanism import dirichlet_multinomial, outcomes
from workbench.accounting.composition import group
from workbench.core.progress import QUIET
from workbench.core.quantities import Delta, Epsilon
from workbench.products.commuting_flows.dirichlet.probabilistic import bounds_of, delta_bound, telling_draws
from workbench.products.commuting_flows.dirichlet.probabilistic import populations as level
from workbench.products.commuting_flows.synthetic_residences import SPEC, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.loss import Levels
from workbench.products.commuting_flows.synthetic_residences.search import pruned_bounds
from workbench.products.commuting_flows.synthetic_residences.several_jobs import any_home_loss, rows_loss


def cases(golden: Any) -> list[dict[str, Any]]:
    return [case for case in golden("flow_bound_public_size")["cases"] if case["inputs"]["jobs"] == 2]


def bound(given: dict[str, Any], alpha: float) -> float:
    one = {"draws": np.array([given["draws"]]), "workers": np.array([given["workers"]])}
    if alpha < 1:
        growth = math.expm1(given["eps_star"])
        points = np.array([given["points"]])
        return float(
            pruned_bounds(np.array([alpha]), **one, points=points, growth=growth, min_p=given["min_p"], jobs=2)[0]
        )
    found = level(alpha, **one, cells=given["points"], epsilon=given["eps_star"])
    return float(bounds_of(replace(found, jobs=2))[0])


def test_that_the_bound_for_two_jobs_has_the_known_values(golden: Any) -> None:
    assert len(cases(golden)) >= 3
    for case in cases(golden):
        given, expected = case["inputs"], case["expected"]
        assert bound(given, expected["alpha"]) == pytest.approx(expected["delta_bound"], rel=1e-6)
        levels = Levels(
            population=np.array([0]), prior=np.array([expected["alpha"]]), points=np.array([given["points"]])
        )
        params = SyntheticResidencesParams(epsilon=Epsilon(str(given["eps_star"])), min_p=Decimal(str(given["min_p"])))
        loss = rows_loss(levels, np.array([given["draws"]]), params, 2)
        assert loss == pytest.approx(expected["loss_within_thresholds"], rel=1e-6)


def test_that_one_job_has_the_bound_it_had() -> None:
    numbers = {"draws": np.array([20, 100]), "workers": np.array([20, 100]), "cells": np.array([5, 200])}
    found = level(np.array([0.3, 1.2]), **numbers, epsilon=2.0)
    assert bounds_of(found).tolist() == delta_bound(np.array([0.3, 1.2]), **numbers, epsilon=2.0).tolist()


PARAMS = SyntheticResidencesParams(epsilon=Epsilon("2"), delta=Delta("0.05"), pruning=False, prior_weight=Decimal(0))


def same_home(rows: int, points: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for others in outcomes(rows - 2, points):
        for i, j in itertools.permutations(range(points), 2):
            first, second = list(others), list(others)
            first[i] += 2
            second[j] += 2
            yield tuple(first), tuple(second)


def chance(first: tuple[int, ...], second: tuple[int, ...], alpha: float, epsilon: float) -> float:
    """The probability of outcomes whose odds change by more than e^ε, every outcome written out; m = n."""
    total = 0.0
    for case in outcomes(sum(first), len(first)):
        p, q = (dirichlet_multinomial(case, [alpha + n for n in data]) for data in (first, second))
        total += p if p > q * math.exp(epsilon) * (1 + 1e-9) else 0.0
    return total


@pytest.mark.parametrize(("size", "points", "step"), [(3, 3, 1), (4, 3, 1), (4, 3, 2), (5, 2, 2)])
def test_that_no_pair_with_one_home_exceeds_the_bound(size: int, points: int, step: int) -> None:
    alpha = step / math.expm1(2.0)
    found = level(alpha, draws=size, workers=size, cells=points, epsilon=2.0)
    (limit,) = bounds_of(replace(found, jobs=2))
    worst = max(chance(a, b, alpha, 4.0) for a, b in same_home(size, points))
    assert worst <= limit + 1e-12


def with_pruning(case: tuple[int, ...], data: tuple[int, ...], alpha: float, keep: float) -> float:
    """The chance of an outcome, over every choice of priors that are pruned; the first point keeps its own."""
    total = 0.0
    for kept in itertools.product((True, False), repeat=len(data) - 1):
        weights = [n + alpha * stays for n, stays in zip(data, (True, *kept), strict=True)]
        total += math.prod(keep if stays else 1 - keep for stays in kept) * dirichlet_multinomial(case, weights)
    return total


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize(("step", "epsilon"), [(1, 1.0), (1, 2.0), (2, 2.0), (5, 2.0), (1, 4.6), (2, 4.6), (5, 4.6)])
@pytest.mark.parametrize("keep", [0.02, 0.5])
def test_that_pruning_costs_no_more_than_the_bound_wherever_others_live(
    size: int, step: int, epsilon: float, keep: float
) -> None:
    """Every data set of three points, every outcome and every choice of pruned priors, two rows with one home."""
    alpha = step / math.expm1(epsilon)
    params = SyntheticResidencesParams(epsilon=Epsilon(str(epsilon)), min_p=Decimal(str(keep)))
    levels = Levels(population=np.array([0]), prior=np.array([alpha]), points=np.array([3]))
    limit = any_home_loss(levels, np.array([size]), params, 2)
    assert limit >= rows_loss(levels, np.array([size]), params, 2)
    kept, growth, worst = max(alpha, keep), np.array([math.expm1(epsilon)]), 0.0
    for first, second in same_home(size, 3):
        home = next(i for i in range(3) if first[i] > second[i])
        threshold = float(telling_draws(np.array([alpha + second[home]]), growth=growth, jobs=2)[0])
        for case in outcomes(size, 3):
            if case[home] < threshold and (p := with_pruning(case, first, alpha, kept)) > 0.0:
                worst = max(worst, math.log(p / with_pruning(case, second, alpha, kept)))
    assert 0.0 < worst <= limit + 1e-9


def test_that_two_homes_break_it() -> None:
    """Three workers at three points; one with two jobs moves both to the third: .0996 where the bound is 0."""
    alpha = 1 / math.expm1(4.6)
    found = level(alpha, draws=3, workers=3, cells=3, epsilon=4.6)
    assert bounds_of(replace(found, jobs=2))[0] == 0.0
    first, second = (1, 1, 1), (0, 0, 3)
    delta = 0.0
    for case in outcomes(3, 3):
        p, q = (dirichlet_multinomial(case, [alpha + n for n in data]) for data in (first, second))
        delta += max(0.0, p - q * math.exp(9.2))
    assert delta == pytest.approx(0.0996, abs=5e-4)


def test_that_the_claim_charges_the_bound_for_one_home_and_steps_otherwise() -> None:
    params = SyntheticResidencesParams()
    one = SPEC.claim(populations([[60, 40]]), params)
    homes, steps = (
        SPEC.claim(populations([[60, 40]], most_populations=2, jobs=2, one_home=known), params)
        for known in (True, False)
    )
    assert homes.epsilon == steps.epsilon == 2 * one.epsilon
    assert homes.delta == 2 * one.delta, "the two jobs may also be in two populations"
    assert steps.delta == group(epsilon=one.epsilon, delta=one.delta, size=2)[1] > 100 * homes.delta
    assert any("charged as 2 steps" in said for said in steps.assumptions)
    assert any("have one home, which is enforced" in said for said in homes.assumptions)
    assert homes.formal and steps.formal and one.formal
    for known in (True, False):
        prepared = populations([[60, 40]], most_populations=2, jobs=2, one_home=known)
        exact, claim = SPEC.exact_loss(prepared, params, QUIET), SPEC.claim(prepared, params)
        assert exact.epsilon <= float(claim.epsilon) and exact.delta <= float(claim.delta) * (1 + 1e-9)


def test_that_priors_off_the_grid_have_a_larger_bound() -> None:
    """m = 1000 over 1,000 points at the prior found for 10⁻⁶: just above it the same threshold has more weight."""
    growth = math.expm1(4.6)
    numbers = {"draws": np.array([1000]), "workers": np.array([1000]), "points": np.array([1000])}
    on, off = (
        pruned_bounds(np.array([step / growth]), **numbers, growth=growth, min_p=0.025)[0] for step in (30, 30.999)
    )
    assert on <= 1e-6 < off
