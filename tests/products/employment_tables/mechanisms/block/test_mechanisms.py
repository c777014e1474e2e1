"""The block mechanisms: what they promise, refuse and spend, and that broken variants are caught."""

from __future__ import annotations

import dataclasses
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.mechanism_contract import watched
from tests.contract.twins import Twin
from tests.products.employment_tables import hand_made
from workbench.core.claims import Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.findings import Status
from workbench.core.params import problems_of
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import Alpha, Delta, Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Release
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import laplace as block_laplace
from workbench.products.employment_tables.mechanisms.block.gamma import BlockGammaParams
from workbench.products.employment_tables.mechanisms.block.laplace import BlockLaplaceParams
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.mechanisms.block.steps import distinct, growth, shrinkage, watched_workplaces
from workbench.products.employment_tables.mechanisms.block.tail import best_tail, spent
from workbench.products.employment_tables.mechanisms.case import BlockCase
from workbench.products.employment_tables.tabulation.cells import Cells

BOTH = [(block_gamma.SPEC, BlockGammaParams()), (block_laplace.SPEC, BlockLaplaceParams())]
IDS = ["gamma", "laplace"]


def one_employer(women: int, men: int) -> Cells:
    return hand_made.cells([("E1", 3, 0, (women, men))])


@pytest.mark.parametrize(("spec", "params"), BOTH, ids=IDS)
def test_that_the_claim_is_strong_for_the_whole_table_once(spec: Any, params: Any) -> None:
    claim = spec.claim(None, params)
    assert claim.definition is Definition.STRONG
    assert (claim.epsilon, claim.alpha, claim.formal) == (Decimal(2), Decimal("0.1"), True)
    assert claim.delta == getattr(params, "delta", 0)
    assert "one establishment's workforce" in claim.unit
    assert "does not cost more for every worker attribute" in claim.sentence
    assert any("two such steps" in assumption for assumption in claim.assumptions)


@pytest.mark.parametrize("cells", [1, 8, 20])
def test_that_the_whole_epsilon_is_spent_and_no_more(cells: int) -> None:
    calibration = block_gamma.SPEC.calibrate(BlockGammaParams(worker_cells=cells), BlockCase(largest=100))
    assert calibration.spent_epsilon == pytest.approx(2.0, rel=1e-9)
    assert calibration.spent_epsilon <= 2.0 * (1 + 1e-9)


def test_that_the_table_spends_the_whole_epsilon_where_a_step_is_a_whole_number_of_workers() -> None:
    exact = block_gamma.SPEC.exact_loss(one_employer(60, 40), BlockGammaParams(), QUIET)
    assert exact.epsilon == pytest.approx(2.0, rel=1e-9)
    assert exact.per_cell is not None
    assert exact.per_cell.reveal().shape == (24,)
    assert exact.worst_cell is not None


def test_that_a_size_between_whole_steps_spends_less_than_epsilon() -> None:
    exact = block_gamma.SPEC.exact_loss(one_employer(10, 9), BlockGammaParams(), QUIET)
    per_cell = exact.per_cell
    assert per_cell is not None
    assert per_cell.reveal()[18] < 1.9  # one worker of 19, where the window is 1.9


def test_that_infeasible_params_name_the_nearest_feasible_values() -> None:
    (problem,) = problems_of(BlockGammaParams(epsilon=Epsilon("0.7"), worker_cells=8))
    assert "8·ln(1+α) = 0.7625" in problem.sentence()
    assert problem.where == "epsilon"
    assert problems_of(BlockGammaParams(epsilon=Epsilon("0.77"), worker_cells=8)) == ()
    narrow = Alpha(str(round(math.expm1(0.7 / 8) - 1e-4, 6)))
    assert problems_of(BlockGammaParams(epsilon=Epsilon("0.7"), alpha=narrow, worker_cells=8)) == ()


def test_that_the_table_decides_how_many_worker_cells_count() -> None:
    data = hand_made.cells()
    tight = BlockGammaParams(epsilon=Epsilon("0.15"))
    assert problems_of(tight) == ()
    (problem,) = block_gamma.SPEC.problems(data, tight)
    assert "2·ln(1+α)" in problem.sentence()
    with pytest.raises(UserProblem, match="ε must exceed"):
        block_gamma.SPEC.release(data, tight, ReleaseRandom(), QUIET)
    assert np.isnan(block_gamma.SPEC.expected_error(data, tight).reveal()).all()  # type: ignore[union-attr]


@pytest.mark.parametrize(("spec", "params"), BOTH, ids=IDS)
def test_that_a_plan_for_another_table_is_refused(spec: Any, params: Any) -> None:
    (problem,) = spec.problems(hand_made.cells(), dataclasses.replace(params, worker_cells=8))
    assert "2 worker cells per workplace cell, not 8" in problem.sentence()


def test_that_an_infeasible_delta_names_the_least_one() -> None:
    (problem,) = problems_of(BlockLaplaceParams(delta=Delta("0.0000001"), worker_cells=8))
    assert "δ must exceed 3.734 × 10⁻⁷" in problem.sentence()
    assert "block-gamma" in problem.sentence()
    assert problems_of(BlockLaplaceParams(delta=Delta("0.0000004"), worker_cells=8)) == ()


