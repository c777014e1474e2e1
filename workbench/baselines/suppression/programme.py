"""The attacker's linear programme on HiGHS: how far suppressed cells can move while all equations hold.

Variables are deviations e from the true table: matrix · e = 0 and low − value ≤ e ≤ high − value. Only the suppressed
cells are columns. One model serves all cells: a new goal or a new bound leaves the last basis valid as a start.
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

from workbench.baselines.suppression.solver import ask_whole, load, quiet_solver
from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Defect

_PRIMAL, _DUAL = 4, 1  # the last basis stays feasible for the primal simplex when only the goal changes


class Programme:
    """`cells` are the suppressed cells; `low` and `high` bound their deviations."""

    def __init__(self, matrix: Any, cells: Integers, low: Floats, high: Floats) -> None:
        part = matrix[:, cells].tocsc()
        used = np.flatnonzero(np.diff(part.tocsr().indptr))
        part = part[used, :].tocsc()
        self.cells = cells
        self._lines = used
        self._all_lines = matrix.shape[0]
        self._low, self._high = low.copy(), high.copy()
        self._kept: dict[int, tuple[float, float]] = {}
        self._goal: int | None = None
        self._whole = False
        self._solver = quiet_solver()
        self._solver.setOptionValue("presolve", "off")
        load(self._solver, part, costs=np.zeros(len(cells)), low=low, high=high)

    def limit(self, columns: Integers, low: Floats, high: Floats) -> None:
        """Other bounds for some columns, until `release`."""
        self._solver.changeColsBounds(
            len(columns), columns.astype(np.int32), low.astype(np.float64), high.astype(np.float64)
        )

    def release(self, columns: Integers) -> None:
        """Back to the bounds that the programme was made with."""
        self.limit(columns, self._low[columns], self._high[columns])

    def fix(self, column: int) -> None:
        """A cell that is published after all stays where it is, until `unfix`."""
        self._kept[column] = float(self._low[column]), float(self._high[column])
        self._low[column] = self._high[column] = 0.0
        self.release(np.array([column]))

    def unfix(self, column: int) -> None:
        self._low[column], self._high[column] = self._kept.pop(column)
        self.release(np.array([column]))

    def farthest(self, column: int, sign: int) -> tuple[float, Floats]:
        """The largest deviation in one direction (infinite where nothing bounds it) and a table that reaches it."""
        self._aim(column, sign)
        for strategy in (_PRIMAL, _DUAL):
            self._solver.setOptionValue("simplex_strategy", strategy)
            self._solver.run()
            status = self._solver.getModelStatus()
            if status == highspy.HighsModelStatus.kOptimal:
                found: Floats = np.array(self._solver.getSolution().col_value)
                return sign * float(found[column]) + 0.0, found
            if status in _UNBOUNDED:
                return np.inf, np.zeros(len(self.cells))
            self._solver.clearSolver()  # a basis that went astray is not taken along
        raise Defect(f"a linear programme of the attacker did not finish: {self._solver.modelStatusToString(status)}")

    def prices(self) -> Floats:
        """The dual of each equation at the last optimum, for a goal that is maximised."""
        full = np.zeros(self._all_lines)
        full[self._lines] = -np.array(self._solver.getSolution().row_dual)
        return full

    def whole_numbers(self, asked: bool) -> None:
        """Whether deviations must be whole numbers, which makes it an integer programme."""
        if asked != self._whole:
            ask_whole(self._solver, len(self.cells), whole=asked)
            self._whole = asked

    def _aim(self, column: int, sign: int) -> None:
        if self._goal is not None and self._goal != column:
            self._solver.changeColCost(self._goal, 0.0)
        self._goal = column
        self._solver.changeColCost(column, float(-sign))  # HiGHS minimises


_UNBOUNDED = (highspy.HighsModelStatus.kUnbounded, highspy.HighsModelStatus.kUnboundedOrInfeasible)
