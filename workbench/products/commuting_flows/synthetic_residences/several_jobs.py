"""What a release costs somebody with several jobs, from public facts alone.

A worker's J jobs are rows of one or of several populations. Populations are drawn apart from each other, so there the
costs add up. For j rows in one population, all with one home before and after (enforced):

- δ: the bound B_j of `dirichlet.probabilistic` with the priors in force; ε: j·ε* before pruning, and with pruning the
  largest ln[Π(1 + s/(α + i)) + ((1 − p)/p)·G·Γ(s + j)Γ(α)/(Γ(j)Γ(s + α))] over s = 1 and s = t_j(α) − 1.
- The dearest way to divide J jobs among populations counts, and never less than J times one job.

Where a worker may have several homes, or nobody could check it, j rows are j steps of one row each: j·ε and
δ·(e^(jε) − 1)/(e^ε − 1), by group privacy. So they are for more than eight jobs.
Rounding: ε upwards at four digits, δ upwards. Source: derived; Machanavajjhala et al. (2008) for one row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.accounting.composition import group
from workbench.core.arrays import Floats
from workbench.products.commuting_flows.dirichlet.probabilistic import telling_draws
from workbench.products.commuting_flows.dirichlet.pruning import pruned_factor
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.synthetic_residences.loss import Levels, deltas_of, levels_of
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.weights import weights_of

_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """ε and δ of a worker with all jobs of one set of segments, and how they were found, in words.

    `proved` is false where a step of the derivation has no proof: the price of pruning for several rows of one worker
    is derived where nobody else lives, and taken over from one row where others do.
    """

    epsilon: Decimal
    delta: Decimal
    words: str = ""
    proved: bool = True


def cost_of(prepared: Populations, params: SyntheticResidencesParams, *, epsilon: Decimal, delta: Decimal) -> Cost:
    """What J jobs cost where one costs (ε, δ)."""
    jobs = prepared.jobs_in_a_population
    if jobs == 1:
        return Cost(epsilon=epsilon, delta=delta)
    if not prepared.one_home or jobs > _MOST:
        steps = group(epsilon=epsilon, delta=delta, size=jobs)
        words = f"{jobs} jobs of one worker are charged as {jobs} steps, as nothing enforces that they have one home."
        return Cost(epsilon=steps[0], delta=steps[1], words=words)
    losses, chances = [epsilon], [delta]
    for rows in range(2, jobs + 1):
        loss, chance = _in_one_population(prepared, params, rows)
        losses.append(_upwards(loss))
        chances.append(Decimal(chance * (1 + 1e-9)))
    total = min(_dearest(chances), Decimal(1))
    words = f"{jobs} jobs of one worker in one population have one home, which is enforced: their own δ is at most " \
            f"{chances[-1]:.2g} a population."  # fmt: skip
    return Cost(epsilon=_dearest(losses), delta=total, words=words, proved=not params.prunes)


def _in_one_population(prepared: Populations, params: SyntheticResidencesParams, rows: int) -> tuple[float, float]:
    """Loss and δ of so many rows of one worker, at the worst of all populations: from sizes, points and prior alone."""
    size = np.asarray(prepared.size, dtype=np.int64)
    weights = weights_of(prepared, params, size)
    chance = deltas_of(prepared, weights, params, size, rows).max(initial=0.0)
    return rows_loss(levels_of(prepared, weights), size, params, rows), float(chance)


def rows_loss(levels: Levels, size: np.ndarray[tuple[int], np.dtype[np.int64]], params: SyntheticResidencesParams,
              rows: int) -> float:  # fmt: skip
    """The largest loss within the thresholds over every prior in force."""
    m = size[levels.population].astype(np.float64)
    some = (levels.prior > 0) & (m > 0)
    alpha, m = levels.prior[some], m[some]
    if not len(alpha):
        return 0.0
    most = m
    if params.minimum_prior is MinimumPrior.SEARCH:
        growth = np.full(len(alpha), math.expm1(float(params.epsilon)))
        most = np.minimum(telling_draws(alpha, growth=growth, jobs=rows) - 1.0, m)
    keep = np.minimum(np.maximum(alpha, float(params.min_p)), 1.0) if params.prunes else np.ones(len(alpha))
    return max(float(_loss(draws, alpha, keep, m, rows).max()) for draws in (np.minimum(1.0, most), most))


def _loss(draws: Floats, alpha: Floats, keep: Floats, size: Floats, rows: int) -> Floats:
    from scipy.special import gammaln

    plain = sum(np.log1p(draws / (alpha + i)) for i in range(rows))
    factor = pruned_factor(draws=size, workers=size, alpha=alpha)
    explained = gammaln(draws + rows) + gammaln(alpha) - gammaln(float(rows)) - gammaln(draws + alpha)
    pruned = (1.0 - keep) / keep * factor * np.exp(explained)
    return np.asarray(np.where(draws > 0.0, np.log(np.exp(plain) + pruned), 0.0))


def _dearest(each: list[Decimal]) -> Decimal:
    """The dearest way to divide the jobs into groups, `each[j − 1]` being the cost of a group of j."""
    best = [Decimal(0)]
    for jobs in range(1, len(each) + 1):
        best.append(max(each[own - 1] + best[jobs - own] for own in range(1, jobs + 1)))
    return best[-1]


def _upwards(loss: float) -> Decimal:
    if math.isinf(loss):
        return Decimal("Infinity")
    return Decimal(math.ceil(loss * (1 + 1e-12) * 10_000)) / 10_000
