"""Suppressed flows: what an attacker finds out of each, by enumeration of everything that could have been."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.products.commuting_flows.flow_suppression import SPEC, FlowSuppressionParams, HomeLevel
from workbench.products.commuting_flows.flows.structures import BlockFlows, Populations
from workbench.products.commuting_flows.product import SPEC as PRODUCT


def four_blocks(workers: tuple[int, ...]) -> Populations:
    """One population with these workers in the first blocks of a geography of four, in tracts of one, one and two."""
    prepared = PRODUCT.prepare(made.inputs(made.FLOWS[3:]), made.params(), QUIET)
    there = np.flatnonzero(workers)
    geography = dataclasses.replace(
        prepared.geography,
        blocks=("a", "b", "c", "d"),
        areas=(("x", "y", "z"), *prepared.geography.areas[1:]),
        area_of=(np.array([0, 1, 2, 2], np.int32), *prepared.geography.area_of[1:]),
    )
    flows = BlockFlows(
        population=np.zeros(len(there), np.int32), block=there.astype(np.int32), workers=np.array(workers)[there]
    )
    return dataclasses.replace(prepared, geography=geography, flows=Confidential(flows))


def possible(workers: tuple[int, ...], params: FlowSuppressionParams) -> list[tuple[int, ...]]:
    """Every way the workers could be spread that publishes the same flows and has the same total."""
    tract = (0, 1, 2, 2) if params.home_level is HomeLevel.TRACT else (0, 1, 2, 3)

    def shown(each: tuple[int, ...]) -> tuple[int, ...]:
        sums = [sum(n for n, at in zip(each, tract, strict=True) if at == area) for area in range(4)]
        return tuple(n if sums[at] >= params.threshold else 0 for n, at in zip(each, tract, strict=True))

    total, seen = sum(workers), shown(workers)
    spread = itertools.product(range(total + 1), repeat=4)
    return [each for each in spread if sum(each) == total and shown(each) == seen]


@pytest.mark.parametrize("level", HomeLevel)
@pytest.mark.parametrize(
    "workers", [(5, 1, 2, 0), (2, 2, 2, 2), (6, 2, 2, 2), (1, 1, 0, 1), (0, 0, 2, 0), (3, 3, 1, 1), (4, 0, 4, 1)]
)
def test_that_the_bounds_are_those_of_everything_that_could_have_been(
    workers: tuple[int, ...], level: HomeLevel
) -> None:
    params = FlowSuppressionParams(threshold=3, home_level=level)
    given = SPEC.protect(four_blocks(workers), params, StudyRandom(1), QUIET)
    worlds = possible(workers, params)
    there = np.flatnonzero(workers)
    assert given.low.reveal().tolist() == [min(world[block] for world in worlds) for block in there]
    assert given.high.reveal().tolist() == [max(world[block] for world in worlds) for block in there]


def test_that_reasons_are_words_without_a_count() -> None:
    given = SPEC.protect(four_blocks((5, 1, 2, 0)), FlowSuppressionParams(threshold=3), StudyRandom(1), QUIET)
    assert given.reasons == ("fewer than 3 workers go to that home block",)
    assert given.reason.reveal().tolist() == [0, 1, 1]
    assert "total of every workplace" in given.attacker
