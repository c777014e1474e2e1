"""The exact optimum by the scheme of Fischetti and Salazar (2001): a master programme that learns from the attacker.

x is 1 for a suppressed cell. The master minimises the weight of suppressed cells. Where an attacker with prices π of
the equations undercuts the level L of a primary cell p, r = ±unit(p) − matrixᵀπ splits into α = max(r, 0) and
β = max(−r, 0), and every safe pattern satisfies Σ min(L, α·(high − value) + β·(value − low))·x ≥ L: weak duality,
whatever π is. The master's value is a lower bound throughout, and the optimum once no attacker is left.
Source: Fischetti and Salazar-González (2001); bounds of the attackers as in `attackers`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.baselines.suppression.check import Breach, Checker
from workbench.baselines.suppression.cuts import another, companions, cut_of, starting_cuts
from workbench.baselines.suppression.heuristic import filled
from workbench.baselines.suppression.master import Cut, Master
from workbench.baselines.suppression.relaxed import learn
from workbench.baselines.suppression.task import Task
from workbench.core.arrays import Bools
from workbench.core.progress import QUIET, Context, Part


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Optimum:
    """A safe pattern. `bound` is a proven lower bound of the weight of every safe pattern."""

    suppressed: Bools
    weight: float
    bound: float
    rounds: int
    unreachable: tuple[Breach, ...] = ()

    @property
    def gap(self) -> float:
        """By which share the pattern may be dearer than the cheapest one, at most."""
        return max(0.0, 1.0 - self.bound / self.weight) if self.weight else 0.0

    @property
    def proven(self) -> bool:
        return self.gap <= 1e-9


def optimum(
    task: Task, *, seconds: float, context: Context, gap: float = 0.0, checker: Checker | None = None
) -> Optimum:
    """The cheapest safe pattern, or once within the gap or after `seconds` the best one found."""
    until = time.process_time() + seconds
    checker = checker or Checker(task, context)
    best, found = filled(task, checker, Part(context, 0.0, 0.1))
    unreachable = list(found)
    master = Master(task, context)
    master.add(starting_cuts(task))
    learn(task, master, checker, until - 0.5 * seconds, Part(context, 0.1, 0.3))
    rounds, settled = 0, False
    while not settled:
        rounds += 1
        pattern, finished = master.solve(max(0.1, until - time.process_time()))
        context.step(
            0.3 + 0.65 * rounds / (rounds + 10),
            f"round {rounds:,}: {int(best.sum()):,} cells, {100 * _gap(task, best, master.bound):.2f} % from the bound",
        )
        eased = (len(unreachable), len(checker.excused))
        learnt = list(_learnt(checker, pattern, unreachable)) if finished else []
        settled = finished and not learnt and (len(unreachable), len(checker.excused)) == eased
        if not settled:
            pattern, found = filled(task, checker, QUIET, start=pattern)
            unreachable.extend(found)
        best = min(best, pattern, key=task.weight)
        master.add(learnt)
        if not finished or time.process_time() > until or _gap(task, best, master.bound) <= gap:
            break
    bound = task.weight(best) if settled else min(master.bound, task.weight(best))
    return Optimum(
        suppressed=best, weight=task.weight(best), bound=bound, rounds=rounds, unreachable=tuple(unreachable)
    )


def _gap(task: Task, pattern: Bools, bound: float) -> float:
    weight = task.weight(pattern)
    return 1.0 - bound / weight if weight else 0.0


def _learnt(checker: Checker, pattern: Bools, unreachable: list[Breach]) -> Iterator[Cut]:
    task = checker.task
    for breach in list(checker.breaches(pattern)):
        cut = cut_of(task, breach, pattern)
        if cut.possible:
            yield cut
        else:
            unreachable.append(checker.ease(breach))
    yield from companions(task, pattern)
    for line in list(checker.telling(pattern)):
        cut = another(task, line, pattern)
        if cut.possible:
            yield cut
        else:
            checker.excused.add(line)
