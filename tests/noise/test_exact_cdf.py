"""The exact integer sampler: its law in the middle and far out, its slow path, and that it asks for no more bits."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.contract.contexts import CancelAt
from tests.noise.rigged import GivenWords, TailWords
from workbench.core.errors import Cancelled
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise import exact_cdf
from workbench.noise.exact_cdf import LIMIT, draw, draw_for_study, draw_placed
from workbench.noise.placements import Linear, Logarithmic, Placement
from workbench.noise.tail_laws import FLOAT_ERROR, LaplaceTail, PowerTail, TailLaw

LAWS: dict[str, TailLaw] = {
    "laplace": LaplaceTail(),
    "power 4": PowerTail(4),
    "power 2.5": PowerTail(Decimal("2.5")),
    "power 11.2 in 8": PowerTail(Decimal("11.2"), 8),
}


def smooth_gamma_cdf(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """H in closed form: another route than the sampler's series."""
    root = math.sqrt(2.0)
    log = np.log((z * z + root * z + 1) / (z * z - root * z + 1)) / (4 * math.pi)
    value: NDArray[np.float64] = 0.5 + log + (np.arctan(root * z + 1) + np.arctan(root * z - 1)) / (2 * math.pi)
    return value


def chi_squared(values: NDArray[np.int64], edges: NDArray[np.float64], probability: NDArray[np.float64]) -> float:
    """The p-value of the counts between the edges against their probabilities."""
    from scipy.stats import chisquare

    seen = np.histogram(values, bins=edges)[0]
    expected = probability / probability.sum() * len(values)
    assert seen.sum() == len(values)
    assert expected.min() > 5
    return float(chisquare(seen, expected).pvalue)


@pytest.mark.parametrize("name", LAWS)
def test_that_float_survival_keeps_its_stated_error_a_hundredfold(name: str) -> None:
    rng = np.random.Generator(np.random.PCG64(3))
    z = np.concatenate([10.0 ** rng.uniform(-6, 1.5, 150), rng.uniform(0.9, 1.1, 50), [1.0]])
    law = LAWS[name]
    for point, tail in zip(z.tolist(), law.survival(z).tolist(), strict=True):
        exact = law.survival_to(Fraction(point), 40)
        if exact > Decimal(2) ** -64:
            assert abs(Decimal(tail) / exact - 1) < Decimal(FLOAT_ERROR) / 50


@pytest.mark.parametrize("name", LAWS)
def test_that_more_digits_agree_with_fewer(name: str) -> None:
    for point in (Fraction(1, 7), Fraction(1), Fraction(10**6 + 1, 10**6), Fraction(31, 3)):
        few, many = (LAWS[name].survival_to(point, digits) for digits in (20, 120))
        with decimal.localcontext() as context:
            context.prec = 150
            assert abs(few / many - 1) < Decimal(10) ** -20


def test_that_the_series_is_the_closed_form_of_smooth_gamma() -> None:
    z = np.linspace(0.0, 6.0, 301)
    assert PowerTail(4).survival(z) == pytest.approx(2 * (1 - smooth_gamma_cdf(z)), abs=1e-14)


def test_that_far_out_the_tail_follows_its_leading_term() -> None:
    z = np.array([1e3, 1e5])
    leading = 2 * math.sqrt(2) / (3 * math.pi) * z**-3
    assert PowerTail(4).survival(z) == pytest.approx(leading, rel=1e-11)


@pytest.mark.parametrize(("exponent", "degree"), [("3.3", 1), ("6.8", 4), ("11.2", 8)])
def test_that_the_radius_law_is_the_integral_of_its_density(exponent: str, degree: int) -> None:
    from scipy.integrate import quad

    g = float(exponent)
    total = quad(lambda r: r ** (degree - 1) / (1 + r**g), 0, math.inf, epsabs=0, epsrel=1e-11)[0]
    law = PowerTail(Decimal(exponent), degree)
    for z in (0.3, 0.9, 1.0, 1.4, 5.0):
        beyond = quad(lambda r: r ** (degree - 1) / (1 + r**g), z, math.inf, epsabs=0, epsrel=1e-11)[0]
        assert float(law.survival(np.array([z]))[0]) == pytest.approx(beyond / total, rel=1e-8)


