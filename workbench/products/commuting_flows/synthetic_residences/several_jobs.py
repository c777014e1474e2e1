"""What a release costs somebody with several jobs, from public facts alone.

A worker's J jobs are rows of one or of several populations. Populations are drawn apart from each other, so there the
costs add up. For j rows in one population, all with one home before and after (enforced):

- δ: the bound B_j of `dirichlet.probabilistic` with the priors in force; ε: j·ε* before pruning. With pruning, at homes
  that nobody shares, the largest ln[Π(1 + s/(α + i)) + ((1 − p)/p)·G·Γ(s + j)Γ(α)/(Γ(j)Γ(s + α))] over s = 1 and s =
  t_j(α) − 1; at any home at most j·ε* + ln[1 + ((1 − p)/p)·G], which is never less.
- The dearest way to divide J jobs among populations counts, and never less than J times one job.

Proof of the latter. Let x others live at the home i, y of the m draws be there, and everything that was pruned or kept
elsewhere be given. Kept, the odds change by R₁ = Π(1 + y/(x + α + i)) ≤ e^(jε*) within the threshold; with kept and
pruned likely as p to 1 − p, by at most R₁ + ((1 − p)/p)·(Q₀/Q₁)·R₀, where R₀ is R₁ without α and Q₀/Q₁ compares the
chances of the outcome without the worker, Q₀/Q₁ ≤ G·Γ(x + y)Γ(x + α)/(Γ(x)Γ(x + α + y)), G at its largest where all
other prior is pruned. So R₀·Q₀/Q₁ ≤ G·Γ(x + j + y)Γ(x + α)/(Γ(x + j)Γ(x + α + y)) = G·R₁·Π over s < y of (x + j +
s)/(x + j + α + s) ≤ G·R₁. Where the worker came from, the odds only fall. For x = 0 it is the formula above.

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
from workbench.core.arrays import Floats, Integers
from workbench.products.commuting_flows.dirichlet.probabilistic import telling_draws
from workbench.products.commuting_flows.dirichlet.pruning import pruned_factor
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.synthetic_residences.loss import Levels, deltas_of, levels_of
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.weights import weights_of

_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """ε and δ of a worker with all jobs of one set of segments, and how they were found, in words."""

    epsilon: Decimal
    delta: Decimal
    words: str = ""


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
    return Cost(epsilon=_dearest(losses), delta=total, words=words)


def _in_one_population(prepared: Populations, params: SyntheticResidencesParams, rows: int) -> tuple[float, float]:
    """Loss and δ of so many rows of one worker, at the worst of all populations: from sizes, points and prior alone."""
    size = np.asarray(prepared.size, dtype=np.int64)
    weights = weights_of(prepared, params, size)
    chance = deltas_of(prepared, weights, params, size, rows).max(initial=0.0)
    levels = levels_of(prepared, weights)
    return max(rows_loss(levels, size, params, rows), any_home_loss(levels, size, params, rows)), float(chance)


def rows_loss(levels: Levels, size: Integers, params: SyntheticResidencesParams, rows: int) -> float:
    """The largest loss within the thresholds over every prior in force, at homes that nobody shares."""
    alpha, m = _in_force(levels, size)
    if not len(alpha):
        return 0.0
    most = m
    if params.minimum_prior is MinimumPrior.SEARCH:
        growth = np.full(len(alpha), math.expm1(float(params.epsilon)))
        most = np.minimum(telling_draws(alpha, growth=growth, jobs=rows) - 1.0, m)
    keep = _kept(alpha, params)
    return max(float(_loss(draws, alpha, keep, m, rows).max()) for draws in (np.minimum(1.0, most), most))


def any_home_loss(levels: Levels, size: Integers, params: SyntheticResidencesParams, rows: int) -> float:
    """A bound on the same wherever others live: j·ε* + ln[1 + ((1 − p)/p)·G]; without a δ all draws are at one home."""
    alpha, m = _in_force(levels, size)
    if not len(alpha):
        return 0.0
    plain = np.full(len(alpha), rows * float(params.epsilon))
    if params.minimum_prior is not MinimumPrior.SEARCH:
        plain = np.asarray(sum(np.log1p(m / (alpha + i)) for i in range(rows)))
    keep = _kept(alpha, params)
    return float((plain + np.log1p((1.0 - keep) / keep * pruned_factor(draws=m, workers=m, alpha=alpha))).max())


def _in_force(levels: Levels, size: Integers) -> tuple[Floats, Floats]:
    """Priors and draws of the populations that can tell anything."""
    m = size[levels.population].astype(np.float64)
    some = (levels.prior > 0) & (m > 0)
    return levels.prior[some], m[some]


def _kept(alpha: Floats, params: SyntheticResidencesParams) -> Floats:
    """p of each prior."""
    return np.minimum(np.maximum(alpha, float(params.min_p)), 1.0) if params.prunes else np.ones(len(alpha))


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
