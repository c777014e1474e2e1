"""Worker-level Laplace: what it promises, what it refuses, what it spends."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.claims import Definition
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise import discrete_laplace
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.laplace import SPEC, LaplaceParams
from workbench.products.employment_tables.mechanisms.neighbour_cells import telling_cells


def test_that_the_claim_says_plainly_that_employers_are_not_protected() -> None:
    claim = SPEC.claim(None, LaplaceParams())
    assert claim.definition is Definition.EDGE
    assert claim.epsilon == 1
    assert "sizes of employers are not protected" in claim.sentence


def test_that_the_claim_says_when_the_bound_on_jobs_could_not_be_checked() -> None:
    unchecked = SPEC.claim(hand_made.cells(most_jobs=None), LaplaceParams())
    checked = SPEC.claim(hand_made.cells(most_jobs=1), LaplaceParams())
    assert any("assumed, not checked" in assumption for assumption in unchecked.assumptions)
    assert not any("assumed, not checked" in assumption for assumption in checked.assumptions)
    assert "Each value of the worker's column is one person" in checked.assumptions[-1]


def test_that_a_worker_with_more_jobs_than_the_bound_is_a_problem_without_the_number() -> None:
    data = hand_made.cells(most_jobs=4711)
    (problem,) = SPEC.problems(data, LaplaceParams(jobs_per_worker=3))
    assert "4711" not in problem.sentence()
    assert problem.where == "jobs_per_worker"
    assert SPEC.problems(data, LaplaceParams(jobs_per_worker=1000)) != ()
    assert SPEC.problems(hand_made.cells(most_jobs=3), LaplaceParams(jobs_per_worker=3)) == ()


@pytest.mark.parametrize("epsilon", ["0", "-1", "51"])
def test_that_an_epsilon_out_of_bounds_is_refused(epsilon: str) -> None:
    assert problems_of(LaplaceParams(epsilon=Epsilon(epsilon)))


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("epsilon", ["0.3", "1", "4"])
def test_that_the_exact_loss_is_the_largest_ratio_of_probabilities(epsilon: str, jobs: int, clip: bool) -> None:
    """Brute force over outputs, counts and both directions, without the closed form of the ratio."""
    params = LaplaceParams(epsilon=Epsilon(epsilon), jobs_per_worker=jobs, clip_at_zero=clip)
    exact = SPEC.exact_loss(hand_made.cells(), params, QUIET)
    scale = SPEC.calibrate(params, CellCase()).scale
    worst = max(abs(loss) for n in (0, 1, 7) for loss in _losses(n, n + jobs, scale, clip))
    assert exact.epsilon == pytest.approx(worst, rel=1e-9)
    assert exact.epsilon <= float(epsilon) * (1 + 1e-15)
    assert exact.delta == 0


def _losses(count: int, neighbour: int, scale: float, clip: bool) -> list[float]:
    outputs = np.arange(-60, 61)
    first = discrete_laplace.probability(outputs - count, scale)
    second = discrete_laplace.probability(outputs - neighbour, scale)
    if clip:
        everything = np.arange(-4000, 1)
        at_zero = [discrete_laplace.probability(everything - n, scale).sum() for n in (count, neighbour)]
        first = np.concatenate([[at_zero[0]], first[outputs > 0]])
        second = np.concatenate([[at_zero[1]], second[outputs > 0]])
    return [math.log(a / b) for a, b in zip(first, second, strict=True) if a > 0 and b > 0]


@pytest.mark.parametrize("jobs", [1, 3, 12])
def test_that_the_loss_curve_is_the_log_ratio_of_the_probabilities(jobs: int) -> None:
    params = LaplaceParams(epsilon=Epsilon("0.7"), jobs_per_worker=jobs)
    curve = SPEC.exact_loss(hand_made.cells(), params, QUIET).curve
    assert curve is not None
    scale = SPEC.calibrate(params, CellCase()).scale
    outputs = np.array(curve.series[0].x, dtype=np.int64)
    ratio = discrete_laplace.probability(outputs, scale) / discrete_laplace.probability(outputs + jobs, scale)
    assert curve.series[0].y == pytest.approx(np.log(ratio), abs=1e-12)
    assert max(curve.series[0].y) == pytest.approx(0.7)


def test_that_negative_values_are_kept_unless_clipping_is_asked_for() -> None:
    empty = hand_made.cells([("E1", 0, 0, (1, 1))])
    params = LaplaceParams(epsilon=Epsilon("0.1"))
    kept = SPEC.release(empty, params, ReleaseRandom(), QUIET).values
    clipped = SPEC.release(empty, dataclasses.replace(params, clip_at_zero=True), ReleaseRandom(), QUIET).values
    assert kept.min() < 0
    assert clipped.min() == 0


def test_that_more_jobs_per_worker_need_more_noise_in_proportion() -> None:
    one, three = (SPEC.calibrate(LaplaceParams(jobs_per_worker=jobs), CellCase()).scale for jobs in (1, 3))
    assert three == pytest.approx(3 * one)


def test_that_the_same_seed_gives_the_same_study() -> None:
    data, params = hand_made.cells(), LaplaceParams()
    first, again, other = (SPEC.study(data, params, StudyRandom(seed), QUIET).reveal().values for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_that_a_study_leaves_the_true_counts_as_they_were() -> None:
    data = hand_made.cells()
    before = data.count.reveal().copy()
    SPEC.study(data, LaplaceParams(), StudyRandom(1), QUIET)
    assert np.array_equal(before, data.count.reveal())


def test_that_the_largest_a_small_and_an_empty_cell_are_watched() -> None:
    data = hand_made.cells()
    count = data.count.reveal()
    watched = dict(telling_cells(data))
    assert count[watched["the largest cell"]] == count.max()
    assert count[watched["the smallest cell that is not empty"]] == count[count > 0].min()
    assert count[watched["an empty cell"]] == 0


@pytest.mark.parametrize("jobs", [1, 4])
def test_that_neighbours_differ_by_one_workers_jobs_and_never_go_below_zero(jobs: int) -> None:
    pairs = SPEC.neighbours(hand_made.cells(), LaplaceParams(jobs_per_worker=jobs), 5)
    assert len(pairs) == 3
    for pair in pairs:
        more, fewer = pair.first.reveal().count.reveal(), pair.second.reveal().count.reveal()
        assert np.all(more - fewer == jobs)
        assert np.all(fewer >= 0)
        assert len(more) == pair.copies == 5
