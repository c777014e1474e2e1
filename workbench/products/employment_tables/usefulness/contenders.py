"""Mechanisms over a grid of (α, ε): which settings are feasible, and which is the nearest that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from decimal import ROUND_CEILING, Decimal
from typing import Any

from workbench.core.errors import Problem
from workbench.core.params import problems_of
from workbench.core.quantities import Alpha, Epsilon
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import turned

EPSILONS = tuple(Epsilon(e) for e in ("0.25", "0.5", "0.67", "1", "2", "4"))
ALPHAS = tuple(Alpha(a) for a in ("0.01", "0.05", "0.1", "0.15", "0.2"))
MOST_EPSILON = Decimal(50)
_LEAST_EPSILON = Decimal("1e-6")
_ROUNDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A mechanism with everything set but ε and α. Where it protects one query of `sharing`, it gets ε/sharing."""

    name: str
    mechanism: AnyMechanism
    params: Any
    sharing: int = 1

    def at(self, epsilon: Decimal, alpha: Decimal | None) -> Any:
        """The params with this ε (of all queries together) and this α; None leaves α as it is."""
        params = turned(self.mechanism, self.params, Epsilon(Decimal(epsilon) / self.sharing))
        known = {field.name for field in fields(self.params)}
        return replace(params, alpha=Alpha(alpha)) if alpha is not None and "alpha" in known else params

    def problems(self, cells: Any, epsilon: Decimal, alpha: Decimal | None) -> tuple[Problem, ...]:
        """Why it cannot run there, each with what to do; empty where it can."""
        params = self.at(epsilon, alpha)
        own = tuple(problem for problem in problems_of(params))
        return own or tuple(self.mechanism.problems(cells, params))


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One contender at one (α, ε): its params, or why it cannot run and the smallest ε at which it could."""

    contender: Contender
    epsilon: Decimal
    alpha: Decimal
    params: Any
    problems: tuple[Problem, ...] = ()
    nearest_epsilon: Decimal | None = None

    @property
    def feasible(self) -> bool:
        return not self.problems

    @property
    def why(self) -> str:
        return " ".join(problem.sentence() for problem in self.problems)


def points_of(
    contender: Contender,
    cells: Any,
    *,
    epsilons: tuple[Epsilon, ...] = EPSILONS,
    alphas: tuple[Alpha, ...] = ALPHAS,
) -> tuple[Point, ...]:
    """The grid, α by α, infeasible points included as such."""
    made = []
    for alpha in alphas:
        nearest: Decimal | None = None
        for epsilon in epsilons:
            problems = contender.problems(cells, epsilon, alpha)
            if problems and nearest is None:
                nearest = smallest_feasible(contender, cells, alpha)
            params = contender.at(epsilon, alpha)
            near = nearest if problems else None
            made.append(
                Point(
                    contender=contender,
                    epsilon=epsilon,
                    alpha=alpha,
                    params=params,
                    problems=problems,
                    nearest_epsilon=near,
                )
            )
    return tuple(made)


def smallest_feasible(contender: Contender, cells: Any, alpha: Decimal | None) -> Decimal | None:
    """The smallest ε at which it can run, by bisection (feasibility is monotone in ε); None where there is none.

    Exact to ten digits and rounded upward, so that the ε named is itself feasible.
    """
    low, high = float(_LEAST_EPSILON), float(MOST_EPSILON * contender.sharing)
    if contender.problems(cells, Decimal(repr(high)), alpha):
        return None
    for _ in range(_ROUNDS):
        middle = math.sqrt(low * high)
        if contender.problems(cells, Decimal(repr(middle)), alpha):
            low = middle
        else:
            high = middle
    return rounded_up(high, 11)


def rounded_up(value: float, digits: int) -> Decimal:
    """To so many significant digits, never below the value."""
    exact = Decimal(repr(value))
    return exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), rounding=ROUND_CEILING).normalize()
