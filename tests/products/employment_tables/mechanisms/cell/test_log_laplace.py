"""Log-Laplace: moments, law and loss against the golden tables; calibrations; bias and its removal."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import StudyRandom
from workbench.noise.exact_cdf import draw_for_study
from workbench.noise.placements import Logarithmic
from workbench.noise.rounded_error import log_laplace_error, rounded_log_laplace
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.cell.log_laplace import (
    SPEC,
    LogCalibration,
    LogLaplaceParams,
    spread_of,
)
from workbench.products.employment_tables.mechanisms.cell.steps import Window


def made(epsilon: Any, alpha: Any, calibration: str = "tight", **more: Any) -> LogLaplaceParams:
    return LogLaplaceParams(
        epsilon=Epsilon(str(epsilon)), alpha=Alpha(str(alpha)), calibration=LogCalibration(calibration), **more
    )


def one_cell(*sizes: int) -> Any:
    return hand_made.cells([(f"E{i}", 0, 0, (size, 0)) for i, size in enumerate(sizes)], worker=False)


def test_that_spread_and_expected_error_are_the_golden_ones(golden: Any) -> None:
    for case in golden("loglaplace_moments")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        params = made(inputs["eps"], inputs["alpha"], inputs["calibration"])
        found = SPEC.calibrate(params, CellCase(count=inputs["n"]))
        assert spread_of(params, 1) == pytest.approx(expected["lambda"], rel=1e-10)
        assert params.offset == pytest.approx(expected["gamma"], rel=1e-10)
        error = math.inf if expected["l1"] == "inf" else expected["l1"]
        assert found.expected_absolute_error == pytest.approx(error, rel=1e-10)
        unbiased = made(inputs["eps"], inputs["alpha"], inputs["calibration"], unbiased=True)
        assert bool(problems_of(unbiased)) == (expected["unbias_factor"] is None)


def test_that_the_law_of_the_integers_is_the_golden_one(golden: Any) -> None:
    rows = np.zeros(1, dtype=np.int64)
    for case in golden("loglaplace_dist")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        placed = Logarithmic(np.array([inputs["n"]]), 1.0 / inputs["alpha"], inputs["lambda"])
        below = _cdf(placed, rows, inputs["k"] + 0.5) - _cdf(placed, rows, inputs["k"] - 0.5)
        assert below == pytest.approx(expected["pmf_round"], rel=1e-10)
        assert _cdf(placed, rows, inputs["o"]) == pytest.approx(expected["cdf"], rel=1e-10)
        u = inputs["u"]
        tail = np.array([2 * u if u < 0.5 else 2 * (1 - u)])
        value = placed.guess(rows, np.array([u >= 0.5]), tail)[0]
        assert value == pytest.approx(expected["quantile"], rel=1e-10, abs=1e-10)


def _cdf(placed: Logarithmic, rows: Any, edge: float) -> float:
    upper = edge > int(placed.center[0])
    beyond = float(placed.beyond(rows, np.array([upper]), np.array([edge]))[0][0])
    return 1.0 - beyond / 2.0 if upper else beyond / 2.0


def test_that_losses_are_the_golden_ones(golden: Any) -> None:
    for case in golden("loglaplace_privacy")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        for kind in ("paper", "tight"):
            params = made(inputs["eps"], inputs["alpha"], kind)
            step = math.log(
                (inputs["n_minus"] + inputs["x_prime"] + params.offset)
                / (inputs["n_minus"] + inputs["x"] + params.offset)
            )
            assert step / spread_of(params, 1) == pytest.approx(expected[f"loss_{kind}_scale"], rel=1e-10)
            spent = SPEC.calibrate(params, CellCase()).spent_epsilon
            assert spent == pytest.approx(expected[f"sup_loss_{kind}_scale"], rel=1e-10)
            assert 2 * spent == pytest.approx(expected[f"sup_def41_{kind}_scale"], rel=1e-10)


def test_that_tight_for_both_keeps_a_workers_move_within_epsilon(golden: Any) -> None:
    for case in golden("def41_calibration")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        params = made(inputs["eps"], inputs["alpha"], "tight-both")
        assert params.offset == pytest.approx(expected["ll_gamma"], rel=1e-10)
        assert spread_of(params, 1) == pytest.approx(expected["ll_lambda"], rel=1e-10)
        one_worker = math.log1p(1.0 / params.offset) / spread_of(params, 1)
        assert one_worker == pytest.approx(expected["ll_one_worker_loss_max"], rel=1e-10)
        found = SPEC.calibrate(params, CellCase(count=1000))
        assert found.expected_absolute_error == pytest.approx(expected["ll_l1_n1000"], rel=1e-10)
        assert found.spent_epsilon == pytest.approx(inputs["eps"], rel=1e-10)


def test_that_theorem_7_5_is_false_as_the_golden_table_shows(golden: Any) -> None:
    """All the growth one strong step allows, put into one worker cell, costs that cell far more than ε."""
    for case in golden("thm75_counterexample")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        window = Window(alpha=Decimal(str(inputs["alpha"])))
        moved = int(window.growth(np.array([inputs["establishment_size"]]))[0])
        assert moved == expected["k"]
        params = made(inputs["eps"], inputs["alpha"])
        loss = math.log1p(moved / (inputs["x1"] + params.offset)) / spread_of(params, 1)
        assert loss / inputs["eps"] == pytest.approx(expected["loss_over_eps"], rel=1e-10)


@pytest.mark.parametrize("kind", ["paper", "tight", "tight-both"])
@pytest.mark.parametrize("alpha", ["0.05", "0.1", "0.3"])
def test_that_the_audit_is_brute_force_over_every_establishment_and_integer_size(alpha: str, kind: str) -> None:
    params = made(2, alpha, kind)
    window, spread = params.window, spread_of(params, 1)
    for sizes in [(x,) for x in range(30)] + [(x, y) for x in range(1, 25) for y in (1, x // 2, x)]:
        exact = SPEC.exact_loss(one_cell(*sizes), params, QUIET)
        assert exact.per_cell is not None
        here = sum(sizes) + params.offset
        worst = max(
            abs(math.log((here + other - size) / here)) / spread
            for size in sizes
            for other in range(int(size * (1 + float(alpha))) + 3)
            if abs(other - size) <= int(window.growth(np.array([min(size, other)]))[0])
        )
        assert exact.per_cell.reveal()[0] == pytest.approx(worst, rel=1e-12)
        assert worst <= 2 * (1 + 1e-12)


@pytest.mark.parametrize(("count", "spread"), [(0, 0.05), (7, 0.1), (300, 0.3)])
def test_that_the_correction_removes_the_bias(count: int, spread: float) -> None:
    number, offset = 400_000, 10.0
    placed = Logarithmic(np.full(number, count), offset, spread, 1.0 - spread**2)
    values = draw_for_study(placed, StudyRandom(1), QUIET)
    assert abs(values.mean() - count) < 5 * values.std() / math.sqrt(number)


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("spread", [0.02, 0.1, 0.4, 0.8])
def test_that_expected_errors_are_integrals_of_the_law(spread: float, unbiased: bool) -> None:
    """Before rounding by quadrature over the quantiles, after it by the probabilities of the integers."""
    from scipy.integrate import quad

    for count in (0.0, 30.0, 900.0):
        centre, factor = count + 10.0, 1.0 - spread**2 if unbiased else 1.0
        kink = spread * math.log(1.0 / factor)

        def error(eta: float, centre: float = centre, factor: float = factor) -> float:
            return abs(centre * factor * math.exp(eta) - centre) * math.exp(-abs(eta) / spread) / (2 * spread)

        reach = 45.0 * spread / (1.0 - spread)
        points = sorted({0.0, math.log(1.0 / factor), kink})
        whole = sum(
            quad(error, low, high, epsrel=1e-11, epsabs=0, limit=200)[0]
            for low, high in zip([-45.0 * spread, *points], [*points, reach], strict=True)
            if high > low
        )
        found = log_laplace_error(np.array([count]), offset=10.0, spread=spread, unbiased=unbiased)[0]
        assert found == pytest.approx(whole, rel=1e-7)
        rounded = rounded_log_laplace(np.array([count]), offset=10.0, spread=spread, unbiased=unbiased)[0]
        assert rounded == pytest.approx(_summed(centre, centre * factor, spread), rel=2e-5)


def _summed(centre: float, median: float, spread: float) -> float:
    """Σ_j P(|K − n| > j), term by term far out, and the integral of the rest."""
    steps = np.arange(300_000) + 0.5
    up, down = (centre + steps) / median, np.maximum(centre - steps, 0.0) / median
    above = np.where(up >= 1, 0.5 * np.maximum(up, 1.0) ** (-1 / spread), 1 - 0.5 * up ** (1 / spread))
    below = np.where(down <= 1, 0.5 * down ** (1 / spread), 1 - 0.5 * np.maximum(down, 1.0) ** (-1 / spread))
    last = (centre + steps[-1] + 0.5) / median
    return float(above.sum() + below.sum() + 0.5 * last ** (-1 / spread) * last * median * spread / (1 - spread))


def test_that_removing_the_bias_of_an_infinite_mean_is_refused_with_the_nearest_epsilon() -> None:
    (problem,) = problems_of(made("0.1", "0.2", unbiased=True))
    assert "ε must exceed ln(1+α) = 0.182 for Log-Laplace (tight) without bias" in problem.what
    assert problems_of(made("0.1", "0.2")) == ()


def test_that_only_the_tight_calibration_doubles_for_moves() -> None:
    for kind, words in (("paper", "no more than one"), ("tight", "two such steps"), ("tight-both", "no more than one")):
        assert words in SPEC.claim(None, made(2, "0.1", kind)).assumptions[-1]
