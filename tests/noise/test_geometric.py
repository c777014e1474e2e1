"""Exact geometric and discrete Laplace integers: by distribution, at the edges of every integer, and against OpenDP."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from tests.noise.rigged import GivenWords
from workbench.core.errors import Defect
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise import discrete_laplace as law
from workbench.noise import geometric
from workbench.noise.exact_sampler import add_laplace

DRAWS = 200_000


def p_value(seen: np.ndarray, expected: np.ndarray) -> float:
    """χ² over cells that expect at least ten; the rest is one cell."""
    from scipy.stats import chi2

    large = expected >= 10
    seen = np.append(seen[large], seen[~large].sum())
    expected = np.append(expected[large], expected[~large].sum())
    keep = expected > 0
    score = ((seen[keep] - expected[keep]) ** 2 / expected[keep]).sum()
    return float(chi2.sf(score, keep.sum() - 1))


@pytest.mark.parametrize("scale", [0.05, 0.4, 1.0, 3.7, 60.0])
def test_that_discrete_laplace_integers_follow_their_law(scale: float) -> None:
    drawn = geometric.discrete_laplace(np.full(DRAWS, scale), ReleaseRandom(), QUIET)
    reach = math.ceil(20 * scale) + 2
    values = np.arange(-reach, reach + 1)
    seen = np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=len(values))
    expected = law.probability(values, scale)
    expected[[0, -1]] += (1 - expected.sum()) / 2
    assert p_value(seen, expected * DRAWS) > 1e-5


def test_that_each_value_has_its_own_scale() -> None:
    scale = np.tile([0.5, 20.0, 3000.0], DRAWS)
    drawn = geometric.discrete_laplace(scale, StudyRandom(11), QUIET).reshape(-1, 3)
    for place, one in enumerate((0.5, 20.0, 3000.0)):
        spread = math.sqrt(law.variance(one))
        assert drawn[:, place].mean() == pytest.approx(0.0, abs=5 * spread / math.sqrt(DRAWS))
        assert drawn[:, place].std() == pytest.approx(spread, rel=0.03)


@pytest.mark.parametrize("scale", [0.3, 1.0, 12.5, 1e6, 3e11])
@pytest.mark.parametrize("g", [1, 2, 17])
def test_that_the_edge_of_an_integer_is_decided_by_further_bits(scale: float, g: int) -> None:
    """The word that holds e^(−g/s) itself: its next word says on which side U lies."""
    with mpmath.workdps(80):
        edge = mpmath.exp(-mpmath.mpf(g) / mpmath.mpf(scale)) * mpmath.mpf(2) ** 128
        whole = int(mpmath.floor(edge))
    word, rest = divmod(whole, 2**64)
    below = geometric.geometric(np.array([scale]), GivenWords([word, rest - 1]))
    above = geometric.geometric(np.array([scale]), GivenWords([word, rest + 1]))
    assert int(above[0]) == int(below[0]) - 1
    assert int(below[0]) == g


def test_that_words_foretell_every_integer() -> None:
    generator = np.random.default_rng(3)
    words = [int(word) for word in generator.integers(0, 2**64, size=600, dtype=np.uint64)]
    words += [0, 1, 2**64 - 1, 2**63, 5]
    scale = np.resize(np.array([0.2, 7.0, 1e4, 1e9]), len(words))
    spare = [2**63] * 50
    drawn = geometric.geometric(scale, GivenWords([*words, *spare]))
    with mpmath.workdps(60):
        for word, one, value in zip(words, scale.tolist(), drawn.tolist(), strict=True):
            uniform = (mpmath.mpf(word) + mpmath.mpf("0.5")) / mpmath.mpf(2) ** 64
            if word in (0, 1, 5):  # their further bits matter; all that is needed is the order of size
                assert value >= -one * float(mpmath.log((word + 1) / mpmath.mpf(2) ** 64)) - 1
            else:
                assert value == int(mpmath.floor(-mpmath.mpf(one) * mpmath.log(uniform)))


def test_that_opendp_draws_the_same_law() -> None:
    from scipy.stats import ks_2samp

    ours = geometric.discrete_laplace(np.full(40_000, 5.0), ReleaseRandom(), QUIET)
    theirs = add_laplace(np.zeros(40_000, np.int64), sensitivity=1, epsilon=Fraction(1, 5), context=QUIET)
    assert ks_2samp(ours, theirs).pvalue > 1e-5


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_that_a_scale_that_is_none_is_a_defect(scale: float) -> None:
    with pytest.raises(Defect):
        geometric.discrete_laplace(np.array([scale]), ReleaseRandom(), QUIET)


@pytest.mark.parametrize("scale", [0.02, 0.1, 1.0])
def test_that_a_word_of_zeros_alone_decides_nothing(scale: float) -> None:
    """U < 2^−64 may be as small as it likes: the next word is asked, so that no integer is out of reach."""
    tiny = geometric.geometric(np.array([scale]), GivenWords([0, 1]))
    with mpmath.workdps(60):
        least = int(mpmath.floor(-mpmath.mpf(scale) * mpmath.log(mpmath.mpf(2) / mpmath.mpf(2) ** 128)))
    assert int(tiny[0]) >= least
