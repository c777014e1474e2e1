"""Exact integer noise from OpenDP, for values that are published.

OpenDP samples the discrete Laplace with integer arithmetic only (Canonne, Kamath and Steinke 2020), the scale taken as
the exact rational value of the float, and draws its bits from the operating system: no seed exists anywhere.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect
from workbench.core.progress import Context
from workbench.noise.discrete_laplace import scale_for

CHUNK = 1200  # about 15 ms of sampling between two questions whether to go on
_MOST_NUDGES = 64


def certified_laplace(sensitivity: int, epsilon: Fraction) -> tuple[Any, float]:
    """OpenDP's measurement and its scale, such that OpenDP's own privacy map at `sensitivity` is at most ε.

    The map rounds up, so the scale is nudged upward by single floats until the exact value of the map's answer is
    no more than ε as typed. A few nudges suffice; anything else is a defect.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = scale_for(sensitivity, epsilon)
    for _ in range(_MOST_NUDGES):
        measurement: Any = dp.m.make_laplace(*space, scale=scale)
        if Fraction(measurement.map(sensitivity)) <= epsilon:
            return measurement, scale
        scale = math.nextafter(scale, math.inf)
    raise Defect("OpenDP's privacy map stays above the claimed ε")


def add_laplace(
    counts: NDArray[np.int64], *, sensitivity: int, epsilon: Fraction, context: Context
) -> NDArray[np.int64]:
    """counts + exact discrete Laplace noise, one independent draw per cell."""
    context.step(0.0, "preparing the exact sampler")
    measurement, _ = certified_laplace(sensitivity, epsilon)
    noisy = np.empty(len(counts), dtype=np.int64)
    for start in range(0, len(counts), CHUNK):
        end = min(start + CHUNK, len(counts))
        context.step(start / len(counts), f"drawing noise for cell {start + 1:,} of {len(counts):,}")
        noisy[start:end] = measurement(np.ascontiguousarray(counts[start:end], dtype=np.int64))
    context.step(1.0, "noise drawn")
    return noisy
