"""The least prior that keeps (ε*, δ) although priors are pruned.

The search of the source counts the prior of all k points as weight that keeps a single point's share small. Pruning
takes most of that weight away, and the outcomes that tell too much become likelier: for m = n = 100, k = 1000, ε* =
4.6 the prior found for δ = 10⁻⁶ keeps only δ = 2.7·10⁻³ where all other priors happen to be pruned. So the bound is
taken at its worst, all other prior gone:

    T(x) = P[BetaBin(m, α + x, n − x) ≥ t_x],   δ ≤ [(k−1)·p + 1]·T(0) + n·max over 1 ≤ x ≤ n of (T(x) − p·T(0))⁺/x,

t_x as in `dirichlet.probabilistic`; a point without a true worker can only be drawn where its prior was kept, hence
p; the anchor is never pruned, hence 1.
Candidates α = j/(e^ε* − 1); the smallest j found whose bound is at most δ, at the latest j = m, where it is zero. The
price of pruning (`dirichlet.pruning`) is then paid for outcomes of up to j draws at such a point.
A prior of 1 or more is never pruned, so there the bound of the source holds as it is.
Guarantee: an upper bound for every data set of n rows and every outcome of the pruning.
Source: derived; Machanavajjhala et al. (2008) for the search without pruning.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.commuting_flows.dirichlet.minimum_prior import minimum_priors, minimum_steps
from workbench.products.commuting_flows.dirichlet.probabilistic import Populations, delta_bound, largest_excess

_STRIDE = 32  # far from the first candidate, steps of 3 %
_TRACE = 1e-9  # of weight at the anchor, far less than it has


def least_priors(
    draws: Integers, workers: Integers, points: Integers, *, epsilon: float, delta: float, min_p: float | None
) -> Floats:
    """min_alfa of each population; `min_p` is None where nothing is pruned."""
    if min_p is None:
        return minimum_priors(draws, workers, points, epsilon=epsilon, delta=delta)
    growth = math.expm1(epsilon)
    kinds, which = np.unique(np.stack([draws, workers, points]), axis=1, return_inverse=True)
    m, n, k = kinds
    steps = _start(m, n, k, growth=growth, settings={"epsilon": epsilon, "delta": delta})
    waiting = np.flatnonzero((m > steps) & (n > 0) & (k > 1))
    while len(waiting):
        bound = _bounds(steps[waiting] / growth, kinds[:, waiting], epsilon=epsilon, min_p=min_p)
        waiting = waiting[bound > delta]
        steps[waiting] = np.minimum(steps[waiting] + 1 + steps[waiting] // _STRIDE, m[waiting])
        waiting = waiting[steps[waiting] < m[waiting]]
    return np.asarray((steps / growth)[which.ravel()])


def _start(m: Integers, n: Integers, k: Integers, *, growth: float, settings: dict[str, float]) -> Integers:
    """A candidate to begin with: the source's own where it is never pruned, else that of a population of two points."""
    steps = minimum_steps(m, n, k, **settings)
    small = np.flatnonzero(steps < growth)
    lone = minimum_steps(m[small], n[small], np.minimum(k[small], 2), **settings)
    steps[small] = np.minimum(lone, math.ceil(growth))
    return np.minimum(steps, np.maximum(m, 1))


def _bounds(alpha: Floats, kinds: Integers, *, epsilon: float, min_p: float) -> Floats:
    """The bound on δ where priors below 1 are pruned and others are not."""
    bound = np.empty(len(alpha))
    for chosen in (alpha < 1.0, alpha >= 1.0):
        if not chosen.any():
            continue
        m, n, k = kinds[:, chosen]
        if alpha[chosen][0] < 1.0:
            growth = math.expm1(epsilon)
            bound[chosen] = pruned_bounds(alpha[chosen], draws=m, workers=n, points=k, growth=growth, min_p=min_p)
        else:
            bound[chosen] = delta_bound(alpha[chosen], draws=m, workers=n, cells=k, epsilon=epsilon)
    return bound


def pruned_bounds(
    alpha: Any, *, draws: Any, workers: Any, points: Any, growth: float, min_p: float, jobs: int = 1
) -> Floats:
    """The bound on δ of each population whose `points` all have the prior `alpha`, all other prior pruned."""
    empty, excess, anchor = pruned_parts(alpha, draws=draws, workers=workers, growth=growth, min_p=min_p, jobs=jobs)
    return np.minimum(np.asarray(points) * empty + anchor + np.asarray(workers) * excess, 1.0)


def pruned_parts(
    alpha: Any, *, draws: Any, workers: Any, growth: float, min_p: float, jobs: int = 1
) -> tuple[Floats, Floats, Floats]:
    """p·T(0), max over x of (T(x) − p·T(0))⁺/x, and (1 − p)·T(0), which the anchor adds."""
    a, m, n = (np.asarray(part, dtype=np.float64) for part in np.broadcast_arrays(alpha, draws, workers))
    found = Populations(
        alpha=a, draws=m, rows=n, cells=np.ones(len(a)), total=n + a + _TRACE, growth=np.full(len(a), growth), jobs=jobs
    )
    tail = found.tail(0.0)
    empty = np.minimum(np.maximum(a, min_p), 1.0) * tail
    return empty, largest_excess(found, empty, np.zeros(len(a))), tail - empty
