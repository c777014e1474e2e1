"""What a file of flows gets wrong, in one row of numbers: the same for every method, so that they can be compared.

Total variation (½ Σ |p − q| of shares) of flows between tracts, of labour sheds (work region × home tract), of commute
sheds (home region × work tract; regions are Super-PUMAs, or PUMAs where one Super-PUMA has all workplaces) and of
flows between PUMAs; errors of mean distances cut at 100 miles, weighted by workers; points of workers too many beyond
100 miles; errors of sizes; divergence on the 29-point grid (`kl`), of the file with one worker spread evenly and of
what was expected before rounding or drawing, where a method expects that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.products.commuting_flows.flows.structures import BlockFlows, Level, Numbers, Populations
from workbench.products.commuting_flows.usefulness.draws import Commutes, commutes_of, on_grid
from workbench.products.commuting_flows.usefulness.kl import SMALL, average, divergence, smoothed

FAR = 100.0  # miles

# id → what a reader sees; smaller is better in every row
ROWS = {
    "kl_all": "Divergence of the expected pattern, nats",
    "kl_small": "… in populations of fewer than 10",
    "kl_file_all": "Divergence of the released file, nats",
    "kl_file_small": "… in populations of fewer than 10 (file)",
    "tract_flows": "Tract flows, share misplaced",
    "labour_shed": "Labour sheds, share misplaced",
    "commute_shed": "Commute sheds, share misplaced",
    "puma_flows": "PUMA flows, share misplaced",
    "distance": "Mean distance of a population, miles off",
    "distance_of_tract": "Mean distance of a work tract, miles off",
    "far": "Workers beyond 100 miles, points off",
    "size": "Size of a population, workers off",
    "empty": "Small populations left empty, share",
}
Errors = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Truth:
    """True flows with everything that files are compared by; confidential."""

    prepared: Populations
    commutes: Commutes
    grid: Numbers

    @classmethod
    def of(cls, prepared: Populations) -> Truth:
        flows = prepared.flows.reveal()
        return cls(prepared=prepared, commutes=commutes_of(prepared, flows), grid=on_grid(prepared, flows))

    @property
    def size(self) -> Integers:
        return np.bincount(
            self.commutes.flows.population, self.commutes.flows.workers, self.prepared.populations
        ).astype(np.int64)


def errors_of(truth: Truth, file: BlockFlows, expected: Numbers | None = None) -> Errors:
    """Every row of one file; those of the expected pattern are left out where there is none."""
    prepared, true = truth.prepared, truth.commutes
    drawn = commutes_of(prepared, file)
    size = truth.size
    found: Errors = {}
    if expected is not None:
        kl = average(divergence(truth.grid, expected), size)
        found |= {"kl_all": kl.everyone, "kl_small": kl.small}
    kl = average(divergence(truth.grid, smoothed(on_grid(prepared, file))), size)
    found |= {"kl_file_all": kl.everyone, "kl_file_small": kl.small}
    region = shed_level(prepared)
    for name, work, home in (
        ("tract_flows", Level.TRACT, Level.TRACT),
        ("labour_shed", region, Level.TRACT),
        ("commute_shed", Level.TRACT, region),
        ("puma_flows", Level.PUMA, Level.PUMA),
    ):
        found[name] = _apart(*(_keyed(prepared, each.flows, work, home) for each in (true, drawn)))
    found["distance"] = _distance(true, drawn, np.arange(prepared.populations), size)
    found["distance_of_tract"] = _distance(true, drawn, prepared.support_of, size)
    found["far"] = 100.0 * abs(_far(drawn) - _far(true))
    published = np.bincount(file.population, file.workers, prepared.populations)
    found["size"] = float(np.mean(np.abs(published - size)))
    small = (size > 0) & (size < SMALL)
    found["empty"] = float(np.mean(published[small] == 0)) if small.any() else 0.0
    return found


def shed_level(prepared: Populations) -> Level:
    """What a planner would select: Super-PUMAs where several have workplaces, PUMAs in a smaller region."""
    tract, supers = (prepared.geography.area_of[level] for level in (Level.TRACT, Level.SUPER_PUMA))
    with_jobs = np.unique(supers[np.isin(tract, prepared.supports.work_tract)])
    return Level.SUPER_PUMA if len(with_jobs) > 1 else Level.PUMA


def _keyed(prepared: Populations, flows: BlockFlows, work: Level, home: Level) -> tuple[NDArray[np.int64], Numbers]:
    """Flows by work and home area, as keys and workers."""
    geography = prepared.geography
    above = np.arange(len(geography.areas[Level.TRACT]))
    above[geography.area_of[Level.TRACT]] = geography.area_of[work]
    place = above[prepared.supports.work_tract[prepared.support_of[flows.population]]].astype(np.int64)
    key = place * len(geography.areas[home]) + geography.area_of[home][flows.block]
    return key, flows.workers.astype(np.float64)


def _apart(true: tuple[NDArray[np.int64], Numbers], drawn: tuple[NDArray[np.int64], Numbers]) -> float:
    """Total variation between two files, each as shares of its own workers."""
    keys, place = np.unique(np.concatenate([true[0], drawn[0]]), return_inverse=True)
    signed = np.concatenate([true[1] / max(true[1].sum(), 1.0), -drawn[1] / max(drawn[1].sum(), 1.0)])
    return 0.5 * float(np.abs(np.bincount(place, signed, len(keys))).sum())


def _distance(true: Commutes, drawn: Commutes, group: Integers | NDArray[np.int32], size: Integers) -> float:
    """Mean |error| of mean miles by group, weighted by true workers; groups without a released worker are left out."""
    groups = int(group.max(initial=-1)) + 1
    means = [_means(each, group, groups) for each in (true, drawn)]
    weight = np.bincount(group, size, groups)
    known = np.isfinite(means[0]) & np.isfinite(means[1])
    return float(np.average(np.abs(means[0] - means[1])[known], weights=weight[known])) if known.any() else 0.0


def _means(commutes: Commutes, group: Integers | NDArray[np.int32], groups: int) -> Numbers:
    of, workers = group[commutes.flows.population], commutes.flows.workers
    held = np.bincount(of, workers, groups)
    miles = np.bincount(of, workers * np.minimum(commutes.miles, FAR), groups)
    means: Numbers = np.divide(miles, held, out=np.full(groups, np.nan), where=held > 0)
    return means


def _far(commutes: Commutes) -> float:
    workers = commutes.flows.workers
    return float(workers[commutes.miles > FAR].sum()) / max(int(workers.sum()), 1)
