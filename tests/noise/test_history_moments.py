"""Moments of sums of history noise against enumeration."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.noise.test_history_norm import blocks
from workbench.noise.history_moments import covariance, mean_absolute_of_pair, sum_variance
from workbench.noise.history_norm import HistoryNorm


@pytest.mark.parametrize(("rate", "years", "coordinates", "reach"), [(4, 2, 2, 8), (5, 1, 3, 12), (6, 2, 3, 4)])
def test_that_moments_of_a_year_are_those_of_the_enumerated_law(
    rate: int, years: int, coordinates: int, reach: int
) -> None:
    law = HistoryNorm(Fraction(rate), years, coordinates)
    noise = blocks(reach, years, coordinates)
    sizes = np.maximum(noise, 0).sum(2).max(1) + np.maximum(-noise, 0).sum(2).max(1)
    share = np.exp(-rate * sizes.astype(float))
    share /= share.sum()
    first, second = noise[:, 0, 0], noise[:, 0, 1]
    assert law.variance() == pytest.approx(float((share * first**2).sum()), rel=1e-6)
    assert covariance(law) == pytest.approx(float((share * first * second).sum()), rel=1e-6)
    assert mean_absolute_of_pair(law) == pytest.approx(float((share * np.abs(first + second)).sum()), rel=1e-6)
    whole = noise[:, 0, :].sum(axis=1)
    assert sum_variance(law, coordinates) == pytest.approx(float((share * whole**2).sum()), rel=1e-6)
