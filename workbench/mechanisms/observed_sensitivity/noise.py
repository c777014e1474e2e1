"""Maximum observed sensitivity as published: χ of a pool, the noise scale of each cell, the published error.

Formula: χ = max over the cells of a pool of N·LS, the number of records times the local sensitivity; an estimate is
published with Laplace noise of scale χ/(εN), the count with Laplace noise of scale 1/ε, each drawn independently.
Guarantee: none. χ and N are statistics of the data (see `losses` for what that costs).
Source: Chetty and Friedman (2019). Their slides call χ/(εN) the variance; it is the scale, the variance is twice its
square.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers


def largest_by_pool(sizes: Integers, local: Floats, pool: Integers, pools: int) -> Floats:
    """χ of each pool: the largest N·LS among its cells; 0 for a pool without cells."""
    chi = np.zeros(pools)
    np.maximum.at(chi, pool, sizes * local)
    return chi


def setting_cell(sizes: Integers, local: Floats, pool: Integers, pools: int) -> Integers:
    """The cell that sets χ in each pool, the first where several tie; −1 for a pool without cells."""
    product = sizes * local
    order = np.lexsort((np.arange(len(product)), -product, pool))
    cells = np.full(pools, -1, dtype=np.int64)
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = pool[order][1:] != pool[order][:-1]
    cells[pool[order][first]] = order[first]
    return cells


def scales(sizes: Integers, chi: Floats, epsilon: float | Floats) -> Floats:
    """χ/(εN) for each cell, in the unit of the estimate."""
    scale: Floats = chi / (epsilon * sizes)
    return scale


def published_error(standard_error: Floats, scale: Floats) -> Floats:
    """√(se² + 2b²): sampling and noise together. It contains N, so publishing it would cost again."""
    error: Floats = np.sqrt(standard_error**2 + 2.0 * scale**2)
    return error
