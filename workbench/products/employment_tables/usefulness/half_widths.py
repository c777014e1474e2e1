"""Within how many jobs of the true count 99 of 100 published counts lie: the number beside a mean error.

Formula: the least whole t with P(|published − true| ≤ t) ≥ .99 for a count of the group taken at random. The law of
the noise gives the probability where it is known; else t is the quantile of |drawn − true| over study draws and cells,
and there is none where fewer than 100 such differences exist.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.mechanisms.error_law import discrete_half_width, half_width_by
from workbench.products.employment_tables.usefulness.noise_laws import noise_of
from workbench.utility.contract import Comparison

SHARE = 0.01
LABEL = "99 % half-width, jobs"
NOTE = "99 of 100 published counts lie within ± the half-width of the true count."


def by_law(comparison: Comparison, groups: list[Bools]) -> list[int | None] | None:
    """For the cells of each group; None where values are changed after the draw or the law is not known."""
    mechanism, params, cells = comparison.mechanism, comparison.mechanism_params, comparison.prepared
    if mechanism is laplace.SPEC and not params.clip_at_zero:
        width = discrete_half_width(laplace.scale_of(params), SHARE)
        return [width if group.any() else None for group in groups]
    noise = noise_of(mechanism, params, cells.domain.worker_combinations)
    if noise is None:
        return None
    driver = noise.driver.of(cells)
    return [half_width_by(noise, driver[group], SHARE) if group.any() else None for group in groups]


class Farthest:
    """The largest absolute errors of some draws of so many cells: just those that the quantile needs."""

    def __init__(self, cells: int, draws: int) -> None:
        self._all = cells * draws
        self._kept = self._all - math.ceil((1.0 - SHARE) * self._all) + 1
        self._errors: Floats = np.zeros(0)

    def add(self, errors: Floats) -> None:
        joined = np.concatenate([self._errors, np.abs(errors)])
        cut = max(len(joined) - self._kept, 0)
        self._errors = np.partition(joined, cut)[cut:] if cut else joined

    @property
    def half_width(self) -> int | None:
        return None if self._all * SHARE < 1.0 else int(self._errors.min())
