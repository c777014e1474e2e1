"""The cheapest way to move one cell while all equations hold.

For a cell p and a level L: min Σ c·(f⁺ + f⁻), matrix·(f⁺ − f⁻) = 0, f of p = L, within the attacker's bounds, with
c = weight / min(room, L), and almost 0 where a cell is suppressed already.
"""

from __future__ import annotations

import highspy
import numpy as np

from workbench.baselines.suppression.check import Breach
from workbench.baselines.suppression.insiders import Insider
from workbench.baselines.suppression.solver import ask_whole, load, quiet_solver
from workbench.baselines.suppression.task import Task
from workbench.core.arrays import Bools, Floats
from workbench.core.errors import Defect


class Flow:
    """The cheapest way to move one cell. Columns are rises of all cells that may be suppressed, then their falls."""

    def __init__(self, task: Task, free: Bools | None = None) -> None:
        from scipy.sparse import hstack

        self._task = task
        self._cells = np.flatnonzero(~task.published)
        self._free = np.zeros(task.system.cells, dtype=bool) if free is None else free
        values = task.system.values
        self._above = task.attackers.high - values
        self._below = values - task.attackers.low
        part = task.system.matrix[:, self._cells]
        both = hstack([part, -part]).tocsc()
        many = 2 * len(self._cells)
        self._columns = np.arange(many, dtype=np.int32)
        self._whole = False
        self._solver = quiet_solver()
        self._solver.setOptionValue("presolve", "off")
        nothing = np.zeros(many)
        load(self._solver, both, costs=nothing, low=nothing, high=nothing)

    def cheapest(self, cell: int, move: float, suppressed: Bools, breach: Breach | None) -> Bools | None:
        """The cells that move when this one moves by so much; None where it cannot."""
        above, below = self._known(breach.insider if breach is not None else None)
        level = abs(move)
        self._set_costs(suppressed, level, above, below)
        low, high = np.zeros(2 * len(self._cells)), np.concatenate([above, below])
        place = int(np.searchsorted(self._cells, cell))
        rise, fall = (place, place + len(self._cells))
        forced, other = (rise, fall) if move > 0 else (fall, rise)
        if high[forced] < level * (1 - 1e-9):
            return None
        low[forced], high[forced], high[other] = level, level, 0.0
        self._solver.changeColsBounds(len(low), self._columns, low, high)
        self._ask_whole(breach is not None and breach.prices is None)
        self._solver.run()
        status = self._solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise Defect("a programme of complementary suppression did not finish")
        flow = np.array(self._solver.getSolution().col_value)
        net = np.abs(flow[: len(self._cells)] - flow[len(self._cells) :])
        moved = np.zeros(self._task.system.cells, dtype=bool)
        moved[self._cells[net > 1e-7 * level]] = True
        return moved

    def _known(self, insider: Insider | None) -> tuple[Floats, Floats]:
        above, below = self._above, self._below
        if insider is not None:
            values = self._task.system.values[insider.cells]
            above, below = above.copy(), below.copy()
            above[insider.cells], below[insider.cells] = insider.high - values, values - insider.low
        return above[self._cells], below[self._cells]

    def _set_costs(self, suppressed: Bools, level: float, above: Floats, below: Floats) -> None:
        weights = np.where(suppressed | self._free, 1e-6, self._task.weights)[self._cells]
        room = np.concatenate([np.minimum(above, level), np.minimum(below, level)])
        costs = np.concatenate([weights, weights]) / np.maximum(room, 1e-9 * level) * level
        self._solver.changeColsCost(len(costs), self._columns, costs)

    def _ask_whole(self, asked: bool) -> None:
        if asked != self._whole:
            ask_whole(self._solver, len(self._columns), whole=asked)
            self._whole = asked
