"""The suppressed cells of a line together: their sum is the published total minus the published parts.

Where one holder dominates that sum, it is known although every cell by itself is safe. The sum must pass the primary
rule like a cell of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from workbench.baselines.suppression.task import Task
from workbench.core.arrays import Bools


def telling_lines(task: Task, suppressed: Bools, lines: Iterable[int] | None = None) -> Iterator[int]:
    """Lines, of these or of all, whose total is published and whose suppressed cells together fail the primary rule."""
    judge = task.sensitive
    if judge is None:
        return
    for number in range(len(task.system.lines)) if lines is None else lines:
        line = task.system.lines[number]
        if suppressed[line.whole]:
            continue
        parts = np.array(line.parts, dtype=np.int64)
        hidden = parts[suppressed[parts]]
        if len(hidden) and judge(hidden):
            yield number
