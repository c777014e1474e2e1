"""When the tables of history noise would become too long to wait for."""

from __future__ import annotations

from decimal import Decimal

from workbench.core.errors import Problem

_MOST = 6000  # expected radius in units; its table takes some ten seconds


def too_wide(coordinates: int, epsilon: Decimal) -> tuple[Problem, ...]:
    """`coordinates` over all years of a block."""
    if coordinates / float(epsilon) <= _MOST:
        return ()
    return (
        Problem(
            f"ε is too small for {coordinates:,} values of one person's block",
            "epsilon",
            f"Use ε of at least {coordinates / _MOST:.2g}, or fewer years, sectors or bins",
        ),
    )
