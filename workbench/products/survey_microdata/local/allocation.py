"""A record's total ε over its variables, so that the noise of all their shares together is smallest.

The noise of one share of k answers, at the share 1/k and times n, is v(ε) = (k − 1)/k·(2E + k − 2)/(E − 1)², E = e^ε.
Σ w·v(ε_j) at a fixed sum of ε_j is smallest where w·v′ is equal: v′ = −2(k − 1)/k·E(E + k − 1)/(E − 1)³.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers

_HALVINGS = 200
_LEAST, _MOST = 1e-6, 700.0


def noise(epsilon: Floats, answers: Integers) -> Floats:
    """v(ε) of each variable."""
    raised = np.expm1(epsilon)
    variance: Floats = (answers - 1) / answers * (2.0 * raised + answers) / raised**2
    return variance


def _log_slope(epsilon: Floats, answers: Integers, weights: Floats) -> Floats:
    """ln(−w·v′), which falls with ε."""
    raised = np.expm1(epsilon)
    slope: Floats = (
        np.log(weights) + np.log(2.0 * (answers - 1) / answers) + epsilon + np.log(raised + answers)
        - 3.0 * np.log(raised)
    )  # fmt: skip
    return slope


def best_split(answers: Integers, total: float, weights: Floats) -> Floats:
    """ε of each variable, adding up to the total."""
    low, high = -2.0 * _MOST, 3.0 * _MOST
    split = np.full(len(answers), total / len(answers))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        split = _at_slope(middle, answers, weights)
        low, high = (middle, high) if float(split.sum()) > total else (low, middle)
    return split * (total / float(split.sum()))


def _at_slope(wanted: float, answers: Integers, weights: Floats) -> Floats:
    """The ε at which every variable's slope is the wanted one."""
    low, high = np.full(len(answers), _LEAST), np.full(len(answers), _MOST)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        steep = _log_slope(middle, answers, weights) > wanted
        low, high = np.where(steep, middle, low), np.where(steep, high, middle)
    found: Floats = 0.5 * (low + high)
    return found
