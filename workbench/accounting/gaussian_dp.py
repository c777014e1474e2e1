"""μ-Gaussian differential privacy and (ε, δ), for continuous normal noise that is added and then rounded.

Formula: δ(μ, ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), exact for noise of σ = Δ/μ; releases compose by √(Σμ²).
It does not hold for the discrete Gaussian, whose δ comes from ρ (see `zcdp`).
Source: Balle and Wang (2018); Dong, Roth and Su (2022).
"""

from __future__ import annotations

import math
from functools import lru_cache

_STEPS = 200
_KEPT = 1024  # every draw of a release asks again
_CAREFUL = 1e-12


def delta_of(mu: float, epsilon: float) -> float:
    """δ at ε, rounded up."""
    from scipy.special import log_ndtr

    if mu <= 0.0:
        return 0.0
    first = float(log_ndtr(mu / 2.0 - epsilon / mu))
    second = epsilon + float(log_ndtr(-mu / 2.0 - epsilon / mu))
    difference = math.exp(first) * -math.expm1(min(second - first, 0.0))
    return min(1.0, max(0.0, difference) + _CAREFUL * math.exp(first))


@lru_cache(maxsize=_KEPT)
def mu_of(epsilon: float, delta: float) -> float:
    """The largest μ, rounded down, that keeps (ε, δ)."""
    low, high = 0.0, 1.0
    while delta_of(high, epsilon) <= delta:
        high *= 2.0
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if delta_of(middle, epsilon) <= delta else (low, middle)
    return low


@lru_cache(maxsize=_KEPT)
def epsilon_of(mu: float, delta: float) -> float:
    """The smallest ε, rounded up, at which μ keeps δ; 0 where it does so without any ε."""
    low, high = 0.0, 1.0
    while delta_of(mu, high) > delta:
        high *= 2.0
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (low, middle) if delta_of(mu, middle) <= delta else (middle, high)
    return high
