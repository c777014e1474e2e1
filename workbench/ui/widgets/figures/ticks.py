"""Ticks a person can read. On a logarithmic axis 0.25, 0.5, 1, 2, 4 — never 10^-0.6."""

from __future__ import annotations

import math
from collections.abc import Sequence

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Round values between low and high, at most so many: the finest of several ladders that fits."""
    if not (0 < low < high and math.isfinite(high)):
        return []
    most = max(2, most)
    for ladder in (_doublings(low, high), *(_ladder(low, high, steps) for steps in ((1, 2, 5), (1, 3), (1,)))):
        if 3 <= len(ladder) <= most:
            return ladder
    tens = _ladder(low, high, (1,))
    if 2 <= len(tens) <= most:
        return tens  # two powers of ten say more of a narrow logarithmic axis than a few even steps
    if len(tens) > most:
        step = -(-len(tens) // most)
        return tens[::step]
    return linear_ticks(low, high, most)


def _doublings(low: float, high: float) -> list[float]:
    if high / low > 300:
        return []
    first, last = math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9)
    return [2.0**power for power in range(first, last + 1)]


def _ladder(low: float, high: float, steps: Sequence[int]) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    if last - first > 400:
        return []
    values = (step * 10.0**power for power in range(first, last + 1) for step in steps)
    return [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def linear_ticks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten; whole numbers only where things are counted."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = (high - low) / max(2, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))
    if whole and step != round(step):
        step = float(math.ceil(step)) if step > 1 else 1.0
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def tick_text(value: float, step: float = 0.0) -> str:
    """The label of a tick: plain digits where they are short, a power of ten with raised digits otherwise."""
    if value == 0 or (step and abs(value) < step * 1e-6):
        return "0"
    size = abs(value)
    if size >= 1e6 or size < 1e-4:
        return _power_text(value)
    if step >= 1 or (not step and size >= 1000):
        text = f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
    elif step:
        places = max(0, math.ceil(-math.log10(step) - 1e-9))
        places += 0 if math.isclose(round(step, places), step, rel_tol=1e-6) else 1
        text = f"{value:,.{places}f}"
    else:
        text = f"{value:.4g}"
    return text.replace("-", "−")


def _power_text(value: float) -> str:
    power = math.floor(math.log10(abs(value)) + 1e-12)
    factor = value / 10.0**power
    raised = f"10{str(power).translate(_RAISED)}"
    if math.isclose(abs(factor), 1, rel_tol=1e-9):
        return f"−{raised}" if value < 0 else raised
    millions = {6: "M", 7: "M", 8: "M", 9: "G", 10: "G", 11: "G"}
    if power in millions:
        unit = millions[power]
        scaled = value / (1e6 if unit == "M" else 1e9)
        return f"{scaled:.4g} {unit}".replace("-", "−")
    return f"{factor:.3g}·{raised}".replace("-", "−")
