"""The half-width that 99 of 100 draws keep: against the exact law, and against draws."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block.coordinate_law import coordinate_law
from workbench.products.employment_tables.mechanisms.block.gamma import BlockGammaParams, tail_for
from workbench.products.employment_tables.mechanisms.cell import log_laplace, log_staircase
from workbench.products.employment_tables.mechanisms.error_law import discrete_half_width, half_width, half_width_by
from workbench.products.employment_tables.product import SPEC as EMPLOYMENT


def test_that_the_half_width_of_the_staircase_is_the_least_that_the_exact_law_allows() -> None:
    law = log_staircase.law_of(log_staircase.LogStaircaseParams(epsilon=Epsilon("2"), alpha=Alpha("0.1")), 1)
    for scale in (1, 3, 10, 250):
        width = half_width(float(scale), law)
        beyond = [float(law.survival_to((Fraction(w) + Fraction(1, 2)) / scale, 30)) for w in (width - 1, width)]
        assert beyond[1] <= 0.01 < beyond[0]


@pytest.mark.parametrize("size", [40, 3000])
def test_that_99_of_100_draws_of_block_noise_stay_within_it(size: int) -> None:
    params = BlockGammaParams(epsilon=Epsilon("2"), alpha=Alpha("0.1"))
    tail = tail_for(params, 1)
    width = half_width(tail.kappa * max(0.1 * size, 1.0), coordinate_law(tail))
    alone = hand_made.cells([("E", 0, 0, (size, 0))], worker=False)
    pair = block_gamma.SPEC.neighbours(alone, params, 20_000)[0].second.reveal()
    drawn = block_gamma.SPEC.study(pair, params, StudyRandom(4), QUIET).reveal().values - pair.count.reveal()
    assert 0.004 < np.mean(np.abs(drawn) > width) < 0.0135


def test_that_discrete_and_skewed_noise_have_the_least_half_width_too() -> None:
    """Discrete Laplace against the sum of its probabilities, Log-Laplace against draws."""
    for scale in (0.4, 1.0, 7.5, 120.0):
        q, width = math.exp(-1.0 / scale), discrete_half_width(scale)
        beyond = [2.0 * q ** (t + 1) / (1.0 + q) for t in (width - 1, width)]
        assert beyond[1] <= 0.01 + 1e-12
        assert width == 0 or beyond[0] > 0.01
    params = log_laplace.LogLaplaceParams(epsilon=Epsilon("2"), alpha=Alpha("0.1"))
    noise = log_laplace.SPEC.error_law(params, 1)
    width = half_width_by(noise, np.array([300]))
    standard = np.random.default_rng(5).laplace(size=200_000)
    seen = np.abs(noise.errors(np.full(200_000, 300.0), standard))
    assert 0.008 < np.mean(seen > width) < 0.0115
    assert np.mean(seen > width - 1) > 0.0095


def test_that_every_calibration_tells_the_half_width() -> None:
    for mechanism in EMPLOYMENT.mechanisms:
        case = mechanism.case(count=Decimal(100), largest=Decimal(100))
        notes = mechanism.calibrate(mechanism.params(), case).notes
        assert any("In 99 of 100 draws" in note for note in notes), mechanism.id
