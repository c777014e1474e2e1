"""How guarantees are put into words."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from workbench.core.quantities import change, factor


def test_that_a_delta_is_said_to_add_to_a_probability_and_never_to_be_one_of_failing() -> None:
    """(ε, δ) bounds P(S) − e^ε·P′(S). Gaussian noise shows that odds beyond e^ε are far more probable than δ."""
    assert factor(Decimal(2)) == "a factor of at most 7.39"
    assert change("any table", Decimal(2)) == "the odds of any table by a factor of at most 7.39"
    said = change("any table", Decimal(1), Decimal("0.000001"))
    assert said == "the probability of any table by a factor of at most 2.72, and by at most 10⁻⁶ beyond that"
    mu, epsilon = 0.23670438, 1.0  # the analytic Gaussian for (1, 10⁻⁶)
    upper = [0.5 * math.erfc(at / math.sqrt(2.0)) for at in (epsilon / mu - mu / 2, epsilon / mu + mu / 2)]
    assert upper[0] - math.exp(epsilon) * upper[1] == pytest.approx(1e-6, rel=1e-4)
    assert upper[0] > 2e-5, "the probability that the loss is beyond ε"
