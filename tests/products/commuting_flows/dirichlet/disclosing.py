"""For one data set: the exact chance that the synthetic workers disclose, in both senses of (ε, δ).

**Probabilistic.** δ(D) = P[S discloses], S ~ Dirichlet-multinomial(m; α + n). S discloses when for some row that can
be removed (leaving b) and some i ≠ j, (1 + S_i/(α_i + b_i))/(1 + S_j/(α_j + b_j)) > e^ε. Removing i's own row makes
its factor largest and leaves j's smallest, so with H_i = ln(1 + S_i/(α_i + max(n_i − 1, 0))) and G_j = ln(1 +
S_j/(α_j + n_j)) (all rows in one cell: there is no other row to remove, so that cell's G is its H), S is safe when
H_i − G_j ≤ ε for all i ≠ j. The chance of a product of allowed counts is a coefficient of a product of power series,
one for each cell, so nothing is enumerated: safe outcomes are split by v = min G; the others must have G ≥ v and H ≤
v + ε. As G ≤ H, one cell alone may have G = v and H > v + ε; then all others need G ≥ H − ε. `delta_union` drops the
factor of j, an upper bound.

**Hockey stick.** The δ of (ε, δ)-differential privacy between the data sets b + e_i and b + e_j: Σ (P − e^ε·Q)⁺ over
(S_i, S_j), with P/Q = (1 + S_i/θ_i)/(1 + S_j/θ_j), θ = α + b.

Rounding: absolute 1e−13 for the probabilistic δ (a difference from 1), relative 1e−11 for the others; ratios within a
relative 1e−12 of e^ε count as equal to it, so they do not disclose. Source: Machanavajjhala et al. (2008), derived
anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.core.errors import UserProblem
from workbench.products.commuting_flows.dirichlet.inputs import (
    checked_counts,
    checked_draws,
    checked_epsilon,
    checked_prior,
    same_length,
)

_CLOSE = 1e-12
_MOST_WORK = 4e9


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosingChance:
    """The chance exactly, and as the bound without the second cell's factor."""

    delta_exact: float
    delta_union: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """Cells with the same rows and prior: how many, the law of their draws, and the two losses by number of draws."""

    many: int
    law: Floats = field(repr=False)
    highest: Floats = field(repr=False)
    lowest: Floats = field(repr=False)


def disclosing_chance(data: Any, prior: Any, *, draws: int, epsilon: float) -> DisclosingChance:
    """The chance, given this data set, that the outcome discloses at ε. A data set is confidential, and so is this."""
    counts, alpha = checked_counts(data, "data"), checked_prior(prior, "prior")
    same_length(counts, "data", alpha, "prior")
    m, eps = checked_draws(draws), checked_epsilon(epsilon) + _CLOSE
    if len(counts) < 2 or not counts.sum():
        return DisclosingChance(delta_exact=0.0, delta_union=0.0)
    if float((alpha + counts).min()) < 0.0 or not (alpha + counts).sum():
        raise UserProblem("There is neither a row nor a prior to draw from", "prior")
    kinds = _kinds(counts, alpha, m)
    _refuse_too_much_work(kinds, m, len(counts))
    whole = _coefficient(kinds, [np.ones(m + 1, dtype=bool)] * len(kinds), m)
    single = _coefficient(kinds, [kind.highest <= eps for kind in kinds], m)
    safe = sum(_safe_from(kinds, v, eps, m) for v in _floors(kinds, m)) + _lone_low_cells(kinds, eps, m)
    return DisclosingChance(
        delta_exact=float(np.clip(1.0 - safe / whole, 0.0, 1.0)),
        delta_union=float(np.clip(1.0 - single / whole, 0.0, 1.0)),
    )


def _kinds(counts: Floats, alpha: Floats, m: int) -> list[_Kind]:
    """Equal cells together; each law is negative binomial, scaled so that its product peaks near m draws."""
    from scipy.special import gammaln, xlogy

    lone = np.count_nonzero(counts) == 1
    total = float((alpha + counts).sum())
    s = np.arange(m + 1, dtype=np.float64)
    pairs, many = np.unique(np.stack([counts, alpha]), axis=1, return_counts=True)
    kinds = []
    for (rows, prior), how_many in zip(pairs.T, many, strict=True):
        weight, without = prior + rows, prior + max(rows - 1.0, 0.0)
        if weight > 0.0:
            log_law = gammaln(s + weight) - gammaln(weight) - gammaln(s + 1.0)
            log_law += xlogy(s, m / (total + m)) + weight * np.log(total / (total + m))
            law = np.exp(log_law)
        else:
            law = (s == 0.0).astype(np.float64)
        highest = _loss(s, without)
        kinds.append(
            _Kind(many=int(how_many), law=law, highest=highest, lowest=highest if lone and rows else _loss(s, weight))
        )
    return kinds


def _loss(s: Floats, weight: float) -> Floats:
    if weight > 0.0:
        return np.asarray(np.log1p(s / weight))
    return np.where(s > 0.0, np.inf, 0.0)


