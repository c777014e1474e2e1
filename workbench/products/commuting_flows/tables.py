"""The public table of flows, and truth, today and synthetic side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.core.errors import Defect
from workbench.mechanisms.contract import Release
from workbench.products.commuting_flows.flows.columns import UNKNOWN, find_codes
from workbench.products.commuting_flows.flows.populations import PreparedFlows, distinct
from workbench.products.commuting_flows.flows.structures import Indices, Level, Numbers
from workbench.products.contract import PublicTable, SideBySide

_FLAG_SHARE = 0.25
_FLAG_JOBS = 10.0
_MOST_ROWS = 200_000  # beyond that, homes are shown by PUMA


def published(prepared: PreparedFlows, release: Release) -> PublicTable:
    """One row per population and residence block that was drawn: the codes as text, leading zeros included."""
    if release.rows is None:
        raise Defect("flows were released without the rows they belong to")
    population, block = release.rows[:, 0], release.rows[:, 1]
    work = _texts(prepared.work_area)[prepared.area_of[population]]
    home = _texts(prepared.geography.blocks)[block]
    of = prepared.characteristic_of[population]
    divided = [_texts(column)[of] for column in zip(*prepared.facts.keys, strict=True)]
    return PublicTable(
        columns=prepared.facts.columns,
        keys=tuple(tuple(column.tolist()) for column in (work, *divided, home)),
        value_name=prepared.facts.value_name,
        values=release.values,
    )


def _texts(values: tuple[str, ...]) -> NDArray[np.object_]:
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return texts


def beside(prepared: PreparedFlows, table: PublicTable, baseline: Confidential[NDArray[np.float64]]) -> SideBySide:
    """Rows of work tract (× characteristic) × home tract that hold somebody, in truth or in the table.

    Blocks would be too many rows to look through, and drawing blocks within a tract is not what is judged here. The
    baseline's value is what it publishes of the row; not-a-number where it suppresses all of it.
    """
    flows = prepared.flows.reveal()
    population, block = _rows_of(prepared, table)
    today = baseline.reveal()
    level = Level.TRACT
    true_key, drawn_key = (
        _keys(prepared, p, b, level) for p, b in ((flows.population, flows.block), (population, block))
    )
    rows = distinct(np.concatenate([true_key, drawn_key]))
    if len(rows) > _MOST_ROWS:
        level = Level.PUMA
        true_key, drawn_key = (
            _keys(prepared, p, b, level) for p, b in ((flows.population, flows.block), (population, block))
        )
        rows = distinct(np.concatenate([true_key, drawn_key]))
    of_true, of_drawn = np.searchsorted(rows, true_key), np.searchsorted(rows, drawn_key)
    true = _added(of_true, flows.workers.astype(np.float64), len(rows))
    private = _added(of_drawn, table.values.astype(np.float64), len(rows))
    shown = ~np.isnan(today)
    sdl = _added(of_true[shown], today[shown], len(rows))
    suppressed = (np.bincount(of_true, minlength=len(rows)) > 0) & (
        np.bincount(of_true[shown], minlength=len(rows)) == 0
    )
    sdl[suppressed] = np.nan
    distance = np.abs(private - true)
    return SideBySide(
        key_titles=_titles(prepared, level),
        keys=_names(prepared, rows, level),
        true=Confidential(true),
        baseline=Confidential(sdl),
        private=private,
        flagged=Confidential((distance > _FLAG_JOBS) & (distance > _FLAG_SHARE * true)),
        flag_rule=(
            f"Flagged: the synthetic count is off by more than {_FLAG_SHARE:.0%} of the true count and by more than "
            f"{_FLAG_JOBS:.0f} {prepared.facts.value_name}."
        ),
        unit=prepared.facts.value_name,
    )


def _rows_of(prepared: PreparedFlows, table: PublicTable) -> tuple[Indices, Indices]:
    """Population and block numbers of a stored table's rows."""
    area = find_codes(table.keys[0], prepared.work_area)
    block = find_codes(table.keys[-1], prepared.geography.blocks)
    names = {texts: number for number, texts in enumerate(prepared.facts.keys)}
    divided = table.keys[1:-1]
    of = (
        np.fromiter((names.get(texts, UNKNOWN) for texts in zip(*divided, strict=True)), np.int64, table.rows)
        if divided
        else 0
    )
    count = len(prepared.characteristic)
    listed = prepared.area_of.astype(np.int64) * count + prepared.characteristic_of
    wanted = area.astype(np.int64) * count + of
    population = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
    if np.any(listed[population] != wanted) or np.any(block == UNKNOWN):
        raise Defect("a row of the published table is not one of the prepared flows")
    return population.astype(np.int32), block


def _keys(prepared: PreparedFlows, population: Indices, block: Indices, level: Level) -> NDArray[np.int64]:
    tract = prepared.support_of[population].astype(np.int64)
    of = prepared.characteristic_of[population]
    areas = len(prepared.geography.areas[level])
    return (tract * len(prepared.characteristic) + of) * areas + prepared.geography.area_of[level][block]


def _added(row: NDArray[np.int64], values: Numbers, rows: int) -> Numbers:
    return np.bincount(row, weights=values, minlength=rows).astype(np.float64)


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
