"""Support points are what the rule on the slide says, found by a second route that spells every pair out."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from workbench.core.progress import QUIET
from workbench.products.commuting_flows.flows import supports as module
from workbench.products.commuting_flows.flows.distances import miles_between
from workbench.products.commuting_flows.flows.geography import centroids
from workbench.products.commuting_flows.flows.structures import NO_PRIOR, Geography, Level, PriorFlows, Supports
from workbench.products.commuting_flows.flows.supports import SupportSettings, TractPairs, lay_supports

TRACTS, BLOCKS = 60, 3


def region(seed: int = 3, *, width: float = 10.0) -> Geography:
    """Tracts scattered over some degrees, four in a PUMA, three PUMAs in a Super-PUMA."""
    rng = np.random.default_rng(seed)
    tract = np.repeat(np.arange(TRACTS, dtype=np.int32), BLOCKS)
    puma, codes = tract // 4, tuple(f"{t:04d}" for t in range(TRACTS))
    return Geography(
        blocks=tuple(f"{t:04d}{b}" for t in range(TRACTS) for b in range(BLOCKS)),
        areas=(codes, codes[: TRACTS // 4], codes[: TRACTS // 12]),
        area_of=(tract, puma, puma // 3),
        latitude=40.0 + rng.uniform(0, width, TRACTS)[tract] + rng.normal(0, 0.01, len(tract)),
        longitude=-100.0 + rng.uniform(0, width, TRACTS)[tract] + rng.normal(0, 0.01, len(tract)),
        population=rng.integers(1, 90, len(tract)),
    )


def public_prior(seed: int = 4) -> PriorFlows:
    """A few counts for most work tracts; tract 5 has none."""
    rng = np.random.default_rng(seed)
    pairs = np.unique(rng.integers(0, TRACTS * TRACTS, 500))
    pairs = pairs[pairs // TRACTS != 5]
    count = rng.integers(1, 9, len(pairs)).astype(np.float64)
    return PriorFlows(work=(pairs // TRACTS).astype(np.int32), home=(pairs % TRACTS).astype(np.int32), count=count)


def everyone(work: np.ndarray[Any, Any]) -> TractPairs:
    count = len(work)
    return TractPairs(
        work=np.repeat(np.arange(count, dtype=np.int32), TRACTS), home=np.tile(np.arange(TRACTS, dtype=np.int32), count)
    )


def laid(geography: Geography, prior: PriorFlows, **settings: Any) -> tuple[Supports, np.ndarray[Any, Any]]:
    work = np.array([0, 5, 17, 31, 59], dtype=np.int32)
    supports, points, _ = lay_supports(
        geography, work, prior=prior, settings=SupportSettings(**settings), wanted=everyone(work), context=QUIET
    )
    return supports, points


def percentile(pairs: list[tuple[float, float]], share: float) -> float:
    """The smallest distance that a share of the weight does not exceed, by walking up."""
    total, reached = sum(weight for _, weight in pairs), 0.0
    for miles, weight in sorted(pairs):
        reached += weight
        if reached >= share * total:
            return miles
    raise AssertionError


def expected_levels(geography: Geography, prior: PriorFlows, work: int) -> list[int]:
    north, east = centroids(geography, Level.TRACT)

    def miles(a: int, b: int) -> float:
        return float(np.round(miles_between(north[a], east[a], north[b], east[b]), 4))

    listed = [(miles(w, h), c) for w, h, c in zip(prior.work, prior.home, prior.count, strict=True) if w == work]
    listed = listed or [(miles(w, h), c) for w, h, c in zip(prior.work, prior.home, prior.count, strict=True)]
    near, far = percentile(listed, 0.5), percentile(listed, 0.9)
    return [(miles(work, home) > near) + (miles(work, home) > far) for home in range(TRACTS)]


@pytest.mark.parametrize("pairs_at_once", [1, 1_000_000])
def test_that_homes_are_coarsened_by_the_percentiles_of_the_prior(
    monkeypatch: pytest.MonkeyPatch, pairs_at_once: int
) -> None:
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", pairs_at_once)
    geography, prior = region(), public_prior()
    supports, point = laid(geography, prior, elimination=((100.0, 0.0),))
    for number, work in enumerate(supports.work_tract.tolist()):
        levels = expected_levels(geography, prior, work)
        found = point[number * TRACTS : (number + 1) * TRACTS]
        assert supports.level[found].tolist() == levels
        for home, at in enumerate(found.tolist()):
            area = geography.area_of[levels[home]][home * BLOCKS]
            assert supports.area[at] == area
            assert supports.start[number] <= at < supports.start[number + 1]
            assert home in supports.member_tract[supports.member_start[at] : supports.member_start[at + 1]]
        counts: dict[int, float] = defaultdict(float)
        for w, h, c in zip(prior.work, prior.home, prior.count, strict=True):
            if w == work:
                counts[int(found[h])] += c
        mine = range(int(supports.start[number]), int(supports.start[number + 1]))
        assert supports.prior[list(mine)].tolist() == [counts[at] for at in mine]
    assert supports.points == len(set(point.tolist()))


def test_that_without_any_prior_people_stand_in_for_commuters() -> None:
    geography = region()
    supports, point = laid(geography, NO_PRIOR)
    near = supports.level[point[:TRACTS]] == Level.TRACT
    people = np.bincount(geography.area_of[0], weights=geography.population)
    assert 0.5 <= people[near].sum() / people.sum() < 0.6
    assert not supports.prior.any()


def test_that_only_far_points_without_prior_are_eliminated_as_often_as_said() -> None:
    geography = region(width=20.0)
    gone: dict[float, list[bool]] = defaultdict(list)
    prior = public_prior()
    for seed in range(150):
        supports, _ = laid(geography, prior, puma_beyond=1.0, super_puma_beyond=1.0, seed=seed)
        assert supports.kept[supports.prior > 0].all()
        for chance, low, high in ((0.0, 0, 100), (0.5, 100, 200), (0.9, 200, 500), (0.98, 500, 9999)):
            inside = (supports.prior == 0) & (supports.miles > low) & (supports.miles <= high)
            gone[chance] += (~supports.kept[inside]).tolist()
    for chance, outcomes in gone.items():
        error = 4.5 * np.sqrt(chance * (1 - chance) / max(len(outcomes), 1))
        assert len(outcomes) > 1000
        assert abs(np.mean(outcomes) - chance) <= error


def test_that_elimination_follows_from_the_public_seed_whatever_other_workplaces_there_are() -> None:
    geography, prior = region(width=20.0), public_prior()
    all_of_them, _ = laid(geography, prior, seed=7)
    alone = np.array([31], dtype=np.int32)
    one, _, _ = lay_supports(
        geography, alone, prior=prior, settings=SupportSettings(seed=7), wanted=everyone(alone), context=QUIET
    )
    same = slice(int(all_of_them.start[3]), int(all_of_them.start[4]))
    assert one.kept.tolist() == all_of_them.kept[same].tolist()
    assert not one.kept.all()
    other, _ = laid(geography, prior, seed=8)
    assert other.kept.tolist() != all_of_them.kept.tolist()


def test_that_eliminated_points_list_no_tracts_and_kept_ones_cover_their_share() -> None:
    supports, _ = laid(region(width=20.0), public_prior())
    members = np.diff(supports.member_start)
    assert (members[~supports.kept] == 0).all()
    assert (members[supports.kept] > 0).all()
    assert members.sum() == len(supports.member_tract) < 5 * TRACTS


@pytest.mark.parametrize("pairs_at_once", [1, 1_000_000])
def test_that_an_eliminated_point_is_stood_in_for_by_the_nearest_kept_one(
    monkeypatch: pytest.MonkeyPatch, pairs_at_once: int
) -> None:
    """With tracts as points, their own centroids written out; the same map whoever else is asked about."""
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", pairs_at_once)
    geography, work = region(width=20.0), np.array([0, 5, 17, 31, 59], dtype=np.int32)
    settings = SupportSettings(puma_beyond=1.0, super_puma_beyond=1.0, elimination=((100.0, 0.9),), seed=3)
    prior = NO_PRIOR
    supports, points, settled = lay_supports(
        geography, work, prior=prior, settings=settings, wanted=everyone(work), context=QUIET
    )
    latitude, longitude = centroids(geography, Level.TRACT)
    assert not supports.kept.all()
    for point, stands in zip(points.tolist(), settled.tolist(), strict=True):
        tract = int(np.searchsorted(supports.start, point, side="right")) - 1
        inside = range(int(supports.start[tract]), int(supports.start[tract + 1]))
        assert supports.kept[stands] and stands in inside
        if supports.kept[point]:
            assert stands == point
            continue
        here = supports.area[point]
        apart = {
            other: float(miles_between(latitude[here], longitude[here], latitude[there], longitude[there]))
            for other in inside
            if supports.kept[other] and (there := supports.area[other]) >= 0
        }
        assert apart[stands] == pytest.approx(min(apart.values()), abs=1e-3)
    few = TractPairs(work=np.array([3], dtype=np.int32), home=np.array([40], dtype=np.int32))
    _, _, alone = lay_supports(geography, work, prior=prior, settings=settings, wanted=few, context=QUIET)
    assert alone.tolist() == [settled[3 * TRACTS + 40]]
