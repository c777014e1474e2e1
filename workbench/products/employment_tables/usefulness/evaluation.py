"""L1 error over a grid of (α, ε), as a ratio to current SDL, by stratum: closed forms, no sampling.

Formula: Σ E|published − true| over the cells of a stratum divided by Σ E|baseline − true| over the same cells. The
expectation over today's factors is a closed form too (`expected_distortion`): one draw of them may be off by a fifth.
That of a mechanism depends on a cell only through its driver (`noise`), so each stratum is condensed once into how
many cells have each driver value; a point of the grid then costs one evaluation per distinct value, not per cell.
Cells the baseline suppresses are left out of both sums. Source: Haney et al. (2017), section 10, Figures 3, 5 and 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.baselines.alternatives import error_of
from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.products.employment_tables.mechanisms.error_law import Driver
from workbench.products.employment_tables.usefulness.contenders import Point
from workbench.products.employment_tables.usefulness.noise_laws import noise_of
from workbench.products.employment_tables.usefulness.strata import ALL, Strata
from workbench.products.employment_tables.usefulness.workloads import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class PointError:
    """The error of one point: the ratio to today over all cells and per stratum; not a number where infeasible."""

    point: Point
    total: float
    by_stratum: tuple[float, ...]

    @property
    def unbounded(self) -> bool:
        """Feasible as protection, but the expected count is infinite (Log-Laplace with a spread of 1 or more)."""
        return self.point.feasible and math.isinf(self.total)

    def of(self, stratum: int | None) -> float:
        """One stratum's ratio, or that of all cells."""
        return self.total if stratum is None else self.by_stratum[stratum]


class Ground:
    """What every sum starts from: the cells that current SDL publishes, their strata and SDL's error."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.strata: Strata = workload.strata
        true = workload.cells.count.reveal().astype(np.float64)
        today = workload.baseline.reveal()
        self.published = np.isfinite(today)
        off = error_of(workload.baseline, true)
        self.baseline_error = self.strata.sums(np.where(self.published, off.mean, 0.0))
        self.baseline_spread = off.spread(self.published)  # of the error of all cells, over today's factors
        self._condensed: dict[Driver, tuple[NDArray[np.int64], Floats]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return (ALL, *self.strata.names)

    def condensed(self, driver: Driver) -> tuple[NDArray[np.int64], Floats]:
        """The driver's distinct values, and how many published cells of each stratum have each (strata × values)."""
        if driver not in self._condensed:
            values = driver.of(self.workload.cells)[self.published]
            distinct, where = np.unique(values, return_inverse=True)
            strata, width = len(self.strata.names), len(distinct)
            keys = self.strata.member[self.published] * width + where
            cells = np.bincount(keys, minlength=strata * width).reshape(strata, width)
            self._condensed[driver] = distinct, cells.astype(np.float64)
        return self._condensed[driver]

    def ratios(self, point: Point, errors: Floats | None) -> PointError:
        """Sums of errors per stratum turned into ratios."""
        if errors is None:
            return PointError(point=point, total=math.nan, by_stratum=(math.nan,) * len(self.strata.names))
        sums, today = errors.tolist(), self.baseline_error.tolist()
        return PointError(
            point=point,
            total=_ratio(math.fsum(sums), math.fsum(today)),
            by_stratum=tuple(_ratio(error, base) for error, base in zip(sums, today, strict=True)),
        )


def _ratio(error: float, base: float) -> float:
    return error / base if base > 0 else math.nan


def expected_errors(ground: Ground, points: Sequence[Point], context: Context) -> tuple[PointError, ...]:
    """The ratio at every point in closed form; not a number where it is infeasible or has no closed form."""
    made = []
    for number, point in enumerate(points):
        context.step(number / len(points), f"expected error at ε {point.epsilon}, α {point.alpha}")
        made.append(ground.ratios(point, _expected(ground, point) if point.feasible else None))
    return tuple(made)


def _expected(ground: Ground, point: Point) -> Floats | None:
    cells = ground.workload.cells
    noise = noise_of(point.contender.mechanism, point.params, cells.domain.worker_combinations)
    if noise is not None:
        distinct, weights = ground.condensed(noise.driver)
        errors = noise.mean(distinct)
        if len(errors) and math.isinf(errors[0]):  # the spread alone decides it, so then all are infinite
            return np.full(len(weights), math.inf)
        sums: Floats = weights @ errors
        return sums
    expected = point.contender.mechanism.expected_error(cells, point.params)
    if expected is None:
        return None
    return ground.strata.sums(np.where(ground.published, expected.reveal(), 0.0))
