"""What if: the mean error of the table at hand, and the smallest ε that meets an accuracy target. Closed forms only."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.params import fields_of, problems_of
from workbench.core.quantities import Epsilon
from workbench.mechanisms.contract import AnyMechanism


def has_epsilon(mechanism: AnyMechanism) -> bool:
    return any(field.name == "epsilon" for field in fields_of(mechanism.params))


def mean_error(mechanism: AnyMechanism, params: Any, prepared: Any) -> float:
    """Mean expected absolute error over all cells of the table at hand."""
    errors = mechanism.expected_error(prepared, params)
    if errors is None:
        raise UserProblem(f"{mechanism.title} has no closed form for its error", "accuracy target")
    return float(errors.reveal().mean())


def smallest_epsilon(mechanism: AnyMechanism, params: Any, prepared: Any, *, target: float) -> Epsilon:
    """The smallest ε, to three significant digits rounded up, whose mean expected error is at most `target`.

    Bisection over log ε: the error falls as ε grows. The answer depends on the mechanism's closed form, which for a
    data-independent scale is public; where the scale depends on the data the answer is as confidential as the data.
    """
    if not target > 0:
        raise UserProblem("The target must be a number above 0", "accuracy target")
    low, high = Decimal("0.001"), Decimal(50)
    if not _meets(mechanism, params, prepared, high, target):
        raise UserProblem(f"No ε up to {high} brings the mean error down to {target:g}", "accuracy target", "Raise it")
    for _ in range(40):
        middle = (low * high).sqrt()
        if _meets(mechanism, params, prepared, middle, target):
            high = middle
        else:
            low = middle
    digits = Decimal(1).scaleb(high.adjusted() - 2)
    below = high.quantize(digits, rounding=ROUND_FLOOR)  # bisection only comes near a round ε that meets the target
    enough = below > 0 and _meets(mechanism, params, prepared, below, target)
    return Epsilon((below if enough else high.quantize(digits, rounding=ROUND_CEILING)).normalize())


def _meets(mechanism: AnyMechanism, params: Any, prepared: Any, epsilon: Decimal, target: float) -> bool:
    candidate = replace(params, epsilon=Epsilon(epsilon))
    return not problems_of(candidate) and mean_error(mechanism, candidate, prepared) <= target
