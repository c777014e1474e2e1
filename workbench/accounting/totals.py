"""How much a set of entries costs: in sequence, and by the tightest rule that can be shown to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from workbench.accounting import optimal, pld
from workbench.accounting.composition import sequential
from workbench.accounting.coverage import Parts, divisions
from workbench.core.claims import Definition

# Under these a pair (ε, δ) bounds the hockey-stick divergence of every two neighbours, which is what composes tighter.
# Probabilistic privacy promises more than that, and a loss that is conditional on the data promises less.
TRUE_PAIRS = frozenset(
    (
        Definition.EDGE,
        Definition.STRONG,
        Definition.WEAK,
        Definition.NODE,
        Definition.LOCAL,
        Definition.CENTRAL,
        Definition.REPLACED,
        Definition.HISTORY,
    )
)


class Rule(StrEnum):
    """How losses were put together."""

    SEQUENTIAL = "sequential"
    PARALLEL = "parallel"
    PLD = "privacy loss distribution"


class Spending(Protocol):
    """What claims and ledger entries have in common. Both may also carry a `coverage` and a `group_size`; entries that
    belong to one draw have the same `run_id`."""

    @property
    def definition(self) -> Definition: ...
    @property
    def epsilon(self) -> Decimal: ...
    @property
    def delta(self) -> Decimal: ...
    @property
    def alpha(self) -> Decimal | None: ...
    @property
    def formal(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """An (ε, δ) that holds for all entries together, the rule that gave it, and that rule in words."""

    epsilon: Decimal
    delta: Decimal
    rule: Rule
    words: str


def in_sequence(entries: Sequence[Spending]) -> Cost:
    """Σε and Σδ (at most 1), exact."""
    return Cost(
        epsilon=sequential(entry.epsilon for entry in entries),
        delta=min(sequential(entry.delta for entry in entries), Decimal(1)),
        rule=Rule.SEQUENTIAL,
        words="Every loss is added.",
    )


def tightest(entries: Sequence[Spending], allowed_delta: Decimal | None = None) -> Cost:
    """The smallest ε that can be shown: in sequence, in parallel over units shown apart, or at a δ that is allowed.

    `allowed_delta` is the δ that may be spent in all; where there is none, δ is what the entries themselves have. The
    result is never above the sum in sequence. At a δ it holds only for losses that were fixed before the first draw: no
    ledger is measured by it (see `share`).
    """
    best = in_sequence(entries)
    for parts in divisions(entries):
        for cost in (_parallel(parts), _at(parts, allowed_delta)):
            if cost is not None and cost.epsilon < best.epsilon:
                best = cost
    return best


def _parallel(parts: Parts[Spending]) -> Cost | None:
    if not parts.apart:
        return None
    each = [in_sequence(group) for group in parts.groups]
    return Cost(
        epsilon=max(cost.epsilon for cost in each),
        delta=max(cost.delta for cost in each),
        rule=Rule.PARALLEL,
        words=parts.sentence(),
    )


def _at(parts: Parts[Spending], allowed: Decimal | None) -> Cost | None:
    """The price at the δ that is allowed: of the dearest group, each composed exactly from its pairs."""
    true_pairs = all(entry.definition in TRUE_PAIRS for group in parts.groups for entry in group)
    if not allowed or not true_pairs or all(len(group) < 2 for group in parts.groups):
        return None
    prices = [price([(entry.epsilon, entry.delta) for entry in group], allowed) for group in parts.groups]
    known = [price for price in prices if price is not None]
    if len(known) < len(prices):
        return None
    words = "Losses partly cancel: the total is that of the loss distributions composed, at the δ that is allowed."
    return Cost(
        epsilon=max(known), delta=allowed, rule=Rule.PLD, words=f"{words} {parts.sentence()}".strip()
    )  # fmt: skip


def price(pairs: list[optimal.Pair], delta: Decimal) -> Decimal | None:
    """ε of pairs that were fixed beforehand, composed at δ; None where it cannot be shown."""
    if any(not epsilon.is_finite() for epsilon, _ in pairs):
        return None
    if not optimal.too_many(pairs):
        return optimal.epsilon_at(pairs, delta)
    laws = [(pld.Guarantee(epsilon=float(epsilon), delta=float(failure)), 1) for epsilon, failure in pairs]
    price = pld.upwards(pld.epsilon_at(laws, float(delta) * (1 - 1e-9)))
    return price if price.is_finite() else None
