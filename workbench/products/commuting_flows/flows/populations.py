"""From jobs by workplace, characteristic and home block to populations over support points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.claims import Definition, ExactTable
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.products.commuting_flows.flows.geography import GeographyFacts
from workbench.products.commuting_flows.flows.structures import (
    BlockFlows,
    Geography,
    Indices,
    Level,
    Likelihood,
    Listed,
    Populations,
    PriorFlows,
    Supports,
)
from workbench.products.commuting_flows.flows.supports import SupportSettings, TractPairs, lay_supports
from workbench.products.commuting_flows.flows.work_areas import WorkAreas, blocks_themselves


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JobCounts:
    """Jobs in any order: number of the workplace's block or tract, of the characteristic, of the home block."""

    work: Indices
    characteristic: Indices
    home: Indices
    workers: Integers
    areas: WorkAreas | None = None  # that workplaces are published by; None: blocks
    workplaces: Indices | None = None  # those that a public list has, in order; None: those that jobs have


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRule:
    """How many synthetic workers a population gets: `published` maps true sizes and workplace codes to public ones."""

    published: Callable[[Integers, NDArray[np.str_]], Integers]
    minimum: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """How often one person can be in the data: jobs, and sets of segments that each of them is counted in.

    `one_home`: it was enforced that all jobs of a worker have one home.
    """

    jobs: int = 1
    sets: int = 1
    one_home: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFacts:
    """What a product wants to tell about how the populations were made. Counts of left-out jobs are confidential."""

    geography: GeographyFacts
    prior_unknown: float
    settings: SupportSettings
    minimum_size: int
    sizes_are_true: bool
    outside: Confidential[int]  # jobs whose home is not on the map
    too_small: Confidential[Integers]  # true sizes of the populations below the minimum, left out
    # columns that divide workers and of which too few jobs share a home to say whether they follow from it
    unjudged: Confidential[tuple[str, ...]] = field(default_factory=lambda: Confidential(()))
    listed: Listed = Listed()
    unknown_home: int = -1  # the block that stands for unknown homes
    size_notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    columns: tuple[str, ...] = ("w_geocode", "h_geocode")  # how the public table names its keys
    keys: tuple[tuple[str, ...], ...] = ((),)  # texts of each characteristic, one per column that divides workers
    labels: tuple[tuple[str, ...], ...] = ()  # words for the texts of `keys` where a dictionary has them, else the same
    value_name: str = "jobs"
    count_notes: tuple[str, ...] = ()
    job_counts: tuple[str, ...] = ()  # names of the four counts of every row; the last text of each key is the class


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedFlows(Populations):
    """Populations that know how they were made and what their table is called."""

    facts: FlowFacts = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Gathered:
    """Populations before their support is known: sorted by workplace and characteristic, flows by population."""

    work_area: Indices  # number of each workplace's block or tract
    area_of: Indices
    characteristic_of: Indices
    size: Integers
    flows: BlockFlows
    too_small: Integers


