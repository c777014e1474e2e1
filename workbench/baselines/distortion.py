"""Distortion factors of input noise infusion: two ramps or two plateaus on either side of a gap around 1.

Support [1−B, 1−A] ∪ [1+A, 1+B], symmetric about 1. Ramp (triangular, highest at the gap):
cdf (d+B−1)²/(2(B−A)²) below, 1 − (1+B−d)²/(2(B−A)²) above; quantile 1−B+(B−A)√(2u) and 1+B−(B−A)√(2(1−u));
E|f−1| = (B+2A)/3, Var f = (B²+2AB+3A²)/6. Uniform: E|f−1| = (A+B)/2, Var f = (A²+AB+B²)/3.
Source: Abowd, Stephens and Vilhuber (2006); Haney et al. (2017), section 5.1.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats
from workbench.tabulation.factors import Shape

_EDGE = 1e-12


def density(factors: Floats, *, least: float, most: float, shape: Shape) -> Floats:
    """The density at each factor; zero in the gap and outside."""
    distance, width = np.abs(factors - 1.0), most - least
    height = (most - distance) / width**2 if shape is Shape.RAMP else np.full_like(distance, 0.5 / width)
    beyond_gap = distance >= least - _EDGE  # 4.5/5 lies on the edge of the gap, which doubles put a hair inside it
    inside: Floats = np.where(beyond_gap & (distance <= most + _EDGE), np.maximum(height, 0.0), 0.0)
    return inside


def cumulative(factors: Floats, *, least: float, most: float, shape: Shape) -> Floats:
    """P(f ≤ factor), ½ throughout the gap."""
    width = most - least
    share = np.clip((most - np.abs(factors - 1.0)) / width, 0.0, 1.0)
    half = share**2 / 2.0 if shape is Shape.RAMP else share / 2.0
    below: Floats = np.where(factors <= 1.0, half, 1.0 - half)
    return below


def mean_absolute(*, least: float, most: float, shape: Shape) -> float:
    """E|f − 1|."""
    return (most + 2.0 * least) / 3.0 if shape is Shape.RAMP else (least + most) / 2.0


def variance(*, least: float, most: float, shape: Shape) -> float:
    """Var f (its mean is 1)."""
    if shape is Shape.RAMP:
        return (most**2 + 2.0 * least * most + 3.0 * least**2) / 6.0
    return (least**2 + least * most + most**2) / 3.0
