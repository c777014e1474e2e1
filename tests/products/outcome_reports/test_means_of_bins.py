"""Direct means of bins: their margins hold the truth also where a cell has far more people than planned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.outcome_reports.layout import Listed
from workbench.products.outcome_reports.mechanisms import history_histogram
from workbench.products.outcome_reports.mechanisms.means_of_bins import flat_means, means_of, sloped_means
from workbench.products.outcome_reports.percentiles import planned_edges

CAP = 250_000


def normal(random: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return np.exp(random.normal(np.log(60_000), 0.75, size))


def heavy(random: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    tail = 70_000 * random.random(size) ** (-1 / 1.8)
    return np.where(random.random(size) < 0.15, tail, np.exp(random.normal(np.log(45_000), 0.6, size)))


def heaped(random: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return np.rint(np.exp(random.normal(np.log(60_000), 0.7, size)) / 10_000) * 10_000


def two_peaks(random: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    low, high = np.exp(random.normal(np.log(32_000), 0.2, size)), np.exp(random.normal(np.log(120_000), 0.15, size))
    return np.where(random.random(size) < 0.55, low, high)


@pytest.mark.parametrize("times", [1, 20])
@pytest.mark.parametrize("law", [normal, heavy, heaped, two_peaks])
def test_that_margins_of_means_of_bins_hold_the_truth_whatever_the_size(
    law: Callable[[np.random.Generator, tuple[int, int]], np.ndarray], times: int
) -> None:
    """Cells of as many people as planned, and of twenty times as many, where version 1 failed with every law."""
    data = hand_made.prepared()
    layout = replace(data.layout, institution=Listed(name="i", values=tuple(map(str, range(50)))), titles=())
    pay = np.sort(law(np.random.default_rng(31), (layout.rows, 100 * times)).clip(0, CAP).astype(np.int64), axis=1)
    many = replace(
        data, layout=layout, cap=CAP, count=Confidential(np.full(layout.rows, 100 * times)),
        pay=Confidential(pay.reshape(-1)),
    )  # fmt: skip
    params = history_histogram.HistoryHistogramParams(epsilon=Epsilon("2"), planned=100)
    drawn = [history_histogram.SPEC.study(many, params, StudyRandom(s), QUIET).reveal() for s in range(3)]
    off = [np.abs(each.units("mean_earnings").numbers() - pay.mean(axis=1)) for each in drawn]
    held = [away <= each.units("mean_margin_of_error").numbers() + 0.5 for away, each in zip(off, drawn, strict=True)]
    assert np.mean(held) >= 0.93


def test_that_a_margin_without_noise_reaches_the_lowest_and_highest_that_one_outer_bin_allows() -> None:
    """All other people lie at the means of their bins: those of the first bin at zero, of the last at its edge."""
    edges = planned_edges(60_000, 0.75, 8, CAP)
    people = np.full((1, 8), 1000.0)
    found = means_of(edges, people, CAP, 0.0)
    for place, at in ((0, 0.0), (0, edges[1]), (-1, edges[-2])):
        assert abs(at - found.mean[0, place]) / 8 <= 1.96 * found.off[0]


def test_that_the_margin_grows_with_the_tail_that_bins_show() -> None:
    """A second route: with hardly anyone in other bins, what is off is the mean of drawn pay, less that of the bin."""
    edges, power, cap = np.array([1e4, 5e4, 1e5, 2e5]), 1.5, 2_000_000
    pay = np.minimum(1e5 * np.random.default_rng(3).random(2_000_000) ** (-1 / power), cap)
    last = 1e9
    people = np.array([[0.0, last * (2.0**power - 1.0), last]])
    found = means_of(edges, people, cap, 0.0)
    share = 2.0**-power
    inner = 0.29 * 5e4 * (1.0 - share)
    told = np.sqrt(found.off[0] ** 2 - inner**2) / share
    assert told == pytest.approx(pay.mean() - flat_means(edges)[-1], rel=0.1)


def test_that_few_people_beside_noise_leave_bins_as_planned_and_outer_bins_stay() -> None:
    edges = planned_edges(60_000, 0.75, 8, CAP)
    people = np.array([[3.0, 0.0, 9.0, 2.0, 0.0, 1.0, 7.0, 0.0]])
    flat = flat_means(edges)
    planned = sloped_means(edges, np.ones((1, 8)))[0]
    assert sloped_means(edges, people, 1000.0)[0] == pytest.approx(planned, rel=0.001)
    assert np.abs(sloped_means(edges, people)[0] / planned - 1.0).max() > 0.02
    assert sloped_means(edges, people)[0, [0, -1]] == pytest.approx(flat[[0, -1]])


def test_that_what_is_not_known_has_no_mean_and_one_or_two_bins_have_one() -> None:
    edges = planned_edges(60_000, 0.75, 8, CAP)
    assert np.isnan(means_of(edges, np.full((1, 8), np.nan), CAP, 3.0).off[0])
    for bins in (1, 2):
        found = means_of(np.linspace(0.0, 90_000.0, bins + 1), np.full((2, bins), 10.0), CAP, 3.0)
        assert np.isfinite(found.mean).all()
        assert (found.off > 0.0).all()
