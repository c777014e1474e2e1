"""What is published, as every layer knows it: columns of codes and columns of whole numbers, all equally long.

A column of codes points into a dictionary of texts, so that a file of a million records holds small integers and each
text once. Published numbers are 64-bit integers in units of 10 to the power −decimals of their column: 12.50 in a
column of two decimals is the integer 1250. Digits beyond the declared ones do not exist, so none can give a true value
away, and what is signed, stored and exported is the same to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.errors import Defect

MISSING = int(np.iinfo(np.int64).min)  # in a column of numbers with gaps: this row has no value
NO_CODE = -1  # in a column of codes: this row has no value
MOST_DECIMALS = 15  # a double still tells neighbouring values of ordinary size apart

Codes = NDArray[np.signedinteger[Any]]


class ColumnRole(StrEnum):
    """What a column of codes is for: to name the row, or to be what was drawn."""

    KEY = "key"
    VALUE = "value"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coded:
    """A column of categories: for each row the place of its text in `values`, or NO_CODE where it has none.

    `labels` are words for the values, one each, where there are any; `title` is the column's own. A mechanism that
    draws codes leaves `values` empty: it knows no texts, and the product adds them.
    """

    name: str
    codes: Codes = field(repr=False)  # signed, of at most 32 bits
    values: Sequence[str] = field(default=(), repr=False)
    labels: Sequence[str] = field(default=(), repr=False)
    title: str = ""
    role: ColumnRole = ColumnRole.KEY

    def __post_init__(self) -> None:
        kind = self.codes.dtype
        if kind.kind != "i" or kind.itemsize > 4 or self.codes.ndim != 1:
            raise Defect("the codes of a published column are not one row of signed integers of 32 bits or fewer")
        if len(self.labels) not in (0, len(self.values)):
            raise Defect("the labels of a published column do not line up with its values")
        if len(self.codes) and self.codes.min() < NO_CODE:
            raise Defect("a published column has a code below every value")
        if len(self.values) and len(self.codes) and self.codes.max() >= len(self.values):
            raise Defect("a published column has a code without a value")

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> bool:
        return False

    @property
    def measures(self) -> bool:
        return False

    def given(self) -> Bools:
        """Which rows have a value."""
        given: Bools = self.codes != NO_CODE
        return given

    def texts(self) -> list[str]:
        """The column as it is published, empty where there is no value."""
        texts: list[str] = _texts(self.values)[self.codes].tolist()
        return texts

    def is_value(self, text: str) -> Bools:
        """Which rows have this value."""
        codes = [code for code, value in enumerate(self.values) if value == text]
        there: Bools = np.isin(self.codes, codes)
        return there

    def shown(self) -> list[str]:
        """The column in words: labels, or the values themselves where there are none."""
        texts: list[str] = _texts(self.labels if len(self.labels) else self.values)[self.codes].tolist()
        return texts

    def shown_at(self, row: int) -> str:
        """One row in words, without making the texts of all others."""
        texts = self.labels if len(self.labels) else self.values
        return "" if self.codes[row] == NO_CODE else texts[self.codes[row]]

    def used(self) -> Coded:
        """The same column with the values that occur in it, in their order: others are not published with it."""
        there = np.zeros(len(self.values) + 1, np.bool_)
        there[self.codes] = True
        there[-1] = False  # NO_CODE
        if there[:-1].all():
            return self
        places = np.flatnonzero(there)
        new = np.full(len(self.values) + 1, NO_CODE, np.int32)
        new[places] = np.arange(len(places), dtype=np.int32)
        values, labels = (
            tuple(texts[place] for place in places.tolist()) if len(texts) else () for texts in self._both
        )
        return replace(self, codes=new[self.codes], values=values, labels=labels)

    @property
    def _both(self) -> tuple[Sequence[str], Sequence[str]]:
        return self.values, self.labels


def _texts(values: Sequence[str]) -> NDArray[np.object_]:
    """The texts by code; the last place, which NO_CODE finds, is empty."""
    texts = np.empty(len(values) + 1, dtype=object)
    texts[: len(values)] = values
    texts[-1] = ""
    return texts


def coded(name: str, texts: Sequence[str], *, role: ColumnRole = ColumnRole.KEY) -> Coded:
    """A column made of the texts of its rows; its values are in the order in which they come."""
    place = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    codes = np.fromiter(map(place.__getitem__, texts), np.int32, len(texts))
    return Coded(name=name, codes=codes, values=tuple(place), role=role)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """A column of numbers, as integers in units of 10 to the power −decimals.

    `additive` where the values of finer rows add up to those of coarser ones. With `gaps`, MISSING says that a row has
    no value; without, every integer is a number. `unit` is what the numbers are counted in, as readers are told.
    """

    name: str
    integers: Integers = field(repr=False)
    decimals: int = 0
    unit: str = ""
    additive: bool = True
    gaps: bool = False
    title: str = ""

    def __post_init__(self) -> None:
        if self.integers.dtype != np.int64 or self.integers.ndim != 1:
            raise Defect("values to be published are not one row of 64-bit integers")
        if self.decimals not in range(MOST_DECIMALS + 1):
            raise Defect("a published column has decimals that no value can have")

    def __len__(self) -> int:
        return len(self.integers)

    @property
    def role(self) -> ColumnRole:
        return ColumnRole.VALUE

    @property
    def counts(self) -> bool:
        """True where rules for counts apply: whole numbers that add up."""
        return self.additive and self.decimals == 0

    @property
    def measures(self) -> bool:
        """True where it holds numbers that are no counts: they lie on the grid of their own decimals."""
        return not self.counts

    def given(self) -> Bools:
        """Which rows have a value."""
        given: Bools = self.integers != MISSING if self.gaps else np.ones(len(self), np.bool_)
        return given

    def numbers(self) -> Floats:
        """The column as numbers to compute with; not-a-number where there is no value."""
        numbers: Floats = np.where(self.given(), self.integers / 10.0**self.decimals, np.nan)
        return numbers

    def texts(self) -> list[str]:
        """The column as it is published: exact, every declared decimal shown, empty where there is no value."""
        texts = [_decimal(units, self.decimals) for units in self.integers.tolist()]
        if self.gaps:
            texts = [text if there else "" for text, there in zip(texts, self.given().tolist(), strict=True)]
        return texts


def _decimal(units: int, decimals: int) -> str:
    if not decimals:
        return str(units)
    whole, rest = divmod(abs(units), 10**decimals)
    return f"{'-' if units < 0 else ''}{whole}.{rest:0{decimals}d}"


Column = Coded | Units


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """Columns of the same length, in the order they are published. `records`: the rows are records, which may repeat.

    This is what a mechanism draws: it may leave key columns out, where its rows are the prepared ones in their order,
    and the texts of codes in any case.

    `beside` is a second table that is drawn and published with the first and has rows of its own: the noisy tables that
    a file of records was made from, or how each of its columns was protected. It has none beside itself.
    """

    columns: tuple[Column, ...]
    records: bool = False
    beside: Columns | None = None

    def __post_init__(self) -> None:
        if not self.columns or len({len(column) for column in self.columns}) > 1:
            raise Defect("the columns of a released table do not line up")
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            raise Defect("two columns of a released table have the same name")
        if self.beside is not None and self.beside.beside is not None:
            raise Defect("a table beside a released one has another table beside it")

    @property
    def rows(self) -> int:
        return len(self.columns[0])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def keys(self) -> tuple[Coded, ...]:
        """The columns that name a row."""
        return tuple(
            column for column in self.columns if isinstance(column, Coded) and column.role is ColumnRole.KEY
        )  # fmt: skip

    @property
    def value_columns(self) -> tuple[Column, ...]:
        """The columns that hold what was drawn. A file of records may have codes alone."""
        return tuple(column for column in self.columns if column.role is ColumnRole.VALUE)

    @property
    def values(self) -> NDArray[Any]:
        """All of them as one array of integers, codes as they are: rows, or rows × columns unless there is just one."""
        drawn = [column.codes if isinstance(column, Coded) else column.integers for column in self.value_columns]
        if len(drawn) == 1:
            return drawn[0]
        return np.stack(drawn, axis=1) if drawn else np.zeros((self.rows, 0), np.int64)

    def column(self, name: str) -> Column:
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            raise Defect("a published table was asked for a column it does not have")
        return found

    def coded(self, name: str) -> Coded:
        column = self.column(name)
        if not isinstance(column, Coded):
            raise Defect("a published column was taken for one of codes")
        return column

    def units(self, name: str) -> Units:
        column = self.column(name)
        if not isinstance(column, Units):
            raise Defect("a published column was taken for one of numbers")
        return column


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Published(Columns):
    """A table or a file of records ready to be published: every code has its text.

    `notes` are sentences for whoever reads the file: its code book ends with them.
    """

    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Columns.__post_init__(self)
        if any(not len(column.values) and column.given().any() for column in self.columns if isinstance(column, Coded)):
            raise Defect("a column of a published table has codes without texts")
        if self.beside is not None and not isinstance(self.beside, Published):
            raise Defect("a table beside a published one has no texts yet")

    @property
    def published_beside(self) -> Published | None:
        """The second table, which is as ready to be published as the first."""
        return self.beside if isinstance(self.beside, Published) else None
