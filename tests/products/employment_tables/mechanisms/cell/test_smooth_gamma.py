"""Smooth Gamma: calibrations and losses against the golden tables, brute force and quadrature; what it refuses."""

from __future__ import annotations

import dataclasses
import json
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.audit import exact_loss
from workbench.audit.contract import Subject
from workbench.cli.main import main
from workbench.core.claims import Definition
from workbench.core.errors import UserProblem
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import ReleaseRandom
from workbench.noise.rounded_error import rounded_power
from workbench.noise.tail_laws import PowerTail
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma_loss
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma import (
    SPEC,
    SmoothCalibration,
    SmoothGammaParams,
    kappa_of,
)
from workbench.products.employment_tables.mechanisms.cell.steps import Window, cell_losses
from workbench.products.employment_tables.words import JOBS


def made(epsilon: Any, alpha: Any, **more: Any) -> SmoothGammaParams:
    return SmoothGammaParams(epsilon=Epsilon(str(epsilon)), alpha=Alpha(str(alpha)), **more)


def one_cell(*sizes: int) -> Any:
    """A table without worker attributes whose first cell holds establishments of these sizes."""
    return hand_made.cells([(f"E{i}", 0, 0, (size, 0)) for i, size in enumerate(sizes)], worker=False)


def test_that_calibrations_are_the_golden_ones(golden: Any) -> None:
    table = golden("smoothgamma_calibration")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        epsilon, alpha, size = inputs["eps"], inputs["alpha"], inputs["x_v"]
        tight, paper = (
            made(epsilon, alpha, calibration=kind) for kind in (SmoothCalibration.TIGHT, SmoothCalibration.PAPER)
        )
        if expected["kappa_tight"] == "inf":
            assert problems_of(tight)
        else:
            found = SPEC.calibrate(tight, CellCase(largest=size))
            assert kappa_of(tight, 1) == pytest.approx(expected["kappa_tight"], rel=1e-10)
            assert found.expected_absolute_error == pytest.approx(expected["l1_tight"], rel=1e-10)
            assert found.spent_epsilon == pytest.approx(epsilon, rel=1e-10)
            assert found.scale**2 == pytest.approx(expected["var_tight"], rel=1e-10)
        if expected["eps_spent_seed"] is None:
            assert problems_of(paper)
        elif not problems_of(paper):
            found = SPEC.calibrate(paper, CellCase(largest=size))
            assert found.spent_epsilon == pytest.approx(expected["eps_spent_seed"], rel=1e-10)
            assert found.expected_absolute_error == pytest.approx(expected["l1_seed"], rel=1e-10)


def test_that_other_tails_are_calibrated_as_the_golden_table_says(golden: Any) -> None:
    for case in golden("smoothgamma_general_tail")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        params = made(inputs["eps"], inputs["alpha"], tail_exponent=Decimal(str(inputs["g"])))
        if expected["kappa"] == "inf":
            assert problems_of(params)
            continue
        found = SPEC.calibrate(params, CellCase())
        assert found.scale == pytest.approx(expected["kappa"], rel=1e-10)
        assert found.expected_absolute_error == pytest.approx(expected["l1_multiplier"], rel=1e-10)


def test_that_pair_losses_are_the_golden_ones(golden: Any) -> None:
    for case in golden("smoothgamma_pair_loss")["cases"]:
        shift, ratio = (np.array([float(case["inputs"][key])]) for key in ("d", "rho"))
        assert smooth_gamma_loss.pair_loss(shift, ratio)[0] == pytest.approx(case["expected"]["loss"], rel=1e-10)


@pytest.mark.parametrize("exponent", [2.2, 4.0, 7.5])
@pytest.mark.parametrize(("shift", "ratio"), [(0.3, 1.0), (0.9, 1.1), (2.0, 1.5), (0.0, 1.2), (0.05, 1.01)])
def test_that_the_pair_loss_is_the_supremum_over_outputs(shift: float, ratio: float, exponent: float) -> None:
    z = np.concatenate([np.linspace(-30, 30, 600_001), [-1e7, 1e7]])
    loss = np.log1p(np.abs(z) ** exponent) - np.log1p(np.abs((z - shift) / ratio) ** exponent) - math.log(ratio)
    found = smooth_gamma_loss.pair_loss(np.array([shift]), np.array([ratio]), exponent)[0]
    assert found == pytest.approx(np.abs(loss).max(), rel=1e-5)
    assert found >= np.abs(loss).max() * (1 - 1e-12)


def test_that_the_least_scale_for_workers_moves_is_the_golden_one(golden: Any) -> None:
    for case in golden("def41_calibration")["cases"]:
        inputs, floor = case["inputs"], case["expected"]["floor_c"]
        assert smooth_gamma_loss.worker_move_floor(inputs["eps"], inputs["alpha"]) == pytest.approx(floor, rel=1e-10)
        params = made(inputs["eps"], inputs["alpha"], worker_floor=Decimal(str(floor)) + Decimal("1e-9"))
        assert "no more than one such step" in SPEC.claim(None, params).assumptions[-1]
        assert "two such steps" in SPEC.claim(None, made(inputs["eps"], inputs["alpha"])).assumptions[-1]


