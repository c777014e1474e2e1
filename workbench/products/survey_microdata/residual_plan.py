"""All one- and two-way tables in the residual basis: how much noise each part gets, what it costs, what cells have.

For a set A of at most two variables with k_i categories, p_A = Π(k_i − 1)/k_i. A record added or removed costs
ρ = Σ p_A/(2σ_A²). The best variances for "mean cell variance, pairs with weight 1, one-way tables with weight w₁" are
σ_A² = √(p_A/W_A)·S/(2ρ), S = Σ√(p_A·W_A), with f = (k − 1)/k, W_ij = f_i·f_j, W_i = w₁f_i + Σ_j f_i/k_j²,
W_∅ = Σ w₁/k_i² + Σ 1/(k_i·k_j)². A cell of the table of i and j then has variance
σ_ij²f_i·f_j + σ_i²f_i/k_j² + σ_j²f_j/k_i² + σ_∅²/(k_i·k_j)².
One record replaced by another that differs in the set D costs Σ_{i∈D} 1/σ_i² + Σ_{both in D} (1 − 1/k_i − 1/k_j)/σ_ij²
+ Σ_{one, i, in D} (1 − 1/k_j)/σ_ij², at the worst set D. Where all pairs have the same σ² a sorted rule finds it; else
every set is tried where there are few variables, and the upper bound Σ c_i is charged where there are many.
Source: Xiao, He, Zhang and Kifer (2023), ResidualPlanner; integers and the price of replacement are our own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.core.arrays import Floats, Integers

_FEW = 16  # variables for which every set can be tried


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualPlan:
    """Variances of the noise: of the total, of each variable, of each pair (upper triangle of a matrix)."""

    categories: Integers
    total: float
    single: Floats
    pair: Floats  # variables × variables, symmetric, zero on the diagonal

    @property
    def shares(self) -> Floats:
        """f = (k − 1)/k of each variable."""
        shares: Floats = (self.categories - 1) / self.categories
        return shares

    def rho(self) -> float:
        """ρ of one record added or removed."""
        f = self.shares
        above = np.triu_indices(len(f), 1)
        pairs = (np.outer(f, f)[above] / self.pair[above]).sum()
        return float(0.5 * (1.0 / self.total + (f / self.single).sum() + pairs))

    def rho_replaced(self) -> float:
        """ρ of one record replaced by any other; n is public then and costs nothing."""
        variables = len(self.categories)
        if variables <= _FEW:
            sets = (c for size in range(1, variables + 1) for c in combinations(range(variables), size))
            return max(self.price_of_set(np.array(chosen)) for chosen in sets)
        above = np.triu_indices(variables, 1)
        if np.allclose(self.pair[above], self.pair[above][0], rtol=1e-12):
            return self._sorted_price(float(self.pair[above].min()))
        return float(self._alone().sum())

    def price_of_set(self, chosen: Integers) -> float:
        """ρ of two records that differ in exactly these variables, at the worst."""
        inverse = _inverse(self.pair)
        inside = np.zeros(len(self.categories), dtype=np.bool_)
        inside[chosen] = True
        reciprocal = 1.0 / self.categories
        both = (1.0 - reciprocal[:, None] - reciprocal[None, :]) * inverse
        one = (1.0 - reciprocal)[None, :] * inverse  # i in the set, j outside
        total = (1.0 / self.single[inside]).sum() + np.triu(both, 1)[np.ix_(inside, inside)].sum()
        return float(total + one[np.ix_(inside, ~inside)].sum())

    def _alone(self) -> Floats:
        """c_i = 1/σ_i² + Σ_{j≠i}(1 − 1/k_j)/σ_ij²: the price of i where nothing else changes."""
        alone: Floats = 1.0 / self.single + _inverse(self.pair) @ self.shares
        return alone

    def _sorted_price(self, variance: float) -> float:
        ordered = np.sort(self._alone())[::-1]
        size = np.arange(1, len(ordered) + 1)
        return float((np.cumsum(ordered) - size * (size - 1) / (2.0 * variance)).max())

    def cell_variance(self, i: int, j: int) -> float:
        """The variance of one cell of the published table of i and j."""
        return float(self.cell_variances()[i, j])

    def cell_variances(self, *, noisy_total: bool = True) -> Floats:
        """The same of every pair; a total that is public adds nothing."""
        f, k = self.shares, self.categories.astype(np.float64)
        one = np.outer(self.single * f, 1.0 / k**2)
        total = self.total / np.outer(k, k) ** 2 if noisy_total else 0.0
        variances: Floats = self.pair * np.outer(f, f) + one + one.T + total
        return variances


def best_plan(categories: Integers, rho: float, one_way_weight: float) -> ResidualPlan:
    """The variances that spend ρ best on the declared tables."""
    k = categories.astype(np.float64)
    f, inverse = (k - 1) / k, 1.0 / k**2
    above = np.triu_indices(len(k), 1)
    pair_cost = np.outer(f, f)
    single_weight = one_way_weight * f + f * (inverse.sum() - inverse)
    total_weight = one_way_weight * inverse.sum() + np.outer(inverse, inverse)[above].sum()
    spread = float(math.sqrt(total_weight) + np.sqrt(f * single_weight).sum() + pair_cost[above].sum())
    # pairs: p = W = f_i·f_j, so √(p/W) = 1 and all have the same variance
    each = spread / (2.0 * rho)
    pair = np.full((len(k), len(k)), each)
    np.fill_diagonal(pair, 0.0)
    return ResidualPlan(
        categories=categories,
        total=each / math.sqrt(total_weight),
        single=np.sqrt(f / single_weight) * each,
        pair=pair,
    )


def _inverse(pair: Floats) -> Floats:
    """1/σ_ij², zero on the diagonal."""
    inverse = np.zeros_like(pair)
    np.divide(1.0, pair, out=inverse, where=pair > 0.0)
    return inverse
