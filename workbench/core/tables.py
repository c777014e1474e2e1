"""A table ready to be published, as every layer knows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTable:
    """A table ready to be published: key columns that name each row, and the released values."""

    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]  # one tuple of texts per key column, all of the same length
    value_name: str
    values: NDArray[np.int64]

    @property
    def rows(self) -> int:
        return len(self.values)
