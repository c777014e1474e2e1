"""A table of flows is known again however it was saved; flows of another year or another draw are not taken for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.products.commuting_flows.flows.same_flows import PairCounts, alike, pair_counts

PLACES = 60


def flows(seed: int, *, sparse: bool = False, jobs: int = 6_000) -> Any:
    """Jobs drawn between places: mostly single ones, or many of the same pair."""
    random = np.random.Generator(np.random.PCG64(seed))
    weight = np.random.Generator(np.random.PCG64(99)).gamma(0.3 if sparse else 2.0, size=PLACES * PLACES)
    return random.multinomial(jobs if sparse else 20 * jobs, weight / weight.sum()).astype(float)


def pairs(count: Any) -> PairCounts:
    held = np.asarray(count, dtype=np.float64)
    some = np.flatnonzero(held)
    return PairCounts(pair=some, count=held[some])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "saved",
    [
        lambda count: count,
        lambda count: 12 * count,
        lambda count: count / count.sum(),
        lambda count: np.round(100 * count / count.sum(), 4),
        lambda count: np.where(np.arange(len(count)) % 50, count, count + 1),
        lambda count: np.where(np.arange(len(count)) % 10, count, 0),
        lambda count: np.append(count[:-100], count[:100]),
    ],
    ids=["again", "scaled", "shares", "percent", "a few raised", "a tenth left out", "mixed up"],
)
def test_that_the_data_are_known_again(saved: Any, sparse: bool) -> None:
    data = flows(1, sparse=sparse)
    assert alike(pairs(data), pairs(saved(data)))


@pytest.mark.parametrize("divided", [1.03, 1.7, 2])
def test_that_the_data_are_known_again_after_rounding(divided: float) -> None:
    data = flows(1)
    assert alike(pairs(data), pairs(np.round(data / divided)))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("jobs", [300, 6_000, 40_000])
@pytest.mark.parametrize("seed", range(2, 12))
def test_that_another_draw_of_the_very_same_flows_passes(seed: int, jobs: int, sparse: bool) -> None:
    """As near as flows that were not made from the data can come."""
    data, other = flows(1, sparse=sparse, jobs=jobs), flows(seed, sparse=sparse, jobs=jobs)
    for prior in (other, 10 * other, np.round(other / 10), np.round(other / 100), other / other.sum()):
        assert not alike(pairs(data), pairs(prior))


@pytest.mark.parametrize("seed", range(20))
def test_that_few_pairs_with_few_jobs_are_not_alike_by_chance(seed: int) -> None:
    random = np.random.Generator(np.random.PCG64(seed))
    data = random.poisson(1.5, 40)
    assert not alike(pairs(data), pairs(random.poisson(1.5, 40)))
    assert not alike(pairs(data > 0), pairs(random.integers(700, 1_300, 40)))
    assert not alike(pairs(np.ones(19)), pairs(np.ones(19)))  # too few pairs to tell
    assert not alike(pairs(data), pairs(np.zeros(40)))


def test_that_rows_are_added_up_by_pair_and_unknown_places_left_out() -> None:
    work, home = (np.array(places, dtype=np.int32) for places in ([1, 1, -1, 2, 0], [2, 2, 2, -1, 3]))
    found = pair_counts(work, home, np.array([1.0, 2.0, 9.0, 9.0, 0.0]), 10)
    assert (found.pair.tolist(), found.count.tolist()) == ([12], [3.0])
