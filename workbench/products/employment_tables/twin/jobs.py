"""The jobs of an employment twin: synthetic, yet they match what is published about real ones.

Source of those facts: Haney et al. (2017).

At 10.9 million jobs: 527,000 establishments, 740 to 815 of them with 1,000 jobs or more, one establishment above
65 % of the count in at least half of the place × sector × ownership cells, about 93 % of those cells below 1,000.
Nothing in it comes from anybody's records, so it may be seeded, shared and shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, raise_if
from workbench.core.progress import Context
from workbench.microdata.table import CodedColumn, Codes, Fingerprint, Microdata
from workbench.microdata.twins.columns import TwinColumn, identifiers
from workbench.products.employment_tables.twin import vocabulary as words
from workbench.products.employment_tables.twin.establishments import (
    Establishments,
    Places,
    make_establishments,
    make_places,
)

BLOCK = 1_000_000
FEWEST_JOBS = 200
MOST_JOBS = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EmploymentTwin:
    jobs: int
    columns: Mapping[str, TwinColumn]


def make_employment_twin(
    *, jobs: int, seed: int, context: Context, share_with_two_jobs: float = 0.0, worker_ids: bool = True
) -> EmploymentTwin:
    """A twin of that many jobs, the same for the same seed, rows in random order.

    By default every worker holds one job, so one worker changes one row. `worker_ids=False` leaves the worker column
    out: at full size its texts take more memory than everything else together.
    """
    raise_if(_problems(jobs, share_with_two_jobs))
    rng = np.random.Generator(np.random.PCG64(seed))
    context.step(0.0, "laying out places and establishments")
    places = make_places(jobs, rng)
    establishments = make_establishments(jobs, places, rng)
    context.step(0.1, "shuffling the jobs")
    of_job = rng.permutation(np.repeat(np.arange(len(establishments.size), dtype=np.int32), establishments.size))
    workers = round(jobs / (1 + share_with_two_jobs))
    columns = _workplace_columns(of_job, establishments, places)
    columns |= _worker_columns(_Draws(of_job, establishments, places, workers), rng, context)
    if worker_ids:
        holder = np.arange(jobs, dtype=np.int32)
        holder[workers:] -= workers
        columns = {"worker": TwinColumn(codes=holder, values=identifiers("W", workers, 8)), **columns}
    context.step(1.0, "twin made")
    return EmploymentTwin(jobs=jobs, columns=columns)


def _problems(jobs: int, share: float) -> list[Problem]:
    found = []
    if not FEWEST_JOBS <= jobs <= MOST_JOBS:
        do = f"Ask for {FEWEST_JOBS:,} to {MOST_JOBS:,} jobs"
        found.append(Problem("A twin of that many jobs cannot be made", "jobs", do))
    if not 0 <= share < 1:
        found.append(Problem("The share of workers with two jobs must be 0 or more and below 1", "share_with_two_jobs"))
    return found


def _workplace_columns(
    of_job: NDArray[np.int32], establishments: Establishments, places: Places
) -> dict[str, TwinColumn]:
    narrow = len(places.codes) < 2**15
    place: Codes = establishments.place.astype(np.int16)[of_job] if narrow else establishments.place[of_job]
    populations = dict(zip(places.codes, places.populations, strict=True))
    return {
        "establishment": TwinColumn(codes=of_job, values=identifiers("E", len(establishments.size), 7)),
        "place": TwinColumn(
            codes=place,
            values=places.codes,
            labels=dict(zip(places.codes, places.names, strict=True)),
            populations=populations,
        ),
        "sector": TwinColumn(
            codes=establishments.sector[of_job],
            values=tuple(sector.code for sector in words.SECTORS),
            labels={sector.code: sector.label for sector in words.SECTORS},
        ),
        "ownership": _listed(words.OWNERS, establishments.owner[of_job]),
    }


def _listed(labels: Mapping[str, str], codes: NDArray[np.int8]) -> TwinColumn:
    return TwinColumn(codes=codes, values=tuple(sorted(labels)), labels=labels)


@dataclass(frozen=True, slots=True)
class _Draws:
    """What the attributes of a job's holder depend on."""

    of_job: NDArray[np.int32]
    establishments: Establishments
    places: Places
    workers: int


def _worker_columns(draws: _Draws, rng: np.random.Generator, context: Context) -> dict[str, TwinColumn]:
    """Sex and education by sector, race and ethnicity by place, age by itself; women's share varies by employer."""
    jobs, sector = len(draws.of_job), draws.establishments.sector
    women = np.array([s.women for s in words.SECTORS])[sector] + 0.12 * rng.standard_normal(len(sector))
    schooling = np.cumsum([s.education for s in words.SECTORS], axis=1)
    white = np.clip(rng.normal(0.76, 0.14, len(draws.places.codes)), 0.05, 0.99)
    hispanic = np.clip(rng.normal(0.14, 0.10, len(draws.places.codes)), 0.01, 0.95)
    names = {"sex": words.SEXES, "education": words.EDUCATIONS, "age": words.AGES,
             "race": words.RACES, "ethnicity": words.ETHNICITIES}  # fmt: skip
    codes = {name: np.empty(jobs, dtype=np.int8) for name in names}
    for start in range(0, jobs, BLOCK):
        context.step(0.2 + 0.75 * start / jobs, "drawing who holds each job")
        rows = slice(start, min(start + BLOCK, jobs))
        employer = draws.of_job[rows]
        place = draws.establishments.place[employer]
        chance = rng.random((len(names), len(employer)), dtype=np.float32)
        codes["sex"][rows] = chance[0] >= women[employer]
        codes["education"][rows] = (chance[1] >= schooling[sector[employer], :3].T).sum(axis=0, dtype=np.int8)
        codes["age"][rows] = np.searchsorted(np.cumsum(words.AGE_SHARES)[:-1], chance[2], side="right")
        codes["race"][rows] = _race(chance[3], white[place])
        codes["ethnicity"][rows] = chance[4] < hispanic[place]
    for column in codes.values():  # a second job has the same holder as the first
        column[draws.workers :] = column[: jobs - draws.workers]
    return {name: _listed(labels, codes[name]) for name, labels in names.items()}


def _race(chance: NDArray[np.float32], white: NDArray[np.float64]) -> NDArray[np.int8]:
    beyond = (chance - white) / (1 - white)
    other = 1 + np.searchsorted(np.cumsum(words.OTHER_RACE_SHARES)[:-1], beyond, side="right")
    return np.where(beyond < 0, 0, other).astype(np.int8)


def as_microdata(twin: EmploymentTwin) -> Microdata:
    """The twin as if it had been loaded, for benchmarks and tests; its fingerprint is empty because no file is."""
    columns = {
        name: CodedColumn(
            name=name,
            codes=Confidential(column.codes),
            values=column.values,
            labels=column.labels,
            populations=column.populations,
        )
        for name, column in twin.columns.items()
    }
    return Microdata(name="twin", rows=twin.jobs, columns=columns, fingerprint=Fingerprint(file="", content=""))
