"""Posterior means of counts from noisy counts, and of cells from reports: noisy values and public means alone go in.

x ~ NegBin(mean μ, shape r), y = x + DLap(e): w₀ = (r/(r+μ))^r, w_{x+1} = w_x·(x+r)/(x+1)·μ/(r+μ), and
x̂ = Σ x·w_x·e^(−e|y−x|)/Σ w_x·e^(−e|y−x|), cut at `top` where sizes are public. r = 1/(τ² + 1/(κ·share)), one (τ, κ) for
all cells of a step: that of the largest Σ ln Σ_x w_x e^(−e|y−x|) on a grid, over cells picked without looking at y.
Above max(y, μ) = 250: (y·v + μ·s²)/(v + s²), v = μ + μ²/r, s² = 2a/(1−a)², a = e^(−e).
Rounding: sums end where terms fall below 4·10⁻¹⁸ of what is there; running sums are scaled down before they overflow.
Source: own derivation; Ghosh, Roughgarden and Sundararajan (2009) for the noise, Warner (1965) for reports.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.noise.discrete_laplace import variance

TAUS = (0.05, 0.15, 0.3, 0.6, 1.0, 1.6)
KAPPAS = (3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 1e5)
FITTED_CELLS = 15_000
_LARGE = 250.0
_COARSER, _CANDIDATES = 5, 6  # a fifth of the cells leaves six (τ, κ) to be tried on all of them
_NEGLIGIBLE = 40.0  # nats
_AT_ONCE = 8_192
_TOO_LARGE, _DOWN = 1e200, 1e-200
_ROOM, _FIRST_STEP = 200.0, 6.0  # nats between too large and infinite; what the first term may add
_LEAST_MEAN = 1e-12  # so that a public mean of nothing divides nothing by nothing


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Noisy:
    """Noisy counts beside public means, shares and scales of noise; cut at `top` where sizes are public."""

    drawn: Integers
    mean: Floats
    share: Floats
    scale: Floats
    top: Integers | None = None

    def taken(self, cells: Integers) -> Noisy:
        return Noisy(
            drawn=self.drawn[cells],
            mean=self.mean[cells],
            share=self.share[cells],
            scale=self.scale[cells],
            top=None if self.top is None else self.top[cells],
        )


def shape_of(share: Floats, tau: float, kappa: float) -> Floats:
    """r = 1/(τ² + 1/(κ·share))."""
    found: Floats = 1.0 / (tau**2 + 1.0 / (kappa * np.maximum(share, 1e-15)))
    return found


def fitted(noisy: Noisy) -> tuple[float, float]:
    """(τ, κ) of the largest marginal likelihood, on evenly spaced cells: first on some, the best on all."""
    cells = len(noisy.drawn)
    picked = (
        np.unique(np.linspace(0, cells - 1, min(cells, FITTED_CELLS)).astype(np.int64)) if cells else np.zeros(0, int)
    )
    grid = [(tau, kappa) for tau in TAUS for kappa in KAPPAS]
    for cells_of, left in ((picked[::_COARSER], _CANDIDATES), (picked, 1)):
        some = noisy.taken(cells_of)
        grid = sorted(grid, key=lambda each: -float(sums(some, shape_of(some.share, *each))[1].sum()))[:left]
    return grid[0]


def posterior_means(noisy: Noisy) -> Floats:
    """x̂ of every cell, with the (τ, κ) that the noisy counts suggest."""
    return sums(noisy, shape_of(noisy.share, *fitted(noisy)))[0]


def sums(noisy: Noisy, shape: Floats) -> tuple[Floats, Floats]:
    """E[x | y] and ln Σ_x P(x)·P(y − x) of every cell."""
    mean = np.maximum(noisy.mean, _LEAST_MEAN)
    reach = np.ceil(np.maximum(np.maximum(noisy.drawn, mean), 0.0) + _NEGLIGIBLE * noisy.scale + 1.0).astype(np.int64)
    if noisy.top is not None:
        reach = np.minimum(reach, noisy.top)
    expected, marginal = np.empty(len(mean)), np.empty(len(mean))
    large = np.maximum(noisy.drawn, mean) > _LARGE
    expected[large], marginal[large] = _normal(noisy, mean, shape, large)
    left = np.flatnonzero(~large)
    left = left[np.argsort(-reach[left], kind="stable")]
    for start in range(0, len(left), _AT_ONCE):
        cells = left[start : start + _AT_ONCE]
        parts = noisy.drawn[cells], mean[cells], shape[cells], 1.0 / noisy.scale[cells]
        expected[cells], marginal[cells] = _summed(*parts, reach[cells])
    return expected, marginal


def _summed(drawn: Integers, mean: Floats, shape: Floats, rate: Floats, reach: Integers) -> tuple[Floats, Floats]:
    """Cells in the order of their reach, farthest first: the sum over x runs over ever fewer of them."""
    grows = mean / (shape + mean)
    below, beyond = np.exp(rate), np.exp(-rate)
    term = np.ones(len(mean))
    total, weighed = term.copy(), np.zeros(len(mean))
    log = -shape * np.log1p(mean / shape) - rate * np.abs(drawn) + np.log(np.tanh(rate / 2.0))
    active = np.searchsorted(-reach, -np.arange(int(reach[0]) + 1), side="right") if len(reach) else np.zeros(1, int)
    every = max(1, int(_ROOM / (float(rate.max(initial=0.0)) + _FIRST_STEP)))
    for x in range(int(reach[0]) if len(reach) else 0):
        count = active[x + 1]
        if not count:
            break
        now = term[:count]
        now *= (x + shape[:count]) * (grows[:count] / (x + 1.0))
        now *= np.where(drawn[:count] > x, below[:count], beyond[:count])
        total[:count] += now
        weighed[:count] += (x + 1.0) * now
        if not x % every and total.max() > _TOO_LARGE:
            over = total > _TOO_LARGE
            for each in (term, total, weighed):
                each[over] *= _DOWN
            log[over] -= np.log(_DOWN)
    return weighed / total, np.log(total) + log


def _normal(noisy: Noisy, mean: Floats, shape: Floats, large: Bools) -> tuple[Floats, Floats]:
    y, mu, r = noisy.drawn[large].astype(np.float64), mean[large], shape[large]
    scales, place = np.unique(noisy.scale[large], return_inverse=True)
    noise = np.array([variance(float(scale)) for scale in scales])[place] if len(scales) else np.zeros(0)
    own = mu + mu**2 / r
    expected = np.maximum((y * own + mu * noise) / (own + noise), 0.0)
    if noisy.top is not None:
        expected = np.minimum(expected, noisy.top[large])
    marginal = -0.5 * ((y - mu) ** 2 / (own + noise) + np.log(2.0 * np.pi * (own + noise)))
    return expected, marginal


def report_means(shares: Floats, reports: Floats, kept: Floats, other: Floats) -> Floats:
    """x̂_c = μ_c[R_c(p − l)/Z_c + l·Σ R_r/Z_r], Z_c = l + μ_c(p − l), row by row; p and l have one column.

    Σ x̂ = Σ R in every row. A cell that is not listed has μ = R = 0.
    """
    gain = kept - other
    explained = other + shares * gain
    ratio = np.divide(reports, explained, out=np.zeros_like(shares), where=reports > 0)
    found: Floats = shares * (ratio * gain + other * ratio.sum(axis=1, keepdims=True))
    return found
