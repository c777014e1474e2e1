"""Exact derivation: a sum with a single unknown gives it away, and so on until nothing more follows.

Only additions and subtractions of published integers: the result is exact. What follows from several sums at once is
left to `bounds`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field

from workbench.audit.differencing.equations import System
from workbench.core.progress import Context

Combination = dict[int, int]  # published cell → coefficient
_STEP = 2_000


@dataclass(slots=True)
class Solved:
    """Values that are published or follow by subtraction, and through which sum each of the latter follows."""

    values: dict[int, int]
    through: dict[int, int] = field(default_factory=dict)  # cell → number of the sum that gave it


def propagate(system: System, context: Context) -> Solved:
    """Every value that follows by repeatedly solving sums with one unknown."""
    solved = Solved(dict(system.known))
    terms = [each.terms() for each in system.sums]
    appears: dict[int, list[int]] = defaultdict(list)
    unknown = [0] * len(terms)
    for number, relation in enumerate(terms):
        for cell, _ in relation:
            appears[cell].append(number)
            unknown[number] += cell not in solved.values
    ready = deque(number for number, count in enumerate(unknown) if count == 1)
    done = 0
    while ready:
        number = ready.popleft()
        done += 1
        if done % _STEP == 0:
            context.step(min(1.0, done / len(terms)), "subtracting published cells from each other")
        left = [(cell, sign) for cell, sign in terms[number] if cell not in solved.values]
        if len(left) != 1:
            continue
        cell, sign = left[0]
        others = sum(solved.values[other] * factor for other, factor in terms[number] if other != cell)
        solved.values[cell] = -sign * others
        solved.through[cell] = number
        for neighbour in appears[cell]:
            unknown[neighbour] -= 1
            if unknown[neighbour] == 1:
                ready.append(neighbour)
    return solved


def combination(system: System, solved: Solved, cell: int) -> Combination:
    """The published cells that a derived one is made of, each with its coefficient."""
    result: Combination = defaultdict(int)
    waiting: Combination = {cell: 1}
    order = _latest_first(solved)
    while waiting:
        current = max(waiting, key=lambda each: order.get(each, -1))
        factor = waiting.pop(current)
        if current not in solved.through:
            result[current] += factor
            continue
        relation = system.sums[solved.through[current]].terms()
        own = next(sign for other, sign in relation if other == current)
        for other, sign in relation:
            if other != current:
                target = waiting if other in solved.through else result
                target[other] = target.get(other, 0) - factor * own * sign
    return {each: factor for each, factor in result.items() if factor}


def _latest_first(solved: Solved) -> dict[int, int]:
    """Cells in the order they were derived: what was derived last is taken apart first, so each only once."""
    return {cell: place for place, cell in enumerate(solved.through)}
