"""Records in memory: the rows that a question is about on its keys and grids, in the order of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.errors import raise_if
from workbench.core.progress import Context
from workbench.microdata.table import Microdata
from workbench.tabulation.answers import Records
from workbench.tabulation.keys import NOWHERE, Beyond, Dimension, Key, Scale
from workbench.tabulation.parts import Held, coded, filled, numeric
from workbench.tabulation.positions import (
    key_problems,
    known_numbers,
    placement,
    places_of,
    put_on_grid,
    scale_problems,
)

_Part = Callable[[int, int], NDArray[np.integer]]


def records_of(microdata: Microdata, by: Sequence[Dimension], numbers: Sequence[Scale], context: Context) -> Records:
    """What no key and no scale leaves out, worked out part by part: no column is made that is as long as all rows."""
    context.step(0.0, "reading the records")
    raise_if(key_problems(microdata, by))
    placed = [_placing(microdata, key) for key in by]
    for scale in numbers:
        raise_if(scale_problems(microdata, scale))
        if scale.beyond is Beyond.REFUSE:
            known_numbers(microdata, scale)
    scaled = [numeric(microdata, scale.column) for scale in numbers]
    kinds = [*(np.int32 for _ in by), *(np.int64 for _ in numbers)]
    columns: list[NDArray[Any]] = [np.empty(microdata.rows, dtype=kind) for kind in kinds]

    def written(start: int, stop: int) -> int:
        found: list[NDArray[Any]] = [place(start, stop) for place in placed]
        known = [
            part >= 0
            for key, part in zip(by, found, strict=True)
            if key.beyond is Beyond.LEAVE_OUT and part.min() == NOWHERE
        ]
        for scale, held in zip(numbers, scaled, strict=True):
            part = held.part(start, stop)
            finite = np.isfinite(part)
            on_grid: Integers = np.empty(stop - start, dtype=np.int64)
            put_on_grid(part, finite, scale, on_grid)
            found.append(on_grid)
            if scale.beyond is Beyond.LEAVE_OUT and not finite.all():
                known.append(finite)
        which = np.flatnonzero(np.logical_and.reduce(known)) if known else None
        many = stop - start if which is None else len(which)
        for column, each in zip(columns, found, strict=True):
            column[start : start + many] = each if which is None else each.take(which)
        return many

    made = filled(columns, written, context, "reading the records") if columns else []
    kept = len(made[0]) if made else microdata.rows
    return Records(
        positions={key.column: column for key, column in zip(by, made, strict=False)},
        numbers={scale.column: column for scale, column in zip(numbers, made[len(by) :], strict=True)},
        left_out=microdata.rows - kept,
        met={
            key.column: microdata.coded(key.column).values for key in by if isinstance(key, Key) and key.texts is None
        },
    )


def _placing(microdata: Microdata, key: Dimension) -> _Part:
    """The positions of a part of the rows in one dimension.

    Where a list says which positions there are, values that no row has do not matter: the column stays as it is held.
    """
    if not isinstance(key, Key) or key.texts is None or key.beyond is Beyond.REFUSE:
        return Held(values=placement(microdata, key).of_row, rows=None).part
    column, codes = coded(microdata, key.column)
    lookup = np.append(places_of(column, key).of_code, np.int32(NOWHERE))

    def found(start: int, stop: int) -> NDArray[np.integer]:
        return lookup.take(codes.part(start, stop), mode="wrap")

    return found
