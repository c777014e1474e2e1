"""People on public grids: predictor and outcomes between 0 and 1 in millionths, weights in hundredths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.products.area_estimates.fractional_sums import GRID

FINE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class People:
    """One row for each person that counts: cell, predictor and outcomes in millionths, weight in its grid."""

    cell: NDArray[np.int32]
    x: NDArray[np.int32]
    y: tuple[NDArray[np.int32], ...]
    weight: Integers | None = None
    side: NDArray[np.int8] | None = None  # before or after, below or above, where an effect is estimated

    def __len__(self) -> int:
        return len(self.cell)


def grid_of(fine: NDArray[np.int32]) -> NDArray[np.int32]:
    """Millionths to thousandths, the nearest, halves up."""
    step = np.int32(FINE // GRID)
    thousandths: NDArray[np.int32] = (fine + step // np.int32(2)) // step
    return thousandths
