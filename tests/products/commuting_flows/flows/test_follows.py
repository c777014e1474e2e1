"""A characteristic that follows from the home is found out, odd rows or not; any other passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.products.commuting_flows.flows.follows import Jobs, Told, told_by_home

BLOCKS_OF_A_TRACT = 10


def judged(work: Any, block: Any, value: Any) -> Told:
    work, block, value = (np.asarray(column, dtype=np.int64) for column in (work, block, value))
    return told_by_home(Jobs(work=work, block=block, tract=block // BLOCKS_OF_A_TRACT, value=value))


def region(seed: int, jobs: int = 4_000) -> tuple[np.random.Generator, Any, Any]:
    """Workplaces and homes on a line; people work near where they live."""
    random = np.random.Generator(np.random.PCG64(seed))
    block = random.integers(0, 300, jobs)
    work = np.abs(block // 8 + random.integers(-4, 5, jobs))
    return random, work, block


@pytest.mark.parametrize("odd", [0.0, 0.001, 0.01])
@pytest.mark.parametrize("seed", range(5))
def test_that_a_trait_of_the_home_is_found_out_in_spite_of_odd_rows(seed: int, odd: float) -> None:
    random, work, block = region(seed)
    wrong = random.random(len(block)) < odd
    assert judged(work, block, np.where(wrong, 5, block // 60)) is Told.BY_HOME
    assert judged(work, block, np.where(wrong, 5, block % 3)) is Told.BY_HOME
    assert judged(work, block, np.where(wrong, 0, block // 10 == 7)) is Told.BY_HOME  # one tract against all others


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bands", [1, 3, 10])
def test_that_the_way_to_work_is_found_out(seed: int, bands: int) -> None:
    """The distance follows from neither place alone, but from both together."""
    _, work, block = region(seed)
    assert judged(work, block, np.abs(work * 8 - block) // bands) is Told.BY_HOME_AND_WORK


@pytest.mark.parametrize("share", [0.5, 0.9, 0.98, 0.995])
@pytest.mark.parametrize("seed", range(25))
def test_that_traits_of_workers_pass_however_rare(seed: int, share: float) -> None:
    random, work, block = region(seed)
    assert judged(work, block, random.random(len(block)) > share) is Told.NOT
    assert judged(work, block, np.zeros(len(block))) is Told.NOT


@pytest.mark.parametrize("seed", range(10))
def test_that_traits_that_only_go_with_the_home_pass(seed: int) -> None:
    random, work, block = region(seed)
    mostly = (block // 60) % 2
    assert judged(work, block, np.where(random.random(len(block)) < 0.15, 1 - mostly, mostly)) is Told.NOT


@pytest.mark.parametrize("odd", [0.0, 0.005])
@pytest.mark.parametrize("homes", [1, 2, 10])
def test_that_traits_of_workplaces_pass_even_where_they_have_few_homes(homes: int, odd: float) -> None:
    """Every home belongs to one workplace: a sector then goes with the home, but the workplace tells it already."""
    for seed in range(10):
        random = np.random.Generator(np.random.PCG64(seed))
        work = np.arange(1_000) // 10
        block = work * homes + random.integers(0, homes, len(work))
        sector = random.integers(0, 4, int(work.max()) + 1)[work]
        wrong = random.random(len(work)) < odd
        assert judged(work, block, np.where(wrong, random.integers(0, 4, len(work)), sector)) is Told.NOT
        assert judged(work, block, random.integers(0, 4, len(work))) is Told.NOT
        assert judged(work, block, work // 20) is Told.NOT


def test_that_a_trait_of_the_home_is_found_out_where_every_workplace_has_one_worker() -> None:
    _, _, block = region(1, jobs=300)
    assert judged(np.arange(len(block)), block, block // 60) is Told.BY_HOME


def test_that_nothing_is_said_where_hardly_any_jobs_share_a_home() -> None:
    places = np.arange(200)
    assert judged(places // 20, places * BLOCKS_OF_A_TRACT, places % 3) is Told.TOO_FEW
    assert judged([], [], []) is Told.NOT


def test_that_a_part_of_the_homes_is_enough_to_judge_very_many_jobs() -> None:
    random, work, block = region(3, jobs=1_200_000)
    assert judged(work, block, block // 60) is Told.BY_HOME
    assert judged(work, block, random.integers(0, 3, len(block))) is Told.NOT
