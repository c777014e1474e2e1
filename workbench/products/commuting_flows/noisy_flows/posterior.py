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

from workbench.core.arrays import Floats, Integers
from workbench.noise.discrete_laplace import variance

TAUS = (0.05, 0.15, 0.3, 0.6, 1.0, 1.6)
KAPPAS = (3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 1e5)
FITTED_CELLS = 15_000
_LARGE = 250.0
_COARSER, _CANDIDATES = 5, 6  # a fifth of the cells leaves six (τ, κ) to be tried on all of them
_NEGLIGIBLE = 40.0  # nats
_AT_ONCE = 8_192
_PART = 500_000  # cells of which everything is in memory at once
_TOO_LARGE, _DOWN = 1e200, 1e-200
_ROOM, _FIRST_STEP = 200.0, 6.0  # nats between too large and infinite; what the first term may add
_LITTLE, _STEEP = 3, 20.0  # y and 2ey up to which a difference can serve
_DIGITS_LOST = 1e3  # of a difference: its error stays below 10⁻¹²
_LEAST_MEAN = 1e-12  # so that a public mean of nothing divides nothing by nothing


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Noisy:
    """Noisy counts beside public means, shares and scales of noise; cut at `top` where sizes are public."""

    drawn: Integers
    mean: Floats
    share: Floats
    scale: Floats | float  # one for all, or one for each
    top: Integers | None = None

    def taken(self, cells: Integers | slice) -> Noisy:
        return Noisy(
            drawn=self.drawn[cells],
            mean=self.mean[cells],
            share=self.share[cells],
            scale=_at(self.scale, cells),
            top=None if self.top is None else self.top[cells],
        )


def _at(values: Floats | float, cells: Integers | slice) -> Floats | float:
    return values if isinstance(values, float) else values[cells]


def shape_of(share: Floats, tau: float, kappa: float) -> Floats:
    """r = 1/(τ² + 1/(κ·share))."""
    found: Floats = 1.0 / (tau**2 + 1.0 / (kappa * np.maximum(share, 1e-15)))
    return found


def evenly(cells: int) -> Integers:
    """Cells that a step is fitted on: evenly spaced, whatever was drawn there."""
    return np.unique(np.linspace(0, max(cells - 1, 0), min(cells, FITTED_CELLS)).astype(np.int64))


def fitted(noisy: Noisy) -> tuple[float, float]:
    """(τ, κ) of the largest marginal likelihood, on evenly spaced cells: first on some, the best on all."""
    picked = evenly(len(noisy.drawn))
    grid = [(tau, kappa) for tau in TAUS for kappa in KAPPAS]
    for cells_of, left in ((picked[::_COARSER], _CANDIDATES), (picked, 1)):
        likely = _likelihoods(noisy.taken(cells_of), grid)
        grid = [grid[place] for place in np.argsort(-likely, kind="stable")[:left]]
    return grid[0]


def _likelihoods(noisy: Noisy, grid: list[tuple[float, float]]) -> Floats:
    """Σ ln Σ_x w_x e^(−e|y−x|) for each (τ, κ), all of them in one go."""
    cells = len(noisy.drawn)
    shapes = np.concatenate([shape_of(noisy.share, *each) for each in grid])
    again = noisy.taken(np.tile(np.arange(cells), len(grid)))
    found: Floats = sums(again, shapes)[1].reshape(len(grid), cells).sum(axis=1)
    return found


def posterior_means(noisy: Noisy) -> Floats:
    """x̂ of every cell, with the (τ, κ) that the noisy counts suggest."""
    return means_with(noisy, fitted(noisy))


def means_with(noisy: Noisy, chosen: tuple[float, float]) -> Floats:
    """x̂ of every cell, a part of them at a time."""
    found = np.empty(len(noisy.drawn))
    for start in range(0, len(found), _PART):
        part = noisy.taken(slice(start, start + _PART))
        found[start : start + _PART] = means(part, shape_of(part.share, *chosen))
    return found


def means(noisy: Noisy, shape: Floats) -> Floats:
    """E[x | y] of every cell."""
    return _solved(noisy, shape, likely=False)[0]


