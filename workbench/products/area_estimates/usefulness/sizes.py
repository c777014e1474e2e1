"""Classes of cells by the true number of people, in which errors are told apart."""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Integers

EDGES = (5, 20, 50, 100, 250)
NAMES = ("below 5", "5–19", "20–49", "50–99", "100–249", "250 and more")


def class_of(sizes: Integers) -> Integers:
    """The place of each cell in NAMES."""
    place: Integers = np.searchsorted(np.array(EDGES), sizes, side="right").astype(np.int64)
    return place
