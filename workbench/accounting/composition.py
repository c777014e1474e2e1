"""What several releases cost together. ε and δ are exact decimals; where a formula needs an exponential the result is
rounded upwards, so that no sum ever looks cheaper than it is.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from decimal import Decimal

from workbench.core.errors import Defect

# Far more digits than ε, δ or α are ever typed with; a sum that would not fit is a mistake, not something to round.
_EXACT = decimal.Context(prec=2000, traps=[decimal.Inexact, decimal.InvalidOperation])
_WORKING = decimal.Context(prec=60, Emin=-999_999, Emax=999_999)
_UPWARDS = decimal.Context(prec=28, rounding=decimal.ROUND_CEILING, Emin=-999_999, Emax=999_999)


def sequential(losses: Iterable[Decimal]) -> Decimal:
    """Σ ε: the loss of several releases from the same data.

    Guarantee: mechanisms with losses ε₁ … εₖ on the same data have, together, loss at most ε₁ + … + εₖ, however each
    is chosen after seeing the earlier ones; δ adds up likewise. Exact, no rounding. Source: Haney et al., Theorem 7.3.
    """
    return _exact_sum(losses)


def group(*, epsilon: Decimal, delta: Decimal, size: int) -> tuple[Decimal, Decimal]:
    """(k·ε, δ·(e^{kε} − 1)/(e^ε − 1)): what an (ε, δ) guarantee still says of k neighbours' steps at once.

    Guarantee: k applications of the one-step inequality, δ·Σ_{i<k} e^{iε}; at ε = 0 that is k·δ. ε is exact; δ is
    rounded up at 28 digits and never above 1.
    """
    _at_least_one(size, "steps")
    total = exact_product(epsilon, Decimal(size))
    if delta == 0:
        return total, Decimal(0)
    with decimal.localcontext(_WORKING):
        growth = Decimal(size) if epsilon == 0 else (total.exp() - 1) / (epsilon.exp() - 1)
        raw = delta * growth
    return total, min(_round_up(raw), Decimal(1))


def homogeneous_delta(*, each: Decimal, times: int, total: Decimal) -> Decimal:
    """The smallest δ such that `times` mechanisms of pure loss `each` are together (`total`, δ)-private.

    Formula: δ(ε) = Σ_l C(k, l)·max(0, e^{(k−l)ε₀} − e^{ε + lε₀}) / (1 + e^{ε₀})ᵏ; at the corners ε = (k − 2i)ε₀ only
    the terms l < i are left. Guarantee: exact over all mechanisms of loss ε₀ (randomised response reaches it), so no
    smaller δ can be promised knowing ε₀ alone. Rounded up at 28 digits.
    Source: Kairouz, Oh, Viswanath 2015, Theorem 3.3.
    """
    _at_least_one(times, "mechanisms")
    with decimal.localcontext(_WORKING):
        raw = Decimal(0)
        for heads in range(times + 1):
            gain = ((times - heads) * each).exp() - (total + heads * each).exp()
            if gain > 0:
                raw += math.comb(times, heads) * gain
        raw /= (1 + each.exp()) ** times
    return _round_up(raw) if raw else Decimal(0)


def exact_product(a: Decimal, b: Decimal) -> Decimal:
    """a·b without rounding (infinity stays infinity)."""
    try:
        return _EXACT.multiply(a, b)
    except decimal.Inexact as lost:
        raise Defect("a privacy loss has more digits than the ledger can multiply exactly") from lost


def exact_difference(a: Decimal, b: Decimal) -> Decimal:
    """a − b without rounding."""
    return _exact_sum((a, b.copy_negate()))


def _exact_sum(losses: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    try:
        for loss in losses:
            total = _EXACT.add(total, loss)
    except decimal.Inexact as lost:
        raise Defect("a privacy loss has more digits than the ledger can add exactly") from lost
    return total


def _round_up(raw: Decimal) -> Decimal:
    """28 digits, upwards. The working precision errs in its last digits only, so one unit there is added first."""
    with decimal.localcontext(_WORKING):
        safe = raw.next_plus() * (1 + Decimal(10) ** -50)
    return _UPWARDS.plus(safe)


def _at_least_one(count: int, what: str) -> None:
    if count < 1:
        raise Defect(f"composition over fewer than one of: {what}")
