"""The way back from accuracy to ε: the smallest ε whose mean error is small enough, and the one to use. Knows no Qt.

Where the error depends on the confidential table, a rounded setting is offered for use: see `what_if.rounded_up`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workbench.core.errors import Problem, UserProblem
from workbench.core.params import problems_of
from workbench.core.progress import Context
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import claimed, setting, turned
from workbench.review.budget.what_if import error_from_data, mean_error, rounded_up, smallest_setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The smallest claimed ε that meets the target, the one to use with its params, and how it stands at present.

    `now` is the mean error at present, None where the present settings are not possible.
    """

    smallest: Decimal
    offered: Decimal
    params: Any
    used: Decimal
    now: float | None


def answer(mechanism: AnyMechanism, params: Any, prepared: Any, target: str, context: Context) -> Answer | str:
    """The answer, or in words why there is none. It takes a while where the table is large."""
    context.step(0.0, "Calculating the smallest ε")
    try:
        if setting(mechanism, params) is None:
            raise UserProblem(f"{mechanism.title} has no setting for ε")
        smallest = smallest_setting(mechanism, params, prepared, target=float(target), context=context)
        offered = rounded_up(smallest) if error_from_data(mechanism, params) else smallest
        found, used = (turned(mechanism, params, position) for position in (smallest, offered))
        possible = not problems_of(params) and not mechanism.problems(prepared, params)
        return Answer(
            smallest=claimed(mechanism, found, prepared),
            offered=claimed(mechanism, used, prepared),
            params=used,
            used=claimed(mechanism, params, prepared),
            now=mean_error(mechanism, params, prepared) if possible else None,
        )
    except UserProblem as wrong:
        return " ".join(Problem(problem.what, "", problem.do).sentence() for problem in wrong.problems)
    except ValueError:
        return "Enter a number above 0."
