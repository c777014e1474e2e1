"""Exact quantities. ε, δ and α are decimals as typed, never binary floats: 0.1 + 0.2 is 0.3 in a ledger."""

from __future__ import annotations

from decimal import Decimal


class Epsilon(Decimal):
    """Privacy loss ε: the log of the odds an attacker can gain. Additive under sequential composition."""


class Delta(Decimal):
    """Failure probability δ of an (ε, δ) guarantee."""


class Alpha(Decimal):
    """Size window α of employer-employee privacy: sizes within this share stay indistinguishable."""


def show(value: Decimal | float | int, digits: int = 4) -> str:
    """A number with sensible digits for a person: 2 -> '2', 0.4954321 -> '0.4954', 1e-06 -> '1e-06', inf -> '∞'."""
    if isinstance(value, Decimal):
        if value.is_infinite():
            return "∞" if value > 0 else "−∞"
        if value == value.to_integral_value() and abs(value) < Decimal(10) ** 15:
            return f"{int(value):,}"
        return show(float(value), digits)
    if isinstance(value, int):
        return f"{value:,}"
    if value != value:
        return "not defined"
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"
