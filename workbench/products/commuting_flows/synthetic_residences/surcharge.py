"""What pruning adds to ε at most, from public facts alone: settings and the sizes of the populations.

The price is at most (1 + y/α)·(1 + G·(1 − p)/p), since y!·Γ(α)/Γ(y + α) ≤ y/α, and 1 + y/α ≤ e^ε*. G
(`dirichlet.pruning`) is large where few true workers stand against many draws, and then the search asks for so much
prior that nothing is pruned. In numbers: a prior α accepted by the search has P[BetaBin(m, 1, n − 1) > J] ≤ T(1) ≤
δ(1/n + 1/k) ≤ 1.5·δ, with J = ⌊(e^ε* − 1)α⌋ draws paid for; as that chance is at least ((m − J)/(m − J + n − 1))^(J +
1),

    n ≥ 1 + (m − J)·((1.5·δ)^(−1/(J + 1)) − 1)   where J < m, and n ≥ 1 otherwise.

G falls in n and rises in m and α, (1 − p)/p falls in α; so over intervals of m and α their ends bound everything
between.
Guarantee: holds for every data set with these sizes and any public prior. Rounding: intervals of 1 % cost at most
that.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.products.commuting_flows.dirichlet.pruning import pruned_factor
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior, SyntheticResidencesParams

_RATIO = 1.01
_WIDE = 1.1
_TINY = 1e-9  # less than the smallest prior that can be drawn from, 2⁻³⁰, is never needed
_MORE_THAN_ONE = 1.0 + 1e-9


def headline_price(params: SyntheticResidencesParams) -> float:
    """ln(2/min_p), what the slides add for pruning."""
    return math.log(2.0 / float(params.min_p)) if params.prunes else 0.0


def pruning_surcharge(sizes: Integers, params: SyntheticResidencesParams) -> float:
    """The most that pruning adds to the nominal ε in populations of these sizes."""
    drawn = np.unique(sizes[sizes > 0])
    if not params.prunes or not len(drawn):
        return 0.0
    low, high = _intervals(drawn.astype(np.float64))
    edges = _edges(params)
    start, end = edges[:-1], edges[1:]
    keep = np.maximum(start, float(params.min_p))
    rows = _fewest_workers(low[:, None], end[None, :], params)
    factor = pruned_factor(draws=high[:, None], workers=rows, alpha=end[None, :])
    pruned = (1.0 - keep) / keep * factor
    return float(np.log1p(np.where(_possible(low[:, None], end[None, :], params), pruned, 0.0).max(initial=0.0)))


def _intervals(drawn: Floats) -> tuple[Floats, Floats]:
    """Sizes that lie close together become one interval; small ones stand alone."""
    bucket = np.floor(np.log(drawn) / math.log(_RATIO))
    first = np.flatnonzero(np.concatenate([[True], bucket[1:] != bucket[:-1]]))
    return drawn[first], np.append(drawn[first[1:] - 1], drawn[-1])


def _edges(params: SyntheticResidencesParams) -> Floats:
    """From the smallest prior there can be up to 1, beyond which nothing is pruned."""
    fixed = params.minimum_prior is MinimumPrior.FIXED
    least = float(params.fixed_prior) if fixed else 1.0 / math.expm1(float(params.epsilon))
    least = min(max(least, _TINY), 1.0)
    bend = min(max(float(params.min_p), least), 1.0)  # below it p does not change, so wide intervals will do
    return np.unique(np.concatenate([_spaced(least, bend, _WIDE), _spaced(bend, 1.0, _RATIO)]))


def _spaced(low: float, high: float, ratio: float) -> Floats:
    """From low to high, both included, each at most `ratio` times the one before."""
    return np.geomspace(low, high, 2 + math.floor(math.log(high / low) / math.log(ratio)))


def _possible(size: Floats, prior: Floats, params: SyntheticResidencesParams) -> NDArray[np.bool_]:
    """Whether a population of that size can have so small a prior; for pure ε it is at least m/(e^ε − 1)."""
    if params.minimum_prior is not MinimumPrior.PURE:
        return np.ones(np.broadcast_shapes(size.shape, prior.shape), dtype=bool)
    return np.asarray(prior * math.expm1(float(params.epsilon)) * _MORE_THAN_ONE >= size)


def _fewest_workers(size: Floats, prior: Floats, params: SyntheticResidencesParams) -> Floats:
    """The fewest true workers at kept points with which the search can have accepted the prior."""
    if params.minimum_prior is not MinimumPrior.SEARCH:
        return np.ones(np.broadcast_shapes(size.shape, prior.shape))
    paid = np.floor(prior * math.expm1(float(params.epsilon)) * _MORE_THAN_ONE)
    spread = (size - paid) * np.expm1(-math.log(1.5 * float(params.delta)) / (paid + 1.0))
    return np.asarray(np.maximum(np.floor(np.where(paid < size, spread, 0.0)), 0.0) + 1.0)
