"""How far the laws of two neighbours lie apart, by numerical search: a route without any mechanism's formula.

With s the shift in units of the smaller scale and r the ratio of the scales, the log ratio at u is
ln f(u) − ln f((u − s)/r) + ln r. It is looked at on a grid in u that is fine near both centres and reaches far out,
and once more, finer, around the largest value. δ is the sum of what one law exceeds e^ε times the other by, over the
cells of the grid.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats
from workbench.noise.declared.shapes import Shape, below

_REACH = np.concatenate([[0.0], np.geomspace(1e-3, 1e5, 160)])
_FINE = np.linspace(-1.0, 1.0, 33)
KEPT = 20_000  # pairs: several checks of one audit look at the same grid
_CELLS = np.concatenate([np.linspace(0.0, 60.0, 1201)[1:], np.geomspace(60.0, 1e6, 80)[1:]])


def shifted(shape: Shape, shift: Floats, scales: tuple[Floats, Floats], epsilon: float) -> tuple[Floats, Floats]:
    """Largest |log ratio| and δ at ε, for each pair of laws; equal pairs are worked out once."""
    smaller, larger = np.minimum(*scales), np.maximum(*scales)
    pairs = np.stack([np.round(shift / smaller, 12), np.round(larger / smaller, 12)], axis=1)
    distinct, where = np.unique(pairs, axis=0, return_inverse=True)
    where = where.ravel()
    losses = np.array([_largest(shape, s, r) for s, r in distinct.tolist()])
    deltas = np.array([_delta(shape, s, r, epsilon) for s, r in distinct.tolist()])
    return losses[where], deltas[where]


def _ratio(shape: Shape, u: Floats, s: float, r: float) -> Floats:
    found: Floats = shape.log_density(u) - shape.log_density((u - s) / r) + np.log(r)
    return found


@lru_cache(maxsize=KEPT)
def _largest(shape: Shape, s: float, r: float) -> float:
    if s == 0.0 and r == 1.0:
        return 0.0
    u = np.sort(np.concatenate([-_REACH, _REACH, s - _REACH, s + _REACH]))
    values = np.abs(_ratio(shape, u, s, r))
    top = int(np.argmax(values))
    near, step = float(u[top]), float(max(u[min(top + 1, len(u) - 1)] - u[top], u[top] - u[max(top - 1, 0)]))
    for _ in range(4):
        fine = near + step * _FINE
        values = np.abs(_ratio(shape, fine, s, r))
        near, step = float(fine[int(np.argmax(values))]), step / 12.0
    return float(values.max())


@lru_cache(maxsize=KEPT)
def _delta(shape: Shape, s: float, r: float, epsilon: float) -> float:
    """The larger of both directions."""
    at = np.array([epsilon])
    return 0.0 if s == 0.0 and r == 1.0 else float(max(side[0] for side in deltas(shape, s, r, (at, at))))


def deltas(shape: Shape, s: float, r: float, epsilons: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """δ of the narrower law against the wider at the first ε's, and the reverse at the second."""
    u = np.unique(np.concatenate([-_CELLS, [0.0, s], _CELLS, s - _CELLS, s + _CELLS]))
    laws = [np.diff(below(shape, z), prepend=0.0, append=1.0) for z in (u, (u - s) / r)]
    found = [
        np.maximum(a[None, :] - np.exp(epsilon)[:, None] * b[None, :], 0.0).sum(axis=1)
        for a, b, epsilon in ((*laws, epsilons[0]), (*reversed(laws), epsilons[1]))
    ]
    return found[0], found[1]
