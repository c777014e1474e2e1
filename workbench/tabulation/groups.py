"""Groups of rows: histograms where the possible groups are few, sorted packed keys where they are many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Integers
from workbench.tabulation.grid import packed

_DENSE = 1 << 16  # possible groups that are always counted by histogram
_BINS_PER_ROW = 2
_UNPACKABLE = 1 << 62


def is_dense(span: int, rows: int) -> bool:
    """Whether so many possible groups of so many rows are counted by histogram."""
    return span <= max(_DENSE, _BINS_PER_ROW * rows)


@dataclass(kw_only=True, repr=False)
class Groups:
    """The groups of some rows. `columns` are the position of each row in every dimension, from 0, `sizes` how many."""

    columns: Sequence[NDArray[np.integer]]
    sizes: Sequence[int]
    rows: int
    numbered: bool = False  # the number of each row's group will be asked for: one sort then serves for everything

    @cached_property
    def place(self) -> Integers:
        """One number per row that tells its group."""
        return packed(self.columns, self.sizes, self.rows)

    @cached_property
    def span(self) -> int:
        """Every place is below this number."""
        whole = math.prod(self.sizes)
        return whole if whole < _UNPACKABLE else int(self.place.max(initial=0)) + 1

    @property
    def dense(self) -> bool:
        return is_dense(self.span, self.rows)

    @cached_property
    def _found(self) -> tuple[Integers, Integers]:
        if self.dense:
            count = np.bincount(self.place, minlength=self.span)
            occupied = np.flatnonzero(count)
            return occupied.astype(np.int64, copy=False), count[occupied].astype(np.int64, copy=False)
        if self._in_order:
            return runs(self.place)
        return runs(self.place[self._order] if self.numbered else np.sort(self.place))

    @cached_property
    def _in_order(self) -> bool:
        """Many files are sorted by what they are asked about."""
        return bool(np.all(self.place[1:] >= self.place[:-1]))

    @cached_property
    def _order(self) -> Integers:
        return sorting(self.place, self.span)

    @property
    def occupied(self) -> Integers:
        """The places that have rows, in order."""
        return self._found[0]

    @property
    def count(self) -> Integers:
        """The rows of each."""
        return self._found[1]

    @cached_property
    def of_row(self) -> Integers:
        """The number of each row's group among the occupied ones."""
        if not self.dense:
            number = np.repeat(np.arange(len(self.count)), self.count)
            if self._in_order:
                return number
            made = np.empty(self.rows, dtype=np.int64)
            made[self._order] = number
            return made
        number = np.zeros(self.span, dtype=np.int64)
        number[self.occupied] = np.arange(len(self.occupied))
        return number[self.place]

    def positions(self) -> NDArray[np.int32]:
        """The position of every group in every dimension (groups × dimensions)."""
        made = np.empty((len(self.occupied), len(self.sizes)), dtype=np.int32)
        if math.prod(self.sizes) < _UNPACKABLE:
            rest = self.occupied
            for number in range(len(self.sizes) - 1, -1, -1):
                rest, made[:, number] = np.divmod(rest, max(self.sizes[number], 1))
            return made
        stands_for = np.zeros(len(self.occupied), dtype=np.int64)  # any row of a group has its positions
        stands_for[self.of_row] = np.arange(self.rows)
        for number, column in enumerate(self.columns):
            made[:, number] = column[stands_for]
        return made


def sorting(values: Integers, span: int) -> Integers:
    """The order that sorts values in 0 … span − 1: one sort of values packed with their places, where that fits."""
    bits = max(1, len(values).bit_length())
    if span.bit_length() + bits > 63:
        return np.argsort(values, kind="stable").astype(np.int64, copy=False)
    key = (values << bits) | np.arange(len(values))
    key.sort()
    key &= (1 << bits) - 1
    return key


def runs(arranged: NDArray[Any]) -> tuple[Integers, Integers]:
    """The different values of a sorted array, and how often each stands there."""
    if not len(arranged):
        return arranged.astype(np.int64), np.zeros(0, dtype=np.int64)
    start = np.flatnonzero(np.concatenate([[True], arranged[1:] != arranged[:-1]]))
    return arranged[start].astype(np.int64, copy=False), np.diff(start, append=len(arranged)).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Chosen:
    """The rows that a question is about; `kept` are their numbers, None where it is all of them.

    Numbers of rows, not a mark for each: taking values at given places is several times as quick.
    """

    kept: Integers | None
    rows: int
    left_out: int

    @classmethod
    def where(cls, rows: int, known: Sequence[Bools]) -> Chosen:
        """The rows for which everything is known."""
        known = [each for each in known if not each.all()]
        if not known:
            return cls(kept=None, rows=rows, left_out=0)
        kept = np.flatnonzero(np.logical_and.reduce(known))
        return cls(kept=kept, rows=len(kept), left_out=rows - len(kept))

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self.kept is None else values.take(self.kept)
