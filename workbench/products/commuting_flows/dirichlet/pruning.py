"""What pruning the prior costs.

Every cell keeps its prior α with probability p and loses it otherwise, independently of the data (p = max(α, min_p)).
If the row's cell i is pruned and empty, draws there are impossible unless the row lives there; they are explained by
the pruned case with the row, or by the kept case without it. With m_i of the m draws in cell i and n rows,

    ε(m_i) = ln[(m_i + α)/α + ((1 − p)/p)·G·m_i!·Γ(α)/Γ(m_i + α)],   G = Γ(n)·Γ(n + α + m)/(Γ(n + α)·Γ(n + m)).

G is for all other prior pruned, which is the worst (G falls in the total weight): exact for an attacker who sees
which priors are kept, an upper bound for one who does not. For α ≤ 1 both terms rise in m_i; for α > 1 the sum is
convex in m_i; so the worst m_i is 1 or the largest. Nominal: ε* = ln(1 + m_i/α), as if nothing were pruned. Headline
of the source: ε* + ln(2/p). It bounds the exact price as long as G ≤ (2 − p)/(1 − p), which holds for the small α
pruning is meant for (α ≤ p and m = n give G ≤ 2^α) and fails for large α or m far above n; `headline_holds` says so.
Rounding: log-gamma differences, relative 1e−11. Source: OnTheMap (2008), "Pruning the prior"; derived anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.errors import UserProblem
from workbench.products.commuting_flows.dirichlet.inputs import checked_draws, checked_prior, together, whole_arrays
from workbench.products.commuting_flows.dirichlet.pure import log_ratios


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PruningPrices:
    """For each population: the price exactly, without pruning, and as the source's slides state it."""

    exact: Floats
    nominal: Floats
    headline: Floats
    bound: Floats
    worst_cell_draws: Floats
    pruned_factor: Floats
    headline_holds: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Headlines:
    """ε* + ln(2/p), the source's; ε* + ln((2 − p)/p), enough while G ≤ 2; ε* + ln(2^p/p), for α ≤ p and m = n."""

    stated: Floats
    sharper: Floats
    small_prior: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class PruningPrice:
    """The same for one population."""

    exact: float
    nominal: float
    headline: float
    bound: float
    worst_cell_draws: int
    pruned_factor: float
    headline_holds: bool


def checked_keep(keep: Any, where: str = "keep") -> Floats:
    values = np.asarray(keep, dtype=np.float64)
    if not np.all((values > 0.0) & (values <= 1.0)):
        raise UserProblem("The probability to keep a prior must be above 0 and at most 1", where)
    return values


def pruning_price(
    *, draws: int, workers: int, alpha: float, keep: float, cell_draws: int | None = None
) -> PruningPrice:
    """The price for one population; `cell_draws` is the most draws one cell can get, all of them if not given."""
    most = draws if cell_draws is None else cell_draws
    together(
        lambda: checked_draws(draws),
        lambda: checked_draws(workers, "workers"),
        lambda: checked_prior(alpha, "alpha"),
        lambda: checked_keep(keep),
        *([] if cell_draws is None else [lambda: checked_draws(most, "cell-draws")]),
    )
    if most > draws:
        raise UserProblem("One cell cannot get more than all the draws", "cell-draws", "Set at most the draws")
    many = pruning_prices(draws=draws, workers=workers, alpha=alpha, keep=keep, cell_draws=most)
    return PruningPrice(
        exact=float(many.exact),
        nominal=float(many.nominal),
        headline=float(many.headline),
        bound=float(many.bound),
        worst_cell_draws=int(many.worst_cell_draws),
        pruned_factor=float(many.pruned_factor),
        headline_holds=bool(many.headline_holds),
    )


def pruning_prices(*, draws: Any, workers: Any, alpha: Any, keep: Any, cell_draws: Any = None) -> PruningPrices:
    """The price for many populations at once, in the common shape of the arguments. No prior: infinite."""
    m, n, most = (
        part.astype(np.float64) for part in whole_arrays(draws, workers, draws if cell_draws is None else cell_draws)
    )
    prior = np.asarray(alpha, dtype=np.float64)
    checked_prior(prior.ravel() if prior.size else [0.0], "alpha")
    m, n, most, prior, p = np.broadcast_arrays(m, n, most, prior, checked_keep(keep))
    factor = pruned_factor(draws=m, workers=n, alpha=prior)
    ends = (np.minimum(most, 1.0), most)
    low, high = (_price(end, alpha=prior, keep=p, factor=factor) for end in ends)
    nominal = log_ratios(prior, most)
    return PruningPrices(
        exact=np.maximum(low, high),
        nominal=nominal,
        headline=headlines(nominal, p).stated,
        bound=nominal + np.log1p(factor * (1.0 - p) / p),
        worst_cell_draws=np.where(low > high, *ends),
        pruned_factor=factor,
        headline_holds=np.maximum(low, high) <= nominal + np.log(2.0 / p),
    )


def headlines(nominal: Any, keep: Any) -> Headlines:
    """Bounds from ε* and p alone."""
    epsilon, p = np.asarray(nominal, dtype=np.float64), checked_keep(keep)
    return Headlines(
        stated=np.asarray(epsilon + np.log(2.0 / p)),
        sharper=np.asarray(epsilon + np.log((2.0 - p) / p)),
        small_prior=np.asarray(epsilon + p * np.log(2.0) - np.log(p)),
    )


def pruned_factor(*, draws: Any, workers: Any, alpha: Any) -> Floats:
    """G: how much likelier m draws become elsewhere when the weight α is gone. Infinite without a row to carry them."""
    from scipy.special import gammaln

    m, n, a = (np.asarray(value, dtype=np.float64) for value in (draws, workers, alpha))
    log_factor = (gammaln(n + a + m) - gammaln(n + m)) - (gammaln(n + a) - gammaln(np.maximum(n, 1.0)))
    return np.asarray(np.where(n > 0.0, np.exp(log_factor), np.inf))


def _price(cell_draws: Floats, *, alpha: Floats, keep: Floats, factor: Floats) -> Floats:
    from scipy.special import gammaln

    some = alpha > 0.0
    a = np.where(some, alpha, 1.0)
    explained = np.exp(gammaln(cell_draws + 1.0) + gammaln(a) - gammaln(cell_draws + a))
    pruned = (1.0 - keep) / keep * factor * explained
    priced = np.where(cell_draws > 0.0, np.log1p(cell_draws / a + np.where(keep < 1.0, pruned, 0.0)), 0.0)
    return np.asarray(np.where(some | (cell_draws <= 0.0), priced, np.inf))
