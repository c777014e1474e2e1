"""The law of one coordinate of block noise, as far as studies of usefulness need it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats
from workbench.noise.declared.radial import Coordinate, Radius
from workbench.products.employment_tables.mechanisms.block.tail import Tail
from workbench.products.employment_tables.mechanisms.error_law import StandardLaw

_NODES = 2048
_KNOTS = 1000


class CoordinateLaw:
    """|one coordinate| of block noise: T(y) = E[(1 − y/t)₊^(d−1)], t^m = G_a/G_b the radius.

    The mean over the radius is taken at the midpoints of equal shares of its law, so T is right to about 1e-3; enough
    for shares of cells, and never used for a guarantee. The table is made when it is first asked for.
    """

    def __init__(self, tail: Tail) -> None:
        self._law = tail

    def survival(self, z: Floats) -> Floats:
        log, tail = _coordinate_table(self._law)
        found: Floats = np.interp(np.log(np.maximum(z, 1e-300)), log, tail, left=1.0, right=0.0)
        return found

    def quantile(self, tail: Floats, polish: int = 0) -> Floats:  # noqa: ARG002 - a table has no better guess
        log, known = _coordinate_table(self._law)
        found: Floats = np.exp(np.interp(-tail, -known, log))
        return found


@lru_cache(maxsize=64)
def _coordinate_table(tail: Tail) -> tuple[Floats, Floats]:
    """ln y and T(y)."""
    from scipy.special import betaincinv

    shares = (np.arange(_NODES) + 0.5) / _NODES
    part = betaincinv(float(tail.core), float(tail.far), shares)
    radius: Floats = (part / np.maximum(1.0 - part, 1e-300)) ** (1.0 / tail.sharpness)
    log = np.linspace(-10.0, float(np.log(radius[-1])), _KNOTS)
    inner = np.maximum(1.0 - np.exp(log)[:, None] / radius[None, :], 0.0)
    powered = inner ** (tail.cells - 1) if tail.cells > 1 else (inner > 0.0)
    return log, powered.mean(axis=1)


class WeightedCoordinateLaw:
    """The same where the norm has a weight on the total, from the tables of the declared law."""

    def __init__(self, tail: Tail) -> None:
        self._law = Coordinate(Radius(tail.cells, float(tail.core), float(tail.far), float(tail.totals)))

    def survival(self, z: Floats) -> Floats:
        return self._law.tail(z)

    def quantile(self, tail: Floats, polish: int = 0) -> Floats:  # noqa: ARG002 - a table has no better guess
        return self._law.size(tail)


@lru_cache(maxsize=64)
def coordinate_law(tail: Tail) -> StandardLaw:
    """One object per law, so that whoever shares draws by law finds it again."""
    return WeightedCoordinateLaw(tail) if tail.totals else CoordinateLaw(tail)
