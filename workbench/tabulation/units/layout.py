"""How rows are laid out in memory: passes over all rows, in blocks short enough to stay cancellable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.microdata.table import Codes

BLOCK = 1_000_000  # rows of one pass between two questions whether to go on
CHUNK = 190_000  # rows tabulated at once: their bins stay in the processor's cache


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UnitOrder:
    """Units that have rows, sorted by unit attributes; a group shares all of them."""

    identifier: NDArray[np.int32]
    rank_of_code: NDArray[np.int32]
    group_start: Integers
    group_position: Mapping[str, NDArray[np.int32]]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SortedRows:
    """Rows by unit. Chunk i holds the units from `chunk_start[i]` up to the next chunk's."""

    unit: NDArray[np.int32]
    of_row: Mapping[str, Codes]
    chunk_start: Integers
    row_start: Integers


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(start, min(start + BLOCK, rows)) for start in range(0, rows, BLOCK))


def any_missing(codes: Codes) -> bool:
    return len(codes) > 0 and int(codes.min()) < 0


def occurrences(codes: Codes, distinct: int, context: Context) -> Integers:
    """How often each code occurs.

    Where codes are many, a histogram per block would cost more than the counting; one pass then does it, which takes a
    tenth of a second at ten million rows and lets other threads run (`np.add.at` would not).
    """
    if distinct > BLOCK:
        context.step(0.0, "counting")
        return np.bincount(codes, minlength=distinct).astype(np.int64, copy=False)
    counts = np.zeros(distinct, dtype=np.int64)
    for block in _blocks(len(codes)):
        context.step(block.start / len(codes), "counting")
        counts += np.bincount(codes[block], minlength=distinct)
    return counts


def once_per_unit(unit: Codes, codes: Codes, units: int) -> tuple[NDArray[np.int32], bool]:
    """One code per unit, and whether all its rows agree on it."""
    made = np.zeros(units, dtype=codes.dtype)
    for block in _blocks(len(codes)):
        made[unit[block]] = codes[block]
    constant = all(np.array_equal(made[unit[block]], codes[block]) for block in _blocks(len(codes)))
    return made.astype(np.int32), constant


def order_units(total: Integers, position: Mapping[str, NDArray[np.int32]]) -> UnitOrder:
    """Number the units that have rows by their unit attributes, the first attribute slowest."""
    present = np.flatnonzero(total).astype(np.int32)
    key = np.zeros(len(present), dtype=np.int64)
    for codes in position.values():
        size = int(codes.max()) + 1 if len(codes) else 1
        if int(key.max()) >= (2**62) // size:  # so many attributes that the product overflows: number what occurs
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        key = key * size + codes[present]
    by_group = np.argsort(key, kind="stable")
    identifier = present[by_group]
    sorted_key = key[by_group]
    group_start = np.concatenate([[0], np.flatnonzero(sorted_key[1:] != sorted_key[:-1]) + 1]).astype(np.int64)
    rank_of_code = np.full(len(total), -1, dtype=np.int32)
    rank_of_code[identifier] = np.arange(len(identifier), dtype=np.int32)
    return UnitOrder(
        identifier=identifier,
        rank_of_code=rank_of_code,
        group_start=group_start,
        group_position={name: codes[identifier[group_start]] for name, codes in position.items()},
    )


def _compact(values: int) -> type[np.int8] | type[np.int16] | type[np.int32]:
    return np.int8 if values <= 2**7 else np.int16 if values <= 2**15 else np.int32


def sorted_bytes(rows: int, positions: Mapping[str, NDArray[np.int32]]) -> int:
    """Memory that the sorted copy of the rows takes."""
    return rows * (4 + sum(np.dtype(_compact(_size(map_))).itemsize for map_ in positions.values()))


def _size(positions: NDArray[np.int32]) -> int:
    return int(positions.max()) + 1 if len(positions) else 1


def sort_rows(
    unit: Codes,
    of_row: Mapping[str, Codes],
    *,
    positions: Mapping[str, NDArray[np.int32]],
    order: UnitOrder,
    total: Integers,
    context: Context,
) -> SortedRows:
    """Counting sort in blocks: each row goes to the next free slot of its unit."""
    rows = len(unit)
    narrow = {name: map_.astype(_compact(_size(map_))) for name, map_ in positions.items()}
    columns = {name: np.empty(rows, dtype=map_.dtype) for name, map_ in narrow.items()}
    already = {name for name, map_ in positions.items() if np.array_equal(map_, np.arange(len(map_)))}
    free = np.concatenate([[0], np.cumsum(total)[:-1]]).astype(np.int64)
    ends = np.cumsum(total)
    for block in _blocks(rows):
        context.step(block.start / rows, "arranging rows by unit")
        rank, local = _sorted_block(order.rank_of_code[unit[block]])
        run = np.flatnonzero(np.concatenate([[True], rank[1:] != rank[:-1]]))
        length = np.diff(np.append(run, len(rank)))
        slot = np.arange(len(rank)) + np.repeat(free[rank[run]] - run, length)
        free[rank[run]] += length
        for name, column in columns.items():
            codes = of_row[name][block][local]
            column[slot] = codes if name in already else narrow[name][codes]
    chunk_start = _chunks(ends)
    row_start = np.append(0, ends)[chunk_start]
    unit_rows = np.empty(rows, dtype=np.int32)
    for (first, last), (begin, end) in zip(pairwise(chunk_start), pairwise(row_start), strict=True):
        unit_rows[begin:end] = np.repeat(np.arange(first, last, dtype=np.int32), total[first:last])
    return SortedRows(unit=unit_rows, of_row=columns, chunk_start=chunk_start, row_start=row_start)


def _sorted_block(rank: NDArray[np.int32]) -> tuple[Integers, Integers]:
    """Ranks in order, and where each stood: one sort of packed 64-bit keys, faster than an argsort."""
    bits = max(1, len(rank).bit_length())
    key = (rank.astype(np.int64) << bits) | np.arange(len(rank))
    key.sort()
    return key >> bits, key & ((1 << bits) - 1)


def _chunks(ends: Integers) -> Integers:
    """Units at which chunks of about CHUNK rows begin, and the number of units at the end."""
    wanted = np.arange(CHUNK, int(ends[-1]), CHUNK)
    inner = np.searchsorted(ends, wanted) + 1
    return np.unique(np.concatenate([[0], inner[inner < len(ends)], [len(ends)]])).astype(np.int64)


def spans(arranged: SortedRows) -> Iterator[tuple[slice, slice]]:
    """(units, rows) of each chunk."""
    units, rows = pairwise(arranged.chunk_start.tolist()), pairwise(arranged.row_start.tolist())
    for (first, last), (begin, end) in zip(units, rows, strict=True):
        yield slice(first, last), slice(begin, end)
