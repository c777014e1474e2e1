"""Clipped gradients of the logistic loss on a grid, all people at once.

Each person's gradient x·(y − p) is shortened to norm C and rounded to a grid g; the clip is taken shorter by g√d/2, so
that the rounded gradient has norm at most C. Sums are exact integers.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.model_fits import logit

STEPS_PER_UNIT = 1_000_000  # the grid of gradients


def clipped_grid(design: Floats, outcome: Floats, beta: Floats, clip: float) -> Integers:
    """People × coefficients in units of the grid; no row is longer than clip·STEPS_PER_UNIT."""
    gradient = design * (outcome - logit.probability(design, beta))[:, None]
    room = max(clip - math.sqrt(design.shape[1]) / (2.0 * STEPS_PER_UNIT), 0.0)
    length = np.sqrt(sum((gradient[:, place] ** 2 for place in range(1, design.shape[1])), gradient[:, 0] ** 2))
    shortened = gradient * np.minimum(1.0, room / np.maximum(length, 1e-300))[:, None]
    grid: Integers = np.rint(shortened * STEPS_PER_UNIT).astype(np.int64)
    return grid
