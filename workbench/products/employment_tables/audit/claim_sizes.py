"""The fixed grid of sizes of establishments on which every claim about workforces is tried."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Integers

_EVERY = 130
_TURNS = 5
_GROWTH = 1.1
LARGEST = 10_000
_FROM_TABLE = 200


def step_up(size: Integers, alpha: Decimal) -> Integers:
    """max(⌊αx⌋, 1): the most workers an establishment of each size may gain in one step."""
    share = Fraction(alpha)
    return np.maximum(size * share.numerator // share.denominator, 1)


def step_down(size: Integers, alpha: Decimal) -> Integers:
    """The most it may lose so that it can grow back in one step: x − y for the least y with y + max(⌊αy⌋, 1) ≥ x."""
    share = Fraction(alpha)
    least = -(-size * share.denominator // (share.denominator + share.numerator))
    reaches = least + step_up(least, alpha) >= size
    least = np.where(reaches, least, least + 1)
    return np.where(size > 0, np.maximum(size - np.minimum(least, size - 1), 1), 0)


def grid_sizes(alpha: Decimal, present: Integers, coarse: bool = False) -> Integers:
    """0 to 130; ⌈j/α⌉ and its two neighbours; from there on a tenth more each time, with the next multiple of 1/α.

    And every size of the table with one step on either side, up to two hundred of them. `coarse` leaves out most sizes
    between 30 and 130, for tables whose worker cells multiply the pairs.
    """
    share = Fraction(alpha)
    found: set[int] = set(range(31 if coarse else _EVERY + 1))
    for j in range(1, _TURNS + 1):
        turn = -(-j * share.denominator // share.numerator)
        found |= {turn - 1, turn, turn + 1}
    size = float(31 if coarse else _EVERY + 1)
    while size <= LARGEST:
        whole = int(size)
        found |= {whole, -(-whole * share.numerator // share.denominator) * share.denominator // share.numerator}
        size *= _GROWTH
    here = np.unique(present)
    here = here[np.linspace(0, len(here) - 1, min(len(here), _FROM_TABLE)).astype(int)] if len(here) else here
    made = np.concatenate([np.array(sorted(found), dtype=np.int64), here.astype(np.int64)])
    around = np.concatenate([made, here + step_up(here, alpha), here - step_down(here, alpha)])
    return np.unique(around[around >= 0])
