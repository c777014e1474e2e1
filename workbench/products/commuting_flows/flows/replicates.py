"""Several files from one plan, side by side: the rows that any of them has, and a column of workers for each.

Replicates of noisy flows are rounded apart from the same noisy numbers; replicates of synthetic residences are drawn
apart from the same data. The first is what a release without further replicates would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.params import param
from workbench.core.published import Coded, Columns, Units
from workbench.products.commuting_flows.flows.structures import (
    BLOCK,
    POPULATION,
    WORKERS,
    BlockFlows,
    Indices,
    workers_by_replicate,
)

MOST = 20
Rows = tuple[Integers | Indices, Integers | Indices, Integers]  # population, block, workers; sorted, each pair once


def replicates_param(help_text: str) -> Any:
    """The setting, which both mechanisms have; what it costs differs."""
    return param(1, "Replicates", help_text, ge=1, le=MOST, advanced=True)


def together(files: Sequence[Rows], blocks: int) -> Columns:
    """What is drawn: population, block and the workers of each file, zero where only another file has the row."""
    if len(files) == 1:
        population, block, workers = files[0]
        return _columns(population, block, [workers])
    keys = [population.astype(np.int64) * blocks + block for population, block, _ in files]
    every = np.unique(np.concatenate(keys))
    held = []
    for key, (_, _, workers) in zip(keys, files, strict=True):
        counts = np.zeros(len(every), dtype=np.int64)
        counts[np.searchsorted(every, key)] = workers
        held.append(counts)
    return _columns(every // blocks, every % blocks, held)


def _columns(population: Integers | Indices, block: Integers | Indices, held: Sequence[Integers]) -> Columns:
    return Columns(
        columns=(
            Coded(name=POPULATION, codes=population.astype(np.int32, copy=False)),
            Coded(name=BLOCK, codes=block.astype(np.int32, copy=False)),
            *(Units(name=_name(number), integers=counts) for number, counts in enumerate(held)),
        )
    )


def flows_of(drawn: Columns, replicate: int = 0) -> BlockFlows:
    """One replicate as flows: its rows alone."""
    population, block = (drawn.coded(name).codes.astype(np.int32, copy=False) for name in (POPULATION, BLOCK))
    workers = workers_by_replicate(drawn)
    if workers.shape[1] == 1:
        return BlockFlows(population=population, block=block, workers=workers[:, 0])
    some = workers[:, replicate] > 0
    return BlockFlows(population=population[some], block=block[some], workers=workers[some, replicate])


def numbered(name: str, number: int, replicates: int) -> str:
    """How a column of one replicate is published: with its number, where there are several."""
    return name if replicates == 1 else f"{name}_{number + 1}"


def replicate_title(number: int, replicates: int) -> str:
    return "" if replicates == 1 else f"Replicate {number + 1} of {replicates}"


def _name(number: int) -> str:
    return WORKERS if not number else f"{WORKERS} {number + 1}"
