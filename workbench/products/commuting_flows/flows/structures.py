"""Residence flows as sparse arrays: memory grows with the flows and the support points, never with blocks × blocks.

A *population* is the workers of one workplace area × characteristic. Its residences are counted over the *support
points* of its work tract: areas at one of three levels, finer near the workplace and coarser far away. Everything
here is public but what is wrapped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.claims import ExactTable
from workbench.core.confidential import Confidential
from workbench.core.published import Columns, Units
from workbench.core.quantities import show
from workbench.mechanisms.contract import Release, RowRule

Indices = NDArray[np.int32]
Numbers = NDArray[np.float64]
POPULATION, BLOCK, WORKERS = "population", "block", "workers"  # the columns of a draw
SIZES = "sizes of populations"  # the answer that holds noisy sizes, where a mechanism protects them


class Level(IntEnum):
    """How coarse a support point is. The numbers are positions in `Geography.areas`."""

    TRACT = 0
    PUMA = 1
    SUPER_PUMA = 2


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Geography:
    """Blocks, sorted by code, each in a tract, a PUMA and a Super-PUMA; public.

    `area_of[level]` holds, for each block, the number of its area at that level; `areas[level]` the areas' codes.
    Blocks of one area need not be neighbours in the list. Coordinates are degrees; `population` weighs the blocks of
    an area when a residence block is drawn (all ones where no population is known).
    """

    blocks: tuple[str, ...]
    areas: tuple[tuple[str, ...], ...]
    area_of: tuple[Indices, ...]
    latitude: Numbers
    longitude: Numbers
    population: Integers


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Supports:
    """The support points of every work tract, one list after another; public and independent of the confidential data.

    Points of work tract w are start[w] … start[w+1]−1. A point is `area` (a number in `areas[level]`) without the
    tracts that this work tract keeps at a finer level. `member_start`/`member_tract` list the tracts a point covers;
    an eliminated point lists none, since nobody draws there.
    `prior` is the public prior's count in the point (0 where it has none), `miles` the distance between centroids,
    `kept` is False where the point was eliminated as unlikely: it has no prior, and its workers count elsewhere.
    """

    work_tract: Indices  # number in areas[Level.TRACT], one per work tract with a population
    start: Integers
    level: NDArray[np.int8]
    area: Indices
    miles: Numbers
    prior: Numbers
    kept: NDArray[np.bool_]
    member_start: Integers
    member_tract: Indices

    @property
    def points(self) -> int:
        return len(self.level)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Likelihood:
    """True residences, sparsely: entries of population p are start[p] … start[p+1]−1, `point` numbers `Supports`."""

    start: Integers
    point: Integers
    workers: Integers


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BlockFlows:
    """True flows by residence block, one entry per population and block with a worker. `block` −1: outside the map."""

    population: Indices
    block: Indices
    workers: Integers


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PriorFlows:
    """Public counts by pair of tracts, one entry a pair, in the order of the work tract; nothing where there is none.

    `unknown` is the share of the file's count that lies outside the geography and is not used.
    """

    work: Indices
    home: Indices
    count: Numbers
    name: str = ""
    unknown: float = 0.0


NO_PRIOR = PriorFlows(work=np.empty(0, np.int32), home=np.empty(0, np.int32), count=np.empty(0))


class PopulationList(StrEnum):
    """Where the list of populations comes from: the jobs themselves, a public register, or the whole geography."""

    DATA = "data"
    REGISTER = "register"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """How the list of populations came about; public. `register` is the name of the public file.

    `values_from_data` are characteristics whose values no data dictionary declares, so that the jobs list them too.
    """

    by: PopulationList = PopulationList.DATA
    register: str = ""
    values_from_data: tuple[str, ...] = ()

    @property
    def public(self) -> bool:
        """Whether the list is the same whoever works there."""
        return self.by is not PopulationList.DATA and not self.values_from_data


@dataclass(frozen=True, slots=True, kw_only=True)
class Populations:
    """What the mechanisms take. Which populations exist and how many synthetic workers each gets is public.

    What is drawn from it has one row per population and residence block with a synthetic worker: columns POPULATION
    (its number), BLOCK (its number in `geography.blocks`) and WORKERS. `notes` are sentences that anybody may read and
    that join the assumptions of the claim: how the sizes became public, what was dropped, what the weights are.
    """

    geography: Geography = field(repr=False)
    supports: Supports = field(repr=False)
    work_area: tuple[str, ...] = field(repr=False)  # codes of the workplace areas
    characteristic: tuple[str, ...]  # names of the characteristics; ("all",) where there is one only
    area_of: Indices = field(repr=False)  # per population, number in `work_area`
    characteristic_of: Indices = field(repr=False)  # per population
    support_of: Indices = field(repr=False)  # per population, number of its work tract in `supports`
    size: Integers = field(repr=False)  # m, workers; published exactly where the unit is a home, else never
    likelihood: Confidential[Likelihood]
    flows: Confidential[BlockFlows]
    moved: Confidential[Integers]  # per population, true workers of eliminated points, counted at a kept one
    most_populations_of_a_worker: int = 1  # how many populations one person can be in: the release's total is that × ε
    jobs_in_a_population: int = 1  # how many of them can be one and the same population
    one_home: bool = False  # all rows of a worker have one home, which was enforced
    jobs_counted: bool = False  # a column identifies workers, so that nobody has more jobs than are paid for
    prior_name: str = ""
    notes: tuple[str, ...] = ()
    size_notes: tuple[str, ...] = ()  # the same about sizes, where a mechanism publishes them
    told_exactly: tuple[ExactTable, ...] = ()  # true sizes, where they are published
    prior: PriorFlows = field(default=NO_PRIOR, repr=False)
    listed: Listed = Listed()
    unknown_home: int = -1  # the block that stands for unknown homes, −1 where there is none
    count_notes: tuple[str, ...] = ()  # how several counts of a row share ε, for everybody to read
    left_out: tuple[str, ...] = ()  # why jobs were left out by a rule that looks at them, in words

    @property
    def populations(self) -> int:
        return len(self.size)

    @property
    def rows(self) -> None:
        """How many rows there are, the draw decides."""

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return ()

    def row_rule(self, release: Release) -> RowRule:
        """Every population is drawn in full: whoever adds up its rows gets its published size, drawn or as it is."""
        population, block = (release.coded(name).codes.astype(np.int64) for name in (POPULATION, BLOCK))
        workers = workers_by_replicate(release)
        once = len(np.unique(population * len(self.geography.blocks) + block)) == len(workers)
        noisy = np.maximum(next((answer.drawn for answer in release.answers if answer.name == SIZES), self.size), 0)
        told = (np.bincount(population, weights=each, minlength=self.populations) for each in workers.T)
        some = bool(np.all(workers >= 0) and np.all(workers.max(axis=1, initial=0) >= 1))
        return RowRule(
            kept=once and some and all(np.array_equal(each, noisy) for each in told),
            said=f"those of each of {show(self.populations)} populations add up to its published size",
            broken="The rows of some population do not add up to its published size, or a row is there twice or empty.",
        )


def workers_by_replicate(drawn: Columns) -> Integers:
    """The workers of every row of a draw, a column for each replicate."""
    held = [each.integers for each in drawn.columns if isinstance(each, Units) and each.name.startswith(WORKERS)]
    return np.stack(held, axis=1)
