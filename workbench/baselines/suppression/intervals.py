"""Between which values each suppressed cell lies for an attacker: two linear programmes for each."""

from __future__ import annotations

import numpy as np

from workbench.baselines.suppression.attackers import Attackers
from workbench.baselines.suppression.insiders import Insider
from workbench.baselines.suppression.programme import Programme
from workbench.baselines.suppression.system import System
from workbench.core.arrays import Bools, Floats
from workbench.core.progress import QUIET, Context

_STEP = 20


def intervals(
    system: System,
    suppressed: Bools,
    attackers: Attackers,
    *,
    insider: Insider | None = None,
    whole: bool = False,
    context: Context = QUIET,
) -> tuple[Floats, Floats]:
    """The smallest and the largest value of every cell; published cells are their own bounds.

    With `whole`, only tables of whole numbers count: an integer programme where the linear one ends between them.
    """
    low, high = system.values.copy(), system.values.copy()
    cells = np.flatnonzero(suppressed)
    if not len(cells):
        return low, high
    least, most = attackers.low.copy(), attackers.high.copy()
    if insider is not None:
        least[insider.cells], most[insider.cells] = insider.low, insider.high
    values = system.values[cells]
    programme = Programme(system.matrix, cells, least[cells] - values, most[cells] - values)
    for column, cell in enumerate(cells):
        if column % _STEP == 0:
            context.step(column / len(cells), f"bounding suppressed cells: {column:,} of {len(cells):,}")
        low[cell] = system.values[cell] - _end(programme, column, -1, whole=whole)
        high[cell] = system.values[cell] + _end(programme, column, +1, whole=whole)
    return low, high


def _end(programme: Programme, column: int, sign: int, *, whole: bool) -> float:
    reached, move = programme.farthest(column, sign)
    if whole and np.isfinite(reached) and np.any(np.abs(move - np.rint(move)) > 1e-6):
        programme.whole_numbers(True)
        reached, _ = programme.farthest(column, sign)
        programme.whole_numbers(False)
    return max(0.0, float(np.rint(reached)) if whole and np.isfinite(reached) else reached)
