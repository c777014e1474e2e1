"""What mechanisms say about two given states: against published losses, second formulas, and their own claims."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from tests.products.employment_tables.audit import reference_losses
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Delta, Epsilon
from workbench.products.employment_tables.mechanisms import node_down_sensitivity, node_truncation
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import laplace as block_laplace
from workbench.products.employment_tables.mechanisms.block import laplace_delta as block_laplace_delta
from workbench.products.employment_tables.mechanisms.block import tail as block_tail
from workbench.products.employment_tables.mechanisms.cell import (
    log_laplace,
    log_staircase,
    smooth_gamma,
    smooth_laplace,
)
from workbench.products.employment_tables.mechanisms.cell.log_laplace import LogCalibration, LogLaplaceParams
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma import SmoothCalibration, SmoothGammaParams
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace import SmoothLaplaceParams
from workbench.products.employment_tables.mechanisms.pair_loss import (
    HasTurningSizes,
    KnowsPairLoss,
    WorkplaceState,
    added_up,
    state_of,
)

ROUNDING = 1 + 1e-9
Vector = tuple[int, ...]
SCALED: tuple[Any, ...] = (
    log_laplace.SPEC,
    smooth_gamma.SPEC,
    smooth_laplace.SPEC,
    block_gamma.SPEC,
    log_staircase.SPEC,
)


def alone(*jobs: int) -> WorkplaceState:
    return state_of((jobs,))


def made_up(count: int, largest: int) -> WorkplaceState:
    """A shift and a scale that no real establishment has, to set them one by one."""
    return WorkplaceState(counts=(count,), largest=(largest,), largest_total=largest, establishments=())


def decimals(case: dict[str, Any]) -> dict[str, Any]:
    return {"epsilon": Epsilon(str(case["eps"])), "alpha": Alpha(str(case["alpha"]))}


def workplaces(seed: int, cells: int, number: int) -> list[tuple[Vector, Vector, list[Vector]]]:
    """An establishment, the same grown by one strong step at α = 0.1 (workers of any kind), and those beside it."""
    rng = np.random.Generator(np.random.PCG64(seed))
    made = []
    for _ in range(number):
        size = int(rng.geometric(1 / rng.choice([3, 30, 3000])))
        before = rng.multinomial(size, rng.dirichlet(np.ones(cells)))
        gained = int(rng.integers(1, max(size // 10, 1) + 1))
        after = before + rng.multinomial(gained, rng.dirichlet(np.full(cells, 0.3)))
        beside = rng.choice([0.5, 1, 1.05, 3], rng.integers(3))
        others = [tuple((before * times).astype(int).tolist()) for times in beside]
        made.append((tuple(before.tolist()), tuple(after.tolist()), others))
    return made


def test_that_every_mechanism_of_employment_tables_says_its_loss() -> None:
    nodes = (block_laplace.SPEC, node_truncation.SPEC, node_down_sensitivity.SPEC)
    assert all(isinstance(mechanism, KnowsPairLoss) for mechanism in (*SCALED, *nodes))


def test_that_log_laplace_loses_what_is_published(golden: Any) -> None:
    table = golden("loglaplace_privacy")
    for case in table["cases"]:
        rest, x, larger = (case["inputs"][key] for key in ("n_minus", "x", "x_prime"))
        for name in ("paper", "tight"):
            params = LogLaplaceParams(**decimals(case["inputs"]), calibration=LogCalibration(name))
            found = log_laplace.SPEC.loss_between(params, state_of(((x,), (rest,))), state_of(((larger,), (rest,))))
            assert found == pytest.approx(case["expected"][f"loss_{name}_scale"], rel=table["rtol"])


def test_that_log_laplace_of_both_kinds_loses_half_for_one_worker_as_published(golden: Any) -> None:
    for case in golden("def41_calibration")["cases"]:
        params = LogLaplaceParams(**decimals(case["inputs"]), calibration=LogCalibration.TIGHT_BOTH)
        found = log_laplace.SPEC.loss_between(params, alone(0), alone(1))
        assert found == pytest.approx(case["expected"]["ll_one_worker_loss_max"], rel=1e-9)
        floor = Decimal(str(case["expected"]["floor_c"])) + Decimal("1e-9")
        gamma = SmoothGammaParams(**decimals(case["inputs"]), worker_floor=floor)
        moves = [smooth_gamma.SPEC.loss_between(gamma, alone(size), alone(size + 1)) for size in range(60)]
        assert max(moves) == pytest.approx(case["inputs"]["eps"] / 2, rel=0.06)
        assert max(moves) <= case["inputs"]["eps"] / 2 * ROUNDING


def test_that_smooth_gamma_loses_at_the_ceiling_what_is_published(golden: Any) -> None:
    table = golden("size_requirement_ceiling")
    for case in table["cases"]:
        for name, ceiling in (("loss_S_max", False), ("loss_S_plus1", True)):
            params = SmoothGammaParams(**decimals(case["inputs"]), size_ceiling=ceiling)
            found = smooth_gamma.SPEC.loss_between(params, alone(case["inputs"]["x"]), alone(case["expected"]["y"]))
            assert found == pytest.approx(case["expected"][name], rel=table["rtol"])


def test_that_smooth_gamma_loses_for_shift_and_ratio_what_is_published(golden: Any) -> None:
    """With establishments so large that any shift and ratio are whole workers, up to the table's tolerance."""
    table = golden("smoothgamma_pair_loss")
    params = SmoothGammaParams(epsilon=Epsilon("2"), alpha=Alpha("0.01"))
    smaller = 10**15
    for case in table["cases"]:
        larger = round(smaller * case["inputs"]["rho"])
        workers = round(case["inputs"]["d"] * smooth_gamma.kappa_of(params, 1) * 0.01 * smaller)
        found = smooth_gamma.SPEC.loss_between(params, made_up(0, smaller), made_up(workers, larger))
        assert found == pytest.approx(case["expected"]["loss"], rel=table["rtol"])


