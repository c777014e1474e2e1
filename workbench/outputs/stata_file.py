"""Published values as a Stata file (format 118, read by Stata 14 and later), with labels of variables and values.

Categories whose values are all whole numbers become numbers with value labels; all others stay text, because Stata
labels numbers only, and their labels stand in the code book. Stata computes with doubles: a column that needs more
digits than those hold is written as text, so that every published digit survives. Names that Stata does not allow are
changed, and the published one becomes the variable's label. The time in the header is a fixed one: the same release
always gives the same bytes.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.published import NO_CODE, Coded, Column, Published

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONGEST_NAME, _LONGEST_LABEL = 32, 80
_EXACT = 10**15  # fifteen digits come back from a double as they went in, wherever the point stands
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,8})")  # no leading zeros: 007 is a code, not a seven
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]")
_RESERVED = frozenset((
    "_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n", "_N", "_pi", "_pred",
    "_rc", "_skip", "strL", "using", "with",
))  # fmt: skip
_TIME = re.compile(rb"<timestamp>\x11.{17}</timestamp>", re.DOTALL)
_NO_TIME = b"<timestamp>\x1101 Jan 1960 00:00</timestamp>"


def stata_bytes(published: Published) -> bytes:
    import pandas as pd
    import pyreadstat

    names = _names(published.names)
    columns = {name: _values(column) for name, column in zip(names, published.columns, strict=True)}
    titles: list[str | None] = [_title(column, name) for name, column in zip(names, published.columns, strict=True)]
    labels = {name: made for name, column in zip(names, published.columns, strict=True) if (made := _labels(column))}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "values.dta"
        pyreadstat.write_dta(
            pd.DataFrame(columns), path, column_labels=titles, variable_value_labels=labels, version=14
        )  # fmt: skip
        content = path.read_bytes()
    return _TIME.sub(_NO_TIME, content, count=1)


def _names(names: Iterable[str]) -> list[str]:
    """Each name as Stata allows it, and each once."""
    made: list[str] = []
    for name in names:
        short = _NOT_IN_A_NAME.sub("_", name)[:_LONGEST_NAME]
        if not short or short[0].isdigit() or short in _RESERVED or re.fullmatch(r"str\d+", short):
            short = f"v_{short}"[:_LONGEST_NAME]
        tried, number = short, 1
        while tried.casefold() in {each.casefold() for each in made}:
            number += 1
            tried = f"{short[: _LONGEST_NAME - len(str(number)) - 1]}_{number}"
        made.append(tried)
    return made


def _title(column: Column, name: str) -> str:
    """The column's title; its published name where Stata does not allow that, or where it has no title."""
    return (column.title if column.title and name == column.name else column.name)[:_LONGEST_LABEL]


def _values(column: Column) -> Any:
    if isinstance(column, Coded):
        numbers = _as_numbers(column)
        return column.texts() if numbers is None else _with_gaps(numbers[column.codes], column.codes != NO_CODE)
    integers = column.integers[column.given()]
    if np.any((integers >= _EXACT) | (integers <= -_EXACT)):
        return column.texts()
    return column.numbers() if column.decimals or column.gaps else column.integers.astype(_narrow(column.integers))


def _narrow(integers: NDArray[np.int64]) -> type[np.int32] | type[np.float64]:
    """Stata's largest whole numbers are near two billion; beyond, doubles."""
    return np.int32 if len(integers) and int(np.abs(integers).max()) < 2_147_483_600 else np.float64


def _as_numbers(column: Coded) -> NDArray[np.int64] | None:
    """The values as whole numbers, or None where one of them is none."""
    if not len(column.values) or not all(_NUMBER.fullmatch(value) for value in column.values):
        return None
    return np.array([*map(int, column.values), 0])  # the last one is for NO_CODE


def _with_gaps(numbers: NDArray[np.int64], given: NDArray[np.bool_]) -> Any:
    return numbers.astype(np.int32) if given.all() else np.where(given, numbers, np.nan)


def _labels(column: Column) -> dict[int | float, str]:
    if not isinstance(column, Coded) or not len(column.labels) or _as_numbers(column) is None:
        return {}
    return {int(value): label for value, label in zip(column.values, column.labels, strict=True) if label}
