"""How far one added row moves the standard error of an effect, by working it out again from the sums of the sides.

For a given x the error of a side grows with the distance of y from what is fitted there: it is largest at a bound of y
and smallest where y is fitted. So y is searched exactly and x at the values that the estimator names, its bounds among
them. Cells without an error have no move.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.area_estimates.estimators.contract import Estimator, Sides


def error_moves(estimator: Estimator, sides: Sides) -> Floats:
    """The largest move of every cell."""
    error = estimator.error(sides)
    known = np.isfinite(error)
    few = tuple(side.chosen(known) for side in sides)
    before = error[known]
    moved = np.zeros_like(before)
    for place, side in enumerate(few):
        for x in estimator.tried(place):
            at = np.full_like(before, x)
            for y in (np.zeros_like(before), np.ones_like(before), np.clip(estimator.fitted(side, x), 0.0, 1.0)):
                more = (*few[:place], side.plus(at, y), *few[place + 1 :])
                moved = np.maximum(moved, np.abs(estimator.error(more) - before))
    found = np.zeros(len(known))
    found[known] = moved
    return found
