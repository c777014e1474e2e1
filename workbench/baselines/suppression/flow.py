"""The cheapest way to move one cell by its level while all equations hold.

min Σ c·(f⁺ + f⁻), matrix·(f⁺ − f⁻) = 0, f of the cell = 1, within bounds, everything in units of the level. With costs
of 1 it is a smallest table of changes: it touches few cells, so that it fits most attackers and many patterns.
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

from workbench.baselines.suppression.solver import ask_whole, load, quiet_solver
from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Defect

_TOLERANCE = 1e-9
_FAR = 1e6  # levels that no cell needs to move by


class Flow:
    """Columns are rises of the given cells, then their falls."""

    def __init__(self, matrix: Any, cells: Integers) -> None:
        from scipy.sparse import hstack

        part = matrix[:, cells].tocsr()
        part = part[np.flatnonzero(np.diff(part.indptr)), :]
        both = hstack([part, -part]).tocsc()
        self.cells = cells
        self._columns = np.arange(2 * len(cells), dtype=np.int32)
        self._costs = np.ones(2 * len(cells))
        self._whole = False
        self._solver = quiet_solver()
        self._solver.setOptionValue("presolve", "off")
        nothing = np.zeros(2 * len(cells))
        load(self._solver, both, costs=self._costs, low=nothing, high=nothing)

    def price(self, costs: Floats) -> None:
        """What a rise and a fall by one level cost, for each cell."""
        self._solver.changeColsCost(len(costs), self._columns, costs)

    def cheapest(
        self, place: int, sign: int, level: float, *, above: Floats, below: Floats, whole: bool = False
    ) -> Floats | None:
        """The deviation of every cell when this one moves by the level; None where it cannot.

        `above` and `below` are the room of every cell. Whole numbers are asked for in units of the table.
        """
        unit = 1.0 if whole else level
        high = np.minimum(np.concatenate([above, below]) / unit, _FAR)
        low = np.zeros(len(high))
        rise, fall = place, place + len(self.cells)
        forced, other = (rise, fall) if sign > 0 else (fall, rise)
        goal = level / unit
        if high[forced] < goal * (1 - _TOLERANCE):
            return None
        low[forced], high[forced], high[other] = min(goal, high[forced]), max(goal, high[forced]), 0.0
        if not whole:
            high[forced] = low[forced]
        self._solver.changeColsBounds(len(low), self._columns, low, high)
        self._ask_whole(whole)
        return self._solved(unit)

    def _solved(self, unit: float) -> Floats | None:
        self._solver.run()
        status = self._solver.getModelStatus()
        if status not in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kOptimal):
            self._solver.clearSolver()  # a basis that went astray is not taken along
            self._solver.run()
            status = self._solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise Defect("a programme of complementary suppression did not finish")
        flow = np.array(self._solver.getSolution().col_value)
        net: Floats = flow[: len(self.cells)] - flow[len(self.cells) :]
        net[np.abs(net) < 1e-7] = 0.0
        return net * unit

    def _ask_whole(self, asked: bool) -> None:
        if asked != self._whole:
            ask_whole(self._solver, len(self._columns), whole=asked)
            self._whole = asked
