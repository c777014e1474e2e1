"""L1 error of whole draws: for settings without a closed form, such as post-processed values.

Formula: the mean over trials of Σ |drawn − true| over Σ |baseline − true|, cells that the baseline suppresses left out.
"""

from __future__ import annotations

import numpy as np

from workbench.core.progress import Context, Part
from workbench.products.employment_tables.usefulness.contenders import Point
from workbench.products.employment_tables.usefulness.evaluation import Ground, PointError
from workbench.utility.streams import stream


def drawn_error(ground: Ground, point: Point, *, trials: int, seed: int, context: Context) -> PointError:
    """The ratio to today over all cells and per stratum; not a number where the point is infeasible."""
    if not point.feasible:
        return ground.ratios(point, None)
    cells = ground.workload.cells
    true, rng = cells.count.reveal(), stream(seed, "drawn-errors")
    sums = np.zeros(len(ground.strata.names))
    for trial in range(trials):
        part = Part(context, trial / trials, (trial + 1) / trials)
        drawn = point.contender.mechanism.study(cells, point.params, rng, part).reveal().values
        sums += ground.strata.sums(np.where(ground.published, np.abs(drawn - true), 0).astype(np.float64))
    return ground.ratios(point, sums / trials)
