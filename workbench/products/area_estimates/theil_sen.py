"""Pairwise predictions and their private median: the arithmetic of DP Theil-Sen.

A pair of people predicts z = slope·(p − (x₁ + x₂)/2) + (y₁ + y₂)/2, clipped to [−½, 1½]; where both have the same x the
slope counts as 0, so that the number of predictions does not depend on values. The private median is r on a grid with
probability proportional to e^(ε′·u(r)/2), u(r) = −|#(z < r) − N/2|, ε′ = ε/k where each person is in k pairs.
Source: Alabi, McMillan, Sarathy, Smith and Vadhan (2020).
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers

LOW, HIGH = -0.5, 1.5
GRID = 20_000  # steps between LOW and HIGH: the last published decimal of an outcome between 0 and 1
_POINTS = LOW + np.arange(GRID + 1) * ((HIGH - LOW) / GRID)


def predictions(x: Floats, y: Floats, first: Integers, second: Integers, rank: float) -> Floats:
    """z of every pair."""
    dx, dy = x[second] - x[first], y[second] - y[first]
    slope = np.where(dx == 0.0, 0.0, dy / np.where(dx == 0.0, 1.0, dx))
    z: Floats = np.clip(slope * (rank - (x[first] + x[second]) / 2.0) + (y[first] + y[second]) / 2.0, LOW, HIGH)
    return z


def levels(z: Floats) -> Integers:
    """2·|#(z < r) − N/2| for every r of the grid: an integer that one changed prediction moves by at most 2."""
    first = np.searchsorted(_POINTS, z, side="right")  # of the points above each z, which are far more than the z
    below = np.cumsum(np.bincount(first, minlength=GRID + 2)[: GRID + 1])
    found: Integers = np.abs(2 * below - len(z)).astype(np.int64)
    return found


def matchings(people: int, order: Integers) -> tuple[Integers, Integers]:
    """Pairs of people who stand next to each other in each of the orders, orders × people."""
    pairs = people // 2
    return order[:, 0 : 2 * pairs : 2].ravel(), order[:, 1 : 2 * pairs : 2].ravel()
