"""How ε is divided: scales that never spend more than ε, and the shares of the methods page."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from workbench.core.params import problems_of
from workbench.core.quantities import Epsilon
from workbench.products.commuting_flows.noisy_flows.budget import budget_of, size_share, small_limit, tract_share
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit


def params(epsilon: str, unit: Unit, **more: Any) -> NoisyFlowsParams:
    return NoisyFlowsParams(epsilon=Epsilon(epsilon), unit=unit, **more)


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "3", "3.7", "4", "8", "12.345678901234567890123456789"])
@pytest.mark.parametrize("unit", list(Unit))
def test_that_scales_spend_what_is_claimed_and_no_more(epsilon: str, unit: Unit) -> None:
    budget, whole = budget_of(params(epsilon, unit)), Fraction(Decimal(epsilon))
    for small in (False, True):
        spent = budget.presence(small=small) if unit is Unit.JOB else budget.moved_home(small=small)
        assert whole * (1 - Fraction(1, 10**9)) <= spent <= whole
        if unit is Unit.JOB:
            assert budget.moved_home(small=small) <= 2 * (whole - budget.size_epsilon)


@pytest.mark.parametrize(
    ("epsilon", "sizes", "job", "home", "limits"),
    [("1", "0.3", "0.5", "0.5", (0, 0)), ("2", "0.3", "0.4", "0.5", (5, 2)), ("3", "0.25", "0.3", "0.5", (9, 9)),
     ("4", "0.2", "0.3", "0.4", (9, 9)), ("8", "0.2", "0.3", "0.4", (9, 9))],
)  # fmt: skip
def test_that_shares_follow_from_epsilon(
    epsilon: str, sizes: str, job: str, home: str, limits: tuple[int, int]
) -> None:
    by_job, by_home = params(epsilon, Unit.JOB), params(epsilon, Unit.HOME)
    assert size_share(by_job) == Decimal(sizes)
    assert (tract_share(by_job), tract_share(by_home)) == (Decimal(job), Decimal(home))
    assert (small_limit(by_job), small_limit(by_home)) == limits


def test_that_reports_are_refused_where_they_would_tell_sizes_or_nothing() -> None:
    (of_job,) = problems_of(params("6", Unit.JOB, reports=True))
    assert "how many workers" in of_job.what
    (too_small,) = problems_of(params("1.5", Unit.HOME, reports=True))
    assert "too small for reports" in too_small.what
    assert problems_of(params("6", Unit.HOME, reports=True)) == ()
