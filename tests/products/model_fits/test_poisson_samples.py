"""Poisson samples by gaps: by distribution, bit by bit against the law of a gap, and the chance rounded down."""

from __future__ import annotations

import decimal
from decimal import Decimal

import numpy as np
import pytest

from tests.noise.test_geometric import p_value
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise.geometric import geometric_of_words
from workbench.products.model_fits.mechanisms import poisson_samples as drawn
from workbench.products.model_fits.mechanisms.poisson_samples import mean_gap, poisson_samples

RATES = [0.000001, 0.003, 0.05, 0.3, 0.97, 0.999999]


@pytest.mark.parametrize("sampling", RATES)
def test_that_the_chance_of_being_chosen_is_rounded_down_and_hardly(sampling: float) -> None:
    with decimal.localcontext() as context:
        context.prec = 60
        chance = 1 - (-1 / Decimal(mean_gap(sampling))).exp()
        assert Decimal(sampling) * (1 - Decimal("1e-12")) < chance <= Decimal(sampling)


@pytest.mark.parametrize("sampling", [0.05, 0.3, 0.97])
def test_that_sixteen_bits_decide_only_what_all_further_bits_leave_as_it_is(sampling: float) -> None:
    """For every entry of the table: the gap of the lowest and of the highest uniform that begins with these bits."""
    scale = mean_gap(sampling)
    table = drawn._table(scale)
    first = np.arange(2**16, dtype=np.uint64) << np.uint64(48)
    last = first | np.uint64(2**48 - 1)
    decided = table >= 0
    assert 0.9 < decided.mean() < 1.0
    for words in (first, last):
        gap = geometric_of_words(np.full(2**16, scale), np.maximum(words, np.uint64(1)), StudyRandom(1))
        assert np.array_equal(gap[decided], table[decided])


@pytest.mark.parametrize("sampling", [0.003, 0.05, 0.6])
def test_that_gaps_have_the_geometric_law(sampling: float) -> None:
    gaps = drawn._gaps(60_000, sampling, ReleaseRandom())
    edges = np.unique(np.quantile(np.arange(200) / sampling * 0.05, np.linspace(0, 1, 12)).astype(int))
    tail = (1.0 - sampling) ** edges
    law = np.append(tail[:-1] - tail[1:], tail[-1])
    seen = np.histogram(gaps, bins=[*edges, np.inf])[0]
    assert p_value(seen, law * len(gaps)) > 1e-6


@pytest.mark.parametrize("sampling", [0.05, 0.7])
def test_that_everybody_is_chosen_alike_and_independently(sampling: float) -> None:
    """Each place as often as any other, sizes as spread as binomial ones, and neighbours no more often together."""
    people, samples = 40, 20_000
    chosen = np.zeros((samples, people), np.bool_)
    for number, places in enumerate(poisson_samples(people, sampling, samples, ReleaseRandom())):
        assert np.all(np.diff(places) > 0)
        chosen[number, places] = True
    share = chosen.mean(axis=0)
    assert np.abs(share - sampling).max() < 5 * np.sqrt(sampling * (1 - sampling) / samples)
    assert chosen.sum(axis=1).var() == pytest.approx(people * sampling * (1 - sampling), rel=0.06)
    both = (chosen[:, :-1] & chosen[:, 1:]).mean()
    assert abs(both - sampling**2) < 5 * sampling / np.sqrt(samples * (people - 1))
    again = (chosen[:-1, -1] & chosen[1:, 0]).mean()  # from the end of one sample to the begin of the next
    assert abs(again - sampling**2) < 5 * sampling / np.sqrt(samples)


def test_that_everybody_is_in_the_sample_where_q_is_one_and_nobody_where_there_is_nobody() -> None:
    assert [places.tolist() for places in poisson_samples(3, 1.0, 2, ReleaseRandom())] == [[0, 1, 2]] * 2
    assert [len(places) for places in poisson_samples(0, 0.5, 4, ReleaseRandom())] == [0] * 4


def test_that_many_people_come_in_blocks_and_none_is_lost() -> None:
    sizes = [len(places) for places in poisson_samples(3_000_000, 0.05, 3, StudyRandom(3))]
    assert np.abs(np.array(sizes) - 150_000).max() < 5 * np.sqrt(150_000)
    rare = [len(places) for places in poisson_samples(100_000, 0.000001, 2000, StudyRandom(3))]
    assert abs(np.mean(rare) - 0.1) < 5 * np.sqrt(0.1 / 2000)
