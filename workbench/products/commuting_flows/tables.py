"""The public table of flows, and truth, rivals and release side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from workbench.baselines.alternatives import Alternative, ProtectedFile, Rival, SuppressionPattern
from workbench.baselines.columns import headed
from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect
from workbench.core.published import Coded, Columns, Published, Units, coded
from workbench.core.side_by_side import Beside, Compared, Marks, Side, SideBySide, far_off, far_off_rule
from workbench.products.commuting_flows.flows.columns import UNKNOWN, find_codes
from workbench.products.commuting_flows.flows.populations import PreparedFlows, distinct
from workbench.products.commuting_flows.flows.replicates import numbered, replicate_title
from workbench.products.commuting_flows.flows.structures import (
    BLOCK,
    POPULATION,
    BlockFlows,
    Indices,
    Level,
    Numbers,
    workers_by_replicate,
)
from workbench.products.commuting_flows.job_counts import CLASSES, classes_of, counts_of
from workbench.products.commuting_flows.replicate_means import means_of

_MOST_ROWS = 200_000  # beyond that, homes are shown by PUMA


def published(prepared: PreparedFlows, drawn: Columns) -> Published:
    """One row per population and residence block that was drawn: the codes as text, leading zeros included."""
    population, block = (drawn.coded(name).codes.astype(np.int32, copy=False) for name in (POPULATION, BLOCK))
    facts, workers = prepared.facts, workers_by_replicate(drawn)
    of, area = prepared.characteristic_of[population], prepared.area_of[population]
    several = workers.shape[1]
    values = tuple(
        Units(
            name=numbered(facts.value_name, number, several),
            integers=np.ascontiguousarray(workers[:, number]),
            title=replicate_title(number, several),
        )
        for number in range(several)
    )
    keys = facts.keys
    if facts.job_counts:
        (area, of, block), values = _four_counts(prepared, (area, of, block), workers)
        keys = tuple(dict.fromkeys(texts[:-1] for texts in keys))
    divided = tuple(coded("", texts) for texts in zip(*keys, strict=True))
    named = (
        Coded(name=name, codes=codes, values=texts).used()
        for name, (codes, texts) in zip(
            facts.columns,
            (
                (area, prepared.work_area),
                *((column.codes[of], column.values) for column in divided),
                (block, prepared.geography.blocks),
            ),
            strict=True,
        )
    )
    return Published(columns=(*named, *values), beside=means_of(prepared, drawn) if several > 1 else None)


def _four_counts(
    prepared: PreparedFlows, keys: tuple[Indices, Indices, Indices], workers: Integers
) -> tuple[tuple[Indices, Indices, Indices], tuple[Units, ...]]:
    """One row for each workplace, characteristic and home, with jobs of its classes added up to the four counts."""
    area, of, block = keys
    blocks, kinds = len(prepared.geography.blocks), len(prepared.characteristic) // len(CLASSES)
    kind, held = np.divmod(of.astype(np.int64), len(CLASSES))
    rows, place = np.unique((area * np.int64(kinds) + kind) * blocks + block, return_inverse=True)
    rest, home = np.divmod(rows, blocks)
    places = (rest // kinds).astype(np.int32), (rest % kinds).astype(np.int32), home.astype(np.int32)
    found = []
    for replicate, counts in enumerate(workers.T):
        classes = np.zeros((len(rows), len(CLASSES)), dtype=np.int64)
        np.add.at(classes, (place, held), counts)
        named = zip(prepared.facts.job_counts, counts_of(classes).T, strict=True)
        found += [
            Units(
                name=numbered(name, replicate, workers.shape[1]),
                integers=np.ascontiguousarray(counted),
                title=replicate_title(replicate, workers.shape[1]),
            )
            for name, counted in named
        ]
    return places, tuple(found)


def jobs_in(table: Published) -> Integers:
    """All jobs of each row: its only count, or the first of the four; of the first replicate."""
    return table.values if table.values.ndim == 1 else table.values[:, 0]


def _texts(values: tuple[str, ...]) -> NDArray[np.object_]:
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return texts


def beside(prepared: PreparedFlows, table: Published, rivals: tuple[Rival, ...]) -> SideBySide:
    """Rows of work tract (× characteristic) × home tract that hold somebody, in truth, in the table or in a rival.

    Blocks would be too many rows to look through, and drawing blocks within a tract is not what is judged here. What a
    baseline gives is what it publishes of the row; not-a-number where it suppresses all of it.
    """
    flows = prepared.flows.reveal()
    true = _Flows(flows.population, flows.block, flows.workers.astype(np.float64))
    drawn = _drawn(prepared, table)
    named = [(rival, heading, _given(prepared, rival.gives, true)) for rival, heading in headed(rivals)]
    level, rows = _common_rows(prepared, [true, drawn, *(given for _, _, given in named)])
    truth, private = (_added(prepared, each, level, rows) for each in (true, drawn))
    others = [_beside(rival, heading, _added(prepared, given, level, rows), truth) for rival, heading, given in named]
    several = table.published_beside is not None
    compared = Compared(
        name=f"{prepared.facts.value_name}, replicate 1" if several else prepared.facts.value_name,
        unit=prepared.facts.value_name,
        columns=(
            Beside(side=Side.CONFIDENTIAL, values=Confidential(truth)),
            *others,
            Beside(side=Side.RELEASE, values=Confidential(private)),
        ),
    )
    return SideBySide(
        key_titles=_titles(prepared, level),
        keys=_names(prepared, rows, level),
        compared=(compared,),
        flagged=far_off(private, truth),
        flag_rule=far_off_rule("released count", prepared.facts.value_name),
    )


@dataclass(frozen=True, slots=True)
class _Flows:
    """Workers of populations in home blocks; not-a-number where nothing is said of them."""

    population: Indices
    block: Indices
    workers: Numbers


def flows_in(prepared: PreparedFlows, table: Published) -> BlockFlows:
    """The rows of a published table as flows of populations."""
    held = _drawn(prepared, table)
    return BlockFlows(population=held.population, block=held.block, workers=held.workers.astype(np.int64))


def _drawn(prepared: PreparedFlows, table: Published) -> _Flows:
    """A row as it stands; one of four counts as its four classes. Of replicates the first."""
    if not prepared.facts.job_counts:
        population, block = _rows_of(prepared, table)
        jobs = jobs_in(table).astype(np.float64)
        there = jobs > 0
        return _Flows(population[there], block[there], jobs[there])
    parts = []
    for number, held in enumerate(classes_of(list(table.values.T[: len(CLASSES)]))):
        population, block = _rows_of(prepared, table, CLASSES[number])
        some = held > 0
        parts.append((population[some], block[some], held[some].astype(np.float64)))
    return _Flows(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _given(prepared: PreparedFlows, given: Alternative, true: _Flows) -> _Flows:
    """What a rival says: of each true flow, or in rows of its own."""
    if isinstance(given, ProtectedFile):
        return _drawn(prepared, given.published.reveal())
    return _Flows(true.population, true.block, given.values.reveal())


def _common_rows(prepared: PreparedFlows, all_of_them: list[_Flows]) -> tuple[Level, NDArray[np.int64]]:
    """The rows that anybody has: by home tract, or by PUMA where those would be too many."""
    for level in (Level.TRACT, Level.PUMA):
        rows = distinct(np.concatenate([_keys(prepared, each, level) for each in all_of_them]))
        if len(rows) <= _MOST_ROWS:
            break
    return level, rows


def _beside(rival: Rival, heading: str, added: Numbers, truth: Numbers) -> Beside:
    """A row of which nothing is shown although somebody is there has been suppressed."""
    if not isinstance(rival.gives, SuppressionPattern):
        return Beside(side=rival.side, values=Confidential(added), title=heading, about=rival.title)
    gone = (added == 0) & (truth > 0)
    marks = Marks(codes=Confidential(gone.astype(np.int8)), words=("all flows of the row are suppressed",))
    values = Confidential(np.where(gone, np.nan, added))
    return Beside(side=rival.side, values=values, title=heading, about=rival.title, marks=marks)


def _rows_of(prepared: PreparedFlows, table: Published, *held: str) -> tuple[Indices, Indices]:
    """Population and block numbers of a stored table's rows; `held` is the class where the rows have four counts."""
    work, *divided, home = table.keys
    area = find_codes(work.values, prepared.work_area)[work.codes]
    block = find_codes(home.values, prepared.geography.blocks)[home.codes]
    names = {texts: number for number, texts in enumerate(prepared.facts.keys)}
    texts = zip(*(column.texts() for column in divided), strict=True) if divided else repeat((), table.rows)
    of = np.fromiter((names.get((*each, *held), UNKNOWN) for each in texts), np.int64, table.rows)
    count = len(prepared.characteristic)
    listed = prepared.area_of.astype(np.int64) * count + prepared.characteristic_of
    wanted = area.astype(np.int64) * count + of
    population = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
    if np.any(listed[population] != wanted) or np.any(block == UNKNOWN):
        raise Defect("a row of the published table is not one of the prepared flows")
    return population.astype(np.int32), block


