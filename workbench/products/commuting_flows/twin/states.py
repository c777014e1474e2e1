"""Twins of the slides' three states: support points by level and distance, near those that are printed there.

A home state of tracts around two metropolitan centres and in the country between them (PUMAs of 25 tracts, Super-PUMAs
of 125), and one tract for each Super-PUMA of a whole country, 100 to 2,400 miles away. Some sixty work tracts have a
hundred workplaces each; populations are lognormal, most of them below ten workers. The pattern of a work tract falls
with distance and differs by home tract; every population strays from it by home PUMA. The prior is a sample of last
year's pattern, drifted, with few of the commutes that come from far away, like a table from a survey.
Source: OnTheMap (2008), section 5, tables of support points; sizes and drift are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.products.commuting_flows.twin.region import MIDDLE, MILES_PER_DEGREE, Ints, Region

_PER_PUMA, _PER_SUPER = 25, 125
_COUNTRY = (100.0, 2_400.0)
_WORKPLACES = 100  # in each work tract
_SIZE_MEDIAN, _SIZE_SPREAD = 3.5, 1.5
_OWN_TRACT, _OWN_PUMA, _DRIFT = 0.6, 0.8, 0.5  # log spreads: of tract pairs, of populations by home PUMA, of a year


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSpec:
    """A state in miles: tracts, two centres with share and spread, the country's spread, and its commutes."""

    tracts: int
    work_tracts: int
    centres: tuple[tuple[float, float], tuple[float, float]]  # (share of tracts, spread in miles)
    apart: float
    country: float
    decay: float
    outside: int
    near: float  # share of the outside Super-PUMAs that lie within 500 miles
    wide: float  # share of commutes that fall with `reach` instead of `decay`
    reach: float
    far: float = 0.012  # share of workers beyond the state
    prior: int = 400  # of last year's commuters for each work tract
    prior_far: float = 0.35  # of the far ones that a survey meets
    rural_work: float = 0.5  # share of work tracts chosen without regard to people


