"""The public prior: last year's published flows, or a public table such as CTPP, by work and home tract."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.microdata.table import CodedColumn, Microdata, Texts, numbers_of
from workbench.products.commuting_flows.flows.columns import UNKNOWN, find_codes, rows_of
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Level, PriorFlows


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorColumns:
    work: str
    home: str
    count: str


def column_problems(table: Microdata, columns: PriorColumns) -> tuple[Problem, ...]:
    """Columns that the prior lacks. Without a count column every row counts one."""
    named = (columns.work, columns.home, *([columns.count] if columns.count else []))
    return tuple(
        Problem(f"The prior has no column “{name}”", table.name, f"Columns: {', '.join(tuple(table.columns)[:12])}")
        for name in dict.fromkeys(named)
        if name not in table.columns
    )


def read_prior(table: Microdata, columns: PriorColumns, geography: Geography) -> PriorFlows:
    """The file's counts added up by pair of tracts. Codes may be blocks or tracts of the geography."""
    raise_if(column_problems(table, columns))
    work, home = (tracts_of(table.coded(name), geography) for name in (columns.work, columns.home))
    count = numbers_of(table.columns[columns.count]) if columns.count else np.ones(table.rows)
    if np.isnan(count).any() or (count < 0).any() or np.isinf(count).any():
        raise UserProblem(
            f"The counts “{columns.count}” of the prior are not all numbers from zero up",
            table.name,
            "Correct the column",
        )
    known = (work != UNKNOWN) & (home != UNKNOWN) & (count > 0)
    total = float(count.sum())
    if not known.any():
        raise UserProblem(
            "No row of the prior has both its areas in the geography",
            table.name,
            "Check that both files use the same codes: blocks or tracts, of the same year, with leading zeros",
        )
    tracts = len(geography.areas[Level.TRACT])
    pairs, place = np.unique(work[known].astype(np.int64) * tracts + home[known], return_inverse=True)
    sums = totals(place, count[known], len(pairs))
    return PriorFlows(
        work=(pairs // tracts).astype(np.int32),
        home=(pairs % tracts).astype(np.int32),
        count=sums,
        name=table.name,
        unknown=1.0 - float(sums.sum()) / total,
    )


def tracts_of(column: CodedColumn, geography: Geography) -> Indices:
    """The tract of every row, from a code of a block or of a tract."""
    return rows_of(column, tracts_of_texts(column.values, geography))


def tracts_of_texts(texts: Texts, geography: Geography) -> Indices:
    """The tract of each code of a block or of a tract."""
    block = find_codes(texts, geography.blocks)
    tract = find_codes(texts, geography.areas[Level.TRACT])
    return np.where(block == UNKNOWN, tract, geography.area_of[Level.TRACT][block]).astype(np.int32)