def test_that_the_counterexample_to_theorem_7_5_costs_what_is_published(golden: Any) -> None:
    """With all of ε for each worker cell, as the theorem would have it: d·ε set, so that each of d = 2 gets ε."""
    table = golden("thm75_counterexample")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        params = LogLaplaceParams(epsilon=Epsilon(2 * Decimal(str(inputs["eps"]))), alpha=Alpha(str(inputs["alpha"])))
        rest = inputs["establishment_size"] - inputs["x1"]
        after = alone(inputs["x1"] + expected["k"], rest)
        found = log_laplace.SPEC.loss_between(params, alone(inputs["x1"], rest), after) / inputs["eps"]
        assert found == pytest.approx(expected["loss_over_eps"], rel=table["rtol"])


@pytest.mark.parametrize("cells", [1, 3])
@pytest.mark.parametrize("calibration", ["paper", "tight"])
def test_that_cell_by_cell_losses_are_those_written_down_a_second_time(calibration: str, cells: int) -> None:
    """Any two states, not only neighbours."""
    epsilon, alpha = 6.0, 0.1
    logs = LogLaplaceParams(epsilon=Epsilon("6"), alpha=Alpha("0.1"), calibration=LogCalibration(calibration))
    gammas = SmoothGammaParams(epsilon=Epsilon("6"), alpha=Alpha("0.1"), calibration=SmoothCalibration(calibration))
    spread = (2 if calibration == "paper" else 1) * math.log1p(alpha) * cells / epsilon
    kappa = 16 * cells / epsilon if calibration == "paper" else reference_losses.kappa_tight(epsilon / cells, alpha)
    log_cell = reference_losses.log_laplace(scale=spread, gamma=10.0)
    gamma_cell = reference_losses.smooth_gamma(kappa=kappa, size=lambda x: max(alpha * x, 1.0))
    states = [state_of((after, *others)) for _, after, others in workplaces(4, cells, 30)]
    for before, after in itertools.pairwise(states):
        for spec, params, cell in ((log_laplace.SPEC, logs, log_cell), (smooth_gamma.SPEC, gammas, gamma_cell)):
            found = spec.loss_between(params, before, after)
            assert found == pytest.approx(added_up(cell, before, after), rel=1e-8)
            assert found == pytest.approx(spec.loss_between(params, after, before), rel=1e-12)