STATES = {
    "state-a": StateSpec(
        tracts=3_600, work_tracts=60, centres=((0.36, 7.0), (0.31, 14.0)), apart=110.0, country=55.0, decay=9.0,
        outside=510, near=0.22, prior=375, wide=0.35, reach=25.0, far=0.03,
    ),
    "state-b": StateSpec(
        tracts=3_000, work_tracts=60, centres=((0.34, 11.0), (0.30, 13.0)), apart=90.0, country=45.0, decay=10.0,
        outside=515, near=0.33, prior=250, wide=0.42, reach=50.0,
    ),
    "state-c": StateSpec(
        tracts=420, work_tracts=60, centres=((0.10, 5.0), (0.08, 5.0)), apart=120.0, country=85.0, decay=5.0,
        outside=536, near=0.05, prior=110, wide=0.60, reach=70.0, rural_work=0.6,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The region with its workplaces, and who lives where: last year's counts and this year's jobs by block."""

    region: Region
    workplaces: Ints  # blocks
    size: Ints  # jobs of each block
    home: Ints  # block of each job, in the order of the workplaces
    prior: tuple[Ints, Ints, Ints]  # work tract, home tract, jobs


def make_state(name: str, *, jobs: int, rng: np.random.Generator, context: Context) -> State:
    spec = STATES[name]
    context.step(0.0, "laying out the state")
    region, work = _region(spec, rng)
    miles = np.hypot(region.east[work, None] - region.east[None, :], region.north[work, None] - region.north[None, :])
    chance = _pattern(spec, region, miles, rng)
    context.step(0.2, "drawing last year's commutes")
    prior = _prior(spec, chance, miles, work, rng)
    blocks = _workplace_blocks(region, work)
    size = _sizes(len(blocks), jobs, rng)
    context.step(0.3, "giving every worker a home")
    home = _homes(region, chance, np.repeat(np.arange(len(work)), _WORKPLACES), size, rng, context)
    held = np.zeros(len(region.tract_of), dtype=np.int64)
    held[blocks] = size
    return State(region=region, workplaces=blocks, size=held, home=home, prior=prior)


def _region(spec: StateSpec, rng: np.random.Generator) -> tuple[Region, Ints]:
    east, north = _places(spec, rng)
    order = np.lexsort((north, np.floor(east / 8.0)))  # neighbours by number, so that PUMAs are compact
    east, north = east[order], north[order]
    away, angle = _outside(spec, rng)
    count, total = spec.tracts, spec.tracts + spec.outside
    puma = [f"03{101 + i // _PER_PUMA:05d}" for i in range(count)] + [f"14{101 + i:05d}" for i in range(spec.outside)]
    supers = [f"03{1 + i // _PER_SUPER:03d}" for i in range(count)] + [f"14{1 + i:03d}" for i in range(spec.outside)]
    tract = [f"03{1 + i // 100:03d}{100 * (1 + i % 100):06d}" for i in range(count)]
    tract += [f"14{1 + i:03d}000100" for i in range(spec.outside)]
    work = np.sort(_work_tracts(spec, east, north, rng))
    per_tract = np.ones(total, dtype=np.int64)
    per_tract[work] += _WORKPLACES
    tract_of = np.repeat(np.arange(total), per_tract)
    number = np.arange(len(tract_of)) - np.repeat(np.cumsum(per_tract) - per_tract, per_tract)
    people = np.where(np.arange(total) < count, rng.gamma(8.0, 500.0, total), 600_000.0).astype(np.int64)
    wide, high = np.concatenate([east, away * np.cos(angle)]), np.concatenate([north, 0.7 * away * np.sin(angle)])
    place = np.where(number > 0, 1.0, 0.0) * rng.normal(0.0, 0.4, (2, len(tract_of)))
    latitude = MIDDLE[0] + (high[tract_of] + place[1]) / MILES_PER_DEGREE
    longitude = MIDDLE[1] + (wide[tract_of] + place[0]) / (MILES_PER_DEGREE * np.cos(np.radians(latitude)))
    region = Region(
        tract=tuple(tract), puma=tuple(puma), super_puma=tuple(supers), east=wide, north=high, people=people,
        home_tracts=count,
        block=tuple(f"{tract[t]}{1000 + n:04d}" for t, n in zip(tract_of.tolist(), number.tolist(), strict=True)),
        tract_of=tract_of, latitude=np.round(latitude, 6), longitude=np.round(longitude, 6),
        population=np.where(number == 0, people[tract_of], 0).astype(np.int64),
    )  # fmt: skip
    return region, work


def _places(spec: StateSpec, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Tracts around the two centres, and over the country between and around them."""
    metro = [round(share * spec.tracts) for share, _ in spec.centres]
    parts = [
        rng.normal((side * spec.apart / 2.0, 0.0), spread, (many, 2))
        for many, (_, spread), side in zip(metro, spec.centres, (-1, 1), strict=True)
    ]
    parts.append(rng.normal((0.0, 0.0), spec.country, (spec.tracts - sum(metro), 2)))
    placed = np.concatenate(parts)
    return placed[:, 0], placed[:, 1]


def _outside(spec: StateSpec, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Miles and directions of the Super-PUMAs beyond the state: some within 500 miles, most farther."""
    near = round(spec.near * spec.outside)
    away = np.concatenate([
        rng.uniform(_COUNTRY[0] + 80.0, 500.0, near), rng.uniform(560.0, _COUNTRY[1], spec.outside - near)
    ])  # fmt: skip
    return away, rng.uniform(0.0, 2.0 * np.pi, spec.outside)


def _work_tracts(spec: StateSpec, east: Floats, north: Floats, rng: np.random.Generator) -> Ints:
    """Some where many tracts are near, others anywhere in the state."""
    rural = round(spec.rural_work * spec.work_tracts)
    anywhere = rng.choice(spec.tracts, rural, replace=False)
    left = np.setdiff1d(np.arange(spec.tracts), anywhere)
    middle = np.minimum(*(np.hypot(east[left] - side * spec.apart / 2.0, north[left]) for side in (-1, 1)))
    weight = np.exp(-middle / 8.0)
    dense = rng.choice(left, spec.work_tracts - rural, replace=False, p=weight / weight.sum())
    return np.concatenate([anywhere, dense]).astype(np.int64)


def _pattern(spec: StateSpec, region: Region, miles: Floats, rng: np.random.Generator) -> Floats:
    """Where workers of each work tract live: falling with distance, differing by home tract, few from far away."""
    inside = np.arange(len(region.tract)) < region.home_tracts
    people = region.people * inside * np.exp(rng.normal(0.0, _OWN_TRACT, miles.shape))
    falls = [people * np.exp(-miles / scale) for scale in (spec.decay, spec.reach)]
    short, long = (part / part.sum(axis=1, keepdims=True) for part in falls)
    near = (1.0 - spec.wide) * short + spec.wide * long
    away = np.where(inside, 0.0, 1.0 / np.maximum(miles, 50.0)) * np.exp(rng.normal(0.0, 1.0, miles.shape))
    found: Floats = (1.0 - spec.far) * near + spec.far * away / away.sum(axis=1, keepdims=True)
    return found


def _prior(
    spec: StateSpec, chance: Floats, miles: Floats, work: Ints, rng: np.random.Generator
) -> tuple[Ints, Ints, Ints]:  # fmt: skip
    then = chance * np.exp(rng.normal(0.0, _DRIFT, chance.shape)) * np.where(miles > _COUNTRY[0], spec.prior_far, 1.0)
    counts = rng.multinomial(spec.prior, then / then.sum(axis=1, keepdims=True))
    row, home = np.nonzero(counts)
    return work[row], home, counts[row, home]


def _workplace_blocks(region: Region, work: Ints) -> Ints:
    """The blocks of work tracts but their first, where people live."""
    first = np.searchsorted(region.tract_of, work)
    return np.asarray(first[:, None] + 1 + np.arange(_WORKPLACES)[None, :], dtype=np.int64).ravel()


def _sizes(workplaces: int, jobs: int, rng: np.random.Generator) -> Ints:
    """Lognormal, every workplace with a job where there are enough, that many in all."""
    share = rng.lognormal(np.log(_SIZE_MEDIAN), _SIZE_SPREAD, workplaces)
    size: Ints = np.maximum(np.floor(share / share.sum() * jobs), 1).astype(np.int64)
    order = np.argsort(-share)
    gap = jobs - int(size.sum())
    size[order[0]] += max(gap, 0)
    while gap < 0:  # more workplaces than the smallest can give up
        cut = order[: min(-gap, workplaces)]
        cut = cut[size[cut] > 1]
        size[cut] -= 1
        gap += len(cut)
        if not len(cut):
            break
    return size


def _homes(
    region: Region, chance: Floats, tract_of: Ints, size: Ints, rng: np.random.Generator, context: Context
) -> Ints:  # fmt: skip
    """The home block of every job: the pattern of its work tract, strayed from by home PUMA."""
    pumas, of = np.unique(np.asarray(region.puma), return_inverse=True)
    first = np.searchsorted(region.tract_of, np.arange(len(region.tract)))
    homes = []
    for workplace, workers in enumerate(size.tolist()):
        if not workplace % 500:
            context.step(0.3 + 0.5 * workplace / len(size), "giving every worker a home")
        own = chance[tract_of[workplace]] * np.exp(rng.normal(0.0, _OWN_PUMA, len(pumas)))[of]
        running = np.cumsum(own)
        homes.append(np.searchsorted(running, rng.random(workers) * running[-1], side="right"))
    return np.asarray(first[np.minimum(np.concatenate(homes), len(first) - 1)], dtype=np.int64)
