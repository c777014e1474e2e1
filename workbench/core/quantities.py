"""Exact quantities. ε, δ and α are decimals as typed, never binary floats: 0.1 + 0.2 is 0.3 in a ledger."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from decimal import Decimal


class Epsilon(Decimal):
    """Privacy loss ε: the log of the odds an attacker can gain. Additive under sequential composition."""


class Delta(Decimal):
    """Failure probability δ of an (ε, δ) guarantee."""


class Alpha(Decimal):
    """Size window α of employer-employee privacy: sizes within this share stay indistinguishable."""


def show(value: Decimal | float | int, digits: int = 4) -> str:
    """A number with sensible digits for a person: 2 -> '2', 0.4954321 -> '0.4954', 0.000001 -> '1e-6', inf -> '∞'.

    A decimal is a privacy loss, a failure probability or a size window: where it has more digits than are shown it is
    rounded up, so that nothing ever looks cheaper than it is (2.00004 -> '2.001'). See `show_left` for what is left.
    """
    if isinstance(value, Decimal):
        return _show_decimal(value, digits, decimal.ROUND_CEILING)
    if isinstance(value, int):
        return f"{value:,}"
    if value != value:
        return "not defined"
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1e15:
        return short_power(value, 2)
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) >= 1e-4 else short_power(value, digits)


def short_power(value: float, digits: int = 4) -> str:
    """A very small or very large number: 1e-6, 9.938e-7, 5.2e21; no padding before or after the e."""
    factor, power = f"{value:.{digits - 1}e}".split("e")
    return f"{factor.rstrip('0').rstrip('.') if '.' in factor else factor}e{int(power)}"


def show_left(value: Decimal, digits: int = 4) -> str:
    """What is left of a budget, rounded down: it never looks larger than it is."""
    return _show_decimal(value, digits, decimal.ROUND_FLOOR)


def _show_decimal(value: Decimal, digits: int, rounding: str) -> str:
    if value.is_infinite():
        return "∞" if value > 0 else "−∞"
    if value == value.to_integral_value() and abs(value) < Decimal(10) ** 15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{int(value.to_integral_value(rounding=rounding)):,}"
    return show(float(decimal.Context(prec=digits, rounding=rounding).plus(value)), digits)


def counted(number: int, noun: str) -> str:
    """“1 row”, “2 rows”, “1,200 rows”: for nouns whose plural takes an s."""
    return f"{show(number)} {noun}{'' if number == 1 else 's'}"


def agreeing(number: int, one: str, more: str) -> str:
    """The word that goes with a number: 1 row “has”, 2 rows “have”."""
    return one if number == 1 else more


def joined(words: Sequence[str]) -> str:
    """“a”, “a and b”, “a, b and c”."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def exact(value: Decimal) -> str:
    """A decimal as a person would type it, every digit kept: 10.00 -> '10', 1.80 -> '1.8', 0.000001 -> '1e-6'."""
    if value.is_infinite():
        return show(value)
    if value and value.adjusted() < -4:
        digits, exponent = f"{value:e}".split("e")
        return f"{_without_padding(digits)}e{exponent}"
    return _without_padding(f"{value:f}")


def _without_padding(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