@pytest.mark.parametrize("name", LAWS)
def test_that_the_polished_quantile_undoes_survival(name: str) -> None:
    tail = np.concatenate([10.0 ** np.linspace(-15, -0.5, 60), [0.4, 0.7, 0.9]])
    assert LAWS[name].survival(LAWS[name].quantile(tail, 3)) == pytest.approx(tail, rel=1e-9)


@pytest.mark.parametrize("scale", [0.3, 2.0, 37.0])
def test_that_draws_have_the_rounded_law(scale: float) -> None:
    values = draw(np.full(60_000, 17), np.full(60_000, scale), PowerTail(4), ReleaseRandom(), QUIET)
    inner = np.unique(np.rint(scale * np.linspace(-4, 4, 33))) + 17.5
    edges = np.concatenate([[-np.inf], inner, [np.inf]])
    cdf = np.concatenate([[0.0], smooth_gamma_cdf((inner - 17) / scale), [1.0]])
    probability = np.diff(cdf)
    keep = probability * len(values) > 6
    edges = np.concatenate([edges[:-1][keep], [np.inf]])
    probability = np.diff(np.concatenate([[0.0], smooth_gamma_cdf((edges[1:-1] - 17) / scale), [1.0]]))
    edges[0] = -np.inf
    assert chi_squared(values, edges, probability) > 1e-6


@pytest.mark.parametrize(("zeros", "count"), [(10, 40_000), (30, 400)], ids=["fast path", "slow path"])
@pytest.mark.parametrize("scale", [0.7, 9.0])
def test_that_the_tail_beyond_has_its_conditional_law(zeros: int, count: int, scale: float) -> None:
    """Given that U < 2^−zeros the value lies beyond Q(2^−zeros); there the leading term is the law, to 1e-10 or so."""
    law = PowerTail(4)
    rng: Any = TailWords(zeros, seed=zeros)
    values = draw(np.zeros(count, dtype=np.int64), np.full(count, scale), law, rng, QUIET)
    start = float(law.quantile(np.array([2.0**-zeros]), 3)[0]) * scale
    levels = 1.0 - np.linspace(0.0, 1.0, 11)[1:-1]
    inner = np.unique(np.floor(law.quantile(levels * 2.0**-zeros, 3) * scale)) + 0.5
    inner = inner[inner > start]
    edges = np.concatenate([[0.0], inner, [np.inf]])
    probability = -np.diff(np.concatenate([[1.0], law.survival(inner / scale) * 2.0**zeros, [0.0]]))
    keep = probability * count > 6
    assert keep.all()
    assert chi_squared(np.abs(values), edges, probability) > 1e-6
    assert 0.4 < np.mean(values > 0) < 0.6


@pytest.mark.parametrize("factor", [1.0, 0.97])
@pytest.mark.parametrize(("count", "spread"), [(0, 0.1), (12, 0.0953), (250, 0.6)])
def test_that_log_laplace_draws_have_their_law(count: int, spread: float, factor: float) -> None:
    number, offset = 40_000, 10.0
    placement = Logarithmic(np.full(number, count), offset, spread, factor)
    values = draw_placed(placement, ReleaseRandom(), QUIET)
    median = factor * (count + offset)
    u = np.linspace(0.0, 1.0, 30)[1:-1]
    quantiles = np.where(u < 0.5, median * (2 * u) ** spread, median * (2 * (1 - u)) ** -spread) - offset
    inner = np.unique(np.rint(quantiles)) + 0.5
    ratio = (inner + offset) / median
    cdf = np.where(ratio <= 1, 0.5 * ratio ** (1 / spread), 1 - 0.5 * ratio ** (-1 / spread))
    edges = np.concatenate([[-np.inf], inner, [np.inf]])
    assert values.min() >= math.floor(-offset + 0.5)
    assert chi_squared(values, edges, np.diff(np.concatenate([[0.0], cdf, [1.0]]))) > 1e-6


PLACED: dict[str, Placement] = {
    "power": Linear(np.full(300, 40), np.full(300, 3.7), PowerTail(4)),
    "laplace": Linear(np.full(300, 40), np.full(300, 3.7), LaplaceTail()),
    "logarithmic": Logarithmic(np.full(300, 40), 10.0, 0.3),
}


