"""Kullback-Leibler divergence between true residences and their posterior on the 29-point grid.

Formula: KL(L‖P) = Σ_i L(i) ln(L(i)/P(i)) in nats, L the true shares, P the posterior's or the synthetic shares. The
slides print D_KL = Σ_i L(i) ln(P(i)/L(i)), the same with the other sign: 0 where both agree, −∞ without overlap.
Zeros: L(i) = 0 adds nothing; P(i) = 0 where L(i) > 0 would be infinite, so such points count with P = 10⁻⁶, and the
share of workers there is told. Averages weigh a population by its workers.
Source: OnTheMap (2008), section 6, corrected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.products.commuting_flows.flows.structures import Numbers

FLOOR = 1e-6
SMALL = 10  # populations of fewer workers are small


@dataclass(frozen=True, slots=True, kw_only=True)
class Average:
    """Population-weighted means for all and for small populations; not-a-number where there is no such population."""

    everyone: float
    small: float


def divergence(true: Numbers, likely: Numbers) -> Numbers:
    """KL(L‖P) of each row; both are counts or shares (populations × 29)."""
    shares = _shares(true)
    against = np.maximum(_shares(likely), FLOOR)
    ratio = np.divide(shares, against, out=np.ones_like(shares), where=shares > 0)
    found: Numbers = np.sum(shares * np.log(ratio), axis=1)
    return found


def unreached(true: Numbers, likely: Numbers) -> Numbers:
    """Per row the share of true workers at points that P cannot reach."""
    found: Numbers = np.sum(np.where(likely > 0, 0.0, _shares(true)), axis=1)
    return found


def smoothed(drawn: Numbers) -> Numbers:
    """Shares of a draw with one worker spread evenly over the points: a few draws leave most points empty."""
    points = drawn.shape[1]
    raised: Numbers = (drawn + 1.0 / points) / (drawn.sum(axis=1, keepdims=True) + 1.0)
    return raised


def average(values: Numbers, size: Integers, weight: Numbers | None = None) -> Average:
    """Weighted by workers, or by `weight` where populations are a sample; for all and for those of fewer than ten."""
    by = size.astype(np.float64) if weight is None else weight
    return Average(everyone=_mean(values, by, size > 0), small=_mean(values, by, (size > 0) & (size < SMALL)))


def _mean(values: Numbers, weight: Numbers, chosen: NDArray[np.bool_]) -> float:
    return float(np.average(values[chosen], weights=weight[chosen])) if chosen.any() else float("nan")


def _shares(counts: Numbers) -> Numbers:
    total = counts.sum(axis=1, keepdims=True)
    shares: Numbers = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    return shares