def test_that_sizes_rounded_up_cost_more_unless_the_ceiling_is_covered(golden: Any) -> None:
    for case in golden("size_requirement_ceiling")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        kappa = smooth_gamma_loss.tight_kappa(inputs["eps"], inputs["alpha"])
        sizes = np.array([inputs["x"], expected["y"]])
        for ceiling, key in ((False, "loss_S_max"), (True, "loss_S_plus1")):
            small, large = Window(alpha=Decimal(str(inputs["alpha"])), ceiling=ceiling).scale(sizes)
            shift = np.array([(sizes[1] - sizes[0]) / small / kappa])
            loss = smooth_gamma_loss.pair_loss(shift, np.array([large / small]))[0]
            assert loss == pytest.approx(expected[key], rel=1e-10)
        covered = Window(alpha=Decimal(str(inputs["alpha"])), ceiling=True)
        assert int(covered.growth(sizes[:1])[0]) == expected["y"] - inputs["x"]


def test_that_cells_are_audited_as_the_golden_table_says(golden: Any) -> None:
    for case in golden("smoothgamma_cell_audit")["cases"]:
        inputs = case["inputs"]
        exact = SPEC.exact_loss(one_cell(*inputs["sizes"]), made(inputs["eps"], inputs["alpha"]), QUIET)
        assert exact.per_cell is not None
        assert exact.per_cell.reveal()[0] == pytest.approx(case["expected"]["worst_loss"], rel=1e-10)


