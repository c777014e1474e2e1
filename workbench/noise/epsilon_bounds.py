"""How small ε may be, for every mechanism that noises counts."""

from __future__ import annotations

from decimal import Decimal

from workbench.core.errors import Problem

LEAST_EPSILON = Decimal("0.000001")
MOST_EPSILON = 50  # e^50: above it nothing is protected


def too_small(epsilon: Decimal) -> tuple[Problem, ...]:
    """Below the least ε noise is more than a million times a worker's contribution: no count tells anything."""
    if epsilon >= LEAST_EPSILON:
        return ()
    return (
        Problem(
            f"ε is below {LEAST_EPSILON}, where noise drowns every count and no longer fits whole numbers",
            "epsilon",
            f"Use ε of at least {LEAST_EPSILON}",
        ),
    )
