"""Numbers inside their class: public heaping weights, tilted to the noisy mean of the class, drawn systematically.

People round: a multiple of 10 is eight times, one of 5 four times as likely as another number. These weights are
public. Inside a class they are multiplied by e^(t·x), with t such that the mean is the noisy one.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.survey_microdata.survey_data import Variable

_TENS, _FIVES = 8.0, 4.0
_STEEPEST = 40.0
_HALVINGS = 60


def heaping(numbers: Integers) -> Floats:
    """The public weight of every number."""
    weights: Floats = np.where(numbers % 10 == 0, _TENS, np.where(numbers % 5 == 0, _FIVES, 1.0))
    return weights


def tilted(numbers: Integers, mean: float) -> Floats:
    """Chances of the numbers of one class, with this mean or the nearest that they can have."""
    weights, place = heaping(numbers), (numbers - numbers[0]) / max(1, int(numbers[-1] - numbers[0]))
    wanted = (mean - float(numbers[0])) / max(1, int(numbers[-1] - numbers[0]))
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        chances = weights * np.exp(middle * place - max(middle, 0.0))
        low, high = (middle, high) if chances @ place < wanted * chances.sum() else (low, middle)
    found = weights * np.exp(0.5 * (low + high) * (place - place.max()))
    share: Floats = found / found.sum()
    return share


def numbers_in_classes(
    variable: Variable, classed: Integers, above: Floats, random: np.random.Generator
) -> Integers:  # fmt: skip
    """One number for each record, in its class; `above` is the mean of each class above its first number."""
    found = np.empty(len(classed), dtype=np.int64)
    for place, (start, end) in enumerate(zip(variable.starts, variable.ends, strict=True)):
        rows = np.flatnonzero(classed == place)
        if not len(rows):
            continue
        numbers = np.arange(start, end + 1, dtype=np.int64)
        upper = np.cumsum(tilted(numbers, start + float(above[place])))
        points = (np.arange(len(rows)) + random.random()) / len(rows) * upper[-1]
        places = np.minimum(np.searchsorted(upper, points, side="right"), len(numbers) - 1)
        found[rows] = random.permutation(numbers[places])
    return found
