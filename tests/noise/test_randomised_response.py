"""Randomised response: certified thresholds, the exact loss, and draws by distribution and at their edges."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.noise.rigged import GivenWords
from tests.noise.test_geometric import p_value
from workbench.core.errors import Defect
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise import randomised_response as law

DRAWS = 200_000


def test_that_thresholds_have_the_published_values(golden: Any) -> None:
    for case in golden("survey_rr_integer")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        kept = law.threshold(Fraction(inputs["eps"]), inputs["k"], inputs["bits"])
        assert kept == int(expected["threshold"])
        assert law.exact_loss(kept, inputs["k"], inputs["bits"]) == pytest.approx(expected["exact_loss"], rel=1e-12)
        own, other = law.chances(kept, inputs["k"], inputs["bits"])
        assert own == pytest.approx(expected["p_same"], rel=1e-12)
        assert other == pytest.approx(expected["p_each_other"], rel=1e-12)


def test_that_chances_are_the_published_ones(golden: Any) -> None:
    for case in golden("krr")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        if "p" in expected:
            own, other = law.chances(law.threshold(Fraction(inputs["eps"]), inputs["k"]), inputs["k"])
            assert (own, other) == pytest.approx((expected["p"], expected["q"]), rel=1e-10)


@settings(deadline=None, max_examples=150)
@given(st.fractions("1/10000", 200), st.integers(2, 10**32))
def test_that_the_loss_never_exceeds_epsilon(epsilon: Fraction, answers: int) -> None:
    kept = law.threshold(epsilon, answers)
    assert 0 <= kept < law.WHOLE
    with mpmath.workdps(150):
        loss = mpmath.log(1 + mpmath.mpf(answers) * kept / (law.WHOLE - kept))
        assert loss <= mpmath.mpf(epsilon.numerator) / epsilon.denominator
        exact = (mpmath.e ** (mpmath.mpf(epsilon.numerator) / epsilon.denominator) - 1) * law.WHOLE
        exact /= mpmath.e ** (mpmath.mpf(epsilon.numerator) / epsilon.denominator) + answers - 1
        assert kept == int(mpmath.floor(exact))


@pytest.mark.parametrize(("epsilon", "answers"), [(1, 2), (2, 5), (7, 21), (Fraction(1, 10), 3)])
def test_that_published_answers_follow_their_law(epsilon: int | Fraction, answers: int) -> None:
    kept = law.threshold(Fraction(epsilon), answers)
    own, other = law.chances(kept, answers)
    for rng in (ReleaseRandom(), StudyRandom(4)):
        published = law.draw(np.full(DRAWS, 1, np.int8), answers, kept, rng)
        expected = np.full(answers, other * DRAWS)
        expected[1] = own * DRAWS
        assert published.dtype == np.int8
        assert p_value(np.bincount(published, minlength=answers), expected) > 1e-5


def test_that_a_tie_in_the_first_bits_is_decided_by_the_others() -> None:
    kept = law.threshold(Fraction(1), 3)
    top, rest = divmod(kept, 2**56)
    for further, stays in ((rest - 1, True), (rest, False)):
        words = [top, further << 8, 2]  # eight lanes of 8 bits in a word, of which one is used
        published = law.draw(np.array([1], np.int16), 3, kept, GivenWords(words[: 2 + (not stays)]))
        assert bool(published[0] == 1) is stays


def test_that_replacements_are_uniform_for_few_and_for_very_many_answers() -> None:
    for answers in (3, 1000, 50_000):
        drawn = law.uniform(DRAWS, answers, StudyRandom(8))
        classes = np.bincount(drawn * 3 // answers, minlength=3)
        expected = np.bincount(np.arange(answers) * 3 // answers, minlength=3) / answers * DRAWS
        assert p_value(classes, expected) > 1e-5
        assert drawn.max() < answers


def test_that_the_coin_example_recovers_a_tenth() -> None:
    """Heads: the truth; tails: a second coin. ε = ln 3, a true 10 % shows as 30 %, and 70 % say no."""
    kept = law.threshold(Fraction(math.log(3)), 2)
    own, other = law.chances(kept, 2)
    shown = 0.1 * own + 0.9 * other
    assert shown == pytest.approx(0.3, abs=1e-12)
    assert (shown - other) / (own - other) == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "answers"), [(0, 3), (-1, 3), (1, 1)])
def test_that_no_epsilon_or_a_single_answer_is_a_defect(epsilon: int, answers: int) -> None:
    with pytest.raises(Defect):
        law.threshold(Fraction(epsilon), answers)