def test_that_no_strong_step_costs_more_than_the_claim() -> None:
    for cells in (1, 3):
        blocks: list[tuple[Any, Any]] = [
            (block_gamma.SPEC, block_gamma.BlockGammaParams()),
            (block_laplace.SPEC, block_laplace.BlockLaplaceParams()),
            (node_truncation.SPEC, node_truncation.NodeTruncationParams(theta=50)),
        ]
        single = [(spec, spec.params()) for spec in SCALED] if cells == 1 else []
        for before, after, others in workplaces(11, cells, 150):
            pair = state_of((before, *others)), state_of((after, *others))
            for spec, params in (*blocks, *single):
                assert spec.loss_between(params, *pair) <= float(params.epsilon) * ROUNDING


def test_that_no_weak_step_costs_the_cell_by_cell_mechanisms_more_than_the_claim() -> None:
    """Every group of the establishment grows to at most max((1+α)φ, φ+1), some of them not at all."""
    rng = np.random.Generator(np.random.PCG64(8))
    for before, _, others in workplaces(12, 3, 100):
        room = [max(part // 10, 0) for part in before]
        gained = [int(rng.integers(0, most + 1)) for most in room]
        if not any(gained):
            gained[int(rng.integers(3))] = 1
        after = tuple(part + more for part, more in zip(before, gained, strict=True))
        for spec in (log_laplace.SPEC, smooth_gamma.SPEC, smooth_laplace.SPEC):
            params = spec.params()
            found = spec.loss_between(params, state_of((before, *others)), state_of((after, *others)))
            assert found <= float(params.epsilon) * ROUNDING


@pytest.mark.parametrize("spec", SCALED, ids=lambda spec: str(spec.id))
def test_that_the_exact_audit_of_a_cell_bounds_each_of_its_steps(spec: Any) -> None:
    params = spec.params()
    for before, after, others in workplaces(21, 1, 25):
        rows = [(f"E{i}", 0, 0, (jobs,)) for i, (jobs,) in enumerate([before, *others])]
        prepared = hand_made.cells(rows, worker=False)
        audited = spec.exact_loss(prepared, params, QUIET).per_cell.reveal()[0]
        found = spec.loss_between(params, state_of((before, *others)), state_of((after, *others)))
        assert found <= audited * ROUNDING


@pytest.mark.parametrize(("shift", "ratio"), [(0.3, 1.0), (0.9, 1.1), (0.2, 2.0), (5.0, 1.4), (0.0, 1.3)])
def test_that_block_noise_loses_the_largest_value_on_the_worst_ray(shift: float, ratio: float) -> None:
    params = block_gamma.BlockGammaParams()
    tail = block_gamma.tail_for(params, 2)
    smaller = 10**12
    workers, larger = round(shift * tail.kappa * 0.1 * smaller), round(ratio * smaller)
    half = workers // 2
    before = WorkplaceState(counts=(5, 7), largest=(5, 7), largest_total=smaller, establishments=())
    after = WorkplaceState(
        counts=(5 + half, 7 + workers - half), largest=(5, 7), largest_total=larger, establishments=()
    )
    t = np.concatenate([[0.0], np.geomspace(1e-6, 1e7, 400_001)])
    ways = block_tail.loss_along_ray(t, shift=shift, ratio=ratio, tail=tail)
    brute = max(float(way.max()) for way in ways)
    assert block_gamma.SPEC.loss_between(params, before, after) == pytest.approx(brute, rel=1e-5)


def test_that_smooth_laplace_needs_the_epsilon_at_which_the_integral_is_delta() -> None:
    """∫(p − e^ε q)₊ by plain summation, both ways."""
    params = SmoothLaplaceParams(delta=Delta("0.01"))
    kappa = smooth_laplace.kappa_of(params, 1)
    z = np.linspace(-80, 120, 2_000_001)
    for before, after in (((40,), (44,)), ((3,), (4,)), ((100,), (150,))):
        epsilon = smooth_laplace.SPEC.loss_between(params, state_of((before,)), state_of((after,)))
        narrow, wide = (kappa * max(0.1 * side[0], 1.0) for side in (before, after))
        d, r = (after[0] - before[0]) / narrow, wide / narrow
        p, q = np.exp(-np.abs(z)) / 2, np.exp(-np.abs(z - d) / r) / (2 * r)
        ways = (np.maximum(a - math.exp(epsilon) * b, 0).sum() * (z[1] - z[0]) for a, b in ((p, q), (q, p)))
        assert max(ways) == pytest.approx(0.01, rel=1e-4)


def test_that_where_one_worker_cell_moves_it_may_use_all_of_delta() -> None:
    params = SmoothLaplaceParams(delta=Delta("0.01"))
    both = smooth_laplace.SPEC.loss_between(params, alone(5, 5), alone(6, 6))
    one = smooth_laplace.SPEC.loss_between(params, alone(5, 5), alone(6, 5))
    assert one < both / 2
    assert smooth_laplace.SPEC.loss_between(params, alone(5, 5), alone(5, 5)) == 0.0


@pytest.mark.parametrize("cells", [1, 4])
def test_that_laplace_block_noise_names_the_epsilon_whose_ceiling_is_delta_and_the_exact_one_is_below(
    cells: int,
) -> None:
    params = block_laplace.BlockLaplaceParams(epsilon=Epsilon("3"))
    kappa = block_laplace_delta.kappa_for(3.0, 0.001, 0.1, cells)
    assert kappa is not None
    rest = (0,) * (cells - 1)
    for small, large in ((0, 1), (10, 11), (200, 220), (200, 300)):
        epsilon = block_laplace.SPEC.loss_between(params, alone(small, *rest), alone(large, *rest))
        scales = [max(0.1 * size, 1.0) for size in (small, large)]
        pair = {"shift": (large - small) / (kappa * scales[0]), "ratio": scales[1] / scales[0], "cells": cells}
        assert block_laplace_delta.ceiling(epsilon, **pair) == pytest.approx(0.001, rel=1e-6)
        assert block_laplace_delta.exact(epsilon, **pair) <= 0.001


def test_that_an_establishment_that_passes_theta_takes_all_its_jobs_along() -> None:
    params = node_truncation.NodeTruncationParams(epsilon=Epsilon("2"), theta=100)

    def loss(before: tuple[Vector, ...], after: tuple[Vector, ...]) -> float:
        return node_truncation.SPEC.loss_between(params, state_of(before), state_of(after))

    assert loss(((60, 40), (5, 5)), ((61, 40), (5, 5))) == pytest.approx(2.0)
    assert loss(((50, 40),), ((60, 40),)) == pytest.approx(2.0 * 10 / 100)
    assert loss(((200, 0), (3, 0)), ((220, 0), (3, 0))) == 0.0
    assert loss(((200, 0), (3, 0)), ((200, 0), (3, 4))) == pytest.approx(2.0 * 4 / 100)
    assert isinstance(node_truncation.SPEC, HasTurningSizes)
    assert node_truncation.SPEC.turning_sizes(params) == (100,)


def test_that_down_sensitivity_noise_has_no_bound_once_the_largest_changes() -> None:
    spec, params = node_down_sensitivity.SPEC, node_down_sensitivity.NodeDownSensitivityParams()
    assert spec.loss_between(params, state_of(((50,),)), state_of(((51,),))) == math.inf
    kept = spec.loss_between(params, state_of(((50,), (50,))), state_of(((50,), (25,))))
    assert kept == pytest.approx(1.0)
    whole = spec.loss_between(params, state_of(((50,), (50,))), state_of(((50,), (0,))))
    assert whole == pytest.approx(2.0)
