"""The expected error over ε: of the table at hand once there is one, before that of an example cell. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.params import problems_of
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.words import JOBS, Words
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import claimed, turned
from workbench.review.budget.what_if import mean_error

_EXAMPLE = 100.0  # records, all of one establishment where there are any
_POINTS = 24
_CLEAR = Decimal("1.05")  # right at the smallest possible ε the error grows without bound and would dwarf the rest
_LEAST, _USUAL, _MOST = Decimal("0.05"), Decimal(5), Decimal(50)


@dataclass(frozen=True, slots=True)
class Curve:
    """The figure, and the smallest ε that the other settings allow where they forbid some that is shown.

    The figure stands over the ε of the claim. `dial` are pairs of it and the position of the mechanism's dial, for
    putting a handle at a setting and for reading a setting off a handle.
    """

    figure: Figure | None
    smallest: Decimal | None = None
    words: str = ""
    dial: tuple[tuple[float, float], ...] = ()

    def dial_at(self, epsilon: float) -> float:
        """The position of the dial at an ε of the axis, between the points by their logarithms; held at the ends."""
        at, positions = (np.log(side) for side in zip(*self.dial, strict=True))
        return float(np.exp(np.interp(np.log(epsilon), at, positions)))


def curve_of(
    mechanism: AnyMechanism, params: Any, prepared: Any, context: Context, words: Words = JOBS
) -> Curve:  # fmt: skip
    """The curve with a mark at the smallest possible ε, or in words why there is none."""

    def allowed(epsilon: Decimal) -> bool:
        candidate = turned(mechanism, params, epsilon)
        return not problems_of(candidate) and (prepared is None or not mechanism.problems(prepared, candidate))

    if not allowed(_MOST):
        return Curve(None, None, "With these settings no ε is possible: see what is marked at the left.")
    edge = None if allowed(_LEAST) else _edge(allowed)
    try:
        figure, dial = _figure(mechanism, params, prepared, edge=edge, words=words, context=context)
    except UserProblem:
        return Curve(None, None, "This mechanism has no closed form for its error, so there is no curve.")
    if edge is None:
        return Curve(figure, dial=dial)
    least = claimed(mechanism, turned(mechanism, params, edge), prepared)
    mark = Mark(name="smallest possible", value=float(least), vertical=True)
    said = f"With these settings ε must be at least {show(least, 3)}."
    return Curve(replace(figure, marks=(mark,)), edge, said, dial)


def _edge(allowed: Callable[[Decimal], bool]) -> Decimal:
    """The smallest allowed ε to a thousandth, from above; what is allowed stays allowed for every larger ε."""
    low, high = _LEAST, _MOST
    while high - low > high / 1000:
        middle = (low + high) / 2
        low, high = (low, middle) if allowed(middle) else (middle, high)
    return high


def _figure(
    mechanism: AnyMechanism, params: Any, prepared: Any, *, edge: Decimal | None, words: Words, context: Context
) -> tuple[Figure, tuple[tuple[float, float], ...]]:
    start = edge * _CLEAR if edge else _LEAST
    end = _USUAL if start * 3 <= _USUAL else _MOST
    grid = [start, *(Decimal(str(x)) for x in np.geomspace(float(start), float(end), _POINTS)[1:])]
    errors, dial = [], []
    for number, position in enumerate(grid):
        context.step(number / len(grid), "Working out what ε buys")
        candidate = turned(mechanism, params, position)
        errors.append(
            mechanism.calibrate(candidate, _EXAMPLE, _EXAMPLE).expected_absolute_error
            if prepared is None
            else mean_error(mechanism, candidate, prepared)
        )
        dial.append((float(claimed(mechanism, candidate, prepared)), float(position)))
    least = claimed(mechanism, turned(mechanism, params, _LEAST), prepared) if edge else None
    left = [] if least is None else [float(least)]  # the range that is not possible is shown, and stays empty
    example = f"expected error of a {words.row[0]} of {words.records(int(_EXAMPLE))}"
    example += ", all of one establishment" if words == JOBS else ""
    figure = Figure(
        kind=Kind.LINES,
        title="What ε buys",
        subtitle=example if prepared is None else f"mean expected error over the {words.row[1]} of this table",
        x=Axis(label="privacy loss ε", log=True),
        y=Axis(label="expected error", unit=words.unit, log=True),
        series=(
            Series(
                name=mechanism.title,
                x=(*left, *(epsilon for epsilon, _ in dial)),
                y=(*(float("nan") for _ in left), *errors),
            ),
        ),
    )
    return figure, tuple(dial)
