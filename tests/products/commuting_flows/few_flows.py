"""Populations made by hand: a few work tracts, support points and workers, every number in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.products.commuting_flows.flows.structures import BlockFlows, Geography, Likelihood, Populations, Supports

BLOCKS_PER_TRACT = 2


def geography(tracts: int, population: Sequence[int] | None = None) -> Geography:
    """Two blocks in each tract; every tract is its own PUMA and Super-PUMA."""
    blocks = tracts * BLOCKS_PER_TRACT
    codes = tuple(f"{tract:03d}" for tract in range(tracts))
    area = np.repeat(np.arange(tracts, dtype=np.int32), BLOCKS_PER_TRACT)
    return Geography(
        blocks=tuple(f"{codes[area[block]]}{block % BLOCKS_PER_TRACT}" for block in range(blocks)),
        areas=(codes, codes, codes),
        area_of=(area, area, area),
        latitude=np.linspace(38.0, 39.0, blocks),
        longitude=np.linspace(-77.0, -76.0, blocks),
        population=np.array(population if population is not None else [3, 1] * tracts, dtype=np.int64),
    )


def populations(
    counts: Sequence[Sequence[int]],
    *,
    prior: Sequence[float] | None = None,
    size: Sequence[int] | None = None,
    kept: Sequence[bool] | None = None,
    geography_of: Geography | None = None,
    most_populations: int = 1,
    jobs: int = 1,
    one_home: bool = False,
) -> Populations:
    """One population per row of `counts`, over the same support points, one tract each."""
    table = np.array(counts, dtype=np.int64).reshape(len(counts), -1)
    points = table.shape[1]
    stays = np.ones(points, dtype=bool) if kept is None else np.array(kept)
    moved = table[:, ~stays].sum(axis=1)
    table, told = _settled(table, stays), table
    sparse = [np.flatnonzero(row > 0) for row in table]
    return Populations(
        geography=geography(points) if geography_of is None else geography_of,
        supports=Supports(
            work_tract=np.zeros(1, dtype=np.int32),
            start=np.array([0, points], dtype=np.int64),
            level=np.zeros(points, dtype=np.int8),
            area=np.arange(points, dtype=np.int32),
            miles=np.arange(points, dtype=np.float64),
            prior=np.zeros(points) if prior is None else np.array(prior, dtype=np.float64),
            kept=stays,
            member_start=np.arange(points + 1, dtype=np.int64),
            member_tract=np.arange(points, dtype=np.int32),
        ),
        work_area=tuple(f"work-{number}" for number in range(len(table))),
        characteristic=("all",),
        area_of=np.arange(len(table), dtype=np.int32),
        characteristic_of=np.zeros(len(table), dtype=np.int32),
        support_of=np.zeros(len(table), dtype=np.int32),
        size=table.sum(axis=1) if size is None else np.array(size, dtype=np.int64),
        likelihood=Confidential(
            Likelihood(
                start=np.concatenate([[0], np.cumsum([len(row) for row in sparse])]).astype(np.int64),
                point=np.concatenate([*sparse, np.zeros(0, dtype=np.int64)]).astype(np.int64),
                workers=np.concatenate([row[some] for row, some in zip(table, sparse, strict=True)]),
            )
        ),
        flows=Confidential(_flows(told)),
        moved=Confidential(moved),
        most_populations_of_a_worker=most_populations,
        jobs_in_a_population=jobs,
        one_home=one_home,
    )


def _settled(table: np.ndarray[tuple[int, int], np.dtype[np.int64]], stays: Any) -> Any:
    """Workers of eliminated points counted at the nearest kept one, the first of two."""
    kept = np.flatnonzero(stays)
    if not len(kept):
        return table
    settled = np.zeros_like(table)
    for point in range(table.shape[1]):
        settled[:, kept[np.argmin(np.abs(kept - point))]] += table[:, point]
    return settled


def _flows(table: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> BlockFlows:
    """Everybody lives in the first block of the tract."""
    population, point = np.nonzero(table)
    return BlockFlows(
        population=population.astype(np.int32),
        block=(point * BLOCKS_PER_TRACT).astype(np.int32),
        workers=table[population, point],
    )
