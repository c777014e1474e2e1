"""Which cells to put in the lowest or highest tenth, from published estimates and their margins alone.

Estimates without a posterior are put in order by value. Model-based ones have a posterior N(θ̂, se²), and cells are put
in order by the chance of lying in the tenth, Φ((q − θ̂)/se), where q is the value below which a tenth of all cells is
expected: mean Φ((q − θ̂)/se) = 1/10. The expected number of cells below q among those put there is the sum of their
chances, so that no other order has a larger one. By value alone, a cell that is known to lie just outside stands before
one that may well lie inside.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats

TENTH = 10
_HALVINGS = 60
_LEAST_ERROR = 1e-9


def order(values: Floats, errors: Floats | None, sign: float) -> Floats:
    """What cells are put in order by, smallest first: lowest cells for sign 1, highest for −1."""
    given = np.where(np.isnan(values), np.inf, sign * values)
    if errors is None:
        return given
    known = np.isfinite(given) & np.isfinite(errors)
    if not known.any():
        return given
    found = np.full(len(given), np.inf)
    found[known] = -chances(given[known], np.maximum(errors[known], _LEAST_ERROR))
    return found


def chances(values: Floats, errors: Floats) -> Floats:
    """Of lying in the lowest tenth, cell by cell."""
    from scipy.special import ndtr

    low, high = float((values - 10.0 * errors).min()), float((values + 10.0 * errors).max())
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        below = float(ndtr((middle - values) / errors).mean())
        low, high = (middle, high) if below < 1.0 / TENTH else (low, middle)
    inside: Floats = ndtr((high - values) / errors)
    return inside
