"""The closed forms against published values, against sums, and against the samplers."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.noise import discrete_laplace as law
from workbench.noise.exact_sampler import add_laplace, certified_laplace

SCALES = (0.1, 0.5, 1.0, 3.3, 25.0)


def test_that_the_closed_forms_give_the_published_values(golden: Any) -> None:
    table = golden("discrete_laplace")
    for case in table["cases"]:
        scale, inputs, expected = 1 / case["inputs"]["eps"], case["inputs"], case["expected"]
        found = {
            "pmf_k": float(law.probability(np.array([inputs["k"]]), scale)[0]),
            "var": law.variance(scale),
            "mean_abs": law.mean_absolute(scale),
            "tail_t": law.tail(inputs["t"], scale),
        }
        assert found == pytest.approx(expected, rel=table["rtol"])


@pytest.mark.parametrize("scale", SCALES)
def test_that_the_moments_are_the_sums_of_the_probabilities(scale: float) -> None:
    values = np.arange(-3000, 3001)
    weights = law.probability(values, scale)
    assert weights.sum() == pytest.approx(1.0, rel=1e-12)
    assert (np.abs(values) * weights).sum() == pytest.approx(law.mean_absolute(scale), rel=1e-10)
    assert (values**2 * weights).sum() == pytest.approx(law.variance(scale), rel=1e-10)
    assert weights[np.abs(values) >= 4].sum() == pytest.approx(law.tail(4, scale), rel=1e-10)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_that_the_clipped_error_is_the_sum_over_clipped_outputs(scale: float, count: int) -> None:
    values = np.arange(-3000, 3001)
    error = np.abs(np.maximum(count + values, 0) - count)
    brute = (error * law.probability(values, scale)).sum()
    assert law.mean_absolute_clipped(np.array([count]), scale)[0] == pytest.approx(brute, rel=1e-10)


@settings(deadline=None)  # what is judged is the number, not the pace of a busy machine
@given(st.decimals(min_value="0.001", max_value=50, places=4), st.integers(min_value=1, max_value=50))
def test_that_a_rounded_scale_never_spends_more_than_typed(epsilon: Decimal, jobs: int) -> None:
    typed = Fraction(epsilon)
    scale = law.scale_for(jobs, typed)
    assert law.spent(jobs, scale) <= typed
    assert law.spent(jobs, math.nextafter(scale, 0)) > typed or Fraction(scale) == jobs / typed


@pytest.mark.parametrize("epsilon", ["0.1", "0.3", "0.67", "1", "7", "50"])
@pytest.mark.parametrize("jobs", [1, 3])
def test_that_opendp_itself_certifies_the_claimed_epsilon(epsilon: str, jobs: int) -> None:
    typed = Fraction(Decimal(epsilon))
    measurement, scale = certified_laplace(jobs, typed)
    assert Fraction(measurement.map(jobs)) <= typed
    assert scale == pytest.approx(float(jobs / typed), rel=1e-14)


def chi_squared(draws: np.ndarray[Any, np.dtype[np.int64]], scale: float) -> float:
    """The p-value of the draws under the law, values beyond ±reach pooled so that every bin expects at least 20."""
    from scipy.stats import chisquare

    reach = 1
    while len(draws) * law.tail(reach + 1, scale) / 2 >= 20 and reach < 60:
        reach += 1
    inner = np.arange(-reach + 1, reach)
    expected = np.concatenate(
        [[law.tail(reach, scale) / 2], law.probability(inner, scale), [law.tail(reach, scale) / 2]]
    )
    seen = np.bincount(np.clip(draws, -reach, reach) + reach, minlength=2 * reach + 1)
    return float(chisquare(seen, expected * len(draws)).pvalue)


@pytest.mark.parametrize("scale", [0.5, 1.0, 4.0])
def test_that_the_study_sampler_has_the_law(scale: float) -> None:
    draws = law.draw_for_study(400_000, scale, StudyRandom(11))
    assert chi_squared(draws, scale) > 1e-4


@pytest.mark.parametrize("epsilon", ["0.25", "1", "2"])
def test_that_the_exact_sampler_has_the_law(epsilon: str) -> None:
    typed = Fraction(Decimal(epsilon))
    draws = add_laplace(np.zeros(30_000, dtype=np.int64), sensitivity=1, epsilon=typed, context=QUIET)
    assert chi_squared(draws, float(1 / typed)) > 1e-6


def test_that_the_chi_squared_test_would_notice_a_wrong_scale() -> None:
    draws = law.draw_for_study(30_000, 1.1, StudyRandom(11))
    assert chi_squared(draws, 1.0) < 1e-6


def test_that_counts_beyond_32_bits_are_kept() -> None:
    counts = np.array([2**40, 2**33], dtype=np.int64)
    noisy = add_laplace(counts, sensitivity=1, epsilon=Fraction(50), context=QUIET)
    assert np.abs(noisy - counts).max() <= 3
