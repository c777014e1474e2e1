"""What checks count over the rows: on the codes where they are in memory, and by whoever answers where they are not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from workbench.core.arrays import Bools
from workbench.core.progress import Context
from workbench.core.together import side_by_side
from workbench.microdata.elsewhere import Odd, Varying
from workbench.microdata.passes import all_different, repeated_rows, rows_with, varies_within
from workbench.microdata.table import CodedColumn, Microdata, numbers_of


def varying(microdata: Microdata, unit: CodedColumn, names: Sequence[str], context: Context) -> Varying:
    """For each column how many units have more than one value of it; missing is a value."""
    if microdata.elsewhere is not None:
        return microdata.elsewhere.varying(unit.name, names, context)

    def bad(name: str, part: Context) -> Bools:
        return varies_within(unit, microdata.coded(name), part, f"Checking that “{name}” is one per {unit.name}")

    found = side_by_side([partial(bad, name) for name in names], context)
    of_column = {name: int(np.count_nonzero(varies[:-1])) for name, varies in zip(names, found, strict=True)}
    return Varying(of_column=of_column, at_all=int(np.count_nonzero(np.any(found, axis=0)[:-1])))


def repeated(microdata: Microdata, columns: Sequence[CodedColumn], context: Context) -> int:
    """Rows beyond the first of each combination."""
    if microdata.elsewhere is not None:
        return microdata.elsewhere.repeated([column.name for column in columns], context)
    return repeated_rows(columns, context, "Looking for rows listed twice")


def once_each(microdata: Microdata, column: CodedColumn, context: Context) -> bool:
    """Whether no value stands in two rows; rows without a value are counted by another check."""
    if len(column.values) < microdata.rows - column.missing:
        return False
    if microdata.elsewhere is not None:
        return microdata.elsewhere.most_rows(column.name, context) == 1
    return all_different(column.codes.reveal(), len(column.values), context, "Counting the rows of each value")


def outside(microdata: Microdata, column: CodedColumn, context: Context) -> tuple[int, int]:
    """How many values, and how many rows, the dictionary of a column does not list."""
    if microdata.elsewhere is not None:
        return microdata.elsewhere.rows_outside(column.name, tuple(column.labels), context)
    unknown = np.fromiter((value not in column.labels for value in column.values), bool, len(column.values))
    codes = int(np.count_nonzero(unknown))
    return codes, rows_with(column, unknown) if codes else 0


def odd(microdata: Microdata, name: str, context: Context) -> Odd:
    """Rows by what is odd about a number."""
    if microdata.elsewhere is not None:
        return microdata.elsewhere.odd(name, context)
    numbers = numbers_of(microdata.columns[name])
    known = numbers[~np.isnan(numbers)]
    return Odd(
        negative=int(np.count_nonzero(known < 0)),
        zero=int(np.count_nonzero(known == 0)),
        fractional=int(np.count_nonzero(known != np.floor(known))),
    )


def parts_off(microdata: Microdata, total: str, parts: Sequence[str], *, partial: bool, context: Context) -> int:
    """Rows in which parts do not add up to their total, or exceed it where they may fall short."""
    if microdata.elsewhere is not None:
        return microdata.elsewhere.parts_off(total, parts, partial=partial, context=context)
    whole, added = numbers_of(microdata.columns[total]), np.zeros(microdata.rows)
    for name in parts:
        added += np.nan_to_num(numbers_of(microdata.columns[name]))
    return int(np.count_nonzero(added > whole if partial else added != whole))
