"""Moments of sums of history noise against enumeration."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.noise.test_history_norm import blocks
from workbench.core.arrays import Floats, Integers
from workbench.noise import history_norm
from workbench.noise.history_moments import covariance, covariance_over_years, mean_absolute_of_pair, sum_variance
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


@pytest.mark.parametrize(("rate", "years", "coordinates"), [(Fraction(1, 2), 10, 3), (Fraction(2), 5, 12)])
def test_that_moments_of_longer_tables_are_those_of_integers_added_up_one_by_one(
    rate: Fraction, years: int, coordinates: int
) -> None:
    """The second route: exact counts of points for every pair of radii and every number of positive coordinates."""
    law, d = HistoryNorm(rate, years, coordinates), coordinates
    variance = product = between = mean = 0.0
    for s, w, share in zip(*(column.tolist() for column in law.radii), strict=True):
        if share < 1e-14:
            continue
        points = squares = pairs = total = Fraction(0)
        for m in range(min(d, s) + 1):
            n, held = d - m, math.comb(d, m) * math.comb(s, m) * math.comb(w + d - m, d - m)
            gap, part = Fraction(s + 1, m + 1), Fraction(w + n + 1, n + 1) - 1
            gap2 = Fraction((s + 1) * (2 * s + 2 - m), (m + 1) * (m + 2))
            part2 = Fraction((w + n + 1) * (2 * w + n + 2), (n + 1) * (n + 2)) - 2 * part - 1
            of_gaps = ((s + 1) ** 2 - (m + 1) * gap2) / (m * (m + 1)) if m > 1 else 0  # with what is left, all alike
            of_parts = (w * w - (n + 1) * part2) / (n * (n + 1)) if n > 1 else 0
            points += held
            squares += held * (m * gap2 + n * part2)
            pairs += held * (m * (m - 1) * of_gaps + n * (n - 1) * of_parts - 2 * m * n * gap * part)
            total += held * (m * gap - n * part)
        variance += share * float(squares / points) / d
        product += share * float(pairs / points) / (d * (d - 1))
        mean += share * float(total / points) / d
        between += share * float(total / points / d) ** 2
    assert law.variance() == pytest.approx(variance, rel=1e-9)
    assert covariance(law) == pytest.approx(product, rel=1e-9)
    assert covariance_over_years(law) == pytest.approx(between - mean**2, rel=1e-9)


def test_that_a_year_of_many_bins_is_not_worked_out_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Factors are worked out once for each m and table, however many pairs of radii there are."""
    asked: list[int] = []
    real = history_norm.falling

    def counted(n: Integers, k: int) -> Floats:
        asked.append(len(n))
        return real(n, k)

    monkeypatch.setattr(history_norm, "falling", counted)
    history_norm._choices.cache_clear()
    law = HistoryNorm(Fraction(4), 10, 90)
    assert sum_variance(law, 30) > 0.0
    tables = history_norm._choices.cache_info().misses
    assert tables <= 3
    assert len(asked) == tables * 2 * 91
    assert max(asked) < 1000 < len(law.radii[0])
