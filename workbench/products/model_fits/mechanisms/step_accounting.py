"""What steps of gradient descent cost: Poisson samples with Gaussian noise, by Rényi divergences and by PLD.

Rényi, integer orders a = 2 … 256: A = Σ_k C(a, k)(1 − q)^(a−k)·q^k·e^((k²−k)/(2σ²)), ln A/(a − 1) a step (a/(2σ²) where
q = 1); ε(δ) = min over a of T·ln A/(a − 1) + ln((a − 1)/a) − (ln δ + ln a)/(a − 1). PLD is tighter and is what is
claimed; both are upper bounds by accounting. Neighbours: one person added or removed.
Source: Abadi et al. (2016); Mironov, Talwar and Zhang (2019); Koskela et al. (2020); Google's dp-accounting for PLD.
"""

from __future__ import annotations

import math
from decimal import Decimal
from functools import lru_cache

import numpy as np

from workbench.accounting import pld
from workbench.accounting.pld import upwards
from workbench.core.arrays import Floats

__all__ = ["ORDERS", "epsilon_by_pld", "epsilon_by_renyi", "renyi_of_step", "sigma_by_renyi", "sigma_for", "upwards"]

ORDERS = np.arange(2, 257)
_HALVINGS = 16
_CLOSE = 0.0005


@lru_cache(maxsize=256)
def renyi_of_step(sampling: float, sigma: float, order: int) -> float:
    """The Rényi divergence of one step at an integer order."""
    if sampling == 1.0:
        return order / (2.0 * sigma**2)
    k = np.arange(order + 1)
    logs: Floats = (
        np.array([math.lgamma(order + 1) - math.lgamma(j + 1) - math.lgamma(order - j + 1) for j in k.tolist()])
        + (order - k) * math.log1p(-sampling)
        + k * math.log(sampling)
        + (k * k - k) / (2.0 * sigma**2)
    )
    return float(np.logaddexp.reduce(logs)) / (order - 1)


@lru_cache(maxsize=512)
def epsilon_by_renyi(sampling: float, sigma: float, steps: int, delta: float) -> float:
    """ε at δ of so many steps, over the integer orders from 2 to 256."""
    best = math.inf
    for order in ORDERS.tolist():
        spent = steps * renyi_of_step(sampling, sigma, order)
        loss = spent + math.log((order - 1) / order) - (math.log(delta) + math.log(order)) / (order - 1)
        best = min(best, loss)
    return max(best, 0.0)


@lru_cache(maxsize=512)
def epsilon_by_pld(sampling: float, sigma: float, steps: int, delta: float) -> float:
    """ε at δ by privacy loss distributions: pessimistic, to float precision (`upwards` makes it a claim)."""
    law = pld.GaussianNoise(sigma=sigma, sampling=sampling)
    return pld.epsilon_at([(law, steps)], delta)


@lru_cache(maxsize=64)
def sigma_for(sampling: float, steps: int, epsilon: float, delta: float) -> float:
    """The smallest σ, rounded up by at most half a thousandth, at which PLD keeps (ε, δ) with ε rounded up.

    Rényi accounting is quick and never far above, so the search starts from its σ; ln ε is nearly straight in ln σ.
    """
    high = sigma_by_renyi(sampling, steps, epsilon, delta)
    low, above = 0.85 * high, math.inf
    kept = epsilon_by_pld(sampling, high, steps, delta)
    while upwards(kept) > Decimal(epsilon):
        low, above, high = high, kept, 1.05 * high
        kept = epsilon_by_pld(sampling, high, steps, delta)
    while high - low > _CLOSE * high:
        slope = math.log(above / kept) / math.log(high / low) if math.isfinite(above) else 1.0
        reached = high * (kept / epsilon) ** (1.0 / slope) if kept > 0.0 else 0.0
        between = 0.5 * (low + high)
        middle = min(reached * (1.0 + 0.4 * _CLOSE), high * (1.0 - 0.4 * _CLOSE)) if reached > low else between
        spent = epsilon_by_pld(sampling, middle, steps, delta)
        if upwards(spent) <= Decimal(epsilon):
            high, kept = middle, spent
        else:
            low, above = middle, spent
    return high


def sigma_by_renyi(sampling: float, steps: int, epsilon: float, delta: float) -> float:
    low, high = 0.0, 1.0
    while epsilon_by_renyi(sampling, high, steps, delta) > epsilon:
        low, high = high, 2.0 * high
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if epsilon_by_renyi(sampling, middle, steps, delta) <= epsilon else (middle, high)
    return high
