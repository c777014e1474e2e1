"""A commuting twin: job rows of a synthetic year, last year's flows by tract as its public prior, and the geography.

Workers live by a gravity law: the chance of a tract falls with its distance as e^(−miles/9), a few commutes are drawn
from everywhere. Workplaces have a heavy tail: most blocks have a handful of jobs. Both years follow the same law and
are drawn apart, as two years of different people. Nothing comes from anybody's records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.microdata.twins.columns import TwinColumn, identifiers
from workbench.products.commuting_flows.twin.region import Region, make_region
from workbench.products.commuting_flows.twin.states import make_state
from workbench.products.commuting_flows.twin.words import DICTIONARY

FEWEST_JOBS = 200
FEWEST_STATE_JOBS = 6_000  # one for each workplace
MOST_JOBS = 50_000_000
_DECAY = 9.0  # miles
_ANYWHERE = 0.012  # share of commutes that know no distance
_WORKPLACES = 0.35  # share of home-state blocks with jobs
_TRACTS_AT_ONCE = 100
_AGE = (0.22, 0.55, 0.23)
_MAIN_INDUSTRY = 0.8  # of a workplace's jobs
_INDUSTRIES = (0.18, 0.27, 0.55)
_EARNINGS = ((0.45, 0.40, 0.15), (0.17, 0.30, 0.53), (0.24, 0.28, 0.48))  # by age
_ROWS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CommutingTwin:
    """Job rows as coded columns, the region, its workplaces, and last year's counts by pair of tracts."""

    jobs: int
    region: Region
    columns: Mapping[str, TwinColumn]
    prior_work: NDArray[np.int64]
    prior_home: NDArray[np.int64]
    prior_jobs: NDArray[np.int64]
    workplaces: NDArray[np.int64]  # blocks of the register, with or without jobs


class CommutingFiles(NamedTuple):
    data: Path
    geography: Path
    prior: Path
    workplaces: Path
    dictionary: Path


def make_commuting_twin(*, jobs: int, seed: int, context: Context, worker_ids: bool = True) -> CommutingTwin:
    """A twin of that many jobs, the same for the same seed; rows in the order of their workplace."""
    if not FEWEST_JOBS <= jobs <= MOST_JOBS:
        do = f"Ask for {FEWEST_JOBS:,} to {MOST_JOBS:,} jobs"
        raise UserProblem("A twin of that many jobs cannot be made", "jobs", do)
    rng = np.random.Generator(np.random.PCG64(seed))
    context.step(0.0, "laying out the region")
    region = make_region(jobs, rng)
    size, workplaces = _workplaces(region, jobs, rng)
    per_tract = np.bincount(region.tract_of, weights=size)[: region.home_tracts].astype(np.int64)
    prior = [
        np.concatenate(part) for part in zip(*_flows(region, per_tract, rng, Part(context, 0.1, 0.4)), strict=True)
    ]
    now = [np.concatenate(part) for part in zip(*_flows(region, per_tract, rng, Part(context, 0.4, 0.7)), strict=True)]
    context.step(0.7, "giving every worker a home")
    columns = _jobs(region, size, now, rng)
    if worker_ids:
        holder = rng.permutation(jobs).astype(np.int32)  # the number tells nothing about workplace or home
        columns = {"worker": TwinColumn(codes=holder, values=identifiers("R", jobs, 8)), **columns}
    columns["industry"] = _industries(size, rng)
    context.step(1.0, "twin made")
    return CommutingTwin(
        jobs=jobs,
        region=region,
        columns=columns,
        prior_work=prior[0],
        prior_home=prior[1],
        prior_jobs=prior[2],
        workplaces=workplaces,
    )


