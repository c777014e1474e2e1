"""Columns made from codes: sorted values that occur, and labels that a public list gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.microdata.dictionary import ColumnWords
from workbench.microdata.selection import recoded
from workbench.microdata.table import CodedColumn, Column, NumericColumn, Texts, numbers_of


def coded_from(name: str, of_row: NDArray[Any], texts: Sequence[str], words: ColumnWords) -> CodedColumn:
    """A column from positions in any list of texts, equal ones allowed; -1 where a cell is missing."""
    values = sorted(set(texts))
    place = {text: position for position, text in enumerate(values)}
    lookup = np.array([*(place[text] for text in texts), -1], dtype=np.int32)
    empty = CodedColumn(
        name=name, codes=Confidential(np.zeros(0, np.int8)), values=(), labels=words.labels,
        populations=words.populations, title=words.title, labels_inside=words.inside,
    )  # fmt: skip
    return recoded(empty, np.take(lookup, of_row, mode="wrap"), tuple(values))


def texts_of(values: Texts) -> list[str]:
    return values.tolist() if isinstance(values, np.ndarray) else [str(value) for value in values]


def no_numbers(column: Column) -> bool:
    """Whether some value is no number; a missing one is none of them."""
    if isinstance(column, NumericColumn):
        return False
    return bool(np.any(np.isnan(numbers_of(column)) & (column.codes.reveal() >= 0)))


def not_numbers(name: str, where: str) -> Problem:
    return Problem(
        f"Not every value of “{name}” is a number", where, "Correct the column, or compare its codes instead"
    )


def labelled(words: ColumnWords, labels: Mapping[str, str]) -> ColumnWords:
    """The words of a column, with labels of its own where the dictionary gives none."""
    if words.labels:
        return words
    return ColumnWords(title=words.title, labels=labels, populations=words.populations)
