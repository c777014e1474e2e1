"""Errors over a grid: closed forms against the mechanisms' own, against draws, and against values worked out before."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.baselines.alternatives import error_of
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Delta, Epsilon
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.contract import AnyMechanism
from workbench.noise.rounded_error import rounded_log_laplace, rounded_power
from workbench.noise.tail_laws import PowerTail
from workbench.products.employment_tables import noise_infusion
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import laplace as block_laplace
from workbench.products.employment_tables.mechanisms.cell import (
    log_laplace,
    log_staircase,
    smooth_gamma,
    smooth_laplace,
)
from workbench.products.employment_tables.mechanisms.cell.log_laplace import LogCalibration, LogLaplaceParams
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma import SmoothCalibration, SmoothGammaParams
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace import SmoothLaplaceParams
from workbench.products.employment_tables.mechanisms.rounded_means import log_laplace_mean, power_mean
from workbench.products.employment_tables.usefulness.closeness import within_reach
from workbench.products.employment_tables.usefulness.contenders import Contender, Point, points_of, smallest_feasible
from workbench.products.employment_tables.usefulness.evaluation import Ground, expected_errors
from workbench.products.employment_tables.usefulness.grid_rankings import counted_ranks, ranked
from workbench.products.employment_tables.usefulness.noise_laws import noise_of
from workbench.products.employment_tables.usefulness.ranks import average_ranks, spearman
from workbench.products.employment_tables.usefulness.shared_draws import sampled_errors
from workbench.products.employment_tables.usefulness.workloads import (
    Workload,
    as_single_queries,
    one_kind_of_worker,
    single_queries,
)

SETTINGS = (
    (log_laplace.SPEC, LogLaplaceParams()),
    (log_laplace.SPEC, LogLaplaceParams(calibration=LogCalibration.PAPER)),
    (log_laplace.SPEC, LogLaplaceParams(unbiased=True)),
    (smooth_gamma.SPEC, SmoothGammaParams()),
    (smooth_gamma.SPEC, SmoothGammaParams(calibration=SmoothCalibration.PAPER, size_ceiling=True)),
    (smooth_laplace.SPEC, SmoothLaplaceParams()),
    (block_gamma.SPEC, block_gamma.BlockGammaParams()),
    (block_laplace.SPEC, block_laplace.BlockLaplaceParams(delta=Delta("0.01"))),
    (log_staircase.SPEC, log_staircase.LogStaircaseParams()),
)
EVERY_LAW = pytest.mark.parametrize(("mechanism", "params"), SETTINGS, ids=lambda item: getattr(item, "id", ""))


def workload(*, worker: bool = False) -> Workload:
    cells = hand_made.cells(worker=worker)
    today = noise_infusion.SPEC.protect(cells, noise_infusion.NoiseInfusionParams(), StudyRandom(2), QUIET)
    return Workload(title="by hand", cells=cells, baseline=today.values)


def point(mechanism: AnyMechanism, params: object, load: Workload, *, epsilon: str = "2", alpha: str = "0.1") -> Point:
    contender = Contender(name=mechanism.title, mechanism=mechanism, params=params)
    (made,) = points_of(contender, load.cells, epsilons=(Epsilon(epsilon),), alphas=(Alpha(alpha),))
    return made


@EVERY_LAW
def test_that_condensed_closed_forms_equal_the_mechanisms_own(mechanism: AnyMechanism, params: object) -> None:
    load = workload(worker=True)
    ground = Ground(load)
    (found,) = expected_errors(ground, (point(mechanism, params, load),), QUIET)
    expected = mechanism.expected_error(load.cells, params)
    assert expected is not None
    today = error_of(load.baseline, load.cells.count.reveal()).mean.sum()
    assert found.total == pytest.approx(expected.reveal().sum() / today, rel=5e-6)


@EVERY_LAW
def test_that_the_law_gives_the_share_of_draws_within_a_limit(mechanism: AnyMechanism, params: object) -> None:
    cells = hand_made.cells(worker=True)
    noise = noise_of(mechanism, params, cells.domain.worker_combinations)
    assert noise is not None
    true, rng = cells.count.reveal(), StudyRandom(11)
    limit = np.array([0.0, 1.0, 3.2, 20.0, 100.0, 1000.0])
    trials = 600
    inside = np.zeros((len(limit), len(true)))
    for _ in range(trials):
        error = np.abs(mechanism.study(cells, params, rng, QUIET).reveal().values - true)
        inside += error[None, :] <= limit[:, None]
    for row, t in zip(inside / trials, limit, strict=True):
        expected = noise.within(noise.driver.of(cells), np.full(len(true), t))
        spread = np.sqrt(np.maximum(expected * (1 - expected), 1e-4) / trials)
        assert np.all(np.abs(row - expected) <= 5 * spread + 1e-3)


def test_that_a_limit_below_zero_is_never_kept() -> None:
    noise = noise_of(smooth_gamma.SPEC, SmoothGammaParams(), 1)
    assert noise is not None
    assert noise.within(np.array([5]), np.array([-1.0])).tolist() == [0.0]


def test_that_looked_up_means_equal_the_sums() -> None:
    scale, law = np.geomspace(0.03, 30.0, 3001), PowerTail(4)
    assert np.allclose(power_mean(scale, law), rounded_power(scale, law), rtol=3e-6, atol=0)
    counts = np.arange(0.0, 3000.0)
    for offset in (5.0, 1 / 0.15, 10.0, 100.0):
        for spread in (0.004, 0.02, 0.05, 0.12, 0.13, 0.3, 0.8, 0.9):
            ours = log_laplace_mean(counts, offset=offset, spread=spread, unbiased=False)
            theirs = rounded_log_laplace(counts, offset=offset, spread=spread, unbiased=False)
            assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-9)  # a billionth of a job


def test_that_rescaled_draws_agree_with_closed_forms_over_the_grid() -> None:
    load = workload()
    ground = Ground(load)
    points = tuple(
        one
        for mechanism, params in SETTINGS[3:]
        for one in points_of(Contender(name=mechanism.title, mechanism=mechanism, params=params), load.cells)
    )
    closed = expected_errors(ground, points, QUIET)
    drawn = sampled_errors(ground, points, trials=400, seed=3, context=QUIET)
    assert sum(one.point.feasible for one in closed) > 60
    for exact, mean, error in zip(closed, drawn.mean, drawn.standard_error, strict=True):
        if exact.point.feasible:
            assert abs(exact.total - mean.total) <= 5 * error
        if exact.point.feasible and error < 0.02 * exact.total:  # heavier tails have no variance to judge by
            assert np.allclose(exact.by_stratum, mean.by_stratum, rtol=0.2, equal_nan=True)
        if not exact.point.feasible:
            assert math.isnan(exact.total)
            assert math.isnan(mean.total)


def test_that_the_same_draws_serve_every_epsilon() -> None:
    """Twice the noise from the same luck is twice the error but for rounding, in every single trial."""
    load = workload()
    points = tuple(point(smooth_laplace.SPEC, SmoothLaplaceParams(calibration=SmoothCalibration.PAPER), load, epsilon=e)
                   for e in ("2", "4"))  # fmt: skip
    one, two = sampled_errors(Ground(load), points, trials=2, seed=1, context=QUIET).mean
    assert one.total == pytest.approx(2 * two.total, rel=0.01)


def test_that_table_2_names_the_smallest_feasible_epsilon(golden: Any) -> None:
    cells = workload().cells
    for case in golden("table2_corrected")["cases"]:
        delta, alpha = Delta(str(case["inputs"]["delta"])), Alpha(str(case["inputs"]["alpha"]))
        params = SmoothLaplaceParams(calibration=SmoothCalibration.PAPER, delta=delta)
        contender = Contender(name="", mechanism=smooth_laplace.SPEC, params=params)
        nearest = smallest_feasible(contender, cells, alpha)
        assert nearest is not None
        assert float(nearest) == pytest.approx(case["expected"]["eps_min_paper_rule"], rel=1e-9)
        assert not contender.problems(cells, nearest, alpha)


def test_that_an_infeasible_point_names_the_nearest_epsilon() -> None:
    load = workload()
    made = point(smooth_gamma.SPEC, SmoothGammaParams(), load, epsilon="0.25")
    assert not made.feasible
    assert made.nearest_epsilon is not None
    assert float(made.nearest_epsilon) == pytest.approx(3 * math.log(1.1), rel=1e-9)
    assert "3·ln(1+α) = 0.286" in made.why


def test_that_an_infinite_expectation_is_shown_as_such() -> None:
    load = workload()
    params = LogLaplaceParams(calibration=LogCalibration.PAPER)
    (error,) = expected_errors(Ground(load), (point(log_laplace.SPEC, params, load, epsilon="0.15"),), QUIET)
    assert error.unbounded


def test_that_single_queries_get_the_whole_budget_and_shared_ones_a_part() -> None:
    load = workload(worker=True)
    alone, together = single_queries(load, "2"), single_queries(load, "3", sharing=2)
    params = SmoothGammaParams(calibration=SmoothCalibration.PAPER)
    whole = Ground(load)
    split = Contender(name="", mechanism=smooth_gamma.SPEC, params=params, sharing=together.sharing)
    (shared,) = points_of(split, together.cells, epsilons=(Epsilon("2"),), alphas=(Alpha("0.1"),))
    by_table = expected_errors(whole, (point(smooth_gamma.SPEC, params, load),), QUIET)[0].total
    by_share = expected_errors(Ground(together), (shared,), QUIET)[0].total
    by_query = expected_errors(Ground(alone), (point(smooth_gamma.SPEC, params, alone),), QUIET)[0].total
    assert by_table == pytest.approx(by_share)
    assert by_query == pytest.approx(by_table / 2, rel=0.01)
    assert as_single_queries(load.cells).domain.worker_combinations == 1
    assert as_single_queries(load.cells).domain.keys([5]) == load.cells.domain.keys([5])


def test_that_one_kind_of_worker_is_one_query_per_workplace_cell() -> None:
    load = workload(worker=True)
    women = one_kind_of_worker(load, "women", {"sex": "F"})
    assert women.cells.count.reveal().tolist() == load.cells.count.reveal()[0::2].tolist()
    men = one_kind_of_worker(load, "men", {"sex": "M"})
    assert men.baseline.reveal().tolist() == load.baseline.reveal()[1::2].tolist()
    with pytest.raises(UserProblem, match="“X” is not a value of sex"):
        one_kind_of_worker(load, "", {"sex": "X"})
    with pytest.raises(UserProblem, match="names age, the table has sex"):
        one_kind_of_worker(load, "", {"age": "F"})


def test_that_counting_ranks_as_sorting_does() -> None:
    values = np.random.default_rng(4).integers(-50, 50, 500).astype(np.float64)
    assert counted_ranks(values).tolist() == average_ranks(values).tolist()
    assert counted_ranks(np.array([0.0, 1e12, 5.0])).tolist() == [1.0, 3.0, 2.0]


def test_that_grid_rankings_approach_the_truths_own_as_epsilon_grows() -> None:
    load = workload()
    points = tuple(point(smooth_gamma.SPEC, SmoothGammaParams(), load, epsilon=e) for e in ("0.3", "4", "40"))
    worst, middle, best = ranked(Ground(load), points, trials=20, seed=1, context=QUIET)
    truth = spearman(load.cells.count.reveal().astype(np.float64), load.baseline.reveal())
    assert worst.total < middle.total
    assert best.total == pytest.approx(truth, abs=0.02)


def test_that_closeness_counts_cells_about_as_good_as_today() -> None:
    load = workload()
    ground = Ground(load)
    near = within_reach(ground, point(smooth_gamma.SPEC, SmoothGammaParams(), load, epsilon="40"))
    far = within_reach(ground, point(smooth_gamma.SPEC, SmoothGammaParams(), load, epsilon="0.3"))
    assert near.on_average == 1.0
    assert near.in_one_draw == pytest.approx(1.0, abs=1e-3)
    assert far.in_one_draw < near.in_one_draw
    assert math.isnan(
        within_reach(ground, point(smooth_gamma.SPEC, SmoothGammaParams(), load, epsilon="0.1")).on_average
    )
    assert Decimal("0.1") == point(smooth_gamma.SPEC, SmoothGammaParams(), load).alpha
