"""Places and establishments of an employment twin: few cities, many towns, sizes with a heavy tail.

All shapes are quantiles, not draws, wherever a published fact depends on them: the facts then hold at any number of
jobs, in proportion, and not only on average.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.products.employment_tables.twin import vocabulary as words

# Published facts at full size (Haney et al., section 10), and the shapes found by search that meet them together.
FULL_JOBS = 10_900_000
FULL_ESTABLISHMENTS = 527_000
FULL_PLACES = 5_200
LARGE = 1_000  # jobs; 740 to 815 establishments have that many or more
CITY_SHARE_OF_PLACES = 0.07
CITY_SHARE_OF_ESTABLISHMENTS = 0.815
CITY_SPREAD = 0.45  # log-normal spread of establishments over cities
TOWN_SPREAD = 0.70
CITY_ADVANTAGE = 0.6  # city establishments are larger: shift of the size rank, in standard deviations
SIZE_SPREAD = 1.93  # log-normal spread of sizes: with the mean it puts 0.147 % of establishments at 1,000 or more
FEWEST_PLACES = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Public facts of places, in the order of their codes, and each one's share of establishments."""

    codes: tuple[str, ...]
    names: tuple[str, ...]
    populations: tuple[int, ...]
    share: NDArray[np.float64]
    city: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Establishments:
    """One entry per establishment: positions of place, sector and owner, and its jobs."""

    place: NDArray[np.int32]
    sector: NDArray[np.int8]
    owner: NDArray[np.int8]
    size: NDArray[np.int64]


def establishments_for(jobs: int) -> int:
    return max(1, round(jobs * FULL_ESTABLISHMENTS / FULL_JOBS))


def _normal_quantiles(count: int) -> NDArray[np.float64]:
    from scipy.special import ndtri

    made: NDArray[np.float64] = np.asarray(ndtri((np.arange(count) + 0.5) / count), dtype=np.float64)
    return made


def _shares(count: int, *, spread: float, together: float) -> NDArray[np.float64]:
    weights = np.exp(spread * _normal_quantiles(count))
    shares: NDArray[np.float64] = weights * (together / weights.sum())
    return shares


def make_places(jobs: int, rng: np.random.Generator) -> Places:
    """Cities and towns in proportion to the jobs; populations always span the four strata of the evaluation.

    Populations follow a log-normal law from some dozens to above half a million, in the order of the places' shares
    with some noise: public figures only sort places into strata, so they need not add up to anything.
    """
    count = max(FEWEST_PLACES, round(jobs * FULL_PLACES / FULL_JOBS))
    cities = max(2, round(count * CITY_SHARE_OF_PLACES))
    share = np.concatenate(
        [
            _shares(count - cities, spread=TOWN_SPREAD, together=1 - CITY_SHARE_OF_ESTABLISHMENTS),
            _shares(cities, spread=CITY_SPREAD, together=CITY_SHARE_OF_ESTABLISHMENTS),
        ]
    )
    noisy_rank = np.empty(count, dtype=np.int64)
    noisy_rank[np.argsort(np.log(share) + 0.3 * rng.standard_normal(count))] = np.arange(count)
    normal = _normal_quantiles(count)
    population = np.rint(np.exp(7.4 + 5.9 * normal / normal[-1]))[noisy_rank].astype(np.int64)
    order = rng.permutation(count)  # the order of the codes tells nothing about size
    return Places(
        codes=_place_codes(count, rng),
        names=tuple(words.place_name(number) for number in range(count)),
        populations=tuple(population[order].tolist()),
        share=share[order],
        city=(np.arange(count) >= count - cities)[order],
    )


def _place_codes(count: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Seven digits: two of the state, five of the place, sorted."""
    numbers = np.sort(rng.choice(len(words.STATES) * 99_999, size=count, replace=False))
    state, place = np.divmod(numbers, 99_999)
    return tuple(f"{words.STATES[s]}{p + 1:05d}" for s, p in zip(state.tolist(), place.tolist(), strict=True))


def make_establishments(jobs: int, places: Places, rng: np.random.Generator) -> Establishments:
    """Place, sector and owner drawn; sizes given out by a rank that favours cities."""
    count = establishments_for(jobs)
    share = np.array([sector.share for sector in words.SECTORS])
    kinds = (share[:, None] * np.array([sector.owners for sector in words.SECTORS])).ravel()
    place = _draw(places.share, count, rng)
    sector, owner = np.divmod(_draw(kinds, count, rng), len(words.OWNER_ORDER))
    positions = np.array([sorted(words.OWNERS).index(name) for name in words.OWNER_ORDER], dtype=np.int8)
    appeal = rng.standard_normal(count) + CITY_ADVANTAGE * places.city[place]
    return Establishments(
        place=place.astype(np.int32),
        sector=sector.astype(np.int8),
        owner=positions[owner],
        size=_sizes(jobs, appeal),
    )


def _draw(weights: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    edges = np.cumsum(weights / weights.sum())
    return np.minimum(np.searchsorted(edges, rng.random(count), side="right"), len(weights) - 1)


def _sizes(jobs: int, appeal: NDArray[np.float64]) -> NDArray[np.int64]:
    """Log-normal quantiles by rank of appeal, rounded to at least one job, that add up to exactly `jobs`."""
    normal = np.empty(len(appeal))
    normal[np.argsort(appeal, kind="stable")] = _normal_quantiles(len(appeal))
    low, high = -5.0, 8.0
    for _ in range(60):
        middle = (low + high) / 2
        total = _rounded(middle, normal).sum()
        low, high = (middle, high) if total <= jobs else (low, middle)
    size = _rounded(low, normal)
    short = jobs - int(size.sum())
    while short > 0:  # ties at a rounding edge: one more job for mid-sized establishments, which no fact counts
        middling = np.flatnonzero((size < LARGE - 1) & (normal < 2.5))[-short:]
        size[middling] += 1
        short -= len(middling)
    return size


def _rounded(location: float, normal: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.maximum(1, np.rint(np.exp(location + SIZE_SPREAD * normal))).astype(np.int64)
