"""What history noise does to sums over the coordinates of one year: their variance and mean size.

Given the radii (s, w) and m positive coordinates, the positive ones are m gaps of a uniform m-subset of {1 … s}, the
others are d − m non-negative parts of at most w, taken off. Both are exchangeable, so that two coordinates of a year
have one covariance, and a sum over k of them has variance k·Var + k(k − 1)·Cov.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise.history_norm import HistoryNorm, falling, one, second_of_gap, sum_of_gaps, sum_of_parts

_LEAST_SHARE = 1e-9  # of the radii, left out where only a mean is asked for


def covariance(law: HistoryNorm) -> float:
    """Cov of two coordinates of the same year; 0 where there is only one, and in the law of a single year."""
    d = law.coordinates
    if d == 1 or law.years == 1:
        return 0.0
    products = law.given_radii(
        [(_pairs_of_gaps, one), (one, _pairs_of_parts), (lambda s, m: -2.0 * sum_of_gaps(s, m), sum_of_parts)]
    )
    return float((law.radii[2] * products).sum() / (d * (d - 1)))


def covariance_over_years(law: HistoryNorm) -> float:
    """Cov of two coordinates of different years, any two: years are independent given the radii."""
    if law.years == 1:
        return 0.0
    share = law.radii[2]
    mean = law.given_radii([(sum_of_gaps, one), (lambda s, m: -one(s, m), sum_of_parts)]) / law.coordinates
    return float((share * mean * mean).sum() - (share * mean).sum() ** 2)


def sum_variance(law: HistoryNorm, coordinates: int) -> float:
    """Var of the sum of so many coordinates of one year."""
    return coordinates * law.variance() + coordinates * (coordinates - 1) * covariance(law)


def mean_absolute_of_pair(law: HistoryNorm) -> float:
    """E|z₁ + z₂| of two coordinates of one year.

    Both positive or both not: twice the mean of one. One of each: E|g − p| = E g + E p − 2Σ_k P(g ≥ k)P(p ≥ k).
    """
    if law.years == 1:
        return _sum_of_two_laplace(law.single_scale)
    s, w, share = law.radii
    keep = share > _LEAST_SHARE * share.max()
    s, w, share = s[keep], w[keep], share[keep] / share[keep].sum()
    d = law.coordinates
    total, size = np.zeros(len(s)), np.zeros(len(s))
    for m in range(d + 1):
        weight = math.comb(d, m) * falling(s, m) * falling(w + d - m, d - m)
        rest = d - m
        gap, part = (s + 1) / (m + 1.0), (w + rest + 1) / (rest + 1.0) - 1.0
        alike = m * (m - 1) * 2.0 * gap + rest * (rest - 1) * 2.0 * part
        apart = 2.0 * m * rest * (gap + part - 2.0 * _both_reach(s, w, m, rest)) if m and rest else 0.0
        total += weight * (alike + apart)
        size += weight
    return float((share * total / size).sum() / (d * (d - 1)))


def _sum_of_two_laplace(scale: float) -> float:
    """E|X + Y| of independent discrete Laplace integers: P(X + Y = k) = ((1 − q)/(1 + q))²·q^|k|·(|k| + a).

    a = (1 + q²)/(1 − q²); with Σk·q^k = q/(1 − q)² and Σk²·q^k = q(1 + q)/(1 − q)³.
    """
    q, left = math.exp(-1.0 / scale), -math.expm1(-1.0 / scale)
    return 2.0 * q / (1.0 + q) ** 2 * ((1.0 + q) / left + (1.0 + q * q) / (left * (1.0 + q)))


def _pairs_of_gaps(s: Integers, m: Integers) -> Floats:
    """m(m − 1)·E g₁g₂: the m gaps and what is left behind the last add up to s + 1, all alike."""
    products: Floats = ((s + 1.0) ** 2 - (m + 1) * second_of_gap(s, m)) * (m - 1) / (m + 1.0)
    return products


def _pairs_of_parts(w: Integers, parts: Integers) -> Floats:
    """The same of parts, each a gap less one."""
    mean = (w + parts + 1) / (parts + 1.0)
    return _pairs_of_gaps(w + parts, parts) + parts * (parts - 1) * (1.0 - 2.0 * mean)


def _both_reach(s: Integers, w: Integers, m: int, rest: int) -> Floats:
    """Σ_k P(g ≥ k)·P(p ≥ k), P(g ≥ k) = C(s − k + 1, m)/C(s, m), P(p ≥ k) = C(w − k + r, r)/C(w + r, r)."""
    gap, part, total = np.ones(len(s)), np.ones(len(s)), np.zeros(len(s))
    for k in range(1, int(np.minimum(s, w).max(initial=0)) + 1):
        with np.errstate(divide="ignore", invalid="ignore"):
            if k > 1:  # C(n − 1, m) = C(n, m)·(n − m)/n
                gap = np.where(s - k + 2 > m, gap * (s - k + 2 - m) / (s - k + 2), 0.0)
            part = np.where(w - k + 1 > 0, part * (w - k + 1) / (w - k + 1 + rest), 0.0)
        total += gap * part
    return total
