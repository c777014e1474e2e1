"""What ε buys: the curve and the smallest ε for a target, against trying every value."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.contexts import CancelAt, Listener
from tests.contract.twins import Twin
from tests.products.employment_tables import hand_made
from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled, UserProblem
from workbench.core.quantities import Epsilon
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.employment_tables import product as employment_tables
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.laplace import SPEC, LaplaceParams
from workbench.review.budget.what_if import error_from_data, mean_error, rounded_up, smallest_setting


def _cells(*counts: int) -> Any:
    return SimpleNamespace(count=Confidential(np.array(counts, dtype=np.int64)))


TABLE = _cells(0, 1, 2, 5, 40, 900)
THREE_DIGITS = [Decimal(digits).scaleb(power) for power in range(-5, 0) for digits in range(100, 1000)]


def _brute_force(params: LaplaceParams, target: float) -> Decimal:
    return next(
        e for e in THREE_DIGITS
        if e >= Decimal("0.001") and mean_error(SPEC, replace(params, epsilon=Epsilon(e)), TABLE) <= target
    )  # fmt: skip


@pytest.mark.parametrize(
    "params", [LaplaceParams(), LaplaceParams(jobs_per_worker=3), LaplaceParams(clip_at_zero=True)]
)
@pytest.mark.parametrize("target", [0.01, 0.5, 1.0, 7.25, 60.0])
def test_that_the_smallest_setting_is_the_first_that_meets_the_target(params: LaplaceParams, target: float) -> None:
    assert smallest_setting(SPEC, params, TABLE, target=target) == _brute_force(params, target)


@settings(deadline=None, max_examples=60)
@given(st.floats(0.001, 900.0))
def test_that_the_answer_meets_the_target_and_a_little_less_does_not(target: float) -> None:
    """By the closed form 2q/(1 − q²), not by the mechanism's own function."""
    answer = smallest_setting(SPEC, LaplaceParams(), TABLE, target=target)

    def error(epsilon: Decimal) -> float:
        return 1 / math.sinh(float(epsilon))

    assert error(answer) <= target * (1 + 1e-9)
    step = Decimal(1).scaleb(answer.adjusted() - 2)
    assert answer == Decimal("0.001") or error(answer - step) > target * (1 - 1e-9)
    assert len(answer.normalize().as_tuple().digits) <= 3


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "0.25", "0.125"])
def test_that_the_error_of_a_round_epsilon_leads_back_to_it(epsilon: str) -> None:
    target = mean_error(SPEC, LaplaceParams(epsilon=Epsilon(epsilon)), TABLE)
    assert smallest_setting(SPEC, LaplaceParams(), TABLE, target=target) == Decimal(epsilon)


@pytest.mark.parametrize("target", [0.0, -1.0, float("nan")])
def test_that_a_target_must_be_above_nothing(target: float) -> None:
    with pytest.raises(UserProblem, match="above 0"):
        smallest_setting(SPEC, LaplaceParams(), TABLE, target=target)


def test_that_an_unreachable_target_says_so() -> None:
    with pytest.raises(UserProblem, match="No ε up to 50"):
        smallest_setting(SPEC, LaplaceParams(), hand_made.cells(), target=1e-30)


def test_that_the_search_asks_leave_at_every_try_and_tries_few() -> None:
    listener = Listener()
    smallest_setting(SPEC, LaplaceParams(), TABLE, target=1.0, context=listener)
    assert 10 <= len(listener.sentences) <= 16
    assert listener.fractions == sorted(listener.fractions)
    with pytest.raises(Cancelled):
        smallest_setting(SPEC, LaplaceParams(), TABLE, target=1.0, context=CancelAt(3))


def test_that_block_noise_finds_its_epsilon_among_infeasible_ones() -> None:
    data, params = hand_made.cells(), block_gamma.BlockGammaParams()
    target = mean_error(block_gamma.SPEC, params, data)
    found = smallest_setting(block_gamma.SPEC, params, data, target=target)
    assert found == Decimal(2)


@pytest.mark.parametrize(
    ("found", "offered"),
    [("0.001", "0.001"), ("0.00101", "0.002"), ("0.301", "0.5"), ("2.13", "3"), ("3", "3"), ("5.01", "10"),
     ("9.99", "10"), ("12.5", "20"), ("50", "50")],
)  # fmt: skip
def test_that_an_epsilon_is_rounded_up_to_one_of_few(found: str, offered: str) -> None:
    assert rounded_up(Epsilon(found)) == Epsilon(offered)


@pytest.mark.parametrize("mechanism", employment_tables.SPEC.mechanisms, ids=lambda mechanism: mechanism.id)
def test_that_only_noise_that_is_the_same_on_every_table_has_a_public_error(mechanism: AnyMechanism) -> None:
    """Other counts, the same error: only then does an ε found from it say nothing of the table."""
    params = mechanism.params()
    small, large = (hand_made.cells([("A", 0, 0, (n, n)), ("B", 1, 1, (3, 4))]) for n in (40, 90_000))
    same = mean_error(mechanism, params, small) == mean_error(mechanism, params, large)
    assert error_from_data(mechanism, params) is not same


def test_that_clipping_makes_the_error_confidential() -> None:
    assert not error_from_data(SPEC, LaplaceParams())
    assert error_from_data(SPEC, LaplaceParams(clip_at_zero=True))


def test_that_the_error_is_that_of_the_first_column_that_has_a_closed_form() -> None:
    class TwoColumns(Twin):
        def expected_error(self, prepared: Any, params: Any) -> Confidential[Floats]:
            return Confidential(np.array([[np.nan, 3.0, 8.0], [np.nan, 5.0, 8.0]]))

    assert mean_error(TwoColumns(SPEC), LaplaceParams(), TABLE) == 4.0  # type: ignore[arg-type]
