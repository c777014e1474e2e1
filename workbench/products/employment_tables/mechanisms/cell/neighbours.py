"""Pairs of neighbouring workplace cells on which a black box is watched: one establishment as it is, and grown.

Under the strong definition the establishment grows as far as it may in its one cell. Under the weak one each worker
cell grows as far as it may, as long as every attribute-defined group (each combination of fixed attribute values,
the whole workforce included) stays within max((1+α)φ, φ+1).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.employment_tables.mechanisms.cell.audit import block_sums
from workbench.products.employment_tables.mechanisms.cell.steps import Window
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Domain

_WATCHED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """The worker cells of one workplace cell, and the establishment in it that will grow."""

    count: Integers
    largest: Integers
    establishments: Integers
    grows: Integers


def pairs(prepared: Cells, losses: NDArray[np.float64], *, window: Window, copies: int) -> tuple[NeighbourPair, ...]:
    """Pairs from the workplace cells worth watching; the one that loses most, by its cells' losses, first."""
    return tuple(
        _pair(words, _block(prepared, place), window=window, worker=prepared.domain.worker, copies=copies)
        for words, place in _telling(prepared, block_sums(prepared, losses, window))
    )


def _telling(prepared: Cells, block_losses: NDArray[np.float64]) -> list[tuple[str, int]]:
    width = prepared.domain.worker_combinations
    counts = prepared.count.reveal().reshape(-1, width).sum(axis=1)
    if not len(counts):
        return []
    filled = np.flatnonzero(counts > 0)
    found = [("the workplace cell that loses most", int(np.argmax(block_losses)))]
    if len(filled):
        found.append(("the largest workplace cell", int(filled[np.argmax(counts[filled])])))
        found.append(("the smallest workplace cell that is not empty", int(filled[np.argmin(counts[filled])])))
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        found.append(("an empty workplace cell", int(empty[0])))
    places = [place for _, place in found]
    return [one for number, one in enumerate(found) if one[1] not in places[:number]][:_WATCHED]


def _block(prepared: Cells, place: int) -> _Block:
    width = prepared.domain.worker_combinations
    rows = slice(place * width, (place + 1) * width)
    largest = prepared.largest.reveal()[rows].astype(np.int64)
    return _Block(
        count=prepared.count.reveal()[rows].astype(np.int64),
        largest=largest,
        establishments=prepared.establishments.reveal()[rows].astype(np.int64),
        grows=_largest_establishment(prepared, place) if width > 1 else largest,
    )


def _largest_establishment(prepared: Cells, place: int) -> Integers:
    """Its jobs by worker cell; where nobody kept who is in which cell, as if one were the largest in all of them."""
    width = prepared.domain.worker_combinations
    if prepared.contributions is None:
        return prepared.largest.reveal()[place * width : (place + 1) * width].astype(np.int64)
    entries = prepared.contributions.reveal()
    here = (entries.cell >= place * width) & (entries.cell < (place + 1) * width)
    who, number = np.unique(entries.establishment[here], return_inverse=True)
    jobs = np.zeros((max(len(who), 1), width), dtype=np.int64)
    np.add.at(jobs, (number, entries.cell[here] - place * width), entries.jobs[here])
    largest: Integers = jobs[int(np.argmax(jobs.sum(axis=1)))]
    return largest


def grown(sizes: Integers, worker: tuple[Attribute, ...], window: Window) -> Integers:
    """How many workers each worker cell of an establishment gains: the larger cells first, as many as are allowed."""
    shape = tuple(len(attribute.values) for attribute in worker) or (1,)
    gained = np.zeros(len(sizes), dtype=np.int64)
    most = window.growth(sizes)
    for cell in np.argsort(-sizes, kind="stable").tolist():
        for wanted in (int(most[cell]), int(most[cell]) - 1):
            gained[cell] = wanted
            if _allowed(sizes.reshape(shape), gained.reshape(shape), window):
                break
            gained[cell] = 0
    return gained


def _allowed(sizes: Integers, gained: Integers, window: Window) -> bool:
    """Whether every group that fixes some attributes and leaves the others free grows by no more than it may."""
    axes = range(sizes.ndim)
    return all(
        bool(np.all(gained.sum(axis=free) <= window.growth(np.asarray(sizes.sum(axis=free)))))
        for number in range(sizes.ndim + 1)
        for free in itertools.combinations(axes, number)
    )


def _pair(words: str, block: _Block, *, window: Window, worker: tuple[Attribute, ...], copies: int) -> NeighbourPair:
    gained = grown(block.grows, worker, window)
    after = _Block(
        count=block.count + gained,
        largest=np.maximum(block.largest, block.grows + gained),
        establishments=np.maximum(block.establishments, np.sign(gained)),
        grows=block.grows + gained,
    )
    return NeighbourPair(
        description=f"{words}: its largest establishment as it is, or grown as far as the definition allows",
        first=_repeated(after, worker, copies),
        second=_repeated(block, worker, copies),
        copies=copies,
        outputs=len(gained),
    )


def _repeated(block: _Block, worker: tuple[Attribute, ...], copies: int) -> Confidential[Cells]:
    """`copies` workplace cells that are all alike, each with all its worker cells."""

    def column(values: Integers) -> Confidential[Integers]:
        return Confidential(np.tile(values, copies))

    total = int(block.grows.sum())
    return Confidential(
        Cells(
            domain=Domain(
                workplace=(Attribute(name="copy", values=("the same workplace cell",)),),
                worker=worker,
                workplace_cells=np.zeros((copies, 1), dtype=np.int32),
            ),
            count=column(block.count),
            establishments=column(block.establishments),
            largest=column(block.largest),
            largest_total=column(np.where(block.largest > 0, total, 0)),
            workplace_largest=Confidential(np.full(copies, total, dtype=np.int64)),
            jobs=int(block.count.sum()) * copies,
            establishments_total=int(block.establishments.max(initial=0)) * copies,
        )
    )
