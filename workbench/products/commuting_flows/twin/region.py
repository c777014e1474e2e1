"""The invented region of a commuting twin: blocks in tracts, PUMAs and Super-PUMAs, near, farther and far away.

A home state with the workplaces, a ring of areas 60 to 200 miles off, and Super-PUMAs all over a continent. State codes
are ones that no state has, the first with a leading zero. Nothing in it is anybody's address.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats

MILES_PER_DEGREE = 69.0
MIDDLE = (40.0, -98.0)
_STATES = ("03", "07", "14", "43", "52")  # home, ring, and three for what is far
_TRACTS_PER_PUMA = 8
_PUMAS_PER_SUPER = 4
_JOBS_PER_TRACT = 1_200
_FEWEST_TRACTS, _MOST_TRACTS = 32, 3_000

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Tracts in the order of their codes, the home state's first; blocks in the order of theirs."""

    tract: tuple[str, ...]
    puma: tuple[str, ...]  # of each tract
    super_puma: tuple[str, ...]  # of each tract
    east: Floats  # miles from the middle, of each tract
    north: Floats
    people: Ints
    home_tracts: int
    block: tuple[str, ...]
    tract_of: Ints
    latitude: Floats
    longitude: Floats
    population: Ints


@dataclass(frozen=True, slots=True)
class _Zone:
    """Groups of tracts around centres."""

    state: str
    pumas: int
    per_puma: int
    per_super: int
    blocks: int
    radius: tuple[float, float]  # miles of the PUMAs' centres from the middle
    spread: float  # miles of tracts around their PUMA's centre


def make_region(jobs: int, rng: np.random.Generator) -> Region:
    """A region large enough for that many jobs."""
    tracts = int(np.clip(jobs // _JOBS_PER_TRACT, _FEWEST_TRACTS, _MOST_TRACTS))
    pumas = max(_PUMAS_PER_SUPER, tracts // _TRACTS_PER_PUMA)
    large = tracts > 10 * _FEWEST_TRACTS
    zones = [
        _Zone(_STATES[0], pumas, _TRACTS_PER_PUMA, _PUMAS_PER_SUPER, 30 if large else 12, (0.0, 9.0 * pumas**0.4), 3.5),
        _Zone(_STATES[1], 40 if large else 10, 3, 4, 8, (60.0, 200.0), 8.0),
    ]
    far = 100 if large else 14
    zones += [_Zone(state, far, 2, 1, 4, (210.0, 1_400.0), 15.0) for state in _STATES[2:]]
    return _joined([_laid_out(zone, rng) for zone in zones], pumas * _TRACTS_PER_PUMA, rng)


@dataclass(frozen=True, slots=True)
class _Laid:
    tract: list[str]
    puma: list[str]
    super_puma: list[str]
    east: Floats
    north: Floats
    blocks: int


def _laid_out(zone: _Zone, rng: np.random.Generator) -> _Laid:
    puma = np.repeat(np.arange(zone.pumas), zone.per_puma)
    angle = rng.uniform(0.0, 2.0 * np.pi, zone.pumas)
    low, high = zone.radius
    away = np.sqrt(rng.uniform(low**2, high**2, zone.pumas))
    scatter = rng.normal(0.0, zone.spread, (2, len(puma)))
    flat = 0.7 if high > 500.0 else 1.0  # a continent is wider than high
    return _Laid(
        tract=[f"{zone.state}{1 + 2 * p:03d}{100 * (1 + t):06d}" for t, p in enumerate(puma.tolist())],
        puma=[f"{zone.state}{101 + p:05d}" for p in puma.tolist()],
        super_puma=[f"{zone.state}{1 + p // zone.per_super:03d}" for p in puma.tolist()],
        east=(away * np.cos(angle))[puma] + scatter[0],
        north=flat * (away * np.sin(angle))[puma] + scatter[1],
        blocks=zone.blocks,
    )


def _joined(parts: list[_Laid], home_tracts: int, rng: np.random.Generator) -> Region:
    east, north = (np.concatenate([getattr(part, name) for part in parts]) for name in ("east", "north"))
    per_tract = np.concatenate([np.full(len(part.tract), part.blocks) for part in parts])
    tract = [code for part in parts for code in part.tract]
    tract_of = np.repeat(np.arange(len(tract)), per_tract)
    number = np.arange(len(tract_of)) - np.repeat(np.cumsum(per_tract) - per_tract, per_tract)
    population = rng.poisson(rng.gamma(0.8, 60.0, len(tract_of))).astype(np.int64)
    place = rng.normal(0.0, 0.45, (2, len(tract_of)))
    latitude = MIDDLE[0] + (north[tract_of] + place[1]) / MILES_PER_DEGREE
    longitude = MIDDLE[1] + (east[tract_of] + place[0]) / (MILES_PER_DEGREE * np.cos(np.radians(latitude)))
    return Region(
        tract=tuple(tract),
        puma=tuple(code for part in parts for code in part.puma),
        super_puma=tuple(code for part in parts for code in part.super_puma),
        east=east,
        north=north,
        people=np.bincount(tract_of, weights=population).astype(np.int64),
        home_tracts=home_tracts,
        block=tuple(f"{tract[t]}{1000 + n:04d}" for t, n in zip(tract_of.tolist(), number.tolist(), strict=True)),
        tract_of=tract_of,
        latitude=np.round(latitude, 6),
        longitude=np.round(longitude, 6),
        population=population,
    )
