"""The expected error over ε: of the table at hand once there is one, before that of an example cell. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.params import bound_problem, parse, problems_of
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import claimed, dial_of, turned
from workbench.products.contract import AnyProduct, ExampleCell
from workbench.review.budget.what_if import mean_error
from workbench.review.plan.plan import Plan
from workbench.review.run.protect import mechanism_of

_POINTS = 24
_CLEAR = Decimal("1.05")  # right at the smallest possible ε the error grows without bound and would dwarf the rest
_LEAST, _USUAL, _MOST = Decimal("0.05"), Decimal(5), Decimal(50)
_DIGITS = 3


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
        """The position of the dial at an ε of the axis."""
        return _read_off(epsilon, self.dial)

    def epsilon_at(self, position: float) -> float:
        """The claimed ε at a position of the dial."""
        return _read_off(position, tuple((at, epsilon) for epsilon, at in self.dial))


def _read_off(value: float, pairs: tuple[tuple[float, float], ...]) -> float:
    """Between the points by their logarithms, beyond the ends in proportion; exact where the two are the same."""
    if all(one == other for one, other in pairs):
        return value
    at, there = (np.log(side) for side in zip(*pairs, strict=True))
    wanted = np.log(value)
    beyond = wanted - np.clip(wanted, at[0], at[-1])
    return float(np.exp(np.interp(wanted, at, there) + beyond))


def moved_to(plan: Plan, curve: Curve, epsilon: float) -> Any | None:
    """The params with the dial where the claim is about this ε, to three digits; None where it cannot be."""
    mechanism, params = mechanism_of(plan), plan.mechanism.params
    dial = dial_of(mechanism)
    if dial is None or not curve.dial or not epsilon > 0:
        return None
    position = Decimal(f"{curve.dial_at(epsilon):.{_DIGITS}g}")
    return None if bound_problem(dial.field, position) is not None else turned(mechanism, params, position)


def curve_of(mechanism: AnyMechanism, params: Any, prepared: Any, context: Context, *, product: AnyProduct) -> Curve:
    """The curve with a mark at the smallest possible ε, or in words why there is none."""

    def allowed(position: Decimal) -> bool:
        candidate = turned(mechanism, params, position)
        return not problems_of(candidate) and (prepared is None or not mechanism.problems(prepared, candidate))

    example = product.example_cell()
    if prepared is None and example is None:
        return Curve(None, None, "Load the data to see the error for each ε.")
    least, most = _range(mechanism)
    if not allowed(most):
        return Curve(None, None, "With these settings no ε is possible: see what is marked on the left.")
    edge = None if allowed(least) else _edge(allowed, least, most)
    try:
        errors, dial = _points(mechanism, params, prepared, edge=edge, example=example, context=context)
    except UserProblem:
        return Curve(None, None, "This mechanism has no closed form for its error, so there is no curve.")
    impossible = claimed(mechanism, turned(mechanism, params, least), prepared) if edge else None
    figure = Figure(
        kind=Kind.LINES,
        title="Error against ε",
        subtitle=f"expected error of {example.words}"
        if prepared is None and example is not None
        else f"mean expected error over the {product.words.row[1]} of this table",
        x=Axis(label="privacy loss ε", log=True),
        y=Axis(label="expected error", unit=product.words.unit, log=True),
        series=(_series(mechanism.title, errors, dial, impossible),),
    )
    if edge is None:
        return Curve(figure, dial=dial)
    smallest = claimed(mechanism, turned(mechanism, params, edge), prepared)
    mark = Mark(name="smallest possible", value=float(smallest), vertical=True)
    said = f"With these settings ε must be at least {show(smallest, 3)}."
    return Curve(replace(figure, marks=(mark,)), edge, said, dial)


def _range(mechanism: AnyMechanism) -> tuple[Decimal, Decimal]:
    """Positions of the dial worth showing, within its bounds."""
    dial = dial_of(mechanism)
    low, high = (None, None) if dial is None else (dial.field.minimum, dial.field.maximum)
    inside = Decimal("0.999") if dial is not None and dial.field.lt is not None else Decimal(1)
    return (
        _LEAST if low is None else max(_LEAST, low * _CLEAR),
        _MOST if high is None else min(_MOST, high * inside),
    )


def _edge(allowed: Callable[[Decimal], bool], low: Decimal, high: Decimal) -> Decimal:
    """The smallest allowed position to a thousandth, from above; what is allowed stays allowed for every larger one."""
    while high - low > high / 1000:
        middle = (low + high) / 2
        low, high = (low, middle) if allowed(middle) else (middle, high)
    return high


def _points(
    mechanism: AnyMechanism,
    params: Any,
    prepared: Any,
    *,
    edge: Decimal | None,
    example: ExampleCell | None,
    context: Context,
) -> tuple[list[float], tuple[tuple[float, float], ...]]:
    """The error at positions of the dial, and each position with the ε that is claimed there."""
    least, most = _range(mechanism)
    start = edge * _CLEAR if edge else least
    end = min(_USUAL, most) if start * 3 <= _USUAL else most
    error = _error(mechanism, prepared, example)
    errors, dial = [], []
    for number, at in enumerate(
        [start, *(Decimal(str(x)) for x in np.geomspace(float(start), float(end), _POINTS)[1:])]
    ):
        context.step(number / _POINTS, "Calculating error against ε")
        candidate = turned(mechanism, params, at)
        errors.append(error(candidate))
        dial.append((float(claimed(mechanism, candidate, prepared)), float(at)))
    return errors, tuple(dial)


def _error(mechanism: AnyMechanism, prepared: Any, example: ExampleCell | None) -> Callable[[Any], float]:
    """The error at given params: of the table at hand, or of the example."""
    if prepared is not None:
        return lambda params: mean_error(mechanism, params, prepared)
    case = parse(mechanism.case, {} if example is None else example.case)
    return lambda params: mechanism.calibrate(params, case).expected_absolute_error


def _series(
    name: str, errors: list[float], dial: tuple[tuple[float, float], ...], impossible: Decimal | None
) -> Series:
    """The range that is not possible is shown, and stays empty."""
    left = [] if impossible is None else [float(impossible)]
    return Series(
        name=name,
        x=(*left, *(epsilon for epsilon, _ in dial)),
        y=(*(float("nan") for _ in left), *errors),
    )
