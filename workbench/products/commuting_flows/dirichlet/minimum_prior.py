"""The smallest prior that keeps (ε, δ), and the smallest ε that a prior in force keeps.

Search: candidates α_j = j/(e^ε − 1), j = 1 … m; the smallest j whose bound (`probabilistic`) is at most δ. j = m is
the prior of pure ε, where the bound is zero, so there always is one. Whether the bound falls in j is not proved;
therefore no j is skipped without a reason: one probability of the tails can already exceed δ. The bound is checked at
the value returned, which is the certificate. Raising *some* cells above the minimum can raise the bound, because
thresholds move in whole draws: see `prior_in_force`.
Source: Machanavajjhala et al. (2008); OnTheMap (2008), "Search algorithm".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats
from workbench.products.commuting_flows.dirichlet.beta_binomial import log_pmf
from workbench.products.commuting_flows.dirichlet.inputs import (
    checked_delta,
    checked_draws,
    checked_epsilon,
    together,
    whole_arrays,
)
from workbench.products.commuting_flows.dirichlet.probabilistic import (
    Populations,
    bounds_of,
    largest_excess,
    populations,
)

Ints = NDArray[np.int64]

_SMALLEST_BLOCK = 8
_LARGEST_BLOCK = 2048
_AT_ONCE = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimumPrior:
    """The smallest candidate α, which step of 1/(e^ε − 1) it is, its bound on δ, and the prior pure ε would need."""

    alpha: float
    step: int
    delta_bound: float
    pure_alpha: float


def minimum_prior(*, draws: int, workers: int, cells: int, epsilon: float, delta: float) -> MinimumPrior:
    """The search for one population."""
    m, n, k, *_ = together(
        lambda: checked_draws(draws),
        lambda: checked_draws(workers, "workers"),
        lambda: checked_draws(cells, "cells"),
        lambda: checked_epsilon(epsilon),
        lambda: checked_delta(delta),
    )
    growth = math.expm1(epsilon)
    step = int(minimum_steps(m, n, k, epsilon=epsilon, delta=delta)[0])
    at = populations(step / growth, draws=m, workers=n, cells=k, epsilon=epsilon)
    return MinimumPrior(alpha=step / growth, step=step, delta_bound=float(bounds_of(at)[0]), pure_alpha=m / growth)


def minimum_priors(draws: Any, workers: Any, cells: Any, *, epsilon: float, delta: float) -> Floats:
    """The smallest candidate α of each population (arrays of m, n and k, in their shape). No draws need no prior: 0."""
    steps = minimum_steps(draws, workers, cells, epsilon=epsilon, delta=delta)
    return np.asarray(steps / math.expm1(epsilon)).reshape(np.broadcast_shapes(*map(np.shape, (draws, workers, cells))))


def minimum_steps(draws: Any, workers: Any, cells: Any, *, epsilon: float, delta: float) -> Ints:
    """The smallest j of each population, one-dimensional. Equal populations are searched once."""
    checked_delta(delta)
    growth = math.expm1(checked_epsilon(epsilon))
    m, n, k = (np.atleast_1d(part).ravel() for part in whole_arrays(draws, workers, cells))
    kinds, which = np.unique(np.stack([m, n, k]), axis=1, return_inverse=True)
    steps = np.minimum(kinds[0], 1)
    searched = np.flatnonzero((kinds[0] > 1) & (kinds[1] > 0) & (kinds[2] > 1))
    steps[searched] = _searched(*kinds[:, searched], growth=growth, delta=delta)
    return np.asarray(steps[which.ravel()])


def _searched(m: Ints, n: Ints, k: Ints, *, growth: float, delta: float) -> Ints:
    """Blocks of candidates for all populations at once, from j = 1 up, until each has one that passes."""
    steps = m.copy()
    waiting, start = np.arange(len(m)), 1
    while len(waiting):
        width = int(np.clip(_AT_ONCE // len(waiting), _SMALLEST_BLOCK, _LARGEST_BLOCK))
        candidates = np.arange(start, start + min(width, start + _SMALLEST_BLOCK))
        passed = _first_in_block(m[waiting], n[waiting], k[waiting], candidates, growth=growth, delta=delta)
        found = passed > 0
        steps[waiting[found]] = passed[found]
        start += len(candidates)
        waiting = waiting[~found]
        waiting = waiting[m[waiting] > start]
    return steps


def _first_in_block(m: Ints, n: Ints, k: Ints, candidates: Ints, *, growth: float, delta: float) -> Ints:
    """The first candidate of each population that keeps δ, 0 where none of the block does."""
    passed = np.where(m <= candidates[-1], m, 0)  # j = m is pure ε and always passes
    place, column = np.nonzero(candidates[None, :] < m[:, None])
    fits = _one_probability_fits(_candidates(candidates[column], m[place], n[place], k[place], growth), delta)
    place, j = place[fits], candidates[column[fits]]
    batch = 1
    while len(place):  # sorted by population, then candidate
        now = np.arange(len(place)) - np.searchsorted(place, place) < batch
        kept = np.zeros(len(place), dtype=bool)
        kept[now] = _keeps(_candidates(j[now], m[place[now]], n[place[now]], k[place[now]], growth), delta)
        found, first = np.unique(place[kept], return_index=True)
        passed[found] = j[kept][first]
        left = ~now & ~np.isin(place, found)
        place, j, batch = place[left], j[left], 2 * batch
    return passed


def _one_probability_fits(at: Populations, delta: float) -> Bools:
    """False where one probability of the tails alone breaks δ: the bound is at least k·T(0) and at least
    min(k, n)·T(1), and a tail is at least the probability of one of its values s: here the threshold, or the mean if
    that is larger.

    The second is a mean of k·T(0) and k·T(0) + n(T(1) − T(0)). One row more in the cell turns P_0(s) into
    P_1(s) = P_0(s)·(s + α)(b − 1)/(α(m − s + b − 1)), b the weight of all other cells.
    """
    b = at.total - at.alpha
    s = np.maximum(at.threshold(0.0), np.ceil(at.draws * at.alpha / at.total))
    empty = log_pmf(s, draws=at.draws, a=at.alpha, b=b)
    moved = np.log((s + at.alpha) * (b - 1.0) / (at.alpha * (at.draws - s + b - 1.0)))
    least = empty + np.maximum(np.log(at.cells), np.log(np.minimum(at.cells, at.rows)) + moved)
    return np.asarray(least <= math.log(delta))


def _candidates(j: Ints, m: Ints, n: Ints, k: Ints, growth: float) -> Populations:
    return Populations.level(alpha=j / growth, draws=m, rows=n, cells=k, growth=growth)


def _keeps(found: Populations, delta: float) -> Bools:
    """Whether the bound is at most δ: the empty cells first, the rest only where they leave something."""
    empty = found.tail(0.0)
    spare = (delta - found.cells * empty) / found.rows
    kept = spare >= 0.0
    part = found.take(kept)
    kept[kept] = largest_excess(part, empty[kept], spare[kept]) <= spare[kept]
    return np.asarray(kept)
