"""(ε, δ) of a prior that differs from cell to cell, as informative priors do.

The bound of `probabilistic` for cells with their own α_i and total prior A:

    T_i(x) = P[BetaBin(m, α_i + x, n + A − α_i − x) ≥ t_x(α_i)],
    δ ≤ Σ_i T_i(0) + n·max over i, x of (T_i(x) − T_i(0))⁺/x.

Why the minimum prior alone does not settle it: thresholds move in whole draws. A prior between j/(e^ε − 1) and the
next candidate has the threshold of j but more weight, so its chance is *larger* than at the candidate itself, and
raising some cells to max(minimum, f) can break a δ that the minimum kept. `snapped` takes such priors down to the
candidate below. Guarantee: an upper bound for every data set of n rows. Rounding as in `probabilistic`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.errors import UserProblem
from workbench.products.commuting_flows.dirichlet.inputs import (
    checked_epsilon,
    checked_prior,
    whole_arrays,
)
from workbench.products.commuting_flows.dirichlet.probabilistic import Populations, largest_excess

_ROUNDING = 1e-12


def snapped(alpha: Any, *, epsilon: float) -> Floats:
    """Each prior taken down to the candidate j/(e^ε − 1) below it; those below the first candidate stay as they are."""
    growth = np.expm1(checked_epsilon(epsilon))
    prior = np.asarray(alpha, dtype=np.float64)
    steps = np.floor(prior * growth * (1.0 + _ROUNDING))
    return np.asarray(np.where(steps >= 1.0, np.minimum(steps / growth, prior), prior))


def delta_of_priors(
    alpha: Any, *, population: Any, draws: Any, workers: Any, epsilon: float, cells: Any = 1, jobs: int = 1
) -> Floats:
    """The bound for every population of a release. `alpha` lists the priors of all support points one after the other,
    `population` says whose each is (counted from 0), `cells` how many support points share it."""
    growth = np.expm1(checked_epsilon(epsilon))
    m, n = (np.atleast_1d(part) for part in whole_arrays(draws, workers))
    owner, many = (np.atleast_1d(part) for part in whole_arrays(population, cells))
    prior = checked_prior(alpha, "alpha") if np.size(alpha) else np.zeros(0)
    if len(prior) != len(owner) or (len(owner) and owner.max() >= len(m)):
        raise UserProblem("Every prior needs a population that is there", "population")
    support = np.bincount(owner, weights=many, minlength=len(m))
    total = n + np.bincount(owner, weights=prior * many, minlength=len(m))
    telling = (m > 0) & (n > 0) & (support > 1)
    bounds = np.zeros(len(m))
    bounds[np.unique(owner[(prior <= 0.0) & telling[owner] & (many > 0)])] = 1.0
    listed = np.flatnonzero(telling[owner] & (bounds[owner] < 1.0) & (many > 0))
    priors, which = _merged(owner[listed], prior[listed], many[listed])
    found = Populations(
        alpha=priors[1],
        draws=m[which].astype(np.float64),
        rows=n[which].astype(np.float64),
        cells=priors[2],
        total=total[which].astype(np.float64),
        growth=np.full(len(which), growth),
        jobs=jobs,
    )
    return _added(found, which, bounds)


def _merged(owner: NDArray[np.int64], prior: Floats, many: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Equal priors of one population become one line: most support points sit at the minimum."""
    order = np.lexsort((prior, owner))
    owner, prior, many = owner[order], prior[order], many[order]
    new = np.ones(len(owner), dtype=bool)
    new[1:] = (owner[1:] != owner[:-1]) | (prior[1:] != prior[:-1])
    starts = np.flatnonzero(new)
    counts = np.add.reduceat(many, starts) if len(starts) else np.zeros(0)
    return np.stack([owner[new].astype(np.float64), prior[new], counts.astype(np.float64)]), owner[new]


def _added(found: Populations, owner: NDArray[np.int64], bounds: Floats) -> Floats:
    """Sum of the empty cells' chances, plus n times the largest excess of any cell, for each population."""
    empty = found.tail(0.0)
    excess = np.zeros(len(bounds))
    np.maximum.at(excess, owner, found.rows * largest_excess(found, empty, np.zeros(len(found))))
    return np.minimum(bounds + excess + np.bincount(owner, weights=found.cells * empty, minlength=len(bounds)), 1.0)