@pytest.mark.parametrize("change", [{"alpha": Alpha("0")}, {"alpha": Alpha("1")}, {"epsilon": Epsilon("0")}])
@pytest.mark.parametrize(("spec", "params"), BOTH, ids=IDS)
def test_that_values_out_of_bounds_are_refused(spec: Any, params: Any, change: dict[str, Any]) -> None:
    assert problems_of(dataclasses.replace(params, **change))


@pytest.mark.parametrize(("spec", "params"), BOTH, ids=IDS)
def test_that_negative_values_are_kept_unless_they_are_to_be_zero(spec: Any, params: Any) -> None:
    data = spec.neighbours(hand_made.cells(), params, 500)[1].second.reveal()  # an empty workplace, 500 times
    clipped = dataclasses.replace(params, post_processing=PostProcessing.NON_NEGATIVE)
    assert spec.release(data, params, ReleaseRandom(), QUIET).values.min() < 0
    assert spec.release(data, clipped, ReleaseRandom(), QUIET).values.min() == 0
    assert spec.expected_error(data, clipped) is None


@pytest.mark.parametrize(("spec", "params"), BOTH, ids=IDS)
def test_that_a_study_leaves_the_true_counts_as_they_were(spec: Any, params: Any) -> None:
    data = hand_made.cells()
    before = data.count.reveal().copy()
    spec.study(data, params, StudyRandom(1), QUIET)
    assert np.array_equal(before, data.count.reveal())


@pytest.mark.parametrize(("spec", "params"), BOTH, ids=IDS)
def test_that_neighbours_are_strong_neighbours(spec: Any, params: Any) -> None:
    data = hand_made.cells()
    assert len(watched_workplaces(data)) == 2
    for pair in spec.neighbours(data, params, 4):
        more, fewer = pair.first.reveal(), pair.second.reveal()
        gained = (more.count.reveal() - fewer.count.reveal()).reshape(pair.copies, pair.outputs)
        size = int(fewer.workplace_largest.reveal()[0])
        assert np.all(gained >= 0)
        assert np.all(gained.sum(axis=1) <= max(size * 0.1, 1))
        assert np.all(more.workplace_largest.reveal() - size == gained.sum(axis=1))


@pytest.mark.parametrize(("size", "most"), [(0, 1), (1, 1), (9, 1), (10, 1), (19, 1), (20, 2), (105, 10)])
def test_that_steps_follow_the_definition(size: int, most: int) -> None:
    from fractions import Fraction

    assert growth(size, Fraction(1, 10)) == most
    back = [k for k in range(1, size + 1) if k <= max((size - k) / 10, 1)]
    assert shrinkage(size, Fraction(1, 10)) == max(back, default=0)


class ScaledByOwnCell(Twin):
    """Takes the largest contribution to the first worker cell for the establishment's size: x from the wrong cell."""

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        return self.original.release(own_cell(prepared), params, rng, context)

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Context) -> Any:
        return self.original.study(own_cell(prepared), params, rng, context)


class EachCellAlone(Twin):
    """Draws each worker cell as if it were a table of its own, at the whole ε: what Theorem 7.5 would allow."""

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Context) -> Any:
        return self.original.study(alone(prepared), params, rng, context)

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        return self.original.release(alone(prepared), params, rng, context)


def own_cell(prepared: Cells) -> Cells:
    first = prepared.largest.reveal()[:: prepared.domain.worker_combinations]
    return dataclasses.replace(prepared, workplace_largest=Confidential(first))


def alone(prepared: Cells) -> Cells:
    cells = np.zeros((prepared.domain.cells, 1), dtype=np.int32)
    domain = dataclasses.replace(prepared.domain, worker=(), workplace_cells=cells)
    return dataclasses.replace(prepared, domain=domain, workplace_largest=prepared.largest)


@pytest.mark.parametrize("broken", [ScaledByOwnCell, EachCellAlone])
@pytest.mark.parametrize(("spec", "params"), BOTH, ids=IDS)
def test_that_the_black_box_catches_noise_of_the_wrong_cell(spec: Any, params: Any, broken: type[Twin]) -> None:
    for finding in watched(broken(spec), params, one_employer(10, 90)):
        assert finding.status is Status.FAIL, finding.sentence


def test_that_the_counterexample_to_theorem_7_5_costs_block_noise_no_more_than_epsilon(golden: Any) -> None:
    """Where each worker cell alone would pay many times ε, the block pays ε at most."""
    for case in golden("thm75_counterexample")["cases"]:
        size, own, alpha, epsilon = (case["inputs"][key] for key in ("establishment_size", "x1", "alpha", "eps"))
        gained = case["expected"]["k"]
        alone_pays = math.log((own + gained + 1 / alpha) / (own + 1 / alpha)) / math.log1p(alpha)
        assert alone_pays == pytest.approx(case["expected"]["loss_over_eps"], rel=1e-9)
        tail = best_tail(float(epsilon), alpha, 2)
        assert tail is not None
        before, after = max(alpha * size, 1.0), max(alpha * (size + gained), 1.0)
        (paid,) = spent(np.array([gained / (tail.kappa * before)]), np.array([after / before]), tail)
        assert paid <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("most", [5, 10_000_000])
def test_that_sizes_are_told_apart_whether_counted_or_sorted(most: int) -> None:
    sizes = np.random.default_rng(2).integers(0, most, 400)
    found, where = distinct(sizes)
    assert np.array_equal(found, np.unique(sizes))
    assert np.array_equal(found[where], sizes)
