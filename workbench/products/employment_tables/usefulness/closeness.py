"""How close single cells come: the share of cells within reach of today's relative error, or of any limit.

Two readings of "the relative error is within 10 points of today's": of a cell's *expected* relative error (what 20
trials average to), and of one draw's, whose expected share follows from P(|published − true| ≤ SDL's error + 10 % of
the count). Both have closed forms. Truly empty cells have no relative error and are left out.
Source: Haney et al. (2017), section 10.1, Finding 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.products.employment_tables.usefulness.contenders import Point
from workbench.products.employment_tables.usefulness.evaluation import Ground
from workbench.products.employment_tables.usefulness.noise_laws import noise_of


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinReach:
    """Shares of the cells that are not empty: by expected error, and by one draw."""

    on_average: float
    in_one_draw: float


def within_reach(ground: Ground, point: Point, *, margin: float = 0.1) -> WithinReach:
    """Not a number where the point is infeasible or its law unknown."""
    cells = ground.workload.cells
    noise = (
        noise_of(point.contender.mechanism, point.params, cells.domain.worker_combinations) if point.feasible else None
    )
    if noise is None:
        return WithinReach(on_average=math.nan, in_one_draw=math.nan)
    true = cells.count.reveal()
    judged = (true > 0) & ground.published
    limit = np.abs(ground.workload.baseline.reveal()[judged] - true[judged]) + margin * true[judged]
    driver = noise.driver.of(cells)[judged]
    return WithinReach(
        on_average=float(np.mean(noise.mean(driver) <= limit)),
        in_one_draw=float(np.mean(noise.within(driver, limit))),
    )
