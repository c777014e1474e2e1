"""The master programme: which cells to suppress, by all conditions learnt so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import highspy
import numpy as np

from workbench.baselines.suppression.solver import ask_whole, load, quiet_solver
from workbench.baselines.suppression.task import Task
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.errors import Cancelled, Defect
from workbench.core.progress import Context


@dataclass(frozen=True, slots=True)
class Cut:
    """Σ weights · x ≥ least over these cells."""

    cells: tuple[int, ...]
    weights: tuple[float, ...]
    least: float

    @classmethod
    def of(cls, cells: Integers, weights: Floats, least: float) -> Self:
        return cls(tuple(cells.tolist()), tuple(np.round(weights, 9).tolist()), least)

    def violation(self, shares: Floats) -> float:
        """By how much a pattern, or shares of cells, fall short of it."""
        return self.least - float(shares[list(self.cells)] @ np.array(self.weights))

    @property
    def possible(self) -> bool:
        """Whether any pattern meets it."""
        return sum(weight for weight in self.weights if weight > 0) >= self.least - 1e-9


class Master:
    """Binary variables for all cells that may be suppressed; grows by cuts."""

    def __init__(self, task: Task, context: Context) -> None:
        from scipy.sparse import csc_array

        self.task = task
        self.cuts: dict[Cut, None] = {}
        self.bound = task.weight(task.must)
        self._context = context
        self._stopped: BaseException | None = None
        self._solver = quiet_solver()
        for option, value in (("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-7)):
            self._solver.setOptionValue(option, value)
        cells = task.system.cells
        load(
            self._solver,
            csc_array((0, cells)),
            costs=task.weights,
            low=task.must.astype(np.float64),
            high=(~task.published).astype(np.float64),
            whole=True,
        )
        self._solver.cbMipInterrupt += self._ask
        self._solver.cbSimplexInterrupt += self._ask

    def add(self, cuts: Iterable[Cut]) -> None:
        for cut in cuts:
            if cut not in self.cuts:
                self.cuts[cut] = None
                self._solver.addRow(
                    cut.least, np.inf, len(cut.cells), np.array(cut.cells, dtype=np.int32), np.array(cut.weights)
                )

    def solve(self, seconds: float) -> tuple[Bools, bool]:
        """The cheapest pattern that meets all cuts, and whether it is proven to be the cheapest."""
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + seconds)
        self._solver.run()
        if self._stopped is not None:
            raise self._stopped
        status = self._solver.getModelStatus()
        info = self._solver.getInfo()
        if status == highspy.HighsModelStatus.kInfeasible:
            raise Defect("the conditions of a suppression pattern contradict each other")
        self.bound = max(self.bound, float(info.mip_dual_bound))
        if info.primal_solution_status != highspy.kSolutionStatusFeasible:
            return ~self.task.published, False
        pattern: Bools = np.array(self._solver.getSolution().col_value) > 0.5
        return pattern, status == highspy.HighsModelStatus.kOptimal

    def relaxed(self) -> tuple[Floats, float]:
        """The shares of cells that meet all cuts at the least weight, and that weight."""
        solver, cells = self._solver, self.task.system.cells
        ask_whole(solver, cells, whole=False)
        solver.run()
        if self._stopped is not None:
            raise self._stopped
        shares: Floats = np.array(solver.getSolution().col_value)
        weight = float(solver.getInfo().objective_function_value)
        ask_whole(solver, cells, whole=True)
        self.bound = max(self.bound, weight)
        return shares, weight

    def _ask(self, event: Any) -> None:
        """HiGHS asks now and then whether to go on; an exception must not pass through it."""
        try:
            self._context.step(0.0, "looking for the cheapest pattern")
        except Cancelled as stop:
            self._stopped = stop
            event.interrupt()
