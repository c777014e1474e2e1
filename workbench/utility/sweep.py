"""The same mechanism at other budgets: what the curves against ε are made of."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from workbench.core.figures import Mark
from workbench.core.params import problems_of
from workbench.core.quantities import Epsilon
from workbench.mechanisms.dial import claimed, moved_by, setting, turned
from workbench.utility.contract import Comparison

GRID = (Epsilon("0.25"), Epsilon("0.5"), Epsilon("0.67"), Epsilon("1"), Epsilon("2"), Epsilon("4"))


def params_over_grid(comparison: Comparison) -> tuple[tuple[Decimal, Any], ...]:
    """(claimed ε, params) for each position of the dial on the paper's grid at which the mechanism can run here."""
    mechanism, params, prepared = comparison.mechanism, comparison.mechanism_params, comparison.prepared
    if setting(mechanism, params) is None:
        return ()
    varied = (turned(mechanism, params, value) for value in GRID)
    return tuple(
        (claimed(mechanism, other, prepared), other)
        for other in varied
        if not problems_of(other) and not mechanism.problems(prepared, other)
    )


def here(comparison: Comparison) -> tuple[Mark, ...]:
    """Where on the ε axis this release stands; the line can be dragged where ε itself is what is set."""
    mechanism, params, prepared = comparison.mechanism, comparison.mechanism_params, comparison.prepared
    if setting(mechanism, params) is None:
        return ()
    value = float(claimed(mechanism, params, prepared))
    moves = moved_by(mechanism, params, prepared)
    return (Mark(name="this release", value=value, vertical=True, moves=moves),)
