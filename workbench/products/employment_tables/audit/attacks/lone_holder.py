"""A worker known to be the only one with some attribute value: the other attributes are read off the cells.

Zero stays zero under noise infusion, so among the cells with that value exactly one is not zero: the worker's. The
attack names the largest published value among them, which is that cell whenever zeros are preserved.
Rows are workplace cells, columns worker cells. Source: Haney et al. (2017), section 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Holders:
    """Workers who are the only one of their workplace cell with some value: where they are and what is looked at."""

    row: Integers
    column: Integers  # the worker's true cell
    looked_at: NDArray[np.bool_]  # per holder, the cells that share the telling value
    others: Integers  # how many cells the worker could be in, as far as the attacker knows


def lone_holders(counts: Integers, sizes: tuple[int, ...]) -> Holders:
    """Every (workplace cell, attribute value) with exactly one worker, where another attribute is left to learn.

    `sizes` are the numbers of values of the worker attributes; the last one runs fastest over the columns.
    """
    empty = np.zeros(0, dtype=np.int64)
    rows, columns, masks, others = [empty], [empty], [np.zeros((0, counts.shape[1]), dtype=np.bool_)], [empty]
    codes = np.unravel_index(np.arange(counts.shape[1]), sizes) if sizes else ()
    for code, values in zip(codes, sizes, strict=True):
        for value in range(values):
            mask = code == value
            if mask.sum() < 2:
                continue
            found = np.flatnonzero(counts[:, mask].sum(axis=1) == 1)
            rows.append(found)
            columns.append(np.flatnonzero(mask)[np.argmax(counts[found][:, mask], axis=1)])
            masks.append(np.broadcast_to(mask, (len(found), len(mask))))
            others.append(np.full(len(found), int(mask.sum()), dtype=np.int64))
    return Holders(
        row=np.concatenate(rows),
        column=np.concatenate(columns),
        looked_at=np.concatenate(masks),
        others=np.concatenate(others),
    )


def named_columns(published: Floats, holders: Holders) -> Integers:
    """The cell the attack names for each holder; −1 where nothing stands out."""
    seen = np.where(holders.looked_at, published[holders.row], -np.inf)
    top = seen.max(axis=1, initial=-np.inf)
    alone = ((seen == top[:, None]).sum(axis=1) == 1) & (top > 0)
    return np.where(alone, np.argmax(seen, axis=1), -1)