def _floors(kinds: list[_Kind], m: int) -> Floats:
    """The values min G can take. With more cells than draws some cell gets none, so it is 0."""
    if sum(kind.many for kind in kinds) > m:
        return np.zeros(1)
    return np.asarray(np.unique(np.concatenate([kind.lowest for kind in kinds])))


def _safe_from(kinds: list[_Kind], floor: float, eps: float, m: int) -> float:
    """Weight of the outcomes with min G = floor in which every cell has H ≤ floor + ε."""
    least = [(kind.lowest >= floor) & (kind.highest <= floor + eps) for kind in kinds]
    above = [(kind.lowest > floor) & allowed for kind, allowed in zip(kinds, least, strict=True)]
    return _coefficient(kinds, least, m) - _coefficient(kinds, above, m)


def _lone_low_cells(kinds: list[_Kind], eps: float, m: int) -> float:
    """Weight of the safe outcomes in which one cell has both the lowest G and an H beyond it by more than ε."""
    total = 0.0
    for place, kind in enumerate(kinds):
        for s in np.flatnonzero((kind.highest > kind.lowest + eps) & np.isfinite(kind.highest) & (kind.law > 0.0)):
            least, most = kind.highest[s] - eps, kind.lowest[s] + eps
            allowed = [(other.lowest >= least) & (other.highest <= most) for other in kinds]
            total += kind.many * float(kind.law[s]) * _coefficient(kinds, allowed, m - int(s), without=place)
    return total


def _coefficient(kinds: list[_Kind], allowed: list[Bools], m: int, without: int | None = None) -> float:
    """The coefficient of m draws in the product over all cells, each restricted to its allowed numbers of draws."""
    product = np.zeros(m + 1)
    product[0] = 1.0
    for place, (kind, some) in enumerate(zip(kinds, allowed, strict=True)):
        many = kind.many - (place == without)
        if many and not some.any():
            return 0.0
        product = _times_power(product, np.where(some, kind.law, 0.0)[: m + 1], many)
    return float(product[m])


def _times_power(product: Floats, factor: Floats, power: int) -> Floats:
    """product·factor^power up to the length of `product`, by squaring; all terms positive, so nothing cancels."""
    length = len(product)
    while power:
        if power % 2:
            product = np.convolve(product, factor)[:length]
        power //= 2
        if power:
            factor = np.convolve(factor, factor)[:length]
    return product


def _refuse_too_much_work(kinds: list[_Kind], m: int, cells: int) -> None:
    floors = 1 if cells > m else len(kinds) * (m + 1)
    if float(floors) * len(kinds) * (m + 1.0) ** 2 > _MOST_WORK:
        raise UserProblem(
            "The exact chance would take too long for this population", "draws", "Use the bound over all data sets"
        )


def hockey_stick(known: Any, prior: Any, *, draws: int, epsilon: float, row_a: int, row_b: int) -> float:
    """δ at ε between the unknown row in cell `row_a` and in cell `row_b` (counted from 0), given the known rows."""
    counts, alpha = checked_counts(known, "known"), checked_prior(prior, "prior")
    same_length(counts, "known", alpha, "prior")
    m, growth = checked_draws(draws), np.exp(checked_epsilon(epsilon))
    if row_a == row_b or not (0 <= row_a < len(counts) and 0 <= row_b < len(counts)):
        raise UserProblem("Two different cells are compared", "row", f"Choose from 0 to {len(counts) - 1}")
    weight = alpha + counts
    a, b = float(weight[row_a]), float(weight[row_b])
    rest = max(float(weight.sum() - a - b), 0.0) if len(weight) > 2 else 0.0
    return sum(_stick(s, m=m, a=a, b=b, rest=rest, growth=float(growth)) for s in range(1, m + 1))


def _stick(s: int, *, m: int, a: float, b: float, rest: float, growth: float) -> float:
    """The part of the hockey stick with s draws in the first cell: Σ over the second of P·(1 − e^ε·Q/P)⁺."""
    others = np.arange(m - s + 1, dtype=np.float64)
    ratio = (np.inf if a <= 0.0 else 1.0 + s / a) / (np.ones_like(others) if b <= 0.0 else 1.0 + others / b)
    gain = np.maximum(1.0 - growth / ratio, 0.0)
    if not gain[0]:
        return 0.0
    logs = _log_rise(np.array([float(s)]), a + 1.0) + _log_rise(others, b) + _log_rise(m - s - others, rest)
    total = a + 1.0 + b + rest
    return float(np.sum(np.exp(logs - _log_rise(np.array([float(m)]), total)) * gain))


def _log_rise(s: Floats, weight: float) -> Floats:
    """ln of Γ(s + w)/(Γ(w)·s!), the coefficient of s draws in a cell of weight w; a cell without weight gets none."""
    from scipy.special import gammaln

    if weight <= 0.0:
        return np.where(s > 0.0, -np.inf, 0.0)
    return np.asarray(gammaln(s + weight) - gammaln(weight) - gammaln(s + 1.0))
