"""The same mechanism at other budgets: what the curves against ε are made of."""

from __future__ import annotations

import dataclasses
from typing import Any

from workbench.core.params import fields_of, problems_of
from workbench.core.quantities import Epsilon
from workbench.utility.contract import Comparison

GRID = (Epsilon("0.25"), Epsilon("0.5"), Epsilon("0.67"), Epsilon("1"), Epsilon("2"), Epsilon("4"))


def params_over_grid(comparison: Comparison) -> tuple[tuple[Epsilon, Any], ...]:
    """(ε, params) for each ε of the paper's grid at which the mechanism can run on this data."""
    params = comparison.mechanism_params
    if not any(field.name == "epsilon" for field in fields_of(type(params))):
        return ()
    varied = ((epsilon, dataclasses.replace(params, epsilon=epsilon)) for epsilon in GRID)
    return tuple(
        (epsilon, other)
        for epsilon, other in varied
        if not problems_of(other) and not comparison.mechanism.problems(comparison.prepared, other)
    )
