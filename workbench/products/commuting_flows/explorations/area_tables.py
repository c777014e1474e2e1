"""The tables and figures of an area's page, one column for each method."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.products.commuting_flows.flows.columns import find_codes
from workbench.products.commuting_flows.flows.distances import miles_between, totals
from workbench.products.commuting_flows.flows.grid import DISTANCES, commutes, distance_class
from workbench.products.commuting_flows.flows.populations import PreparedFlows
from workbench.products.commuting_flows.flows.structures import BlockFlows, Indices, Level, Numbers
from workbench.products.commuting_flows.flows.work_areas import by_beginning, work_areas_of

declare({"area_jobs": ValueName("Jobs of the area, true"), "released_jobs": ValueName("Jobs of the area, released")})

_MAIN, _MAPPED = 10, 40
_MOST_SHOWN = 0.98  # of the jobs, nearest first
TRUE, SUPPRESSED = "true", "suppressed"


class Side(StrEnum):
    WORK = "work"
    HOME = "home"


class By(StrEnum):
    BLOCK_GROUP = "block group"
    TRACT = "tract"
    PUMA = "PUMA"
    SUPER_PUMA = "Super-PUMA"


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaPageParams:
    areas: str = param(
        "",
        "Areas",
        "Codes of blocks, block groups, tracts, PUMAs or Super-PUMAs, by commas. Empty: the largest workplace.",
    )
    side: Side = param(
        Side.WORK,
        "Whose jobs",
        "Of people who work in the areas, or of people who live there (their labour shed: where residents work).",
        labels={"work": "Who works there", "home": "Who lives there"},
    )
    by: By = param(
        By.TRACT,
        "Other side by",
        "How the homes of workers, or the workplaces of residents, are put together.",
        labels={"block group": "Block group", "tract": "Tract", "PUMA": "PUMA", "Super-PUMA": "Super-PUMA"},
    )
    polygon: str = param("", "Polygon", "Corners on the map, x and y: draw it, or write -98.1 39.2, -98 39.3, -97 39.")


@dataclass(frozen=True, slots=True)
class Page:
    """Flows of the area by method, in the order in which they are shown; the last is the release."""

    name: str
    prepared: PreparedFlows
    params: AreaPageParams
    files: dict[str, BlockFlows]


def page_finding(page: Page, title: str) -> Finding:
    jobs = {name: int(file.workers.sum()) for name, file in page.files.items()}
    released = list(jobs.values())[-1]
    what = "jobs" if page.params.side is Side.WORK else "jobs of residents"
    where = "live" if page.params.side is Side.WORK else "work"
    main = _other_side(page)
    drawn, several = len(_near(main)), len(main.order)
    mapped = f"{drawn} of the {several:,} areas where they {where}, the nearest with most jobs"
    mapped = mapped if several > drawn else f"all {several} areas where they {where}"
    return Finding(
        id="area-page",
        title="Page of an area",
        status=Status.INFO,
        sentence=(
            f"{page.name}: {show(jobs[TRUE])} true and {show(released)} released {what} ({title.lower()}). "
            f"The map shows {mapped}."
        ),
        values={"area_jobs": jobs[TRUE], "released_jobs": released},
        tables=(*_by_characteristic(page), _by_distance(page), _by_place(page, main)),
        figures=(_bars(page), *_map(page, main)),
        does_not_prove="One area and one draw: others may look better or worse. True jobs are confidential.",
    )


def _table(page: Page, title: str, names: list[str], counts: list[Numbers], note: str = "") -> Table:
    """One row a name, one column a method, and all jobs at the end."""
    rows: list[tuple[Value, ...]] = [(name, *(int(held[place]) for held in counts)) for place, name in enumerate(names)]
    rows.append(("all", *(int(file.workers.sum()) for file in page.files.values())))
    return Table(title=title, columns=("jobs", *page.files), rows=tuple(rows), note=note)


def _by_characteristic(page: Page) -> list[Table]:
    """One table for each column that divides workers: age, earnings, industry, or classes of jobs."""
    facts = page.prepared.facts
    columns = [*facts.columns[1:-1], *(["class of jobs"] if facts.job_counts else [])]
    found = []
    for place, column in enumerate(columns):
        words = facts.labels or facts.keys
        names = list(dict.fromkeys(texts[place] for texts in words))
        of = np.array([names.index(texts[place]) for texts in words])
        kind = of[page.prepared.characteristic_of]
        counts = [totals(kind[file.population], file.workers, len(names)) for file in page.files.values()]
        found.append(_table(page, f"Jobs by {column}", names, counts))
    return found


def _distances(page: Page) -> list[Numbers]:
    found = []
    for file in page.files.values():
        miles, _ = commutes(page.prepared, file.population, file.block)
        found.append(totals(distance_class(miles), file.workers, len(DISTANCES)))
    return found


def _by_distance(page: Page) -> Table:
    names = [f"{miles} miles" for miles in DISTANCES]
    return _table(page, "Jobs by distance between home and work", names, _distances(page))


@dataclass(frozen=True, slots=True)
class _OtherSide:
    """Areas of the other side that hold somebody, most jobs first, with jobs by method and a middle."""

    names: tuple[str, ...]
    counts: list[Numbers]
    order: Integers
    latitude: Numbers
    longitude: Numbers


def _other_side(page: Page) -> _OtherSide:
    geography = page.prepared.geography
    if page.params.by is By.BLOCK_GROUP:
        names, of_block = by_beginning(geography)
    else:
        level = Level[page.params.by.name]
        names, of_block = geography.areas[level], geography.area_of[level]
    people = np.maximum(geography.population, 1e-9)
    weight = totals(of_block, people, len(names))
    middle = [
        totals(of_block, people * each, len(names)) / weight for each in (geography.latitude, geography.longitude)
    ]
    counts = [
        totals(of_block[_blocks(page, file)], file.workers, len(names)) for file in page.files.values()
    ]  # fmt: skip
    most = np.maximum(counts[0], counts[-1])
    order = np.argsort(-most, kind="stable")[: int((most > 0).sum())]
    return _OtherSide(names, counts, order, middle[0], middle[1])


def _blocks(page: Page, file: BlockFlows) -> Indices:
    """Home blocks, or the blocks where residents work: the first block of a larger workplace area."""
    if page.params.side is Side.WORK:
        return file.block
    prepared = page.prepared
    areas = work_areas_of(prepared.work_area, prepared.geography)
    first = np.zeros(len(areas.codes), dtype=np.int32)
    first[areas.of_block[::-1]] = np.arange(len(areas.of_block), dtype=np.int32)[::-1]
    return first[find_codes(prepared.work_area, areas.codes)][prepared.area_of[file.population]]


def _by_place(page: Page, main: _OtherSide) -> Table:
    chosen = main.order[:_MAIN]
    word = "home" if page.params.side is Side.WORK else "work"
    rest = len(main.order) - len(chosen)
    return _table(
        page,
        f"Main {word} areas",
        [main.names[place] for place in chosen.tolist()],
        [held[chosen] for held in main.counts],
        note=f"{rest:,} more areas are in the sum." if rest else "",
    )


def _bars(page: Page) -> Figure:
    return Figure(
        kind=Kind.BARS,
        title="Jobs by distance",
        x=Axis(label="Distance between home and work", unit="miles", categories=DISTANCES),
        y=Axis(label="Jobs"),
        series=tuple(
            Series(name=name, x=tuple(float(place) for place in range(len(held))), y=tuple(held.tolist()))
            for name, held in zip(page.files, _distances(page), strict=True)
        ),
    )


def _near(main: _OtherSide) -> Integers:
    """The largest areas, without the few far away that would shrink all others to one spot."""
    weight = np.maximum(main.counts[0], main.counts[-1])[main.order]
    if not len(weight):
        return main.order
    north, east = main.latitude[main.order], main.longitude[main.order]
    here = (np.full(len(weight), float(np.average(each, weights=weight))) for each in (north, east))
    miles = miles_between(next(here), next(here), north, east)
    by_distance = np.argsort(miles, kind="stable")
    reached = np.cumsum(weight[by_distance]) >= _MOST_SHOWN * weight.sum()
    near = np.flatnonzero(miles <= miles[by_distance[int(np.argmax(reached))]])
    return np.asarray(main.order[near][:_MAPPED], dtype=np.int64)


def _map(page: Page, main: _OtherSide) -> tuple[Figure, ...]:
    """Nothing where nobody works, in truth or in the release."""
    chosen = _near(main)
    released = list(page.files)[-1]
    word = "Homes of people who work in the area" if page.params.side is Side.WORK else "Workplaces of residents"
    series = tuple(
        Series(
            name=name,
            x=tuple(main.longitude[some].tolist()),
            y=tuple(main.latitude[some].tolist()),
            high=tuple(held[some].tolist()),
            keys=tuple(main.names[place] for place in some.tolist()),
        )
        for name, held in ((TRUE, main.counts[0]), (f"{released}, released", main.counts[-1]))
        if len(some := chosen[held[chosen] > 0])
    )
    if not series:
        return ()
    figure = Figure(
        kind=Kind.MAP,
        title=word,
        subtitle=f"Area of a circle: jobs of a {page.params.by.value}. A click or a drawn polygon chooses areas anew",
        x=Axis(label="Longitude", unit="degrees"),
        y=Axis(label="Latitude", unit="degrees"),
        series=series,
        picks="areas",
        polygon="polygon",
    )
    return (figure,)
