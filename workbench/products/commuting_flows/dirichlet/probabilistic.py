"""(ε, δ)-probabilistic privacy: with probability at least 1 − δ the outcome is one whose ratio is at most e^ε.

An outcome with counts m_i discloses when, for some removed row and cells i ≠ j, (1 + m_i/θ_i)/(1 + m_j/θ_j) > e^ε, θ
the weights without that row. Since m_j = 0 is likely, cell i is charged whenever m_i > (e^ε − 1)(α_i + max(n_i − 1,
0)), which is necessary. With the same α in all k cells, x rows in a cell give it the chance

    T(x) = P[BetaBin(m, α + x, n + kα − α − x) ≥ t_x],   t_x = ⌊(e^ε − 1)(α + max(x − 1, 0))⌋ + 1,

and over all data sets of n rows the chances of the k cells add up to at most (union bound)

    δ ≤ k·T(0) + n·max over 1 ≤ x ≤ n of (T(x) − T(0))⁺/x.

J rows of one worker in one cell before and after: the ratio is Π over i < J of (1 + m_i/(θ_i + i)), so t_x becomes the
fewest draws with which it exceeds e^(Jε) at θ = α + max(x − J, 0), and the same sum bounds the chance B_J of more than
Jε. It says nothing of rows in different cells.

Guarantee: an upper bound for every data set of n rows. Rounding: products within a relative 1e−12 of an integer count
as that integer, so that α = j/(e^ε − 1) has the threshold j + 1 it has on paper. The maximum over x is found by
halving intervals: T rises with the weight and falls with the threshold, so all x in [u, v] have T(x)/x ≤ P[BetaBin(m,
α + v, …) ≥ t_u]/u, and most intervals fall away at once.
Source: Machanavajjhala et al. (2008), re-derived; OnTheMap (2008), "Search algorithm".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.products.commuting_flows.dirichlet.beta_binomial import tail_ceiling, upper_tail
from workbench.products.commuting_flows.dirichlet.inputs import checked_epsilon, checked_prior, whole_arrays

Ints = NDArray[np.int64]

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Populations:
    """Populations side by side: the prior of `cells` equal cells, draws m, rows n, the posterior's total weight over
    all cells (n and all prior), and e^ε − 1."""

    alpha: Floats
    draws: Floats
    rows: Floats
    cells: Floats
    total: Floats
    growth: Floats
    jobs: int = 1  # how many rows of one worker may change together; all of them in one cell before and after

    @classmethod
    def level(cls, *, alpha: Any, draws: Any, rows: Any, cells: Any, growth: Any) -> Populations:
        """The same prior in every cell, so the total weight is n + kα."""
        parts = np.broadcast_arrays(*(np.atleast_1d(part) for part in (alpha, draws, rows, cells, growth)))
        a, m, n, k, g = (part.astype(np.float64) for part in parts)
        return cls(alpha=a, draws=m, rows=n, cells=k, total=n + k * a, growth=g)

    def __len__(self) -> int:
        return len(self.alpha)

    def take(self, which: Any) -> Populations:
        return Populations(
            alpha=self.alpha[which],
            draws=self.draws[which],
            rows=self.rows[which],
            cells=self.cells[which],
            total=self.total[which],
            growth=self.growth[which],
            jobs=self.jobs,
        )

    def threshold(self, rows_in_cell: Any) -> Floats:
        """t_x: the fewest draws in a cell of x rows that may disclose."""
        others = np.maximum(np.asarray(rows_in_cell, dtype=np.float64) - self.jobs, 0.0)
        if self.jobs > 1:
            return telling_draws(self.alpha + others, growth=self.growth, jobs=self.jobs)
        return np.asarray(np.floor(self.growth * (self.alpha + others) * (1.0 + _ROUNDING)) + 1.0)

    def tail(self, rows_in_cell: Any) -> Floats:
        """T(x)."""
        return upper_tail(self.threshold(rows_in_cell), draws=self.draws, **self._weights(rows_in_cell))

    def ceiling(self, fewest: Floats, most: Floats) -> Floats:
        """A quick upper bound on T(x) for every x from `fewest` to `most`."""
        threshold = self.threshold(fewest)
        reach = threshold <= self.draws
        ceiling = np.zeros(len(self))
        some = self.take(reach)
        ceiling[reach] = tail_ceiling(threshold[reach], draws=some.draws, **some._weights(most[reach]))
        return ceiling

    def _weights(self, rows_in_cell: Any) -> dict[str, Floats]:
        a = np.asarray(self.alpha + rows_in_cell)
        return {"a": a, "b": np.maximum(self.total - a, 0.0)}


def telling_draws(weight: Floats, *, growth: Floats, jobs: int) -> Floats:
    """t_J(θ): the fewest draws s with Π over i < J of (1 + s/(θ + i)) > e^(Jε), found by halving."""
    theta, rise = np.broadcast_arrays(weight, growth)
    most = jobs * np.log1p(rise) + _ROUNDING
    low, high = np.floor(theta * rise * (1.0 - _ROUNDING)), np.floor(rise * (theta + jobs)) + 1.0
    while np.any(high - low > 1.0):
        middle = np.floor((low + high) / 2.0)
        tells = sum(np.log1p(middle / (theta + i)) for i in range(jobs)) > most
        low, high = np.where(tells, low, middle), np.where(tells, middle, high)
    return np.asarray(high)


def delta_bound(alpha_min: Any, *, draws: Any, workers: Any, cells: Any, epsilon: Any) -> Floats:
    """The bound on δ for each population whose cells all have the prior `alpha_min`. Zero where nothing can be told.

    A prior of zero makes it 1: an outcome in an empty cell gives its row away.
    """
    found = populations(alpha_min, draws=draws, workers=workers, cells=cells, epsilon=epsilon)
    return bounds_of(found)


def populations(alpha: Any, *, draws: Any, workers: Any, cells: Any, epsilon: Any) -> Populations:
    """Checked and broadcast to one length."""
    m, n, k = whole_arrays(draws, workers, cells)
    prior = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    checked_prior(prior.ravel() if prior.size else [0.0], "alpha")
    if np.ndim(epsilon) == 0:
        checked_epsilon(float(epsilon))
    return Populations.level(alpha=prior, draws=m, rows=n, cells=k, growth=np.expm1(np.asarray(epsilon)))


def bounds_of(found: Populations) -> Floats:
    """The bound for each population, exact to double rounding, and at most 1."""
    bounds = np.zeros(len(found))
    telling = (found.draws > 0) & (found.rows > 0) & (found.cells > 1)
    bounds[telling & (found.alpha <= 0.0)] = 1.0
    ordinary = telling & (found.alpha > 0.0)
    some = found.take(ordinary)
    empty = some.tail(0.0)
    bounds[ordinary] = some.cells * empty + some.rows * largest_excess(some, empty, np.zeros(len(some)))
    return np.minimum(bounds, 1.0)


def largest_excess(found: Populations, empty: Floats, least: Floats) -> Floats:
    """max(least, max over x of (T(x) − T(0))/x). A high `least` only asks whether any exceeds it."""
    best: Floats = np.maximum(found.tail(1.0) - empty, least)
    place, fewest, most = _doubling_intervals(found)
    while len(place):
        part = found.take(place)
        open_ = (part.ceiling(fewest, most) - empty[place]) / fewest > best[place]
        place, fewest, most = place[open_], fewest[open_], most[open_]
        single = fewest == most
        part, here = found.take(place[single]), place[single]
        np.maximum.at(best, here, (part.tail(fewest[single]) - empty[here]) / fewest[single])
        place, fewest, most = _halved(place[~single], fewest[~single], most[~single])
    return best


def _doubling_intervals(found: Populations) -> tuple[Ints, Floats, Floats]:
    """[2, 3], [4, 7], … for each population, as far as rows and draws go: beyond, thresholds exceed the draws."""
    last = np.minimum(found.rows, np.floor(found.draws / found.growth - found.alpha) + 1.0 + found.jobs)
    levels = np.arange(1, max(int(np.log2(last.max(initial=1.0))), 0) + 1) if len(found) else np.arange(0)
    fewest = np.repeat(2.0 ** levels[None, :], len(found), axis=0)
    most = np.minimum(2.0 * fewest - 1.0, last[:, None])
    place, level = np.nonzero(fewest <= last[:, None])
    return place, fewest[place, level], most[place, level]


def _halved(place: Ints, fewest: Floats, most: Floats) -> tuple[Ints, Floats, Floats]:
    middle = np.floor((fewest + most) / 2.0)
    return (
        np.concatenate([place, place]),
        np.concatenate([fewest, middle + 1.0]),
        np.concatenate([middle, most]),
    )
