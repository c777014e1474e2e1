"""Codes that stand for ranges of whole numbers, such as ages: “0-17”, “16 and over”, “under 16”.

Groupings of one dimension that overlap meet in what their ranges have in common.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

Range = tuple[float, float]  # from and to, both included
EVERYTHING: Range = (-math.inf, math.inf)
_BETWEEN = re.compile(r"^(\d+)\s*(?:-|–|to|bis|à)\s*(\d+)(?:\s*years?)?$")
_FROM = re.compile(r"^(?:(\d+)\s*(?:\+|and (?:over|above|older))|(?:≥|>=)\s*(\d+))$")
_UNDER = re.compile(r"^(?:under|below|less than|<)\s*(\d+)$")


def range_of(code: str) -> Range | None:
    """The whole numbers that a code stands for; None where it is no range."""
    text = code.strip().casefold()
    if found := _BETWEEN.match(text):
        return float(found[1]), float(found[2])
    if found := _FROM.match(text):
        return float(found[1] or found[2]), math.inf
    if found := _UNDER.match(text):
        return -math.inf, float(found[1]) - 1
    return (float(text), float(text)) if text.isdigit() else None


def open_below(stretch: Range) -> Range:
    """Nobody is below zero: what starts there starts at the bottom."""
    return (-math.inf, stretch[1]) if stretch[0] <= 0 else stretch


def overlapping(one: Range, other: Range) -> bool:
    """Whether two ranges share numbers without being the same."""
    return one != other and one[0] <= other[1] and other[0] <= one[1]


def covers(whole: Range, parts: Sequence[Range]) -> bool:
    """Whether neighbouring parts, in order, leave no gap in the whole."""
    joined = all(one[1] + 1 == other[0] for one, other in pairwise(parts))
    return joined and open_below(parts[0])[0] == open_below(whole)[0] and parts[-1][1] == whole[1]


def left_over(parts: Sequence[Range]) -> Range | None:
    """What ranges leave of everything, where it is in one piece."""
    ordered = sorted(open_below(part) for part in parts)
    gaps = [(one[1] + 1, other[0] - 1) for one, other in pairwise(ordered) if one[1] + 1 < other[0]]
    if ordered[0][0] > -math.inf:
        gaps.insert(0, (-math.inf, ordered[0][0] - 1))
    if ordered[-1][1] < math.inf:
        gaps.append((ordered[-1][1] + 1, math.inf))
    return gaps[0] if len(gaps) == 1 else None


def in_words(stretch: Range) -> str:
    low, high = stretch
    if low == -math.inf:
        return f"under {high + 1:.0f}"
    return f"{low:.0f} and over" if high == math.inf else f"{low:.0f}-{high:.0f}"
