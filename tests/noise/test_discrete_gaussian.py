"""The exact discrete Gaussian: by distribution, at the edges of its coin, against OpenDP, and what it costs."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.noise.test_geometric import p_value
from workbench.core.errors import Defect
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.noise import discrete_gaussian as law
from workbench.noise.lazy_uniform import LazyUniform

DRAWS = 200_000


@pytest.mark.parametrize("sigma", [0.3, 0.9, 1.0, 4.4, 30.0, 75.5])
def test_that_the_integers_follow_their_law(sigma: float) -> None:
    drawn = law.draw(np.full(DRAWS, sigma), ReleaseRandom(), QUIET)
    reach = math.ceil(6 * sigma) + 1
    values = np.arange(-reach, reach + 1)
    seen = np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=len(values))
    expected = law.probability(values, sigma)
    expected[[0, -1]] += (1 - expected.sum()) / 2
    assert p_value(seen, expected * DRAWS) > 1e-5


@pytest.mark.parametrize("sigma", [0.3, 1.0, 3.0, 39.9, 40.1, 500.0])
def test_that_probabilities_add_up_to_one_and_give_the_variance(sigma: float) -> None:
    values = np.arange(-math.ceil(12 * sigma) - 5, math.ceil(12 * sigma) + 6)
    weights = law.probability(values, sigma)
    assert weights.sum() == pytest.approx(1.0, rel=1e-12)
    assert (values.astype(float) ** 2 * weights).sum() == pytest.approx(law.variance(sigma), rel=1e-9)


def test_that_opendp_draws_the_same_law() -> None:
    import opendp.prelude as dp
    from scipy.stats import ks_2samp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float)
    measurement = dp.m.make_gaussian(*space, scale=7.3)
    theirs = measurement(np.zeros(20_000, np.int64))
    ours = law.draw(np.full(20_000, 7.3), ReleaseRandom(), QUIET)
    assert ks_2samp(ours, theirs).pvalue > 1e-5


class _Words:
    """Words that decide one coin: the given one, then others."""

    def __init__(self, *words: int) -> None:
        self._words = list(words)

    def words(self, count: int) -> np.ndarray:
        taken, self._words = self._words[:count], self._words[count:]
        return np.array(taken, dtype=np.uint64)


def test_that_a_coin_on_its_edge_is_decided_by_further_bits() -> None:
    import mpmath

    sigma, proposed = 3.7, 9
    gamma = law._rate(proposed, Fraction(sigma))
    with mpmath.workdps(80):
        edge = int(mpmath.floor(mpmath.exp(-mpmath.mpf(gamma.numerator) / gamma.denominator) * mpmath.mpf(2) ** 128))
    word, rest = divmod(edge, 2**64)
    assert law._kept(np.array([proposed]), np.array([sigma]), _Words(word, rest - 1))[0]
    assert not law._kept(np.array([proposed]), np.array([sigma]), _Words(word, rest + 1))[0]
    assert LazyUniform(word, 64, _Words(rest - 1)).is_below(lambda digits: law.exponential(gamma, digits))


@pytest.mark.parametrize("budget", [Fraction(1, 1000), Fraction(1, 3), Fraction(2)])
@pytest.mark.parametrize("squared", [Fraction(1), Fraction(7, 3), Fraction(10**9)])
def test_that_the_rounded_sigma_never_spends_more_than_its_budget(budget: Fraction, squared: Fraction) -> None:
    sigma = law.sigma_for(squared, budget)
    assert law.rho(squared, sigma) <= budget
    assert law.rho(squared, sigma) >= budget * (1 - Fraction(1, 10**14))


def test_that_rho_bounds_the_renyi_divergence_of_neighbours() -> None:
    """D_a of N(0, σ²) and N(1, σ²) on the integers is at most a·ρ at every order tried, and reaches it in the limit."""
    k = np.arange(-400, 401).astype(np.float64)
    for sigma in (0.4, 1.0, 5.0):
        rho = float(law.rho(Fraction(1), sigma))
        logs = np.log(law.probability(np.zeros(1, np.int64), sigma)[0]) - k * k / (2 * sigma * sigma)
        shift = (2 * k - 1) / (2 * sigma * sigma)  # ln of the neighbour's law over this one
        for order in (1.5, 2.0, 8.0):
            divergence = float(np.logaddexp.reduce(logs + (1 - order) * shift)) / (order - 1)
            assert divergence <= order * rho * (1 + 1e-9)
            assert divergence >= 0.2 * order * rho


def test_that_a_sigma_that_is_none_is_a_defect() -> None:
    with pytest.raises(Defect):
        law.draw(np.array([0.0]), ReleaseRandom(), QUIET)


def test_that_a_word_of_zeros_alone_refuses_nothing() -> None:
    """σ = 100, Y = 1079: kept with e^(−48), which only further bits can tell."""
    assert law._kept(np.array([1079]), np.array([100.0]), _Words(0, 1))[0]
    assert not law._kept(np.array([1079]), np.array([100.0]), _Words(0, 2**63))[0]
