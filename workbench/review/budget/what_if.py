"""What if: the mean error of the table at hand, and the smallest ε that meets an accuracy target. Closed forms only."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.params import bound_problem, problems_of
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import show
from workbench.mechanisms.dial import claimed, dial_of, turned

if TYPE_CHECKING:
    from workbench.mechanisms.contract import AnyMechanism

_LARGEST = 4 * 900 + 400  # 50
_TRIES = 14
_COARSE = (1, 2, 3, 5)  # times powers of ten: the values of ε that are offered where the exact one would tell something


def error_from_data(mechanism: AnyMechanism, params: Any) -> bool:
    """Whether the expected error depends on the confidential table, so that an ε found from it does too."""
    public = getattr(mechanism, "error_is_public", None)
    return public is None or not public(params)


def foreseen_loss(mechanism: AnyMechanism, params: Any) -> float | None:
    """ε that these settings spend at most, whatever the table; None where only a table tells."""
    try:
        answer = mechanism.calibrate(params, mechanism.case())
    except UserProblem:
        return None
    return answer.spent_epsilon if answer.any_table else None


def rounded_up(position: Decimal) -> Decimal:
    """The next of 1, 2, 3, 5, 10, 20, … times a power of ten, as a position of the dial.

    The setting is published, as ε or beside it. Found to three digits on a confidential table it tells how large an
    error some noise has there, and so how large units are; of so few values it tells little more than the order of
    magnitude.
    """
    power = Decimal(1).scaleb(Decimal(position).adjusted())
    return next(step for step in (*(power * digit for digit in _COARSE), power * 10) if step >= position)


def mean_error(mechanism: AnyMechanism, params: Any, prepared: Any) -> float:
    """Mean expected absolute error over all rows of the table at hand.

    Where there are several columns: of the first one whose error has a closed form.
    """
    errors = mechanism.expected_error(prepared, params)
    if errors is None:
        raise UserProblem(f"{mechanism.title} has no closed form for its error", "accuracy target")
    values = errors.reveal()
    by_column = values[:, None] if values.ndim == 1 else values
    known = np.flatnonzero(~np.isnan(by_column).all(axis=0))
    return float(by_column[:, known[0] if len(known) else 0].mean())


def smallest_setting(
    mechanism: AnyMechanism, params: Any, prepared: Any, *, target: float, context: Context = QUIET
) -> Decimal:
    """The smallest position of the dial, to three significant digits rounded up, whose mean expected error is at most
    `target`. For most mechanisms the dial is ε.

    Bisection over the numbers of three digits from 0.001 to 50, or to the largest that the dial takes, a dozen tables'
    worth of closed forms: the error falls as ε grows. The answer depends on the mechanism's closed form, which for a
    data-independent scale is public; where the scale depends on the data the answer is as confidential as the data
    (`error_from_data`): use it `rounded_up`.
    """
    if not target > 0:
        raise UserProblem("The target must be a number above 0", "accuracy target")
    context.step(0.0, "trying the largest ε")
    below, enough = -1, _largest(mechanism)
    if not _meets(mechanism, params, prepared, _three_digits(enough), target):
        most = show(claimed(mechanism, turned(mechanism, params, _three_digits(enough)), prepared))
        raise UserProblem(f"No ε up to {most} brings the mean error down to {target:g}", "accuracy target", "Raise it")
    tried = 1
    while enough - below > 1:
        middle = (below + enough) // 2
        position = _three_digits(middle)
        context.step(min(tried / _TRIES, 1.0), f"trying {show(position)}")
        below, enough = (below, middle) if _meets(mechanism, params, prepared, position, target) else (middle, enough)
        tried += 1
    context.step(1.0, "smallest ε found")
    return _three_digits(enough).normalize()


def _largest(mechanism: AnyMechanism) -> int:
    """The last position that is tried: 50, or the largest of three digits that the dial takes."""
    dial = dial_of(mechanism)
    most = _LARGEST
    while most > 0 and dial is not None and bound_problem(dial.field, _three_digits(most)) is not None:
        most -= 1
    return most


def _three_digits(position: int) -> Decimal:
    """0.00100, 0.00101, …, 0.00999, 0.0100, …, 50.0: nine hundred to each power of ten."""
    power, digits = divmod(position, 900)
    return Decimal(100 + digits).scaleb(power - 5)


def _meets(mechanism: AnyMechanism, params: Any, prepared: Any, position: Decimal, target: float) -> bool:
    candidate = turned(mechanism, params, position)
    return not problems_of(candidate) and mean_error(mechanism, candidate, prepared) <= target
