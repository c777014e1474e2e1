"""Weighted percentiles of distances, for many groups at once.

The percentile at share q is the smallest distance that at least a share q of the weight does not exceed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workbench.products.commuting_flows.flows.structures import Numbers

_ROWS = 64


def grouped_percentile(
    values: Numbers, weights: Numbers, group: NDArray[np.int64], *, groups: int, share: float
) -> Numbers:
    """One percentile per group; not-a-number for a group without weight."""
    if not len(values):
        return np.full(groups, np.nan)
    order = np.lexsort((values, group))
    reached = np.cumsum(weights[order])
    total = np.bincount(group, weights=weights, minlength=groups)
    before = np.cumsum(total) - total
    place = np.searchsorted(reached, before + share * total, side="left")
    found: Numbers = values[order][np.minimum(place, len(values) - 1)].astype(np.float64)
    found[total == 0] = np.nan
    return found


def row_percentile(
    rows_at: Callable[[NDArray[np.int64]], Numbers], weights: Numbers, share: float, count: int
) -> Numbers:
    """One percentile per row of a table that is made a few rows at a time; all rows share the weights."""
    found = np.empty(count)
    for start in range(0, count, _ROWS):
        at = np.arange(start, min(start + _ROWS, count))
        values = rows_at(at)
        order = np.argsort(values, axis=1, kind="stable")
        reached = np.cumsum(weights[order], axis=1)
        place = np.argmax(reached >= share * reached[:, -1:], axis=1)
        found[at] = values[np.arange(len(at)), order[np.arange(len(at)), place]]
    return found
