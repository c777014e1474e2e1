"""A table ready to be published, as every layer knows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTable:
    """A table ready to be published: key columns that name each row, and the released values.

    Values are 64-bit integers from the moment a table is made: digits of a binary fraction would be cut off when they
    are stored, or give a true count away when they are not.
    """

    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]  # one tuple of texts per key column, all of the same length
    value_name: str
    values: NDArray[np.int64]

    def __post_init__(self) -> None:
        refuse_unless_whole(self.values)
        if len(self.columns) != len(self.keys) or any(len(column) != self.rows for column in self.keys):
            raise Defect("the key columns of a released table do not line up with its values")

    @property
    def rows(self) -> int:
        return len(self.values)


def refuse_unless_whole(values: NDArray[np.int64]) -> None:
    """Whatever is to be published is a row of 64-bit integers; anything else is a mistake of whoever drew it."""
    if values.dtype != np.int64:
        raise Defect("values to be published are not 64-bit integers")
    if values.ndim != 1:
        raise Defect("values to be published are not one for each row")
