"""Support points: the places a population's workers can be said to live in, finer near the workplace.

Coarsening (slides, section 5): for each work tract, a home tract farther than the 90th percentile of the public prior's
commute distances collapses into its Super-PUMA, one farther than the 50th into its PUMA, a nearer one stays a tract.
Restriction: a point without prior support is eliminated with probability .98 beyond 500 miles, .9 beyond 200, .5
beyond 100, never nearer. Both use the public prior, the public geography and a public seed only, so they cost no
privacy. Workers who live in an eliminated point are counted at the nearest kept point of the same work tract, a fixed
public map: neighbours stay neighbours, and a population keeps all its workers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.products.commuting_flows.flows.distances import degrees_of, miles_between, totals, unit_vectors
from workbench.products.commuting_flows.flows.geography import centroids
from workbench.products.commuting_flows.flows.percentiles import grouped_percentile, row_percentile
from workbench.products.commuting_flows.flows.structures import (
    Geography,
    Indices,
    Level,
    Numbers,
    PriorFlows,
    Supports,
)

_PAIRS_AT_ONCE = 1_000_000
_DIGITS = 4  # miles are compared after rounding, so that equal distances are equal however they were computed


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportSettings:
    """`elimination` lists (beyond how many miles, probability), nearest first. Percentiles are shares from 0 to 1."""

    puma_beyond: float = 0.5
    super_puma_beyond: float = 0.9
    elimination: tuple[tuple[float, float], ...] = ((100.0, 0.5), (200.0, 0.9), (500.0, 0.98))
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TractPairs:
    """Pairs whose support point is wanted: position among the work tracts, and home tract; sorted by the former."""

    work: Indices
    home: Indices


@dataclass(frozen=True, slots=True, kw_only=True)
class _Map:
    """Tracts of the geography: where they are, how many people, and the areas they are in."""

    latitude: Numbers
    longitude: Numbers
    vectors: Numbers  # unit vectors × people
    people: Numbers
    puma: Indices
    super_puma: Indices
    first_puma: int
    first_super: int
    numbers: int  # tracts + PUMAs + Super-PUMAs


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """The points of a few work tracts, numbered from zero."""

    points_of_tract: Integers
    level: NDArray[np.int8]
    area: Indices
    miles: Numbers
    prior: Numbers
    kept: NDArray[np.bool_]
    members: Integers
    member_tract: Indices
    wanted: Integers
    settled: Integers


def lay_supports(
    geography: Geography,
    work_tracts: Indices,
    *,
    prior: PriorFlows,
    settings: SupportSettings,
    wanted: TractPairs,
    context: Context,
) -> tuple[Supports, Integers, Integers]:
    """The support points of every work tract, and for every wanted pair the point it falls in and where it counts.

    The two differ where the point was eliminated: then the nearest kept one of the same work tract stands in for it.

    Work tracts are done a few at a time, so that no table of all pairs of tracts is ever in memory.
    """
    tracts = _map(geography)
    near, far = _thresholds(tracts, work_tracts, prior, settings)
    step = max(1, _PAIRS_AT_ONCE // max(len(tracts.people), 1))
    pieces: list[_Piece] = []
    points = 0
    for start in range(0, len(work_tracts), step):
        context.step(start / len(work_tracts), "Laying out the support points of each work tract")
        end = min(start + step, len(work_tracts))
        piece = _piece(
            tracts,
            work_tracts[start:end],
            near=near[start:end],
            far=far[start:end],
            prior=prior,
            settings=settings,
            wanted=_within(wanted, start, end),
        )
        pieces.append(piece)
        piece.wanted[...] += points
        piece.settled[...] += points
        points += len(piece.level)
    context.step(1.0, "Support points laid out")
    nothing = [np.empty(0, np.int64)]
    return (
        _joined(work_tracts, pieces),
        np.concatenate([piece.wanted for piece in pieces] or nothing),
        np.concatenate([piece.settled for piece in pieces] or nothing),
    )


def _map(geography: Geography) -> _Map:
    tract = geography.area_of[Level.TRACT]
    count = len(geography.areas[Level.TRACT])
    latitude, longitude = centroids(geography, Level.TRACT)
    people = totals(tract, geography.population, count)
    puma, super_puma = np.zeros(count, np.int32), np.zeros(count, np.int32)
    puma[tract] = geography.area_of[Level.PUMA]
    super_puma[tract] = geography.area_of[Level.SUPER_PUMA]
    first_super = count + len(geography.areas[Level.PUMA])
    return _Map(
        latitude=latitude,
        longitude=longitude,
        vectors=unit_vectors(latitude, longitude) * people[:, None],
        people=people,
        puma=puma,
        super_puma=super_puma,
        first_puma=count,
        first_super=first_super,
        numbers=first_super + len(geography.areas[Level.SUPER_PUMA]),
    )


def _thresholds(
    tracts: _Map, work_tracts: Indices, prior: PriorFlows, settings: SupportSettings
) -> tuple[Numbers, Numbers]:
    """Per work tract the two distances beyond which homes are coarsened.

    A work tract without prior takes the percentiles of the whole prior. Without any prior, people stand in for
    commuters: the percentiles of the distances at which the population lives.
    """
    shares = (settings.puma_beyond, settings.super_puma_beyond)
    if not len(prior.count):
        near, far = (
            row_percentile(
                lambda at: _miles(tracts, work_tracts[at, None], slice(None)), tracts.people, share, len(work_tracts)
            )
            for share in shares
        )
        return near, far
    miles = _miles(tracts, prior.work, prior.home)
    group = np.searchsorted(work_tracts, prior.work)
    mine = (group < len(work_tracts)) & (work_tracts[np.minimum(group, len(work_tracts) - 1)] == prior.work)
    found = []
    for share in shares:
        everywhere = grouped_percentile(miles, prior.count, np.zeros(len(miles), np.int64), groups=1, share=share)
        own = grouped_percentile(miles[mine], prior.count[mine], group[mine], groups=len(work_tracts), share=share)
        found.append(np.where(np.isnan(own), everywhere[0], own))
    return found[0], found[1]


def _miles(tracts: _Map, work: Indices, home: Indices | slice) -> Numbers:
    there = miles_between(tracts.latitude[work], tracts.longitude[work], tracts.latitude[home], tracts.longitude[home])
    rounded: Numbers = np.round(there, _DIGITS)
    return rounded


def _within(pairs: TractPairs, start: int, end: int) -> TractPairs:
    first, last = np.searchsorted(pairs.work, (start, end))
    return TractPairs(work=pairs.work[first:last] - np.int32(start), home=pairs.home[first:last])


def _piece(
    tracts: _Map,
    work: Indices,
    *,
    near: Numbers,
    far: Numbers,
    prior: PriorFlows,
    settings: SupportSettings,
    wanted: TractPairs,
) -> _Piece:
    count = len(tracts.people)
    miles = _miles(tracts, work[:, None], slice(None))
    level = (miles > near[:, None]).astype(np.int8) + (miles > far[:, None])
    numbers = np.where(level == Level.TRACT, np.arange(count), 0)
    numbers = np.where(level == Level.PUMA, tracts.first_puma + tracts.puma, numbers)
    numbers = np.where(level == Level.SUPER_PUMA, tracts.first_super + tracts.super_puma, numbers)
    key = (np.arange(len(work))[:, None] * tracts.numbers + numbers).ravel()
    covered = np.bincount(key, minlength=len(work) * tracts.numbers)
    present = np.flatnonzero(covered)
    rank = np.cumsum(covered > 0) - 1
    point = rank[key].reshape(len(work), count)
    of_work, number = np.divmod(present, tracts.numbers)
    middle = _middles(tracts, len(present), point)
    point_miles = miles_between(tracts.latitude[work[of_work]], tracts.longitude[work[of_work]], *middle)
    counts = _prior_counts(prior, work, point, len(present))
    chance = _chance(point_miles, settings.elimination)
    gone = (counts == 0) & (_uniforms(settings.seed, work[of_work], number) < chance)
    point_level = (number >= tracts.first_puma).astype(np.int8) + (number >= tracts.first_super)
    first = np.array([0, tracts.first_puma, tracts.first_super])
    members, member_tract = _members(point, gone, len(present))
    fallen = point[wanted.work, wanted.home].astype(np.int64)
    return _Piece(
        points_of_tract=np.bincount(of_work, minlength=len(work)),
        level=point_level.astype(np.int8),
        area=(number - first[point_level]).astype(np.int32),
        miles=point_miles,
        prior=counts,
        kept=~gone,
        members=members,
        member_tract=member_tract,
        wanted=fallen,
        settled=_settled(fallen, gone, of_work, middle),
    )


def _middles(tracts: _Map, points: int, point: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """Latitude and longitude of the middle of the people that each point covers."""
    flat = point.ravel()
    repeat = len(point)
    middle = np.stack([totals(flat, np.tile(tracts.vectors[:, i], repeat), points) for i in range(3)], axis=-1)
    return degrees_of(middle)


def _settled(
    fallen: Integers, gone: NDArray[np.bool_], of_work: NDArray[np.int64], middle: tuple[Numbers, Numbers]
) -> Integers:  # fmt: skip
    """For each wanted point itself, or the nearest kept point of its work tract where it was eliminated.

    The map depends on geography, prior and seed only; it is worked out for the points that somebody lives in. Of points
    equally near the first counts. Where a tract keeps no point at all, nothing can be drawn anyway.
    """
    stand_in = np.arange(len(gone))
    latitude, longitude = middle
    eliminated = np.unique(fallen[gone[fallen]])
    for tract in np.unique(of_work[eliminated]):
        asking = eliminated[of_work[eliminated] == tract]
        first, last = np.searchsorted(of_work, (tract, tract + 1))
        kept = first + np.flatnonzero(~gone[first:last])
        if len(kept):
            apart = miles_between(
                latitude[asking, None], longitude[asking, None], latitude[None, kept], longitude[None, kept]
            )  # fmt: skip
            stand_in[asking] = kept[np.argmin(np.round(apart, _DIGITS), axis=1)]
    return stand_in[fallen]


def _prior_counts(prior: PriorFlows, work: Indices, point: NDArray[np.int64], points: int) -> Numbers:
    row = np.searchsorted(work, prior.work)
    row = np.minimum(row, len(work) - 1)
    mine = work[row] == prior.work
    return totals(point[row[mine], prior.home[mine]], prior.count[mine], points)


def _chance(miles: Numbers, elimination: tuple[tuple[float, float], ...]) -> Numbers:
    """The probability with which a point at that distance is eliminated."""
    limits = np.array([limit for limit, _ in elimination])
    chances = np.array([0.0, *(chance for _, chance in elimination)])
    chosen: Numbers = chances[np.searchsorted(limits, miles, side="left")]
    return chosen


def _uniforms(seed: int, work: Indices, number: NDArray[np.int64]) -> Numbers:
    """A number in [0, 1) for each pair of work tract and area, from the public seed: the same whatever else is there.

    SplitMix64's finaliser over seed, work tract and area, as in Steele, Lea and Flood (2014).
    """
    state = _mixed(np.array([seed % 2**64], dtype=np.uint64))
    state = _mixed(state ^ work.astype(np.uint64))
    state = _mixed(state ^ number.astype(np.uint64))
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _members(point: NDArray[np.int64], gone: NDArray[np.bool_], points: int) -> tuple[Integers, Indices]:
    """How many tracts each point covers, and which, point by point. Eliminated points list none: nobody draws there."""
    flat = point.ravel()
    stays = np.flatnonzero(~gone[flat])
    order = stays[np.argsort(flat[stays], kind="stable")]
    return np.bincount(flat[stays], minlength=points), (order % point.shape[1]).astype(np.int32)


def _joined(work_tracts: Indices, pieces: list[_Piece]) -> Supports:
    def after_zero(parts: list[Integers]) -> Integers:
        return np.concatenate([[0], np.cumsum(np.concatenate(parts))]).astype(np.int64)

    return Supports(
        work_tract=work_tracts.astype(np.int32),
        start=after_zero([piece.points_of_tract for piece in pieces]),
        level=np.concatenate([piece.level for piece in pieces]),
        area=np.concatenate([piece.area for piece in pieces]),
        miles=np.concatenate([piece.miles for piece in pieces]),
        prior=np.concatenate([piece.prior for piece in pieces]),
        kept=np.concatenate([piece.kept for piece in pieces]),
        member_start=after_zero([piece.members for piece in pieces]),
        member_tract=np.concatenate([piece.member_tract for piece in pieces]),
    )