@pytest.mark.parametrize("name", PLACED)
def test_that_the_slow_path_agrees_with_the_fast_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.random.Generator(np.random.PCG64(8)).integers(0, 2**64, size=300, dtype=np.uint64).tolist()
    fast: Any = GivenWords(words)
    slow: Any = GivenWords(words)
    quick = draw_placed(PLACED[name], fast, QUIET)
    monkeypatch.setattr(exact_cdf, "_confirmed", lambda _, rows, *__: np.zeros(len(rows), dtype=np.bool_))
    assert np.array_equal(quick, draw_placed(PLACED[name], slow, QUIET))


@pytest.mark.parametrize("name", PLACED)
@pytest.mark.parametrize("value", [43, 58])
def test_that_bits_are_appended_while_the_uniform_straddles_an_edge(name: str, value: int) -> None:
    """A word whose 63 bits hold the edge's probability decides nothing; the next words do, on either side of it."""
    placement = PLACED[name]
    edge = value + Fraction(1, 2)
    bits = int(Fraction(placement.beyond_to(0, True, edge, 80)) * 2**191)
    first, second, third = bits >> 128, (bits >> 64) % 2**64, bits % 2**64
    for last, expected in ((third - 2**40, value + 1), (third + 2**40, value)):
        rng: Any = GivenWords([2**63 | first, second, last])
        one = _first_cell(placement)
        assert draw_placed(one, rng, QUIET).tolist() == [expected]
        assert rng.given == 3
    clear: Any = GivenWords([2**63 | first, second + 2**50])
    assert draw_placed(_first_cell(placement), clear, QUIET).tolist() == [value]
    assert clear.given == 2


def _first_cell(placement: Placement) -> Placement:
    if isinstance(placement, Linear):
        return Linear(placement.center[:1], placement.scale[:1], placement.law)
    assert isinstance(placement, Logarithmic)
    return Logarithmic(placement.center[:1], placement.offset, placement.spread)


def test_that_the_smallest_uniforms_reach_a_hundred_thousand_scales_and_more() -> None:
    """T(z) ≈ (2√2/3π)z⁻³, so 2^−55 lies beyond z = 2·10^5: found by searching, with the probability asked for."""
    law = PowerTail(4)
    rng: Any = TailWords(55, seed=4)
    values = np.abs(draw(np.zeros(50, dtype=np.int64), np.full(50, 11.42), law, rng, QUIET))
    assert values.min() > 11.42 * 2e5
    assert np.all(law.survival(values / 11.42) <= 2.0**-55 * (1 + 1e-6))


def test_that_values_beyond_every_integer_are_cut_at_the_limit() -> None:
    upward, downward = 2**63, 0
    rng: Any = GivenWords([upward, 7, downward, 7])
    placement = Logarithmic(np.array([10]), 10.0, 3.0)
    assert draw_placed(placement, rng, QUIET).tolist() == [LIMIT]
    least: Any = GivenWords([downward, *range(40)])
    assert draw_placed(placement, least, QUIET).tolist() == [-10]


@pytest.mark.parametrize("name", PLACED)
def test_that_studies_have_the_law_of_releases(name: str) -> None:
    from scipy.stats import ks_2samp

    placement = PLACED[name]
    studies = [draw_for_study(placement, StudyRandom(seed), QUIET) for seed in range(60)]
    releases = [draw_placed(placement, ReleaseRandom(), QUIET) for _ in range(60)]
    assert ks_2samp(np.concatenate(studies), np.concatenate(releases)).pvalue > 1e-6


def test_that_a_wide_scale_hardly_ever_needs_the_slow_path(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    original = exact_cdf._searched
    monkeypatch.setattr(exact_cdf, "_searched", lambda *a, **k: (searched.append(1), original(*a, **k))[1])
    draw(np.full(50_000, 10**6), np.full(50_000, 1e6), PowerTail(4), ReleaseRandom(), QUIET)
    assert len(searched) < 10


def test_that_drawing_can_be_cancelled_between_chunks() -> None:
    center = np.zeros(100_000, dtype=np.int64)
    with pytest.raises(Cancelled):
        draw(center, np.ones(100_000), LaplaceTail(), ReleaseRandom(), CancelAt(4))
