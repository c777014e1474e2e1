"""Rows worked on part by part, several parts side by side.

A part is so short that what is made of it stays in the processor's cache from one step to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from numpy.typing import NDArray

from workbench.core.progress import Context
from workbench.core.together import together
from workbench.microdata.selection import as_held
from workbench.microdata.table import CodedColumn, Microdata, numbers_of
from workbench.tabulation.grid import BLOCK

T = TypeVar("T")
_PARTS = 8  # of one task


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Held:
    """The codes or numbers of a column as they are in memory, and which of its rows are asked about.

    Rows that an earlier question chose are taken part by part: no column is ever made of them.
    """

    values: NDArray[Any]
    rows: NDArray[Any] | None

    def part(self, start: int, stop: int) -> NDArray[Any]:
        return self.values[start:stop] if self.rows is None else self.values.take(self.rows[start:stop])


def coded(microdata: Microdata, name: str) -> tuple[CodedColumn, Held]:
    """A coded column, which may list values that none of the rows has, and the codes of its rows."""
    column, rows = as_held(microdata, name)
    if not isinstance(column, CodedColumn):
        column, rows = microdata.coded(name), None
    return column, Held(values=column.codes.reveal(), rows=rows)


def numeric(microdata: Microdata, name: str) -> Held:
    """A column as numbers; not-a-number where it is empty or no number."""
    column, rows = as_held(microdata, name)
    return Held(values=numbers_of(column), rows=rows)


def over_parts(work: Callable[[int, int], T], rows: int, context: Context, sentence: str) -> list[T]:
    """What each part gives, in their order. Where two parts write to one place, either may be the last."""
    starts = range(0, rows, _PARTS * BLOCK)
    if len(starts) < 2:
        return _of_task(work, rows, 0)
    done = together([partial(_of_task, work, rows, start) for start in starts], context, sentence)
    return [each for several in done for each in several]


def _of_task(work: Callable[[int, int], T], rows: int, first: int) -> list[T]:
    ends = min(first + _PARTS * BLOCK, rows)
    return [work(start, min(start + BLOCK, ends)) for start in range(first, ends, BLOCK)]


def filled(
    columns: Sequence[NDArray[Any]], work: Callable[[int, int], int], context: Context, sentence: str
) -> list[NDArray[Any]]:
    """The columns without gaps. `work` writes to them from the start of its part, and says how many rows it wrote."""
    rows, end = len(columns[0]), 0
    for number, many in enumerate(over_parts(work, rows, context, sentence)):
        start = number * BLOCK
        if start > end:
            for column in columns:
                column[end : end + many] = column[start : start + many]
        end += many
    return [column[:end] for column in columns]
