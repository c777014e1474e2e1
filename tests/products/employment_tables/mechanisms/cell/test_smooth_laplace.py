"""Smooth Laplace: its exact δ against the golden tables and integration, feasibility, and what the audit reports."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Delta, Epsilon
from workbench.noise.rounded_error import rounded_laplace
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.cell import smooth_laplace_delta
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma import SmoothCalibration
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace import SPEC, SmoothLaplaceParams, kappa_of
from workbench.products.employment_tables.mechanisms.cell.steps import Window, cell_losses


def made(epsilon: Any, alpha: Any, delta: Any, **more: Any) -> SmoothLaplaceParams:
    return SmoothLaplaceParams(epsilon=Epsilon(str(epsilon)), alpha=Alpha(str(alpha)), delta=Delta(str(delta)), **more)


def test_that_the_exact_delta_is_the_golden_one(golden: Any) -> None:
    for case in golden("smoothlaplace_delta")["cases"]:
        inputs, expected = case["inputs"], case["expected"]["delta_exact"]
        worst = smooth_laplace_delta.worst_delta(inputs["kappa"], inputs["alpha"], inputs["eps"])
        assert worst == pytest.approx(expected, rel=1e-10)


def test_that_the_tight_noise_is_the_golden_one(golden: Any) -> None:
    for case in golden("smoothlaplace_tight")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        params = made(inputs["eps"], inputs["alpha"], inputs["delta"])
        if expected["kappa_tight"] == "inf":
            assert problems_of(params)
            continue
        assert kappa_of(params, 1) == pytest.approx(expected["kappa_tight"], rel=1e-10)
        paper = made(inputs["eps"], inputs["alpha"], inputs["delta"], calibration=SmoothCalibration.PAPER)
        assert (problems_of(paper) == ()) == expected["paper_feasible"]


def test_that_table_2_is_the_corrected_one(golden: Any) -> None:
    for case in golden("table2_corrected")["cases"]:
        delta, alpha = case["inputs"]["delta"], case["inputs"]["alpha"]
        least = case["expected"]["eps_min_paper_rule"]
        below, above = (
            made(round(least * by, 12), alpha, delta, calibration=SmoothCalibration.PAPER) for by in (0.999, 1.001)
        )
        (problem,) = problems_of(below)
        assert f"{least:.3g}" in problem.what
        assert problems_of(above) == ()
        exact = smooth_laplace_delta.least_epsilon_of(2.0, alpha, delta)
        assert exact == pytest.approx(case["expected"]["eps_min_exact"], rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("ratio", [1.0, 1.02, 1.1, 1.5, 3.0])
@pytest.mark.parametrize(("shift", "epsilon"), [(0.0, 0.3), (0.4, 0.2), (0.9, 1.0), (2.5, 1.0), (3.0, 0.1), (0.2, 0.9)])
def test_that_the_exact_delta_is_the_integral_of_the_excess(shift: float, ratio: float, epsilon: float) -> None:
    x = np.linspace(-120.0, 120.0, 1_200_001)
    p = 0.5 * np.exp(-np.abs(x))
    q = 0.5 / ratio * np.exp(-np.abs(x - shift) / ratio)
    excess = [np.trapezoid(np.maximum(a - math.exp(epsilon) * b, 0.0), x) for a, b in ((q, p), (p, q))]
    found = smooth_laplace_delta.pair_delta(np.array([shift]), np.array([ratio]), epsilon)[0]
    assert found == pytest.approx(max(excess), abs=2e-8)


@pytest.mark.parametrize("delta", [1e-9, 1e-4, 0.005, 0.2])
def test_that_the_smallest_epsilon_of_a_pair_has_just_that_delta(delta: float) -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    shift = rng.uniform(0.0, 4.0, 4000)
    ratio = 1.0 + rng.choice([0.0, 0.001, 0.05, 0.1, 0.4, 0.85], 4000)
    epsilon = np.concatenate(
        [smooth_laplace_delta.pair_epsilon(shift[i : i + 1], ratio[i : i + 1], delta) for i in range(400)]
        + [smooth_laplace_delta.pair_epsilon(shift[400:], ratio[400:], delta)]
    )
    at, below = (smooth_laplace_delta.pair_delta(shift, ratio, np.maximum(epsilon - by, 0.0)) for by in (0.0, 1e-6))
    resolution = 1e-15  # the last digit of ε moves δ by about as much
    assert np.all(at <= delta * (1 + 1e-9) + resolution)
    assert np.all((below > delta) | (epsilon < 1e-6))


@pytest.mark.parametrize(("alpha", "epsilon", "delta"), [("0.1", 2.0, 0.005), ("0.15", 1.0, 0.02), ("0.3", 5.0, 1e-3)])
def test_that_no_integer_neighbour_has_a_larger_delta(alpha: str, epsilon: float, delta: float) -> None:
    """Brute force over every establishment, size and direction, for one and two establishments beside an empty one."""
    params = made(epsilon, alpha, delta)
    kappa, window = kappa_of(params, 1), params.window
    for sizes in [(x, 0) for x in range(26)] + [(x, y, 0) for x in range(1, 20) for y in (1, x // 2, x - 1, x)]:
        audited = cell_losses(
            np.array([sum(sizes)]),
            np.array([max(sizes)]),
            window=window,
            loss=lambda d, r: smooth_laplace_delta.pair_delta(d / kappa, r, epsilon),
        ).loss[0]
        assert _brute_force(sizes, window, kappa, epsilon) * (1 - 1e-9) <= audited <= delta * (1 + 1e-9)


def _brute_force(sizes: tuple[int, ...], window: Window, kappa: float, epsilon: float) -> float:
    worst = 0.0
    for i, size in enumerate(sizes):
        for other in range(int(size * (1 + float(window.alpha))) + 3):
            low, high = min(size, other), max(size, other)
            if 0 < high - low <= int(window.growth(np.array([low]))[0]):
                after = max((*sizes[:i], other, *sizes[i + 1 :]))
                small, large = np.sort(window.scale(np.array([max(sizes), after])))
                shift = np.array([(high - low) / (small * kappa)])
                found = smooth_laplace_delta.pair_delta(shift, np.array([large / small]), epsilon)
                worst = max(worst, float(found[0]))
    return worst


def test_that_the_paper_claims_a_delta_far_above_the_exact_one() -> None:
    params = made("2", "0.1", "0.005", calibration=SmoothCalibration.PAPER)
    data = hand_made.cells([("E1", 0, 0, (100, 0))], worker=False)
    exact = SPEC.exact_loss(data, params, QUIET)
    assert exact.delta < 0.005 / 100
    assert exact.epsilon < 1.2
    assert exact.smallest_noise is not None
    assert exact.smallest_noise < 0.7
    assert SPEC.calibrate(params, CellCase(count=100, largest=100)).spent_delta == pytest.approx(exact.delta, rel=1e-9)


def test_that_infeasible_settings_name_the_nearest_feasible_ones() -> None:
    (problem,) = problems_of(made("1", "0.2", "1e-9"))
    least = smooth_laplace_delta.least_epsilon(0.2, 1e-9)
    assert f"= {least:.3g} for Smooth Laplace (tight)" in problem.what
    assert problems_of(made(round(least * 1.001, 9), "0.2", "1e-9")) == ()
    assert "δ above" in problem.do


@pytest.mark.parametrize("delta", ["0", "1", "-0.1", "2"])
def test_that_a_delta_outside_0_and_1_is_refused(delta: str) -> None:
    assert any(problem.where == "delta" for problem in problems_of(made(2, "0.1", delta)))


def test_that_worker_cells_divide_delta_too() -> None:
    data = hand_made.cells()
    (problem,) = SPEC.problems(data, made("1", "0.1", "1e-7"))
    assert "each gets ε/2 and δ/2" in problem.what
    assert kappa_of(made(2, "0.1", "0.01"), 2) == pytest.approx(kappa_of(made(1, "0.1", "0.005"), 1), rel=1e-12)


def test_that_the_rounded_error_is_the_sum_over_integers() -> None:
    for scale in (0.3, 1.0, 9.0):
        terms = np.exp(-(np.arange(2000) + 0.5) / scale)
        assert rounded_laplace(np.array([scale]))[0] == pytest.approx(terms.sum(), rel=1e-12)
