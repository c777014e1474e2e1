"""Where the workers of one workplace live: true and released on one map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.errors import UserProblem
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.quantities import percent, show
from workbench.core.value_words import ValueName, declare, share_of
from workbench.explorations.contract import Scene
from workbench.products.commuting_flows.flows.columns import find_codes
from workbench.products.commuting_flows.flows.distances import miles_between
from workbench.products.commuting_flows.flows.geography import centroids
from workbench.products.commuting_flows.flows.grid import workplaces
from workbench.products.commuting_flows.flows.structures import Geography, Level, Numbers, Populations
from workbench.products.commuting_flows.tables import jobs_in

declare(
    {
        "workplace": ValueName("Workplace"),
        "true_workers": ValueName("True workers"),
        "synthetic_workers": ValueName("Released workers"),
        "true_mean_miles": ValueName("Mean distance, true", "miles"),
        "synthetic_mean_miles": ValueName("Mean distance, released", "miles"),
        "share_in_right_tracts": share_of("Released workers in the right tracts"),
        "true_beyond": ValueName("True workers farther away"),
        "synthetic_beyond": ValueName("Released workers farther away"),
    }
)

_LISTED = 1000


class Homes(StrEnum):
    TRACT = "tract"
    BLOCK = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidenceMapParams:
    workplace: str = param("", "Workplace", "Its code. Empty: the largest.")
    homes: Homes = param(
        Homes.TRACT,
        "Homes shown by",
        "Tract, or block where a workplace has few workers.",
        labels={"tract": "Tract", "block": "Block"},
    )
    within: int = param(
        50, "As far as", "Homes farther away are counted in words, not drawn.", ge=1, le=20_000, unit="miles"
    )


@dataclass(frozen=True, slots=True)
class ResidenceMap:
    """Circles at home tracts or blocks, their area the workers; all characteristics of the workplace together."""

    id: str = "residence-map"
    version: int = 1
    title: str = "Residence map"
    summary: str = "Homes of a workplace's workers, true against released."
    params: type[ResidenceMapParams] = ResidenceMapParams
    stage: str = "compare"
    needs_release: bool = True

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        """The largest workplaces first."""
        order = np.argsort(-_sizes(scene.prepared), kind="stable")[:_LISTED]
        return {"workplace": tuple(scene.prepared.work_area[area] for area in order.tolist())}

    def show(self, scene: Scene, params: ResidenceMapParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "finding the workers of the workplace")
        if scene.table is None:
            raise UserProblem("Nothing has been drawn yet", "residence-map", "Draw the release first")
        prepared: Populations = scene.prepared
        area = _area(prepared, params.workplace)
        true = _true(prepared, area)
        context.step(0.5, "placing the released residences")
        synthetic = _synthetic(prepared, scene.table, area)
        context.step(1.0, "both maps are there")
        return (_finding(prepared, area, (true, synthetic), params),)


def _sizes(prepared: Populations) -> Numbers:
    return np.bincount(prepared.area_of, weights=prepared.size, minlength=len(prepared.work_area)).astype(np.float64)


def _area(prepared: Populations, workplace: str) -> int:
    if not workplace:
        return int(np.argmax(_sizes(prepared)))
    if workplace not in prepared.work_area:
        raise UserProblem(f"There is no workplace “{workplace[:40]}”", "workplace", "Choose one from the list")
    return prepared.work_area.index(workplace)


def _true(prepared: Populations, area: int) -> Integers:
    """True workers of the workplace by home block."""
    flows = prepared.flows.reveal()
    here = (prepared.area_of[flows.population] == area) & (flows.block >= 0)
    return _by_block(prepared, flows.block[here], flows.workers[here])


def _synthetic(prepared: Populations, table: Published, area: int) -> Integers:
    """Synthetic workers of the workplace by home block: first key the workplace, last key the home."""
    work, *_, home = table.keys
    there = work.is_value(prepared.work_area[area])
    block = find_codes(home.values, prepared.geography.blocks)[home.codes[there]]
    return _by_block(prepared, block, jobs_in(table)[there])


def _by_block(prepared: Populations, block: np.ndarray[tuple[int], np.dtype[np.int32]], workers: Integers) -> Integers:
    counted = np.bincount(block, weights=workers, minlength=len(prepared.geography.blocks))
    return counted.astype(np.int64)


def _finding(
    prepared: Populations, area: int, workers: tuple[Integers, Integers], params: ResidenceMapParams
) -> Finding:
    geography, name = prepared.geography, prepared.work_area[area]
    true, synthetic = workers
    miles = _miles(prepared, area)
    means = [float(np.average(miles, weights=workers)) if workers.sum() else 0.0 for workers in (true, synthetic)]
    shared = _shared(geography, true, synthetic)
    near = miles <= params.within
    drawn = tuple(np.where(near, counted, 0) for counted in workers)
    far = [int(counted[~near].sum()) for counted in workers]
    return Finding(
        id="residence-map",
        title=f"Homes of the workers of {name}",
        status=Status.INFO,
        sentence=(
            f"{show(int(true.sum()))} true and {show(int(synthetic.sum()))} released workers of {name}: they live "
            f"{means[0]:.3g} and {means[1]:.3g} miles away on average, and {percent(shared)} of the "
            f"released workers live "
            f"in the right tracts in the right numbers. Beyond {params.within:,} miles live {show(far[0])} true and "
            f"{show(far[1])} released workers."
        ),
        values={
            "workplace": name,
            "true_workers": int(true.sum()),
            "synthetic_workers": int(synthetic.sum()),
            "true_mean_miles": means[0],
            "synthetic_mean_miles": means[1],
            "share_in_right_tracts": shared,
            "true_beyond": far[0],
            "synthetic_beyond": far[1],
        },
        figures=(
            Figure(
                kind=Kind.MAP,
                title=f"Homes of the workers of {name}",
                subtitle=f"The area of a circle follows the workers of a home {params.homes.value}; released as rings",
                x=Axis(label="Longitude", unit="degrees"),
                y=Axis(label="Latitude", unit="degrees"),
                series=tuple(
                    series
                    for kind, counted in zip(("true", "released"), drawn, strict=True)
                    if (series := _series(kind, geography, counted, params.homes)).y
                ),
            ),
        ),
        does_not_prove="One workplace and one draw: others may look better or worse. True homes are confidential.",
    )


def _miles(prepared: Populations, area: int) -> Numbers:
    latitude, longitude = workplaces(prepared)
    geography = prepared.geography
    here = np.full(len(geography.blocks), latitude[area]), np.full(len(geography.blocks), longitude[area])
    return miles_between(*here, geography.latitude, geography.longitude)


def _shared(geography: Geography, true: Integers, synthetic: Integers) -> float:
    """Σ min(true, synthetic) over home tracts, as a share of the released workers."""
    tract = geography.area_of[Level.TRACT]
    by_tract = (np.bincount(tract, weights=workers) for workers in (true, synthetic))
    return float(np.minimum(*by_tract).sum() / max(int(synthetic.sum()), 1))


def _series(name: str, geography: Geography, workers: Integers, homes: Homes) -> Series:
    latitude, longitude, values = geography.latitude, geography.longitude, workers.astype(np.float64)
    if homes is Homes.TRACT:
        latitude, longitude = centroids(geography, Level.TRACT)
        tracts = len(geography.areas[Level.TRACT])
        values = np.bincount(geography.area_of[Level.TRACT], weights=workers, minlength=tracts).astype(np.float64)
    some = np.flatnonzero(values)
    return Series(
        name=name,
        x=tuple(longitude[some].tolist()),
        y=tuple(latitude[some].tolist()),
        high=tuple(values[some].tolist()),
    )


SPEC = ResidenceMap()
