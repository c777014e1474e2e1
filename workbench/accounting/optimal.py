"""The exact price of several (ε, δ) guarantees together: no bound that knows only the pairs can be smaller.

Formula: a mechanism that is (ε, δ)-private is at worst a coin that fails openly with probability δ and otherwise
answers at random with log odds ±ε, +ε with probability e^ε/(1 + e^ε). The log odds of several add up to S = Σ ±εᵢ, and

    δ(ε) = 1 − Π(1 − δᵢ) · (1 − E[(1 − e^{ε − S})⁺]).

Guarantee: exact over all mechanisms with these pairs, also where each is chosen after seeing the earlier ones.
Rounding: 60 digits while working, results upwards. Source: Kairouz, Oh, Viswanath 2015, Theorem 3.3; Murtagh, Vadhan
2016, Theorem 1.5 (different pairs). It is the composition of the pairs' privacy loss distributions without any grid.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from decimal import Decimal

from workbench.core.errors import Defect

Pair = tuple[Decimal, Decimal]  # (ε, δ)

MOST_SUMS = 20_000
_WORKING = decimal.Context(prec=60, Emin=-999_999, Emax=999_999)
_SAFE = Decimal(10) ** -50
_PLACES = Decimal("0.000001")


def delta_at(pairs: Sequence[Pair], epsilon: Decimal) -> Decimal:
    """The smallest δ such that all pairs together are (`epsilon`, δ)-private, rounded up at 28 digits."""
    with decimal.localcontext(_WORKING):
        intact = _intact(pairs)
        above = [(loss, mass) for loss, mass in _sums(pairs).items() if loss > epsilon]
        beyond = sum((mass * (1 - (epsilon - loss).exp()) for loss, mass in above), Decimal(0))
        raw = 1 - intact * (1 - beyond)
        if raw <= 0:
            return Decimal(0)
        raw = min(raw * (1 + _SAFE) + _SAFE * _SAFE, Decimal(1)) if above or intact != 1 else Decimal(0)
    return decimal.Context(prec=28, rounding=decimal.ROUND_CEILING).plus(raw)


def epsilon_at(pairs: Sequence[Pair], delta: Decimal) -> Decimal | None:
    """The smallest ε ≥ 0 such that all pairs together are (ε, `delta`)-private, rounded up to six decimals.

    None where the pairs' own failures already exceed `delta`. Between two neighbouring sums δ(ε) = A − e^ε·B, which is
    solved in closed form.
    """
    with decimal.localcontext(_WORKING):
        intact = _intact(pairs)
        allowed = 1 - (1 - delta) / intact if intact else Decimal(-1)
        if allowed < 0:
            return None
        allowed -= allowed * _SAFE  # working errors must not make it cheaper
        sums = sorted(_sums(pairs).items(), reverse=True)
        mass = tilted = Decimal(0)
        for position, (loss, share) in enumerate(sums):
            mass += share
            tilted += share * (-loss).exp()
            lower = sums[position + 1][0] if position + 1 < len(sums) else Decimal(0)
            if mass - max(lower, Decimal(0)).exp() * tilted >= allowed or lower <= 0:
                root = ((mass - allowed) / tilted).ln() if mass > allowed else Decimal(0)
                return min(_upwards(max(root, Decimal(0))), sums[0][0])  # the plain sum always holds
    return Decimal(0)


def too_many(pairs: Sequence[Pair]) -> bool:
    """True where the sums of ±ε are too many to be listed; the grid of `pld` takes over."""
    return len(_sums(pairs, limit=MOST_SUMS)) > MOST_SUMS


def _intact(pairs: Sequence[Pair]) -> Decimal:
    kept = Decimal(1)
    for _, delta in pairs:
        kept *= 1 - delta
    return kept


def _sums(pairs: Sequence[Pair], limit: int | None = None) -> dict[Decimal, Decimal]:
    """Every value of Σ ±ε with its probability. Sums of typed decimals meet again and again: the list stays short."""
    known = {Decimal(0): Decimal(1)}
    with decimal.localcontext(_WORKING):
        for epsilon, _ in pairs:
            if not epsilon.is_finite() or epsilon < 0:
                raise Defect("optimal composition of a loss that is not a finite number")
            up = 1 / (1 + (-epsilon).exp())
            moved: dict[Decimal, Decimal] = {}
            for loss, mass in known.items():
                moved[loss + epsilon] = moved.get(loss + epsilon, Decimal(0)) + mass * up
                moved[loss - epsilon] = moved.get(loss - epsilon, Decimal(0)) + mass * (1 - up)
            known = moved
            if limit is not None and len(known) > limit:
                break
    return known


def _upwards(value: Decimal) -> Decimal:
    safe = value + value * _SAFE
    return safe.quantize(_PLACES, rounding=decimal.ROUND_CEILING)
