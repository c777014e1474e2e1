"""Exact quantities. ε, δ and α are decimals as typed, never binary floats: 0.1 + 0.2 is 0.3 in a ledger."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from decimal import Decimal

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PLAIN = {raised: plain for plain, raised in _SUPERSCRIPT.items()}
_NOTHING = Decimal(0)
_READABLE = 9  # beyond this a factor is a number that nobody can picture


class Epsilon(Decimal):
    """Privacy loss ε: the log of the odds an attacker can gain. Additive under sequential composition."""


class Delta(Decimal):
    """δ of an (ε, δ) guarantee: what the probability of any result can change beyond the factor e^ε."""


class Alpha(Decimal):
    """Size window α of employer-employee privacy: sizes within this share stay indistinguishable."""


def show(value: Decimal | float | int, digits: int = 4) -> str:
    """A number with sensible digits for a person: 2 -> '2', 0.4954321 -> '0.4954', 0.000001 -> '10⁻⁶', inf -> '∞'.

    A decimal is a privacy loss, a δ or a size window: where it has more digits than are shown it is
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
    """A very small or very large number: 10⁻⁶, 9.938 × 10⁻⁷, 5.2 × 10²¹."""
    return _raised(*f"{value:.{digits - 1}e}".split("e"))


def _raised(factor: str, power: str) -> str:
    """Factor and power of ten as they are printed: a factor of one is left out."""
    factor = _without_padding(factor)
    return ("" if factor == "1" else f"{factor} × ") + f"10{str(int(power)).translate(_SUPERSCRIPT)}"


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
    return show(float(_to_digits(value, digits, rounding)), digits)


def _to_digits(value: Decimal, digits: int, rounding: str) -> Decimal:
    return decimal.Context(prec=digits, rounding=rounding).plus(value)


def rounded_up(value: Decimal, digits: int = 4) -> Decimal:
    """With the digits that `show` shows, for tables: what is stored there comes back as a plain number."""
    return _to_digits(value, digits, decimal.ROUND_CEILING)


def odds_factor(epsilon: Decimal) -> str:
    """e^ε to three digits, rounded up because it bounds; as a power where nobody can picture it."""
    if epsilon > _READABLE:
        return f"e to the power of {show(epsilon)}"
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_CEILING):
        return show(+Decimal(math.nextafter(math.exp(float(epsilon)), math.inf)), 3)


def factor(epsilon: Decimal, delta: Decimal = _NOTHING) -> str:
    """“a factor of at most 7.39”, with “and by at most 10⁻⁶ beyond that” where there is a δ: P(S) ≤ e^ε·P′(S) + δ.

    Never “except with probability δ”, which promises more: one result in many can have odds beyond e^ε with a larger
    probability. Gaussian noise at ε = 1 and δ = 10⁻⁶ goes beyond e^ε with a probability of 2·10⁻⁵.
    """
    beyond = f", and by at most {show(delta)} beyond that" if delta else ""
    return f"a factor of at most {odds_factor(epsilon)}{beyond}"


def change(of: str, epsilon: Decimal, delta: Decimal = _NOTHING) -> str:
    """“the odds of any published table by a factor of at most 7.39”; the probability, where there is a δ."""
    return f"the {'probability' if delta else 'odds'} of {of} by {factor(epsilon, delta)}"


def percent(share: Decimal | float, decimals: int = 0) -> str:
    """A share as readers write it: “12 %”, “−0.5 %”."""
    return f"{100 * share:.{decimals}f} %".replace("-", "−")


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
    """A decimal with every digit kept: 10.00 -> '10', 1.80 -> '1.8', 0.000001 -> '10⁻⁶'."""
    if value.is_infinite():
        return show(value)
    if value and value.adjusted() < -4:
        return _raised(*f"{value:e}".split("e"))
    return _without_padding(f"{value:f}")


def typed(value: Decimal) -> str:
    """A decimal for a program or a field to read back, every digit kept: 0.000001 -> '1e-6'."""
    if value and value.is_finite() and value.adjusted() < -4:
        digits, power = f"{value:e}".split("e")
        return f"{_without_padding(digits)}e{power}"
    return exact(value)


def as_typed(text: str) -> str:
    """What a person copied from a sentence, as a number is typed: '3.7 × 10⁻⁷' -> '3.7e-7', '10⁻⁶' -> '1e-6'."""
    factor, mark, power = text.replace("−", "-").rpartition("10")
    if not mark or not power or power.strip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹"):
        return text
    return f"{factor.rstrip(' ×·') or '1'}e{power.translate(_PLAIN)}"


def _without_padding(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
