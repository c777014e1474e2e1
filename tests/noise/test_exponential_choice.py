"""The exponential mechanism's choice: its law by draws, and by decimals where floats cannot tell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise import exponential_choice


@pytest.mark.parametrize("rng", [StudyRandom(3), ReleaseRandom()], ids=["study", "release"])
def test_that_members_come_with_their_probability(rng: StudyRandom | ReleaseRandom) -> None:
    levels, rate = np.array([4, 2, 2, 7, 3, 2]), Fraction(1, 3)
    weights = np.exp(-levels / 3)
    expected = 6000 * weights / weights.sum()

    def away() -> float:
        drawn = np.bincount([exponential_choice.choose(levels, rate, rng) for _ in range(6000)], minlength=6)
        return float(((drawn - expected) ** 2 / expected).sum())

    # Above 25 by chance once in seven thousand draws, with 5 degrees of freedom; a wrong law is above it again.
    assert away() < 25 or away() < 25


class Words:
    """Hands out chosen words, then zeros."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count: int) -> np.ndarray:
        taken = [self.left.pop(0) if self.left else 0 for _ in range(count)]
        return np.array(taken, dtype=np.uint64)


def test_that_a_uniform_on_an_edge_is_decided_with_further_bits() -> None:
    """Two levels alike: the edge is at one half exactly, where no float may decide."""
    levels, half = np.array([0, 1]), 2**63
    almost = Fraction(1, 10**40)  # e^(−a) is just below 1, so that the edge is just above one half
    assert exponential_choice.choose(levels, almost, Words(half - 1, 0)) == 0
    assert exponential_choice.choose(levels, almost, Words(half, 2**63)) == 1
    assert exponential_choice.choose(levels, almost, Words(half, 0)) == 0


def test_that_levels_far_away_cost_no_overflow() -> None:
    assert exponential_choice.choose(np.array([10**6, 0, 10**6]), Fraction(5), StudyRandom(1)) == 1


@pytest.mark.parametrize("levels", [[7], [4, 2, 2, 7, 3, 2], [-3, 5, -3, 8], [0, 10**9, 5, 10**9]])
def test_that_levels_are_counted_alike_close_together_and_far_apart(levels: list[int]) -> None:
    above = np.array(levels) - min(levels)
    steps, counts = exponential_choice._different(above)
    assert dict(zip(steps.tolist(), counts.tolist(), strict=True)) == {
        int(a): levels.count(a + min(levels)) for a in above
    }
    assert steps.tolist() == sorted(steps.tolist())
