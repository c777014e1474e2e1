"""How much of a policy's budget is used: the ledger's default rule, which holds however ε is chosen from publications.

All entries of one definition against its cap (E, δ): within the plain sum, or within the Rényi filter at the order that
belongs to the cap (see `filter`). Entries whose units were shown apart are kept in one filter for each value of the
public attribute, and every one of them must stay within. Somebody who moves between values is not covered by such a
filter; group privacy gives (2E, δ(1 + e^E)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from workbench.accounting.composition import group, sequential
from workbench.accounting.coverage import Parts, divisions
from workbench.accounting.filter import Filter, Spent, best_order
from workbench.accounting.limits import Limit
from workbench.accounting.totals import TRUE_PAIRS, Spending
from workbench.core.quantities import exact, show


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of the budget, never an ε: what has been spent so far is no promise, because when one looks depends on
    what came out. `delta` is the δ of the filter; the δ of single releases come on top and have a cap of their own."""

    rule: Filter
    used: Decimal
    single_delta: Decimal
    delta_cap: Decimal | None
    attribute: str = ""  # the public attribute whose values have a filter each; empty where there is one for all

    @property
    def admitted(self) -> bool:
        within = self.delta_cap is None or self.single_delta + self.rule.delta <= self.delta_cap
        return within and self.used <= self.rule.budget

    def words(self) -> str:
        """How much is used, at which order."""
        budget = self.rule.budget
        part = f"{100 * self.used / budget:.0f} %" if budget else "all"
        return f"{part} (Rényi order {exact(self.rule.order)}: {self.used:.2f} of {budget:.2f})"

    def promise(self) -> str:
        """What holds for all that is approved under the cap, now and later: (E, δ + the cap on single δ)."""
        single = self.delta_cap
        besides = "" if single == 0 else f", besides {_at_most(single)}the δ of single releases"
        return (
            f"Everything published under this policy, now and later, keeps ε ≤ {exact(self.rule.epsilon)}, "
            f"δ ≤ {exact(self.rule.delta)}{besides}."
        )

    def movers(self) -> str:
        """What holds for somebody who moves between values of the attribute; empty where there is one filter for all.

        (2E, δ(1 + e^E)) by group privacy. Two Rényi budgets are never added: a release that reads both values moves by
        2ε, and D_a(2ε) is about four times D_a(ε).
        """
        if not self.attribute:
            return ""
        epsilon, delta = group(epsilon=self.rule.epsilon, delta=self.rule.delta, size=2)
        single = "" if self.delta_cap == 0 else " The δ of single releases grows by the same factor."
        return (
            f"Each value of “{self.attribute}” has a budget of its own. For somebody who moves from one to another, "
            f"ε ≤ {exact(epsilon)}, δ ≤ {show(delta)}.{single}"
        )


def _at_most(cap: Decimal | None) -> str:
    return "" if cap is None or cap >= 1 else f"at most {exact(cap)} for "


def share_of(entries: Sequence[Spending], limit: Limit) -> Share | None:
    """The share that entries of one definition use of its cap; None where the filter does not apply to them.

    It needs a cap on ε, a δ for composing, and definitions whose (ε, δ) bound a hockey-stick divergence.
    """
    if limit.epsilon is None or not limit.epsilon or not limit.composing:
        return None
    if not all(entry.definition in TRUE_PAIRS and entry.formal for entry in entries):
        return None
    order = best_order(limit.epsilon, limit.composing)
    rule = Filter(epsilon=limit.epsilon, delta=limit.composing, order=order)
    shares = [_dearest(parts, rule, limit.delta) for parts in divisions(entries)]
    return min(shares, key=lambda share: (not share.admitted, share.used))


def _dearest(parts: Parts[Spending], rule: Filter, cap: Decimal | None) -> Share:
    """The filter that is fullest: one for every value of the attribute."""
    filters = [
        Share(
            rule=rule,
            used=rule.used(_spent(entry) for entry in group),
            single_delta=sequential(entry.delta for entry in group if _rho(entry) is None),
            delta_cap=cap,
            attribute=parts.attribute if parts.apart else "",
        )
        for group in parts.groups
    ]
    return max(filters, key=lambda share: (not share.admitted, share.used))


def _spent(entry: Spending) -> Spent:
    """A release accounted for in zCDP enters with its ρ, any other with its ε."""
    return Spent(epsilon=entry.epsilon, rho=_rho(entry))


def _rho(entry: Spending) -> Decimal | None:
    rho: Decimal | None = getattr(entry, "rho", None)
    return rho
