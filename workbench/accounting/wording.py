"""Exact decimals as a person would type them."""

from __future__ import annotations

from decimal import Decimal

from workbench.core.quantities import show


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
