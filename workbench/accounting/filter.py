"""A privacy filter: which further release is allowed when every ε may depend on all that was published before.

Rule: a release is allowed while Σε ≤ E, *or* while ΣD_a ≤ B(E, δ, a) at one order a that is frozen with the policy
before the first draw; the δ of single releases are capped apart. All that is ever published under the rule keeps
(E, δ + the cap on single δ).

- A pure ε release costs D_a = ln[cosh((a − ½)ε)/cosh(ε/2)]/(a − 1); a ρ-zCDP release costs a·ρ.
- B(E, δ, a) = E − ln(1 − 1/a) + (ln δ + ln a)/(a − 1).
- a = argmax B/a, the best order for many small releases, to two decimals.

Proof: e^((a−1)(loss so far − ΣD_a)) is a supermartingale, so the second branch keeps D_a ≤ B and with it (E, δ)
(Feldman and Zrnic 2021; Canonne, Kamath and Steinke 2020). Histories that end within Σε ≤ E satisfy P ≤ e^E·Q point by
point; the others are those of an analyst who stops at B. Together (E, δ), without dividing δ.
Rounding: costs are rounded up and budgets down, at 40 digits, so that a comparison never favours the release.
No rule covers an ε chosen after looking at confidential results.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from workbench.accounting.composition import sequential

_DIGITS = 60
_KEPT = 40
_WORKING = decimal.Context(prec=_DIGITS, Emin=-999_999, Emax=999_999)
_UP = decimal.Context(prec=_KEPT, rounding=decimal.ROUND_CEILING, Emin=-999_999, Emax=999_999)
_DOWN = decimal.Context(prec=_KEPT, rounding=decimal.ROUND_FLOOR, Emin=-999_999, Emax=999_999)
_SLACK = Decimal(10) ** -50  # far more than the working digits lose
_FINEST_ORDER = Decimal("0.01")
_LARGEST_ORDER = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """The cap (E, δ) of a policy, and the order that was frozen with it."""

    epsilon: Decimal
    delta: Decimal
    order: Decimal

    @property
    def budget(self) -> Decimal:
        """B(E, δ, a), rounded down; what the Rényi costs of all releases may add up to."""
        return budget_at(self.epsilon, self.delta, self.order)

    def admits(self, spent: Iterable[Spent]) -> bool:
        """Whether all of these together stay within the cap by one of the two rules."""
        entries = tuple(spent)
        return self._by_sum(entries) or self.used(entries) <= self.budget

    def _by_sum(self, entries: tuple[Spent, ...]) -> bool:
        if any(entry.rho is not None for entry in entries):
            return False  # no ε holds for such a release by itself
        return sequential(entry.epsilon for entry in entries) <= self.epsilon

    def used(self, spent: Iterable[Spent]) -> Decimal:
        """ΣD_a, rounded up."""
        total = Decimal(0)
        for entry in spent:
            total = _UP.add(total, entry.cost(self.order))
        return total

    def share(self, spent: Iterable[Spent]) -> Decimal:
        """The share of the budget that is used, by whichever rule leaves more: a share, never an ε."""
        entries = tuple(spent)
        by_order = _UP.divide(self.used(entries), self.budget) if self.budget > 0 else Decimal("Infinity")
        if any(entry.rho is not None for entry in entries):
            return by_order
        return min(by_order, _UP.divide(sequential(entry.epsilon for entry in entries), self.epsilon))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one release spends: a pure ε (its δ is capped apart), or ρ where it is accounted for in zCDP."""

    epsilon: Decimal = Decimal(0)
    rho: Decimal | None = None

    def cost(self, order: Decimal) -> Decimal:
        """D_a of this release, rounded up."""
        return _UP.multiply(order, self.rho) if self.rho is not None else renyi_of_pure(self.epsilon, order)


def renyi_of_pure(epsilon: Decimal, order: Decimal) -> Decimal:
    """D_a = ε + [ln(1 + e^(−(2a−1)ε)) − ln(1 + e^(−ε))]/(a − 1), rounded up; never above ε."""
    if not epsilon.is_finite():
        return Decimal("Infinity")
    with decimal.localcontext(_WORKING):
        gain = (1 + (-(2 * order - 1) * epsilon).exp()).ln() - (1 + (-epsilon).exp()).ln()
        cost = min(epsilon + gain / (order - 1) + _SLACK, epsilon)
    return _UP.plus(cost)


def budget_at(epsilon: Decimal, delta: Decimal, order: Decimal) -> Decimal:
    """B(E, δ, a), rounded down; 0 where no Rényi budget keeps (E, δ)."""
    with decimal.localcontext(_WORKING):
        raw = epsilon - (1 - 1 / order).ln() + (delta.ln() + order.ln()) / (order - 1) - _SLACK
    return max(_DOWN.plus(raw), Decimal(0))


def best_order(epsilon: Decimal, delta: Decimal) -> Decimal:
    """argmax B(E, δ, a)/a to two decimals: B/a has one peak, found by halving steps on the grid."""
    low, high = 101, _LARGEST_ORDER * 100

    def value(step: int) -> Decimal:
        order = step * _FINEST_ORDER
        with decimal.localcontext(_WORKING):
            raw = epsilon - (1 - 1 / order).ln() + (delta.ln() + order.ln()) / (order - 1)
            return raw / order

    while high - low > 2:
        third = (high - low) // 3
        left, right = low + third, high - third
        low, high = (low, right) if value(left) >= value(right) else (left, high)
    return max(range(low, high + 1), key=value) * _FINEST_ORDER


def odometer(*, rho: float, tuned: float, delta: float) -> float:
    """An ε that all losses so far exceed at *no* time with probability δ: ρ + 2√((ρ+r)·ln(√((ρ+r)/r)/δ)).

    `tuned` is r, fixed beforehand (a quarter of the cap). Half-normal mixture of the zCDP supermartingales and Ville's
    inequality. To be shown beside the plain sum, never instead of the cap.
    """
    return rho + 2.0 * math.sqrt((rho + tuned) * math.log(math.sqrt((rho + tuned) / tuned) / delta))