@pytest.mark.parametrize("ceiling", [False, True])
@pytest.mark.parametrize(("alpha", "epsilon"), [("0.1", 1.0), ("0.15", 2.0), ("0.2", 6.0), ("0.3", 9.0)])
def test_that_the_audit_is_brute_force_over_every_establishment_and_integer_size(
    alpha: str, epsilon: float, ceiling: bool
) -> None:
    """Both directions, +1, overtaking and the α·x = 1 transition; one or two establishments beside an empty one."""
    window = Window(alpha=Decimal(alpha), ceiling=ceiling)
    kappa = smooth_gamma_loss.tight_kappa(epsilon, float(alpha))
    for sizes in [(x,) for x in range(26)] + [(x, y) for x in range(1, 24) for y in (1, x // 2, x - 1, x)]:
        audited = cell_losses(
            np.array([sum(sizes)]),
            np.array([max(sizes)]),
            window=window,
            loss=lambda d, r: smooth_gamma_loss.pair_loss(d / kappa, r),
        ).loss[0]
        worst = _brute_force((*sizes, 0), window, kappa)
        assert audited <= epsilon * (1 + 1e-12)
        assert audited >= worst * (1 - 1e-12)
        if len(sizes) == 1 or epsilon < 3:  # beyond, growth that overtakes is bounded, not reached
            slack = _alone_when_shrinking(sizes, window, kappa)
            assert audited == pytest.approx(max(worst, slack), rel=1e-12)


def _brute_force(sizes: tuple[int, ...], window: Window, kappa: float) -> float:
    worst = 0.0
    for i, size in enumerate(sizes):
        for other in range(int(size * (1 + float(window.alpha))) + 3):
            low, high = min(size, other), max(size, other)
            if 0 < high - low <= int(window.growth(np.array([low]))[0]):
                changed = (*sizes[:i], other, *sizes[i + 1 :])
                worst = max(worst, _loss(max(sizes), max(changed), high - low, window=window, kappa=kappa))
    return worst


def _alone_when_shrinking(sizes: tuple[int, ...], window: Window, kappa: float) -> float:
    """The audit knows no second establishment: it shrinks the largest as if it were alone."""
    lost = int(window.shrinkage(np.array([max(sizes)]))[0])
    return _loss(max(sizes), max(sizes) - lost, lost, window=window, kappa=kappa) if lost else 0.0


def _loss(before: int, after: int, moved: int, *, window: Window, kappa: float) -> float:
    small, large = np.sort(window.scale(np.array([before, after])))
    shift = np.array([moved / (small * kappa)])
    return float(smooth_gamma_loss.pair_loss(shift, np.array([large / small]))[0])


@pytest.mark.parametrize("size", [3, 10, 25])
def test_that_published_integers_lose_no_more_than_the_audit_says_and_nearly_as_much(size: int) -> None:
    """The law of the integers themselves, neighbour by neighbour: rounding is post-processing."""
    params, law = made(2, "0.1"), PowerTail(4)
    kappa, window = kappa_of(params, 1), params.window
    more, fewer = (size + int(window.growth(np.array([size]))[0]), size - int(window.shrinkage(np.array([size]))[0]))
    k = np.arange(-3000, 3001)
    here, above, below = (
        _rounded(k - n, float(kappa * window.scale(np.array([n]))[0]), law) for n in (size, more, fewer)
    )
    seen = max(np.abs(np.log(here / other)).max() for other in (above, below))
    spent = SPEC.exact_loss(one_cell(size), params, QUIET).epsilon
    assert 0.9 * spent < seen <= spent


def _rounded(k: Any, scale: float, law: PowerTail) -> Any:
    """P(K = k) from the survival function on the side where it keeps its digits."""
    distance = np.abs(k).astype(np.float64)
    inner, outer = law.survival(np.maximum(distance - 0.5, 0.0) / scale), law.survival((distance + 0.5) / scale)
    return np.where(distance == 0, 1.0 - outer, (inner - outer) / 2.0)


def test_that_the_published_calibration_spends_a_quarter_and_says_how_little_noise_would_do() -> None:
    exact = SPEC.exact_loss(one_cell(10), made(2, "0.1", calibration=SmoothCalibration.PAPER), QUIET)
    assert exact.epsilon == pytest.approx(0.495, abs=5e-4)
    assert exact.smallest_noise == pytest.approx(1.1421185476 / 8, rel=1e-9)


def test_that_rounded_errors_are_the_sum_over_integers() -> None:
    law = PowerTail(4)
    for scale in (0.4, 1.142, 7.0, 11.9, 12.1, 40.0):
        terms = law.survival((np.arange(2_000_000) + 0.5) / scale)
        assert rounded_power(np.array([scale]), law)[0] == pytest.approx(terms.sum(), rel=1e-8)


def test_that_an_infeasible_epsilon_names_the_smallest_feasible_one() -> None:
    (problem,) = problems_of(made("0.2", "0.1"))
    assert "ε must exceed 3·ln(1+α) = 0.286 for Smooth Gamma (tight)" in problem.what
    assert problem.where == "epsilon"
    (problem,) = problems_of(made("0.3", "0.1", calibration=SmoothCalibration.PAPER))
    assert "at least 4·ln(1+α) = 0.381 for Smooth Gamma (paper)" in problem.what


def test_that_worker_attributes_divide_epsilon_and_may_make_it_infeasible() -> None:
    data = hand_made.cells()
    claim = SPEC.claim(data, made(2, "0.1"))
    assert claim.definition is Definition.WEAK
    assert claim.epsilon == 2
    assert "4.25 ε" in claim.composition
    (problem,) = SPEC.problems(data, made("0.5", "0.1"))
    assert "2·3·ln(1+α) = 0.572" in problem.what
    assert "over 2 worker cells" in problem.what
    with pytest.raises(UserProblem, match="worker cells"):
        SPEC.release(data, made("0.5", "0.1"), ReleaseRandom(), QUIET)
    assert SPEC.claim(hand_made.cells(worker=False), made(2, "0.1")).definition is Definition.STRONG


@pytest.mark.parametrize("alpha", ["0", "-0.1", "1", "1.5", "0.1234567891234"])
def test_that_a_size_window_that_cannot_be_used_is_refused(alpha: str) -> None:
    assert problems_of(made(2, alpha))


def test_that_the_paper_has_one_tail_only() -> None:
    params = made(2, "0.1", calibration=SmoothCalibration.PAPER, tail_exponent=Decimal(3))
    assert any(problem.where == "tail_exponent" for problem in problems_of(params))


def test_that_a_plan_for_another_number_of_worker_cells_is_a_problem() -> None:
    (problem,) = SPEC.problems(hand_made.cells(), dataclasses.replace(made(2, "0.1"), worker_cells=8))
    assert problem.where == "worker_cells"


def test_that_the_audit_finding_says_what_is_spent_and_how_little_noise_would_do() -> None:
    params = made(2, "0.1", calibration=SmoothCalibration.PAPER)
    subject = Subject(words=JOBS, prepared=one_cell(10), mechanism=SPEC, params=params)
    (finding,) = exact_loss.SPEC.run(subject, exact_loss.ExactLossParams(), QUIET)
    assert finding.sentence.startswith("Claimed ε = 2; exact worst case 0.4947")
    assert "14.3 % of this noise would still satisfy the claim" in finding.sentence
    assert finding.values["smallest_noise"] == pytest.approx(0.1427648, rel=1e-6)
    tight = Subject(words=JOBS, prepared=one_cell(10), mechanism=SPEC, params=made(2, "0.1"))
    assert "would still satisfy" not in exact_loss.SPEC.run(tight, exact_loss.ExactLossParams(), QUIET)[0].sentence


def test_that_the_command_line_calibrates_one_cell(capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "calibrate smooth-gamma --calibration tight --set epsilon=2 --set alpha=0.1 --count 100 --largest 100 --json"
    )
    assert main(words.split()) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["scale"] == pytest.approx(11.421185476, rel=1e-9)
    assert printed["expected_absolute_error"] == pytest.approx(8.0759976993, rel=1e-9)
    assert printed["spent_epsilon"] == 2
    assert printed["claim"]["definition"].startswith("strong")
