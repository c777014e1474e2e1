"""What a master learns: conditions that every safe pattern satisfies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.baselines.suppression.check import Breach
from workbench.baselines.suppression.master import Cut
from workbench.baselines.suppression.task import Task, bounds_of
from workbench.core.arrays import Bools


def starting_cuts(task: Task) -> Iterator[Cut]:
    """A primary cell needs company in each of its lines."""
    for line in range(len(task.system.lines)):
        cells = task.system.cells_of(line)
        for cell in cells[task.primary[cells]]:
            others = cells[(cells != cell) & ~task.published[cells]]
            if len(others):
                yield Cut.of(others, np.ones(len(others)), 1.0)


def cut_of(task: Task, breach: Breach, pattern: Bools) -> Cut:
    """What every safe pattern satisfies and this one does not."""
    usable = ~task.published
    if breach.prices is None:  # whole numbers: no dual; fewer suppressed cells would leave even less room
        outside = np.flatnonzero(usable & ~pattern)
        return Cut.of(outside, np.ones(len(outside)), 1.0)
    system = task.system
    low, high = bounds_of(task, breach.insider)
    rest = -(system.matrix.T @ np.round(breach.prices, 9))
    rest[breach.cell] += breach.sign
    rest[np.abs(rest) < 1e-7] = 0.0
    with np.errstate(invalid="ignore"):
        room = np.where(rest > 0, rest * (high - system.values), -rest * (system.values - low))
    weight = np.minimum(breach.level, np.where(rest == 0, 0.0, room))
    cells = np.flatnonzero((weight > 1e-9 * breach.level) & usable)
    return Cut.of(cells, weight[cells] / breach.level, 1.0)


def companions(task: Task, pattern: Bools) -> Iterator[Cut]:
    """A suppressed cell alone in a line is known: an optimum has no use for it."""
    many = abs(task.system.matrix) @ pattern.astype(np.float64)
    for line in np.flatnonzero(many == 1).tolist():
        cells = task.system.cells_of(line)
        cell = cells[pattern[cells]][0]
        others = cells[(cells != cell) & ~task.published[cells]]
        if not task.must[cell]:
            yield Cut.of(np.append(others, cell), np.append(np.ones(len(others)), -1.0), 0.0)


def another(task: Task, line: int, pattern: Bools) -> Cut:
    """The suppressed cells of this line must not be exactly these."""
    cells = task.system.cells_of(line)
    inside = cells[pattern[cells] & ~task.must[cells]]
    outside = cells[~pattern[cells] & ~task.published[cells]]
    both = np.concatenate([inside, outside])
    signs = np.concatenate([-np.ones(len(inside)), np.ones(len(outside))])
    return Cut.of(both, signs, 1.0 - len(inside))
