"""Suppression of one system of tables from rules to intervals, as the plan asks for it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from workbench.baselines.suppression.attackers import Attackers, informed, plain
from workbench.baselines.suppression.check import Breach, Checker
from workbench.baselines.suppression.exact import optimum
from workbench.baselines.suppression.heuristic import heuristic
from workbench.baselines.suppression.intervals import intervals
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.rules import flagged, union_rule
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.task import Task, task
from workbench.baselines.suppression.unions import telling_lines
from workbench.core.arrays import Bools, Floats
from workbench.core.errors import Defect
from workbench.core.progress import Context, Forward, Part


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Suppressed:
    """A safe pattern for all cells of a system, margins included, and what an outsider works out of it.

    `bound` is the weight that no safe pattern undercuts, where the exact scheme ran. `unreachable` are levels that not
    even suppressing everything would keep, with what can be kept. `telling` are lines whose suppressed cells together
    fail a primary rule, although nothing else in them can be suppressed.
    """

    task: Task
    suppressed: Bools
    low: Floats
    high: Floats
    bound: float | None = None
    unreachable: tuple[Breach, ...] = ()
    telling: tuple[int, ...] = ()

    @property
    def secondary(self) -> Bools:
        others: Bools = self.suppressed & ~self.task.primary
        return others

    @property
    def gap(self) -> float | None:
        weight = self.task.weight(self.suppressed)
        if self.bound is None:
            return None
        return max(0.0, 1.0 - self.bound / weight) if weight else 0.0


def attackers_of(system: System, params: SuppressionParams) -> Attackers:
    """The attackers that the plan names."""
    asked = params.attackers
    if not (asked.zeros or asked.holders or asked.pairs):
        return plain(system)
    return informed(system, zeros=asked.zeros, holders=asked.holders, pairs=asked.pairs)


def task_of(
    system: System, params: SuppressionParams, *, published: Bools | None = None, withheld: Bools | None = None
) -> Task:
    """Primary cells by the plan's rules, with levels inside what everybody knows anyway."""
    if system.behind is None:
        raise Defect("the primary rules need to know who is behind each cell")
    rules = params.rules()
    found = flagged(rules, system.behind, counts=system.counts)
    attackers = attackers_of(system, params)
    none = np.zeros(system.cells, dtype=bool)
    shown = none if published is None else published
    nobody_lists = np.arange(system.cells) >= system.listed
    withheld = (nobody_lists if withheld is None else withheld | nobody_lists) & ~shown
    primary = found.primary & ~shown
    return task(
        system,
        primary,
        np.where(primary, np.minimum(found.lower, system.values - attackers.low), 0.0),
        np.where(primary, np.minimum(found.upper, attackers.high - system.values), 0.0),
        attackers=attackers,
        sensitive=union_rule(rules, system) if params.attackers.unions else None,
        published=shown,
        withheld=withheld,
        whole=system.counts and params.attackers.whole_numbers,
    )


def suppress(asked: Task, params: SuppressionParams, context: Context) -> Suppressed:
    """The pattern by the exact scheme or the heuristic, checked, and the interval of every suppressed cell.

    What was suppressed lately is not suppressed again: a draw asks for its own table twice, and for earlier ones.
    """
    digest = _digest(asked, params)
    if digest not in _LATELY:
        made = _suppressed(asked, params, context)
        while len(_LATELY) >= _MOST_KEPT:
            _LATELY.pop(next(iter(_LATELY)))
        _LATELY[digest] = made
    return _LATELY[digest]


_MOST_KEPT = 8
_LATELY: dict[str, Suppressed] = {}


def forget() -> None:
    """Suppress everything anew from here on."""
    _LATELY.clear()


def _digest(asked: Task, params: SuppressionParams) -> str:
    """Of everything that the pattern follows from. Attackers and unions follow from the system and the params."""
    system, given = asked.system, asked.system.contributions
    arrays = [system.values, system.matrix.indptr, system.matrix.indices, system.matrix.data, asked.primary,
              asked.lower, asked.upper, asked.published, asked.withheld]  # fmt: skip
    if given is not None:
        arrays += [given.cell, given.holder, given.amount]
    if system.behind is not None:
        arrays += [system.behind.contributors, system.behind.largest]
    found = hashlib.sha256(repr((params, system.counts, asked.whole, system.lattice.keys)).encode("utf-8"))
    for array in arrays:
        found.update(f"{array.dtype}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _suppressed(asked: Task, params: SuppressionParams, context: Context) -> Suppressed:
    system = asked.system
    context = Forward(context)
    bound: float | None = None
    unreachable: tuple[Breach, ...] = ()
    context.step(0.0, f"suppressing {int(asked.primary.sum()):,} primary cells of {system.cells:,}")
    checker = Checker(asked, Part(context, 0.0, 0.0))
    if not system.lines:
        pattern = asked.must
        bound = asked.weight(pattern)
    elif system.cells <= params.exact_cells:
        best = optimum(
            asked,
            seconds=float(params.seconds),
            gap=float(params.gap) / 100,
            context=Part(context, 0.0, 0.8),
            checker=checker,
        )
        pattern, bound, unreachable = best.suppressed, best.bound, best.unreachable
    else:
        pattern, unreachable = heuristic(
            asked, context=Part(context, 0.0, 0.8), checker=checker, seconds=float(params.seconds)
        )  # fmt: skip
    if not checker.safe(pattern) or next(checker.telling(pattern), None) is not None:
        raise Defect("a suppression pattern failed the attacker check that ended its search")
    low, high = intervals(
        system, pattern, asked.attackers, whole=asked.whole, context=Part(context, 0.8, 1.0)
    )  # fmt: skip
    context.step(1.0, "suppressed cells bounded")
    return Suppressed(
        task=asked,
        suppressed=pattern,
        low=low,
        high=high,
        bound=bound,
        unreachable=unreachable,
        telling=tuple(telling_lines(asked, pattern)),
    )
