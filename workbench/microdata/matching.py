"""Texts of one list found in another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.microdata.table import MISSING, Texts

_FEW = 10_000  # a dictionary of so many is quicker to make than arrays of text


def where_listed(wanted: Texts, listed: Texts) -> NDArray[np.int32]:
    """Where each text stands in a list of different texts in any order; -1 where it does not."""
    if not len(listed) or not len(wanted):
        return np.full(len(wanted), MISSING, dtype=np.int32)
    if len(listed) + len(wanted) < _FEW:
        place = {str(text): position for position, text in enumerate(listed)}
        return np.array([place.get(str(text), MISSING) for text in wanted], dtype=np.int32)
    known, texts = np.asarray(listed, dtype=np.str_), np.asarray(wanted, dtype=np.str_)
    order = np.argsort(known, kind="stable")
    found = order[np.minimum(np.searchsorted(known, texts, sorter=order), len(known) - 1)]
    return np.where(known[found] == texts, found, MISSING).astype(np.int32)
