"""What people who use a released file should know of its values. It follows from the published values alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.core.published import Published, Units
from workbench.core.quantities import counted, show

MARGIN = "margin_of_error"
_ROWS = 6
_COLUMNS = 9  # more do not fit a page
_LONGEST = 40


def first_rows(table: Published) -> tuple[tuple[str, ...], ...]:
    """The first rows as the file has them; none of records, where one line says nothing, or of very wide tables."""
    if table.records or len(table.columns) > _COLUMNS:
        return ()
    columns = (_first(column.texts()[:_ROWS]) for column in table.columns)
    return tuple(zip(*columns, strict=True))


def _first(texts: list[str]) -> tuple[str, ...]:
    return tuple(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in texts)


def notes(table: Published) -> tuple[str, ...]:
    """Negative values, rows without a value, and how large the published margins of error are."""
    numbers = [column for column in table.value_columns if isinstance(column, Units)]
    return (*_negative(numbers), *_gaps(numbers), *_margins(numbers))


def _negative(columns: list[Units]) -> Iterator[str]:
    """Of counts only: a slope or a coefficient may well be negative."""
    for column in columns:
        below = int(np.count_nonzero(column.integers[column.given()] < 0)) if column.counts else 0
        if below:
            yield (
                f"{below:,} of {counted(len(column), 'value')} of {column.name} are negative. The noise makes them so; "
                "setting them to zero would make sums too large."
            )


def _gaps(columns: list[Units]) -> Iterator[str]:
    given = {column.name: int(np.count_nonzero(column.given())) for column in columns}
    if empty := [name for name, many in given.items() if not many]:
        yield f"Without a value in any row: {', '.join(empty)}."
    for column in columns:
        gone = len(column) - given[column.name]
        if gone and given[column.name]:
            yield f"{column.name} has no value in {gone:,} of {counted(len(column), 'row')}."


def _margins(columns: list[Units]) -> Iterator[str]:
    for column in columns:
        known = column.numbers()[column.given()]
        if column.name.endswith(MARGIN) and len(known):
            half, most = np.quantile(known, (0.5, 0.9))
            unit = f" ({column.unit})" if column.unit else ""
            yield (
                f"{column.name}{unit}: half of the margins are at most {show(float(half), 3)}, nine of ten at most "
                f"{show(float(most), 3)}."
            )