def sums(noisy: Noisy, shape: Floats) -> tuple[Floats, Floats]:
    """E[x | y] and ln Σ_x P(x)·P(y − x) of every cell."""
    return _solved(noisy, shape, likely=True)


def _solved(noisy: Noisy, shape: Floats, *, likely: bool) -> tuple[Floats, Floats]:
    """Cells up to y = 0 in closed form, those of a little y nearly so, large ones as normal, the others summed."""
    mean = np.maximum(noisy.mean, _LEAST_MEAN)
    if noisy.top is None:
        expected, marginal, left = _in_closed_form(noisy, mean, shape, likely)
    else:
        expected, marginal = np.empty(len(mean)), np.empty(len(mean))
        left = np.arange(len(mean))
    large = np.maximum(noisy.drawn[left], mean[left]) > _LARGE
    if large.any():
        _normal(noisy, mean, shape, left[large], (expected, marginal))
        left = left[~large]
    rest, mean, shape = noisy.taken(left), mean[left], shape[left]
    scale = np.broadcast_to(rest.scale, len(left))
    reach = _reach(rest, mean, shape)
    if rest.top is not None:
        reach = np.minimum(reach, rest.top)
    small = int(reach.max(initial=0)) < np.iinfo(np.int16).max  # sorted by their digits, several times faster
    far = -reach
    order = np.argsort(far.astype(np.int16) if small else far, kind="stable")
    for start in range(0, len(order), _AT_ONCE):
        cells = order[start : start + _AT_ONCE]
        parts = rest.drawn[cells], mean[cells], shape[cells], 1.0 / scale[cells]
        expected[left[cells]], marginal[left[cells]] = _summed(*parts, reach[cells])
    return expected, marginal


def _in_closed_form(noisy: Noisy, mean: Floats, shape: Floats, likely: bool) -> tuple[Floats, Floats, Integers]:
    """x̂, ln Σ and which cells are still to be worked out.

    Noise that takes a count to zero or below says the same of every x: Σ w_x e^(−ex) = w₀·F, F = (1 − p·a)^−r with
    p = μ/(r + μ), and x̂ = μa/(1 + μ(1 − a)/r). For a little y > 0 the terms below y are put in their place:
    Σ w_x a^|y−x| = a^−y·[F − Σ_{x<y} w_x a^x] + Σ_{x<y} w_x a^(y−x), as long as the difference keeps its digits.
    """
    rate = 1.0 / noisy.scale
    falls = np.exp(-rate)
    expected = mean * falls / (1.0 + mean * (1.0 - falls) / shape)
    marginal = np.empty(len(mean))
    above = np.flatnonzero(noisy.drawn > 0)
    if likely:
        whole = -shape * np.log1p(-falls * mean / (shape + mean))
        marginal = whole + _of_nothing(noisy.drawn, mean, shape, rate)
    drawn = noisy.drawn[above]
    steep = 2.0 * _at(rate, above) * drawn
    near = np.flatnonzero((drawn <= _LITTLE) & (steep <= _STEEP) & (mean[above] <= _LARGE))
    solved = above[near]
    y, mu, r = drawn[near], mean[solved], shape[solved]
    up, down = np.exp(steep[near]), np.exp(_at(rate, solved))
    beyond = np.exp(-r * np.log1p(-_at(falls, solved) * mu / (r + mu)))
    beyond *= up
    total, weighed = beyond.copy(), beyond * expected[solved]
    grows = mu / (r + mu)
    term, rises, sinks = np.ones(len(y)), np.ones(np.shape(down)), up  # w_x/w₀, a^−x, a^(x − 2y)
    for x in range(int(y.max(initial=0))):
        here = term * (rises - sinks)
        here *= y > x
        total += here
        here *= x
        weighed += here
        term *= (r + x) * (grows / (x + 1.0))
        rises, sinks = rises * down, sinks / down
    safe = np.flatnonzero(beyond <= _DIGITS_LOST * total)
    solved, near, total = solved.take(safe), near.take(safe), total.take(safe)
    expected[solved] = weighed.take(safe) / total
    if likely:
        marginal[solved] = np.log(total) + _of_nothing(y.take(safe), mu.take(safe), r.take(safe), _at(rate, solved))
    left = np.ones(len(above), dtype=bool)
    left[near] = False
    return expected, marginal, above[left]


