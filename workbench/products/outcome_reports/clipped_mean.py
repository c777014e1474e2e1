"""A mean whose noise follows its count: Laplace of scale B/(ε·max(N, n₀)), published value clipped to [0, B].

With the scale B/(εN) neighbours have different scales, and unclipped the loss grows without bound with what is
published. Clipped, it is exactly max(ε, εN/(N+1) + ln(1 + 1/N)) for neighbours of N and N + 1 rows, N ≥ 1. With a floor
n₀ of phantom rows at B/2 it is max(ε₀, ε₀n₀/(n₀+1) + ln(1 + 1/n₀)) for every N ≥ 0. The scale and any error that
contains N must never be published. The noise is around the unrounded mean and rounded afterwards.
Source: own derivation; the mean with χ = B is the upper bound of Chetty and Friedman (2019) as used for UMETRICS.
"""

from __future__ import annotations

import math


def exact_loss(epsilon: float, smallest: int) -> float:
    """The loss of the clipped mean where every cell has at least so many rows, before one more joins."""
    return max(epsilon, epsilon * smallest / (smallest + 1) + math.log1p(1.0 / smallest))


def unclipped_log_ratio(
    *, epsilon: float, cap: float, count: int, total: float, joiner: float, published: float
) -> float:
    """ln of the density without the joiner over that with, at one published value: grows with its size."""
    without, with_ = abs(count * published - total), abs((count + 1) * published - total - joiner)
    return math.log(count / (count + 1)) + epsilon / cap * (with_ - without)


def inner_epsilon(epsilon: float, floor: int) -> float | None:
    """ε₀ at which the floored, clipped mean loses ε exactly; None where ln(1 + 1/n₀) alone exceeds ε."""
    if math.log1p(1.0 / floor) > epsilon:
        return None
    return min(epsilon, (epsilon - math.log1p(1.0 / floor)) * (floor + 1) / floor)


def floored_scale(*, inner: float, count: int, floor: int, cap: float) -> float:
    """B/(ε₀·max(N, n₀)): confidential, because it holds N."""
    return cap / (inner * max(count, floor))
