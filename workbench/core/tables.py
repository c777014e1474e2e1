"""A table ready to be published, as every layer knows it.

Published numbers are 64-bit integers everywhere, in units of 10 to the power −decimals of their column: 12.50 in a
column of two decimals is the integer 1250. Digits beyond the declared ones do not exist, so none can give a true value
away, and what is signed, stored and exported is the same to the last digit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect

MISSING = int(np.iinfo(np.int64).min)  # in a table with a layout: this row has no value in this column
MOST_DECIMALS = 15  # a double still tells neighbouring values of ordinary size apart


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueColumn:
    """One column of published values. `additive` where the values of finer rows add up to those of coarser ones."""

    name: str
    decimals: int = 0
    unit: str = ""
    additive: bool = True

    def __post_init__(self) -> None:
        if self.decimals not in range(MOST_DECIMALS + 1):
            raise Defect("a published column has decimals that no value can have")

    @property
    def counts(self) -> bool:
        """True where rules for counts apply: whole numbers that add up."""
        return self.additive and self.decimals == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTable:
    """A table ready to be published: key columns that name each row, and the released values.

    Without a `layout` there is one column of whole numbers, called `value_name`. With one, `values` hold a number for
    each row and column of the layout (rows × columns, or just rows where the layout has one column), in units of 10 to
    the power −decimals, and MISSING where there is none. `records`: the rows are protected records, so that several
    may have the same keys.
    """

    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]  # one tuple of texts per key column, all of the same length
    value_name: str
    values: NDArray[np.int64]
    layout: tuple[ValueColumn, ...] = ()
    records: bool = False

    def __post_init__(self) -> None:
        refuse_unless_whole(self.values)
        if self.values.shape[1:] != ((len(self.layout),) if len(self.layout) > 1 else ()):
            raise Defect("the values of a released table do not fit its columns")
        if len(self.columns) != len(self.keys) or any(len(column) != self.rows for column in self.keys):
            raise Defect("the key columns of a released table do not line up with its values")
        names = (*self.columns, *(column.name for column in self.layout))
        if self.layout and len(set(names)) < len(names):
            raise Defect("two columns of a released table have the same name")

    @property
    def rows(self) -> int:
        return len(self.values)

    @property
    def value_columns(self) -> tuple[ValueColumn, ...]:
        return self.layout or (ValueColumn(name=self.value_name),)

    def units(self, place: int = 0) -> NDArray[np.int64]:
        """One column as it is stored, in units of 10 to the power −decimals."""
        units: NDArray[np.int64] = self.values if self.values.ndim == 1 else self.values[:, place]
        return units

    def given(self, place: int = 0) -> NDArray[np.bool_]:
        """Which rows have a value in this column: all of them in a table without a layout."""
        given: NDArray[np.bool_] = self.units(place) != MISSING if self.layout else np.ones(self.rows, np.bool_)
        return given

    def numbers(self, place: int = 0) -> NDArray[np.float64]:
        """One column as numbers to compute with; not-a-number where there is no value."""
        scaled = self.units(place) / 10.0 ** self.value_columns[place].decimals
        numbers: NDArray[np.float64] = np.where(self.given(place), scaled, np.nan)
        return numbers

    def texts(self, place: int = 0) -> list[str]:
        """One column as it is published: exact, every declared decimal shown, empty where there is no value."""
        decimals = self.value_columns[place].decimals
        texts = [_decimal(units, decimals) for units in self.units(place).tolist()]
        if self.layout:
            texts = [text if there else "" for text, there in zip(texts, self.given(place).tolist(), strict=True)]
        return texts


def _decimal(units: int, decimals: int) -> str:
    if not decimals:
        return str(units)
    whole, rest = divmod(abs(units), 10**decimals)
    return f"{'-' if units < 0 else ''}{whole}.{rest:0{decimals}d}"


def refuse_unless_whole(values: NDArray[np.int64]) -> None:
    """Whatever is to be published is 64-bit integers, a row of them or a table; anything else is a mistake of ours."""
    if values.dtype != np.int64:
        raise Defect("values to be published are not 64-bit integers")
    if values.ndim not in (1, 2):
        raise Defect("values to be published are neither one nor several for each row")