def _of_nothing(drawn: Integers, mean: Floats, shape: Floats, rate: Floats | float) -> Floats:
    """ln P(x = 0)·P(y): what sums of terms relative to that begin with."""
    found: Floats = -shape * np.log1p(mean / shape) - rate * np.abs(drawn) + np.log(np.tanh(rate / 2.0))
    return found


def _reach(noisy: Noisy, mean: Floats, shape: Floats) -> Integers:
    """How far x must go: beyond x₀ = max(y, μ) every term is at most ρ times the last one.

    ρ = max(1, (x₀ + r)/(x₀ + 1))·μ/(r + μ)·e^(−e).
    """
    begin = np.maximum(noisy.drawn, np.ceil(mean))
    np.maximum(begin, 0.0, out=begin)
    falls = 1.0 / noisy.scale - np.log(mean / (shape + mean) * np.maximum((begin + shape) / (begin + 1.0), 1.0))
    return np.asarray(begin + np.ceil(_NEGLIGIBLE / falls) + 1.0, dtype=np.int64)


def _summed(drawn: Integers, mean: Floats, shape: Floats, rate: Floats, reach: Integers) -> tuple[Floats, Floats]:
    """Cells in the order of their reach, farthest first: the sum over x runs over ever fewer of them."""
    grows = mean / (shape + mean)
    below, beyond = grows * np.exp(rate), grows * np.exp(-rate)
    term = np.ones(len(mean))
    total, weighed = term.copy(), np.zeros(len(mean))
    log = _of_nothing(drawn, mean, shape, rate)
    active = np.searchsorted(-reach, -np.arange(int(reach[0]) + 1), side="right") if len(reach) else np.zeros(1, int)
    every = max(1, int(_ROOM / (float(rate.max(initial=0.0)) + _FIRST_STEP)))
    least, most = int(drawn.min(initial=0)), int(drawn.max(initial=0))
    for x in range(int(reach[0]) if len(reach) else 0):
        count = active[x + 1]
        if not count:
            break
        now, factor = term[:count], shape[:count] + float(x)
        if least > x or most <= x:
            factor *= below[:count] if least > x else beyond[:count]
        else:
            factor *= np.where(drawn[:count] > x, below[:count], beyond[:count])
        factor *= 1.0 / (x + 1.0)
        now *= factor
        total[:count] += now
        weighed[:count] += np.multiply(now, x + 1.0, out=factor)
        if not x % every and total.max() > _TOO_LARGE:
            over = total > _TOO_LARGE
            for each in (term, total, weighed):
                each[over] *= _DOWN
            log[over] -= np.log(_DOWN)
    return weighed / total, np.log(total) + log


def _normal(noisy: Noisy, mean: Floats, shape: Floats, large: Integers, found: tuple[Floats, Floats]) -> None:
    y, mu, r = noisy.drawn[large].astype(np.float64), mean[large], shape[large]
    scales, place = np.unique(_at(noisy.scale, large), return_inverse=True)
    noise = np.array([variance(float(scale)) for scale in scales])[place]
    own = mu + mu**2 / r
    expected = np.maximum((y * own + mu * noise) / (own + noise), 0.0)
    if noisy.top is not None:
        expected = np.minimum(expected, noisy.top[large])
    found[0][large] = expected
    found[1][large] = -0.5 * ((y - mu) ** 2 / (own + noise) + np.log(2.0 * np.pi * (own + noise)))


def report_means(shares: Floats, reports: Floats, kept: Floats, other: Floats) -> Floats:
    """x̂_c = μ_c[R_c(p − l)/Z_c + l·Σ R_r/Z_r], Z_c = l + μ_c(p − l), row by row; p and l have one column.

    Σ x̂ = Σ R in every row. A cell that is not listed has μ = R = 0.
    """
    gain = kept - other
    explained = other + shares * gain
    ratio = np.divide(reports, explained, out=np.zeros_like(shares), where=reports > 0)
    found: Floats = shares * (ratio * gain + other * ratio.sum(axis=1, keepdims=True))
    return found
