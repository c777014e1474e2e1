"""What maximum observed sensitivity loses, even for an attacker who takes χ for fixed.

The scale χ/(εN) holds the exact N: a person who leaves changes the scale of the cell's noise as well as its centre. No
pure ε covers that, and δ at the nominal ε is not small.

- At the shift χ/N, δ = (1 − 1/N)^(N−1)/(2N), whatever ε is. It is the least that must be said.
- The same χ allows the shift χ/(N−1), for somebody who joins a cell of N−1. With c = ln(N/(N−1)) and
  x = (2ε + c)/(ε(2N − 1)) in units of χ, δ = 1 − ½e^(−ε(1 − (N−1)x)) − ½e^(ε − εNx) where ε ≥ (N−1)c.
- A person who changes χ itself rescales the noise of every other cell of the pool.
- Normal noise of the same standard deviation loses far more, and one draw shared by an estimate and its count tells
  which of all candidate data sets is the true one.

Source: own derivations; the method is that of Chetty and Friedman (2019).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from workbench.accounting import gaussian_dp

_HALVINGS = 200
MOST_TOLD = 700.0  # beyond it e^ε is no double


def least_delta(size: int) -> float:
    """δ at the nominal ε, whatever it is, when one of N persons moves the estimate by χ/N."""
    return (1.0 - 1.0 / size) ** (size - 1) / (2.0 * size)


def joining_delta(size: int, epsilon: float) -> float:
    """δ at the nominal ε when the N-th person moves the estimate of the other N−1 by χ/(N−1)."""
    return conditional_delta(size=size, epsilon=epsilon, shift=1.0 / (size - 1))[1]


def conditional_delta(*, size: int, epsilon: float, shift: float) -> tuple[float, float]:
    """δ at the nominal ε between N persons and N−1 whose estimate differs by `shift`, in units of χ.

    First with the person against without, then without against with.
    """
    own, other = 1.0 / (epsilon * size), 1.0 / (epsilon * (size - 1))
    return (
        _laplace_delta(own, other, shift, epsilon),
        _laplace_delta(other, own, -shift, epsilon),
    )


def _laplace_delta(first: float, second: float, shift: float, epsilon: float) -> float:
    """∫(p − e^ε·q)⁺ of Laplace(0, first) and Laplace(shift, second): the log ratio is linear between its corners."""
    corners = sorted({-math.inf, 0.0, shift, math.inf})

    def excess(x: float) -> float:
        return math.log(second / first) - abs(x) / first + abs(x - shift) / second - epsilon

    total = 0.0
    for low, high in pairwise(corners):
        total += _gain(low, high, excess, (first, second, shift, epsilon))
    return max(0.0, total)


def _gain(low: float, high: float, excess: Callable[[float], float], laws: tuple[float, float, float, float]) -> float:
    """The integral over the part of one linear piece where the log ratio exceeds ε."""
    first, second, shift, epsilon = laws
    near = low if math.isfinite(low) else high - 1.0
    far = high if math.isfinite(high) else low + 1.0
    slope = (excess(far) - excess(near)) / (far - near)
    root = near - excess(near) / slope if slope else (math.inf if excess(near) <= 0 else -math.inf)
    low, high = (max(low, root), high) if slope >= 0 else (low, min(high, root))
    if not low < high:
        return 0.0
    own = _cdf(high, first) - _cdf(low, first)
    return own - math.exp(epsilon) * (_cdf(high - shift, second) - _cdf(low - shift, second))


def _cdf(x: float, scale: float) -> float:
    return 0.5 * math.exp(x / scale) if x < 0 else 1.0 - 0.5 * math.exp(-x / scale)


def normal_noise_delta(epsilon: float) -> float:
    """δ at the nominal ε of normal noise with the standard deviation √2·χ/(εN), at the shift χ/N."""
    return gaussian_dp.delta_of(epsilon / math.sqrt(2.0), epsilon)


def rescaling_epsilon(*, cells: int, ratio: float, delta: float) -> tuple[float, float]:
    """What the noise of `cells` other cells tells when one person multiplies χ by `ratio`: ε at δ, both directions.

    |noise| is exponential, so the sum over cells is Gamma distributed and the log ratio a linear function of it. Where
    ε is more than `MOST_TOLD`, that is what is told.
    """
    if not cells or ratio == 1.0:
        return 0.0, 0.0
    growth = max(ratio, 1.0 / ratio)
    forward = _first_below(lambda epsilon: _shrinking(cells, growth, epsilon), delta)
    backward = _first_below(lambda epsilon: _growing(cells, growth, epsilon), delta)
    return forward, backward


def _shrinking(cells: int, growth: float, epsilon: float) -> float:
    """Noise of scale 1 told apart from noise of scale `growth`: the log ratio exceeds ε where the sum is small."""
    from scipy.special import gammainc

    limit = (cells * math.log(growth) - epsilon) / (1.0 - 1.0 / growth)
    if limit <= 0.0:
        return 0.0
    return float(gammainc(cells, limit) - math.exp(epsilon) * gammainc(cells, limit / growth))


def _growing(cells: int, growth: float, epsilon: float) -> float:
    """Noise of scale `growth` told apart from noise of scale 1: the log ratio exceeds ε where the sum is large."""
    from scipy.special import gammaincc

    limit = (epsilon + cells * math.log(growth)) / (1.0 - 1.0 / growth)
    return float(gammaincc(cells, limit / growth) - math.exp(epsilon) * gammaincc(cells, limit))


def _first_below(delta_at: Callable[[float], float], delta: float) -> float:
    low, high = 0.0, 1.0
    if delta_at(low) <= delta:
        return 0.0
    while delta_at(high) > delta:
        if high == MOST_TOLD:
            return high
        high = min(2.0 * high, MOST_TOLD)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return high


def shared_draw_residual(*, estimate: float, count: float, chi: float, candidate: tuple[float, float]) -> float:
    """Zero for the true candidate where one draw was added to both: θ̃ − θ − (χ/N)(Ñ − N)."""
    theta, size = candidate
    return estimate - theta - chi / size * (count - size)
