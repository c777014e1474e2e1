"""The table as it is published, with its margins of error, its margins and the number of large establishments."""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.published import MISSING, Coded, Columns, Published, Units
from workbench.products.employment_tables.keys import coded_keys
from workbench.products.employment_tables.mechanisms.drawn import NO_MARGIN, Beside, MarginOfError, beside_of
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.tabulation.margins import cells_behind, margin_columns

MARGIN = "margin_of_error"
SUM = "sum_of_cells"
NUMBER, OF_NUMBER, WHAT = "establishments", "establishments_margin_of_error", "number"


def public_table(prepared: Cells, drawn: Columns, name: str) -> Published:
    beside = beside_of(drawn)
    told = NO_MARGIN if beside is None else beside.margin
    values = drawn.units("value").integers
    within = told.within(values, np.ones(len(values), dtype=np.int64)) if told.within is not None else None
    jobs = Units(name=name, integers=values, unit="jobs")
    return Published(
        columns=(*coded_keys(prepared.domain), jobs, *_margin_column(prepared, name, within)),
        beside=_with_number(_margins(prepared, drawn, name, told), beside),
        notes=(told.note, *_note_of_number(beside)),
    )


def _note_of_number(beside: Beside | None) -> tuple[str, ...]:
    if beside is None or beside.large is None:
        return ()
    return (
        f"establishments.csv: the number of {beside.large.name}, with noise of its own. In 99 of 100 draws it lies "
        "within ± its margin_of_error of the true number.",
    )


def jobs_of(table: Published) -> Integers:
    """The published counts: the first column of numbers."""
    return next(column.integers for column in table.columns if isinstance(column, Units))


def _margin_column(prepared: Cells, name: str, within: Integers | None) -> tuple[Units, ...]:
    if within is None:
        return ()
    taken = {name, *prepared.domain.names}
    own = next(each for each in (MARGIN, f"{MARGIN}_99", f"{name}_{MARGIN}_99") if each not in taken)
    return (Units(name=own, integers=within, unit="jobs", additive=False),)


def _margins(prepared: Cells, drawn: Columns, name: str, told: MarginOfError) -> Published | None:
    """Sums of what was drawn; where cells were changed after the draw, sums of those stand beside."""
    if not prepared.margins:
        return None
    values, beside = drawn.units("value").integers, beside_of(drawn)
    raw = values if beside is None else beside.units("value").integers
    printed = values if beside is not None and beside.changed else None
    columns = margin_columns(prepared.domain, prepared.margins, raw, name=name, printed=printed)
    summed = columns[len(prepared.domain.names) + 1]
    behind = cells_behind(prepared.domain, prepared.margins)
    within = told.within(summed.integers, behind) if told.within is not None and isinstance(summed, Units) else None
    return Published(columns=(*columns, *_margin_column(prepared, name, within)))


def _with_number(margins: Published | None, beside: Beside | None) -> Published | None:
    """The number stands in the same second table, as a last row of its own: files take them apart again."""
    if beside is None or beside.large is None:
        return margins
    number, within = int(beside.large.drawn[0]), beside.large_within
    if margins is None:
        named = Coded(name=WHAT, codes=np.zeros(1, np.int32), values=(beside.large.name,))
        columns: tuple[Coded | Units, ...] = (named,)
    else:
        columns = tuple(_longer(column, beside.large.name) for column in margins.columns)
    rows = len(columns[0])
    return Published(columns=(*columns, _last(NUMBER, number, rows), _last(OF_NUMBER, within, rows)))


def _last(name: str, value: int, rows: int) -> Units:
    integers = np.full(rows, MISSING, dtype=np.int64)
    integers[-1] = value
    return Units(name=name, integers=integers, unit="establishments", additive=False, gaps=True)


def _longer(column: Coded | Units, name: str) -> Coded | Units:
    """One row more, which names the number in the first column and is empty in all others."""
    if isinstance(column, Units):
        return Units(
            name=column.name,
            integers=np.append(column.integers, MISSING),
            unit=column.unit,
            additive=column.additive,
            gaps=True,
        )
    first = column.name == "margin"
    values = (*column.values, name) if first else column.values
    return Coded(
        name=column.name,
        codes=np.append(column.codes, len(column.values) if first else -1).astype(np.int32),
        values=values,
        labels=(*column.labels, name) if first and len(column.labels) else column.labels,
        title=column.title,
    )


def number_of(published: Published) -> Published | None:
    """The number of large establishments alone, as it leaves in a file."""
    beside = published.published_beside
    if beside is None or NUMBER not in beside.names:
        return None
    named, last = beside.columns[0], beside.rows - 1
    assert isinstance(named, Coded)
    return Published(
        columns=(
            Coded(name=WHAT, codes=np.zeros(1, np.int32), values=(named.values[int(named.codes[last])],)),
            Units(name=NUMBER, integers=beside.units(NUMBER).integers[-1:].copy(), unit="establishments"),
            Units(
                name=MARGIN,
                integers=beside.units(OF_NUMBER).integers[-1:].copy(),
                unit="establishments",
                additive=False,
            ),
        )
    )


def margins_of_table(published: Published) -> Published | None:
    """The margins alone."""
    beside = published.published_beside
    if beside is None or NUMBER not in beside.names:
        return beside
    if beside.rows == 1:
        return None
    kept = [column for column in beside.columns if column.name not in (NUMBER, OF_NUMBER)]
    return Published(columns=tuple(_shorter(column) for column in kept))


def _shorter(column: Coded | Units) -> Coded | Units:
    if isinstance(column, Units):
        return Units(name=column.name, integers=column.integers[:-1].copy(), unit=column.unit, additive=column.additive)
    return Coded(
        name=column.name,
        codes=column.codes[:-1].copy(),
        values=column.values,
        labels=column.labels,
        title=column.title,
    ).used()
