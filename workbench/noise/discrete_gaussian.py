"""The discrete Gaussian: integers with P(k) proportional to e^(−k²/(2σ²)), one σ for each value, exact.

Guarantee: ρ-zCDP with ρ = Δ²/(2σ²) for integers that a neighbour moves by at most Δ in Euclidean distance (Canonne,
Kamath and Steinke 2020, Theorem 14). Its δ at a given ε comes from ρ, or from the law itself, never from the formula
for continuous noise, which is too small by up to a factor of 3 at ε = 8.
Sampler: their algorithm 3. Y is discrete Laplace of scale t = ⌊σ⌋ + 1, kept with probability
e^(−(|Y| − σ²/t)²/(2σ²)), drawn again otherwise. Y is exact, and the coin is decided by floats with a stated error or
else with decimals and further bits. Three words for each try; σ is the exact value of its float.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Defect
from workbench.core.progress import QUIET, Context
from workbench.core.randomness import UniformWords
from workbench.noise.geometric import CHUNK, discrete_laplace, exponential
from workbench.noise.lazy_uniform import LazyUniform

_BITS = 64
_ROUNDING = 2.0**-46
_MOST_SIGMA = 2.0**50
_REACH = 40.0  # in σ; beyond, less than 10^−300 of the mass


def draw(sigma: Floats, rng: UniformWords, context: Context) -> Integers:
    """One independent discrete Gaussian integer for each σ."""
    if not (np.all(sigma > 0.0) and np.all(sigma <= _MOST_SIGMA)):
        raise Defect("a σ of discrete Gaussian noise is not positive, or larger than any count")
    noise = np.empty(len(sigma), dtype=np.int64)
    for start in range(0, len(sigma), CHUNK):
        context.step(start / len(sigma), "drawing exact noise")
        noise[start : start + CHUNK] = _chunk(np.ascontiguousarray(sigma[start : start + CHUNK], np.float64), rng)
    context.step(1.0, "exact noise drawn")
    return noise


def _chunk(sigma: Floats, rng: UniformWords) -> Integers:
    noise = np.empty(len(sigma), dtype=np.int64)
    left = np.arange(len(sigma))
    while len(left):
        tried = sigma[left]
        proposed = discrete_laplace(np.floor(tried) + 1.0, rng, QUIET)
        kept = _kept(proposed, tried, rng)
        noise[left[kept]] = proposed[kept]
        left = left[~kept]
    return noise


def _kept(proposed: Integers, sigma: Floats, rng: UniformWords) -> NDArray[np.bool_]:
    """U < e^(−γ), γ = (|Y| − σ²/t)²/(2σ²), for each proposal."""
    words = rng.words(len(proposed))
    known = words.astype(np.float64) + 0.5
    log = (_BITS * np.log(2.0)) - np.log(known)
    size, center = np.abs(proposed).astype(np.float64), sigma * sigma / (np.floor(sigma) + 1.0)
    distance = size - center
    gamma = distance * distance / (2.0 * sigma * sigma)
    slack = np.abs(distance) * (size + center) / (sigma * sigma)
    error = 1.0 / known + _ROUNDING * (_BITS + gamma + slack)
    kept: NDArray[np.bool_] = log > gamma
    for position in np.flatnonzero((words == 0) | (np.abs(log - gamma) <= error)).tolist():
        lazy = LazyUniform(int(words[position]), _BITS, rng)
        rate = _rate(int(proposed[position]), Fraction(float(sigma[position])))
        kept[position] = rate == 0 or lazy.is_below(partial(exponential, rate))
    return kept


def _rate(proposed: int, sigma: Fraction) -> Fraction:
    variance, scale = sigma * sigma, int(sigma) + 1
    return (abs(proposed) - variance / scale) ** 2 / (2 * variance)


def probability(values: Integers, sigma: float) -> Floats:
    """P(X = k) for each k."""
    weight: Floats = np.exp(-(values.astype(np.float64) ** 2) / (2.0 * sigma * sigma))
    return weight / _total(sigma)


def variance(sigma: float) -> float:
    """Var X, below σ² by less than any float tells from σ = 3 on."""
    reach = np.arange(-_limit(sigma), _limit(sigma) + 1, dtype=np.int64) if sigma < _REACH else None
    return sigma * sigma if reach is None else float((reach.astype(np.float64) ** 2 * probability(reach, sigma)).sum())


def _total(sigma: float) -> float:
    """Σ e^(−k²/(2σ²)) = σ·√(2π)·(1 + 2·e^(−2π²σ²) + …): the sum itself where σ is small."""
    if sigma >= _REACH:
        return sigma * math.sqrt(2.0 * math.pi)
    k = np.arange(1, _limit(sigma) + 1, dtype=np.float64)
    return 1.0 + 2.0 * float(np.exp(-k * k / (2.0 * sigma * sigma)).sum())


def _limit(sigma: float) -> int:
    return math.ceil(_REACH * max(sigma, 0.1)) + 2


def rho(squared_sensitivity: Fraction, sigma: float) -> Fraction:
    """Δ²/(2σ²), exactly, of the σ that is used."""
    return squared_sensitivity / (2 * Fraction(sigma) ** 2)


def sigma_for(squared_sensitivity: Fraction, budget: Fraction) -> float:
    """The smallest float σ near √(Δ²/(2ρ)) that spends no more than ρ: rounding never costs privacy."""
    sigma = math.sqrt(float(squared_sensitivity / (2 * budget)))
    while rho(squared_sensitivity, sigma) > budget:
        sigma = math.nextafter(sigma, math.inf)
    return sigma
