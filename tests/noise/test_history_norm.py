"""Noise for whole histories: published values, enumeration, distribution, and what one history moves."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.noise.rigged import GivenWords
from tests.noise.test_geometric import p_value
from workbench.core.errors import Defect
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise.history_norm import HistoryNorm, norm
from workbench.noise.lazy_uniform import LazyUniform
from workbench.noise.uniform_integers import below, order, orders, subsets

DRAWS = 60_000


@pytest.mark.parametrize("table", ["history_norm_one", "history_norm_many"])
def test_that_the_law_has_the_published_values(golden: Any, table: str) -> None:
    for case in golden(table)["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        law = HistoryNorm(Fraction(inputs["eps"]), inputs["years"], inputs["coordinates"])
        assert law.probability_of_zero() == pytest.approx(expected["p_zero"], rel=1e-10)
        assert law.mean_absolute() == pytest.approx(expected["mean_abs"], rel=1e-10)
        if "variance" in expected:
            assert law.variance() == pytest.approx(expected["variance"], rel=1e-10)


def test_that_the_norm_has_the_published_values(golden: Any) -> None:
    for case in golden("history_norm_value")["cases"]:
        assert norm(np.array(case["inputs"]["noise"])) == case["expected"]["norm"]


def blocks(reach: int, years: int, coordinates: int) -> np.ndarray:
    flat = itertools.product(range(-reach, reach + 1), repeat=years * coordinates)
    return np.array(list(flat)).reshape(-1, years, coordinates)


@pytest.mark.parametrize(("rate", "years", "coordinates", "reach"), [(2, 2, 2, 4), (1, 3, 1, 8), (3, 2, 3, 2)])
def test_that_draws_have_the_enumerated_law(rate: int, years: int, coordinates: int, reach: int) -> None:
    law = HistoryNorm(Fraction(rate), years, coordinates)
    inside = blocks(reach, years, coordinates)
    sizes = np.maximum(inside, 0).sum(2).max(1) + np.maximum(-inside, 0).sum(2).max(1)
    expected = law.probability_of_zero() * np.exp(-rate * sizes.astype(float))
    drawn = law.draw(DRAWS, ReleaseRandom(), QUIET)
    kept = (np.abs(drawn) <= reach).all(axis=(1, 2))
    base = (2 * reach + 1) ** np.arange(years * coordinates)[::-1]
    places = ((drawn[kept] + reach).reshape(kept.sum(), -1) * base).sum(axis=1)
    seen = np.bincount(places, minlength=len(inside))
    assert p_value(np.append(seen, (~kept).sum()), np.append(expected, 1 - expected.sum()) * DRAWS) > 1e-5


@pytest.mark.parametrize(("years", "coordinates"), [(2, 2), (3, 1), (2, 3)])
def test_that_a_history_moves_the_norm_by_one_and_a_second_row_by_two(years: int, coordinates: int) -> None:
    choices = [np.zeros(coordinates, int), *np.eye(coordinates, dtype=int)]
    histories = [np.array(rows) for rows in itertools.product(choices, repeat=years)]
    noise = blocks(2, years, coordinates)
    most = max(abs(norm(z - x) - norm(z)) for z in noise[:: max(1, len(noise) // 2000)] for x in histories)
    assert most == 1
    twice = np.zeros((years, coordinates), int)
    twice[0, 0] = 2
    assert norm(twice) == 2


@pytest.mark.parametrize(("d", "s", "w"), [(1, 3, 2), (2, 3, 4), (3, 2, 3), (3, 0, 4)])
def test_that_points_are_counted_as_enumerated_and_drawn_alike(d: int, s: int, w: int) -> None:
    law = HistoryNorm(Fraction(1), 1, d)
    reach = range(-w, s + 1)
    allowed = [
        z for z in itertools.product(reach, repeat=d)
        if sum(max(v, 0) for v in z) <= s and sum(max(-v, 0) for v in z) <= w
    ]  # fmt: skip
    assert law.points(s, w) == len(allowed)
    drawn = law._points(np.full(DRAWS, s), np.full(DRAWS, w), StudyRandom(5))
    names = {z: place for place, z in enumerate(allowed)}
    seen = np.bincount([names[tuple(row)] for row in drawn.tolist()], minlength=len(allowed))
    assert p_value(seen, np.full(len(allowed), DRAWS / len(allowed))) > 1e-5


def test_that_the_radius_has_no_largest_value_and_is_exact_at_its_edges() -> None:
    law = HistoryNorm(Fraction(1), 2, 2)
    share = Fraction(law._share_up_to(3, 60))
    whole = int(share * 2**128)
    word, rest = divmod(whole, 2**64)
    assert law._exact_radius(LazyUniform(word, 64, GivenWords([max(rest - 2, 0)])), 3) == 3
    assert law._exact_radius(LazyUniform(word, 64, GivenWords([rest + 2])), 3) == 4
    mass = np.exp(law._log_weights)
    assert float(share) == pytest.approx(mass[:4].sum() / mass.sum(), rel=1e-12)
    far = law._exact_radius(LazyUniform(2**64 - 1, 64, GivenWords([2**64 - 2, 5])), len(law._log_weights) - 1)
    assert far > 60


@pytest.mark.parametrize(("rate", "years", "coordinates"), [(Fraction(1, 20), 10, 2), (Fraction(4, 20), 10, 6)])
def test_that_moments_of_draws_are_those_of_the_law(rate: Fraction, years: int, coordinates: int) -> None:
    law = HistoryNorm(rate, years, coordinates)
    drawn = law.draw(4000, StudyRandom(2), QUIET)
    each = np.abs(drawn).mean(axis=(1, 2))
    assert each.mean() == pytest.approx(law.mean_absolute(), abs=5 * each.std() / math.sqrt(4000))
    square = (drawn.astype(float) ** 2).mean(axis=(1, 2))
    assert square.mean() == pytest.approx(law.variance(), abs=5 * square.std() / math.sqrt(4000))


def test_that_the_advantage_over_laplace_is_as_published() -> None:
    """T = 10, ε = 4: .597 of Laplace(T/ε) for three sectors, .361 for one cell."""
    q = math.exp(-0.4)
    laplace = 2 * q / (1 - q * q)
    assert HistoryNorm(Fraction(4), 10, 3).mean_absolute() / laplace == pytest.approx(0.597, abs=0.001)
    assert HistoryNorm(Fraction(4), 10, 1).mean_absolute() / laplace == pytest.approx(0.361, abs=0.001)


def test_that_no_years_are_a_defect() -> None:
    with pytest.raises(Defect):
        HistoryNorm(Fraction(1), 0, 1)


def test_that_integers_below_a_bound_are_uniform_and_unfair_words_drawn_again() -> None:
    drawn = below(np.full(DRAWS, 7), StudyRandom(1))
    assert p_value(np.bincount(drawn, minlength=7), np.full(7, DRAWS / 7)) > 1e-5
    uneven = 2**64 % 7
    assert below(np.array([7]), GivenWords([2**64 - uneven, 13])).tolist() == [13 % 7]
    assert below(np.array([7]), GivenWords([2**64 - uneven - 1])).tolist() == [(2**64 - uneven - 1) % 7]


def test_that_subsets_and_orders_are_uniform() -> None:
    drawn = subsets(np.full(DRAWS, 5), np.full(DRAWS, 3), StudyRandom(3))
    assert all(len(set(row)) == 3 for row in drawn[:200].tolist())
    names = {subset: place for place, subset in enumerate(itertools.combinations(range(1, 6), 3))}
    seen = np.bincount([names[tuple(row)] for row in drawn.tolist()], minlength=10)
    assert p_value(seen, np.full(10, DRAWS / 10)) > 1e-5
    ordered = orders(DRAWS, 3, StudyRandom(4))
    names = {each: place for place, each in enumerate(itertools.permutations(range(3)))}
    seen = np.bincount([names[tuple(row)] for row in ordered.tolist()], minlength=6)
    assert p_value(seen, np.full(6, DRAWS / 6)) > 1e-5
    rng = StudyRandom(5)
    seen = np.bincount([names[tuple(order(3, rng).tolist())] for _ in range(6000)], minlength=6)
    assert p_value(seen, np.full(6, 1000.0)) > 1e-5
    again = [0, 0, 2**60, *range(2**50, 2**63, 2**61)][:6]  # a tie in the first bits is drawn again
    assert sorted(order(3, GivenWords(again)).tolist()) == [0, 1, 2]