def _keys(prepared: PreparedFlows, flows: _Flows, level: Level) -> NDArray[np.int64]:
    tract = prepared.support_of[flows.population].astype(np.int64)
    of = prepared.characteristic_of[flows.population]
    areas = len(prepared.geography.areas[level])
    return (tract * len(prepared.characteristic) + of) * areas + prepared.geography.area_of[level][flows.block]


def _added(prepared: PreparedFlows, flows: _Flows, level: Level, rows: NDArray[np.int64]) -> Numbers:
    """The workers of each row, of whom anything is said."""
    row = np.searchsorted(rows, _keys(prepared, flows, level))
    return np.bincount(row, weights=np.nan_to_num(flows.workers), minlength=len(rows)).astype(np.float64)


def _titles(prepared: PreparedFlows, level: Level) -> tuple[str, ...]:
    divided = ("Characteristic",) if len(prepared.characteristic) > 1 else ()
    return ("Work tract", *divided, "Home tract" if level is Level.TRACT else "Home PUMA")


def _names(prepared: PreparedFlows, rows: NDArray[np.int64], level: Level) -> tuple[tuple[str, ...], ...]:
    areas = prepared.geography.areas
    rest, home = np.divmod(rows, len(areas[level]))
    tract, of = np.divmod(rest, len(prepared.characteristic))
    work = _texts(areas[Level.TRACT])[prepared.supports.work_tract[tract]]
    divided = (_texts(prepared.characteristic)[of],) if len(prepared.characteristic) > 1 else ()
    return tuple(tuple(column.tolist()) for column in (work, *divided, _texts(areas[level])[home]))