def make_state_twin(name: str, *, jobs: int, seed: int, context: Context) -> CommutingTwin:
    """A twin of one of the slides' states, with that many jobs in its workplaces."""
    if not FEWEST_STATE_JOBS <= jobs <= MOST_JOBS:
        do = f"Ask for {FEWEST_STATE_JOBS:,} to {MOST_JOBS:,} jobs"
        raise UserProblem("A state of that many jobs cannot be made", "jobs", do)
    rng = np.random.Generator(np.random.PCG64(seed))
    state = make_state(name, jobs=jobs, rng=rng, context=context)
    work = np.repeat(np.arange(len(state.size)), state.size)
    holder = rng.permutation(jobs).astype(np.int32)
    columns = {
        "worker": TwinColumn(codes=holder, values=identifiers("R", jobs, 8)),
        **_people(work, state.home, state.region, rng),
        "industry": _industries(state.size, rng),
    }
    context.step(1.0, "twin made")
    return CommutingTwin(
        jobs=jobs,
        region=state.region,
        columns=columns,
        prior_work=state.prior[0],
        prior_home=state.prior[1],
        prior_jobs=state.prior[2],
        workplaces=state.workplaces,
    )


def _workplaces(region: Region, jobs: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Jobs of every block: none outside the home state, few in most workplaces; and the workplaces of the register."""
    home = np.flatnonzero(region.tract_of < region.home_tracts)
    chosen = rng.choice(home, max(8, round(_WORKPLACES * len(home))), replace=False)
    share = rng.lognormal(0.0, 1.7, len(chosen))
    size = np.zeros(len(region.tract_of), dtype=np.int64)
    size[chosen] = rng.multinomial(jobs, share / share.sum())
    return size, np.sort(chosen)


def _industries(size: NDArray[np.int64], rng: np.random.Generator) -> TwinColumn:
    """Goods, trade and transport, services: every workplace has a main one, which some of its jobs do not have."""
    steps = np.cumsum(_INDUSTRIES)[:-1]
    main = np.searchsorted(steps, rng.random(len(size)), side="right")
    other = np.searchsorted(steps, rng.random(int(size.sum())), side="right")
    own = np.where(rng.random(len(other)) < _MAIN_INDUSTRY, np.repeat(main, size), other)
    return TwinColumn(codes=own.astype(np.int8), values=("1", "2", "3"))


def _flows(
    region: Region, per_tract: NDArray[np.int64], rng: np.random.Generator, context: Context
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Work tract, home tract and jobs of every pair that has some."""
    for start in range(0, len(per_tract), _TRACTS_AT_ONCE):
        context.step(start / len(per_tract), "drawing who commutes from where")
        work = np.arange(start, min(start + _TRACTS_AT_ONCE, len(per_tract)))
        miles = np.hypot(
            region.east[work, None] - region.east[None, :], region.north[work, None] - region.north[None, :]
        )
        near = region.people * np.exp(-miles / _DECAY)
        chance = (1.0 - _ANYWHERE) * near / near.sum(axis=1, keepdims=True)
        chance += _ANYWHERE * region.people / region.people.sum()
        counts = rng.multinomial(per_tract[work], chance / chance.sum(axis=1, keepdims=True))
        row, home = np.nonzero(counts)
        yield work[row], home, counts[row, home]


def _jobs(
    region: Region, size: NDArray[np.int64], flows: list[NDArray[np.int64]], rng: np.random.Generator
) -> dict[str, TwinColumn]:
    """One row a job: its workplace's block, a home block by population, age and earnings."""
    work = np.repeat(np.arange(len(size)), size)
    home_tract = np.repeat(flows[1], flows[2])
    of_work = np.repeat(flows[0], flows[2])
    home_tract = home_tract[np.lexsort((rng.random(len(of_work)), of_work))]  # who works where is chance
    weight = region.population + 1e-9  # a tract where nobody lives still has a first address
    running = np.cumsum(weight)
    edges = np.concatenate([[0.0], running])[np.searchsorted(region.tract_of, np.arange(len(region.tract) + 1))]
    ticket = edges[home_tract] + rng.random(len(home_tract)) * (edges[home_tract + 1] - edges[home_tract])
    home = np.minimum(np.searchsorted(running, ticket, side="right"), len(running) - 1)
    return _people(work, home, region, rng)


def _people(work: Any, home: Any, region: Region, rng: np.random.Generator) -> dict[str, TwinColumn]:
    """Workplace and home of every job, with the age and earnings of who holds it."""
    age = np.searchsorted(np.cumsum(_AGE)[:-1], rng.random(len(work)), side="right")
    steps = np.cumsum(_EARNINGS, axis=1)[:, :-1]
    earnings = (rng.random(len(work))[:, None] > steps[age]).sum(axis=1)
    return {
        "w_geocode": TwinColumn(codes=work.astype(np.int32), values=region.block),
        "h_geocode": TwinColumn(codes=home.astype(np.int32), values=region.block),
        "age": TwinColumn(codes=age.astype(np.int8), values=("1", "2", "3")),
        "earnings": TwinColumn(codes=earnings.astype(np.int8), values=("1", "2", "3")),
    }


def write_commuting_twin(
    folder: Path,
    *,
    jobs: int,
    seed: int,
    context: Context,
    format: Literal["csv", "parquet"] = "csv",  # noqa: A002 - the word every caller expects
    worker_ids: bool = True,
    state: str = "",
) -> CommutingFiles:
    """Make a twin and write jobs.csv or jobs.parquet and its public files into the folder."""
    made = Part(context, 0.0, 0.6)
    if state:
        twin = make_state_twin(state, jobs=jobs, seed=seed, context=made)
    else:
        twin = make_commuting_twin(jobs=jobs, seed=seed, context=made, worker_ids=worker_ids)
    public = (folder / f"{name}.csv" for name in ("geography", "prior", "workplaces", "dictionary"))
    files = CommutingFiles(folder / f"jobs.{format}", *public)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        context.step(0.6, "writing the geography")
        _write(files.geography, iter([_geography(twin.region)]))
        context.step(0.65, "writing last year's flows")
        _write(files.prior, iter([_prior(twin)]))
        _write(files.workplaces, iter([_register(twin)]))
        files.dictionary.write_text(DICTIONARY, encoding="utf-8", newline="\n")
        _write(files.data, _batches(twin, Part(context, 0.7, 1.0)))
    except OSError as wrong:
        reason = wrong.strerror or "the disk refused"
        do = "Choose another folder or free some space"
        raise UserProblem(f"The sample cannot be written ({reason})", str(folder), do) from wrong
    context.step(1.0, "twin written")
    return files


def _geography(region: Region) -> Any:
    import pyarrow as pa

    return pa.table({
        "tabblk2020": pa.array(region.block),
        "trct": pa.array(np.asarray(region.tract)[region.tract_of]),
        "puma": pa.array(np.asarray(region.puma)[region.tract_of]),
        "super_puma": pa.array(np.asarray(region.super_puma)[region.tract_of]),
        "blklatdd": pa.array(region.latitude),
        "blklondd": pa.array(region.longitude),
        "population": pa.array(region.population),
    })  # fmt: skip


def _prior(twin: CommutingTwin) -> Any:
    import pyarrow as pa

    tracts = np.asarray(twin.region.tract)
    return pa.table({
        "w_geocode": pa.array(tracts[twin.prior_work]),
        "h_geocode": pa.array(tracts[twin.prior_home]),
        "S000": pa.array(twin.prior_jobs),
    })  # fmt: skip


def _register(twin: CommutingTwin) -> Any:
    import pyarrow as pa

    return pa.table({"w_geocode": pa.array(np.asarray(twin.region.block)[twin.workplaces])})


def _batches(twin: CommutingTwin, context: Context) -> Iterator[Any]:
    import pyarrow as pa

    for start in range(0, twin.jobs, _ROWS):
        context.step(start / twin.jobs, "writing jobs")
        rows = slice(start, min(start + _ROWS, twin.jobs))
        texts = {name: np.asarray(column.values)[column.codes[rows]] for name, column in twin.columns.items()}
        yield pa.table({name: pa.array(text, pa.string()) for name, text in texts.items()})


def _write(path: Path, tables: Iterator[Any]) -> None:
    """Beside the final name first, so that a cancelled or failed write leaves nothing behind."""
    from pyarrow import csv, parquet

    unfinished = path.with_name(path.name + ".part")
    try:
        first = next(tables)
        if path.suffix == ".parquet":
            with parquet.ParquetWriter(unfinished, first.schema, compression="zstd") as writer:
                for table in (first, *tables):
                    writer.write_table(table)
        else:
            with unfinished.open("wb") as file:
                file.write((",".join(first.column_names) + "\n").encode("utf-8"))
                for table in (first, *tables):
                    csv.write_csv(table, file, csv.WriteOptions(include_header=False, quoting_style="none"))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
