"""When the tables of history noise would become too long to wait for, or their numbers too large for floats."""

from __future__ import annotations

import math
from decimal import Decimal

from workbench.core.errors import Problem

_MOST = 6000  # expected radius in units; its table takes some ten seconds
_FAR = 1.6  # times the expected radius: as far as tables reach
_LARGEST = 300 * math.log(10.0)  # of a number of points; floats end at 10^308


def too_wide(each: int, years: int, epsilon: Decimal, units: int = 1) -> tuple[Problem, ...]:
    """`each`: coordinates of a block in one year; `units`: what one person-year may add."""
    coordinates = each * years
    if coordinates / float(epsilon) > _MOST:
        return (
            Problem(
                f"ε is too small for {coordinates:,} values of one person's block",
                "epsilon",
                f"Use ε of at least {coordinates / _MOST:.2g}, or fewer years, sectors or bins",
            ),
        )
    if log_most_points(each, round(_FAR * units * coordinates / float(epsilon))) > _LARGEST:
        return (
            Problem(
                f"At this ε the noise of whole histories cannot be worked out for {each:,} values in a year",
                "epsilon",
                "Use fewer sectors or bins, or a larger ε",
            ),
        )
    return ()


def log_most_points(each: int, radius: int) -> float:
    """ln of the largest C(d, m)·C(s, m)·C(w + d − m, d − m) at s = w = half the radius."""
    half = radius // 2
    return max(
        _log_choose(each, m) + _log_choose(half, m) + _log_choose(half + each - m, each - m)
        for m in range(min(each, half) + 1)
    )


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
