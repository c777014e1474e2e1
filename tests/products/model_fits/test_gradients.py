"""Sums of clipped gradients: exact integers, nobody longer than the clip, and the same by a loop over people."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.products.model_fits import hand_made
from workbench.core.confidential import Confidential
from workbench.products.model_fits.fit_data import GRID, FitData
from workbench.products.model_fits.mechanisms import gradients
from workbench.products.model_fits.mechanisms.gradients import RESIDUALS, STEPS_PER_UNIT, gradient_sums

CLIP = np.array([0.9])


def people(many: int, d: int, seed: int, *, corners: bool = False) -> FitData:
    random = np.random.default_rng(seed)
    values = random.choice([-GRID, GRID], (many, d - 1)) if corners else random.integers(-GRID, GRID + 1, (many, d - 1))
    grid = np.concatenate([np.full((many, 1), GRID), values], axis=1)
    return replace(hand_made.prepared(), grid=Confidential(grid), outcome=Confidential(random.integers(0, 2, many)))


def only(data: FitData, places: list[int]) -> FitData:
    return replace(
        data,
        grid=Confidential(data.grid.reveal()[places]),
        outcome=Confidential(data.outcome.reveal()[places]),
    )


@pytest.mark.parametrize(("d", "clip"), [(2, 0.001), (2, 1.0), (10, 0.5), (10, 3.0), (41, 2.0)])
@pytest.mark.parametrize("corners", [False, True])
def test_that_nobody_adds_more_than_the_clip_in_exact_arithmetic(d: int, clip: float, corners: bool) -> None:
    data = people(200, d, 4, corners=corners)
    random = np.random.default_rng(5)
    for place in range(200):
        beta = random.normal(size=(1, d)) * 3.0
        total = gradient_sums(only(data, [place])).of_all(beta, np.array([clip]))[0]
        assert sum(int(v) ** 2 for v in total.tolist()) <= (Fraction(clip) * STEPS_PER_UNIT) ** 2


def test_that_what_one_person_adds_depends_on_nobody_else() -> None:
    """Added at any place among any number of others, alone or in a sample, a person changes the sums by the same."""
    data, beta = people(3000, 7, 6), np.random.default_rng(7).normal(size=(1, 7))
    for many in (1, 2, 7, 64, 1023, 2999):
        others = list(range(1, many + 1))
        alone = gradient_sums(only(data, [0])).of_all(beta, CLIP)
        for together in ([0, *others], [*others, 0]):
            whole, rest = (gradient_sums(only(data, each)) for each in (together, others))
            assert np.array_equal(whole.of_all(beta, CLIP) - rest.of_all(beta, CLIP), alone)
            sampled = whole.of_sample(beta, CLIP[0], np.arange(len(together)))
            assert np.array_equal(sampled, whole.of_all(beta, CLIP))


def test_that_copies_sum_the_same_gradients_as_one_fit_alone() -> None:
    data, random = people(400, 5, 8), np.random.default_rng(9)
    sums, beta, chosen = gradient_sums(data), random.normal(size=(7, 5)), random.random((7, 400)) < 0.1
    chosen[3] = False
    clips = np.linspace(0.3, 1.5, 7)
    together, everybody = sums.of_sample(beta, 0.8, np.flatnonzero(chosen)), sums.of_all(beta, clips)
    for copy in range(7):
        one = slice(copy, copy + 1)
        assert np.array_equal(together[one], sums.of_sample(beta[one], 0.8, np.flatnonzero(chosen[copy])))
        assert np.array_equal(everybody[one], sums.of_all(beta[one], clips[one]))


def test_that_the_sums_are_those_of_a_loop_over_people() -> None:
    data, beta, clip = people(500, 4, 10), np.array([[0.3, -1.2, 0.7, 2.0]]), 0.6
    design, outcome = data.people.reveal()
    total = np.zeros(4)
    for x, y in zip(design, outcome, strict=True):
        gradient = x * (y - 1 / (1 + np.exp(-x @ beta[0])))
        total += gradient / max(1.0, np.linalg.norm(gradient) / clip)
    # each person's w is off by at most one step of its grid, wherever it is cut
    found = gradient_sums(data).of_all(beta, np.array([clip]))[0]
    assert found / STEPS_PER_UNIT == pytest.approx(total, abs=500 / RESIDUALS)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1.0, 50.0, 1e6, 1e100])
@pytest.mark.parametrize("d", [2, 11, 65])
def test_that_both_products_stay_within_exact_integers(size: float, d: int) -> None:
    beta = np.random.default_rng(11).uniform(-size, size, (3, d))
    places, step = gradients.exact_places(beta)
    assert np.array_equal(places, np.rint(places))
    assert GRID * np.abs(places).sum(axis=1).max() < 2.0**53
    assert places * step * GRID == pytest.approx(beta, rel=1e-9, abs=1e-9 * max(size, 1.0))
    most_people = 2**53 // (RESIDUALS * GRID)
    assert most_people > gradients._AT_ONCE, "so that no block of sums leaves the exact integers"


def test_that_odds_beyond_the_floats_end_at_certainty() -> None:
    data = people(50, 3, 12)
    for size in (1e4, 1e200):
        total = gradient_sums(data).of_all(np.array([[size, 0.0, 0.0]]), np.array([10.0]))[0]
        zeros = np.count_nonzero(data.outcome.reveal() == 0)
        assert total[0] == -zeros * STEPS_PER_UNIT
