"""Noise around values that are no integers: the law at the unrounded value, for Laplace and normal noise."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from tests.noise.test_geometric import p_value
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.noise import exact_cdf
from workbench.noise.gaussian_tail import GaussianTail, pi
from workbench.noise.real_placement import at_floats, at_fractions
from workbench.noise.tail_laws import FLOAT_ERROR, LaplaceTail

DRAWS = 120_000


def _cdf_laplace(z: np.ndarray) -> np.ndarray:
    return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0)))


def _cdf_normal(z: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))


@pytest.mark.parametrize("scale", [0.2, 1.3, 25.0])
@pytest.mark.parametrize("numerator", [-7, 0, 1, 3, 1_000_003])
def test_that_integers_have_the_mass_between_their_edges(scale: float, numerator: int) -> None:
    center = numerator / 3
    values = np.arange(math.floor(center - 40 * scale) - 1, math.ceil(center + 40 * scale) + 2)
    for law, cdf in ((LaplaceTail(), _cdf_laplace), (GaussianTail(), _cdf_normal)):
        placement = at_fractions(np.full(DRAWS, numerator), np.full(DRAWS, 3), np.full(DRAWS, scale), law)
        drawn = exact_cdf.draw_placed(placement, ReleaseRandom(), QUIET)
        expected = cdf((values + 0.5 - center) / scale) - cdf((values - 0.5 - center) / scale)
        seen = np.bincount(np.clip(drawn, values[0], values[-1]) - values[0], minlength=len(values))
        assert p_value(seen, expected * DRAWS) > 1e-5


def test_that_a_value_on_an_edge_between_integers_goes_to_both_sides_alike() -> None:
    placement = at_floats(np.full(400, 2.5), np.full(400, 1e-9), LaplaceTail())
    drawn = exact_cdf.draw_placed(placement, ReleaseRandom(), QUIET)
    assert set(np.unique(drawn).tolist()) == {2, 3}
    assert (drawn == 2).mean() == pytest.approx(0.5, abs=0.15)  # six standard errors


def test_that_the_normal_tail_has_the_stated_error() -> None:
    z = np.linspace(0, 9, 400)
    floats = GaussianTail().survival(z)
    for one, value in zip(z.tolist(), floats.tolist(), strict=True):
        exact = GaussianTail().survival_to(Fraction(one), 30)
        with mpmath.workdps(50):
            reference = mpmath.erfc(mpmath.mpf(one) / mpmath.sqrt(2))
            assert abs(mpmath.mpf(str(exact)) / reference - 1) < mpmath.mpf(10) ** -28
        assert value == pytest.approx(float(exact), rel=FLOAT_ERROR / 10)


def test_that_pi_has_its_digits() -> None:
    with mpmath.workdps(120):
        assert abs(mpmath.mpf(str(pi(100))) - mpmath.pi) < mpmath.mpf(10) ** -100