def distinct(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different keys in order: by sorting, which is several times faster here than numpy's hash table."""
    arranged = np.sort(key)
    return arranged[np.concatenate([[True], arranged[1:] != arranged[:-1]])] if len(arranged) else arranged


def summed(key: NDArray[np.int64], workers: Integers) -> tuple[NDArray[np.int64], Integers]:
    """The distinct keys in order, and the workers of each added up."""
    if not len(key):
        return key, workers
    order = np.argsort(key, kind="stable")
    arranged = key[order]
    first = np.flatnonzero(np.concatenate([[True], arranged[1:] != arranged[:-1]]))
    return arranged[first], np.add.reduceat(workers[order], first)


def gather(jobs: JobCounts, geography: Geography, *, characteristics: int, sizes: SizeRule) -> Gathered:
    """Populations with at least the minimum published size, and their flows by home block.

    Where a public list has the workplaces, every one of them has all its populations, also those without a worker.
    """
    some = jobs.workers > 0
    areas = np.unique(jobs.work[some]) if jobs.workplaces is None else jobs.workplaces
    area = np.searchsorted(areas, jobs.work[some])
    blocks = len(geography.blocks)
    population = area.astype(np.int64) * characteristics + jobs.characteristic[some]
    key, workers = summed(population * blocks + jobs.home[some], jobs.workers[some])
    listed = np.unique(key // blocks) if jobs.workplaces is None else np.arange(len(areas) * characteristics)
    place = np.searchsorted(listed, key // blocks)
    true_size = np.bincount(place, weights=workers, minlength=len(listed)).astype(np.int64)
    area_of, characteristic_of = np.divmod(listed, characteristics)
    codes = np.asarray(_areas(jobs, geography).codes, dtype=np.str_)[areas]
    size = sizes.published(true_size, codes[area_of])
    stays = size >= (max(sizes.minimum, 1) if jobs.workplaces is None or sizes.minimum > 1 else 0)
    if not stays.any():
        raise UserProblem(
            "No population is left to publish",
            "minimum_size",
            "The file has no job with a known home, or every population is below the minimum size: lower it",
        )
    number = np.cumsum(stays) - 1
    kept = stays[place]
    used, compact = np.unique(area_of[stays], return_inverse=True)
    return Gathered(
        work_area=areas[used].astype(np.int32),
        area_of=compact.astype(np.int32),
        characteristic_of=characteristic_of[stays].astype(np.int32),
        size=size[stays],
        flows=BlockFlows(
            population=number[place[kept]].astype(np.int32),
            block=(key[kept] % blocks).astype(np.int32),
            workers=workers[kept],
        ),
        too_small=true_size[~stays],
    )


def _areas(jobs: JobCounts, geography: Geography) -> WorkAreas:
    return blocks_themselves(geography) if jobs.areas is None else jobs.areas


def populate(
    jobs: JobCounts,
    geography: Geography,
    *,
    characteristic: tuple[str, ...],
    prior: PriorFlows,
    sizes: SizeRule,
    facts: FlowFacts,
    notes: tuple[str, ...],
    people: People,
    context: Context,
) -> PreparedFlows:
    """Populations over support points: what the synthesiser takes. No loop runs over blocks or populations."""
    context.step(0.0, "Gathering the jobs of each population")
    gathered = gather(jobs, geography, characteristics=len(characteristic), sizes=sizes)
    tract = geography.area_of[Level.TRACT]
    work_tract = _areas(jobs, geography).tract[gathered.work_area]
    tracts, tract_of_area = np.unique(work_tract, return_inverse=True)
    support_of = tract_of_area[gathered.area_of].astype(np.int32)
    flows = gathered.flows
    count = len(geography.areas[Level.TRACT])
    pairs, pair_of_flow = np.unique(
        support_of[flows.population].astype(np.int64) * count + tract[flows.block], return_inverse=True
    )
    wanted = TractPairs(work=(pairs // count).astype(np.int32), home=(pairs % count).astype(np.int32))
    supports, points, settled = lay_supports(
        geography,
        tracts.astype(np.int32),
        prior=prior,
        settings=facts.settings,
        wanted=wanted,
        context=Part(context, 0.3, 0.8),
    )
    context.step(0.8, "Counting the residences in each support point")
    likelihood = count_points(flows, settled[pair_of_flow], supports, len(gathered.size))
    away = ~supports.kept[points[pair_of_flow]]
    moved = np.bincount(flows.population[away], weights=flows.workers[away], minlength=len(gathered.size))
    context.step(1.0, "Populations ready")
    codes = _areas(jobs, geography).codes
    return PreparedFlows(
        geography=geography,
        supports=supports,
        work_area=tuple(codes[i] for i in gathered.work_area.tolist()),
        characteristic=characteristic,
        area_of=gathered.area_of,
        characteristic_of=gathered.characteristic_of,
        support_of=support_of,
        size=gathered.size,
        likelihood=Confidential(likelihood),
        flows=Confidential(flows),
        moved=Confidential(moved.astype(np.int64)),
        most_populations_of_a_worker=people.jobs * people.sets,
        jobs_in_a_population=people.jobs,
        one_home=people.one_home and facts.sizes_are_true,
        jobs_counted=people.one_home,
        prior_name=prior.name,
        prior=prior,
        notes=notes,
        size_notes=facts.size_notes,
        listed=facts.listed,
        unknown_home=facts.unknown_home,
        left_out=facts.left_out,
        count_notes=facts.count_notes,
        told_exactly=(_sizes(facts),) if facts.sizes_are_true else (),
        facts=replace(facts, too_small=Confidential(gathered.too_small)),
    )


def _sizes(facts: FlowFacts) -> ExactTable:
    """The sizes of populations: whoever adds up the rows of one has its true size."""
    return ExactTable(
        what="The true size of every population",
        keys=facts.columns[:-1],
        value=facts.value_name,
        leaves=(Definition.RESIDENCE, Definition.PROBABILISTIC),
    )


def count_points(flows: BlockFlows, point: Integers, supports: Supports, populations: int) -> Likelihood:
    """Workers by population and by the support point they count at."""
    key, workers = summed(flows.population.astype(np.int64) * supports.points + point, flows.workers)
    start = np.searchsorted(key // supports.points, np.arange(populations + 1))
    return Likelihood(start=start.astype(np.int64), point=key % supports.points, workers=workers)
