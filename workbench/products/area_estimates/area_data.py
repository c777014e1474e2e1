"""What every method of area estimates starts from: people on public grids in public cells, and their exact sums.

Predictor and outcomes are mapped from their declared bounds to 0 … 1 and kept in millionths; the noisy table takes
them in thousandths. Which cells, pools, outcomes and ranks there are is decided by the plan and public files alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import Release
from workbench.products.area_estimates.fractional_sums import GRID, four_sums, moment_sum, totals
from workbench.products.area_estimates.line import Lines, lines_of
from workbench.products.area_estimates.places import Places

FINE = 1_000_000
WEIGHT_GRID = 100  # a weight has two decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """A column with its declared bounds, in its own unit."""

    name: str
    lower: float
    upper: float

    @property
    def width(self) -> float:
        return self.upper - self.lower

    def inside(self, value: float) -> float:
        """Where a value of its own unit lies between 0 and 1."""
        return (value - self.lower) / self.width


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class People:
    """One row for each person that counts: cell, predictor and outcomes in millionths, weight in its grid."""

    cell: NDArray[np.int32]
    x: NDArray[np.int32]
    y: tuple[NDArray[np.int32], ...]
    weight: Integers | None = None

    def __len__(self) -> int:
        return len(self.cell)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableSums:
    """Exact integers before noise: outcomes × cells × 4, cells, and outcomes × pools."""

    sums: Integers
    x_moment: Integers
    y_moment: Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFacts:
    """Rows of the file that do not count, by reason. For the preparer only."""

    rows: int
    unlisted: int  # cell or group missing or not listed, or a value missing
    outside: int
    repeated: int


@dataclass(frozen=True, kw_only=True)
class AreaData:
    places: Places
    predictor: Bounded
    outcomes: tuple[Bounded, ...]
    ranks: tuple[str, ...]
    people: Confidential[People]
    lines: Confidential[tuple[Lines, ...]]  # one for each outcome
    table: Confidential[TableSums]
    facts: Confidential[RowFacts]
    bounded: bool  # whether only one row of each person is used
    most_weight: int = 1  # the largest weight, in units of its grid
    weight_grid: int = 1
    held: Confidential[tuple[Floats, ...]] | None = None  # χ of every published statistic, where an audit holds it

    @property
    def rows(self) -> int:
        return self.places.cells * len(self.outcomes)

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return (("people who count", len(self.people.reveal())), ("cells", self.places.cells))

    def row_rule(self, release: Release) -> None:
        """None: there is a row for every listed cell."""

    @property
    def weighted(self) -> bool:
        return self.people.reveal().weight is not None

    @property
    def inner_ranks(self) -> tuple[float, ...]:
        """The ranks between 0 and 1."""
        return tuple(self.predictor.inside(float(rank)) for rank in self.ranks)

    def rank_names(self) -> tuple[str, ...]:
        """p25 where the predictor is a share, at_12 elsewhere."""
        shares = (self.predictor.lower, self.predictor.upper) == (0.0, 1.0)
        return tuple(f"p{float(rank) * 100:g}" if shares else f"at_{rank}" for rank in self.ranks)


def table_of(people: People, places: Places) -> TableSums:
    """The sums that get noise: what every person contributes, added up from powers so that few passes suffice."""
    cells, weight = places.cells, people.weight

    def added(values: Integers | None) -> Integers:
        taken = values if weight is None else weight if values is None else values * weight
        return np.bincount(people.cell, minlength=cells) if taken is None else totals(taken, people.cell, cells)

    x = grid_of(people.x)
    n, sum_x = added(None), added(x)
    sums, y_moment = [], []
    for outcome in people.y:
        y = grid_of(outcome)
        sum_y = added(y)
        sums.append(four_sums(n, sum_x, sum_y, added(x * y)))
        y_moment.append(totals(moment_sum(n, sum_y, added(y * y)), places.pool, places.pools))
    return TableSums(sums=np.stack(sums), x_moment=moment_sum(n, sum_x, added(x * x)), y_moment=np.stack(y_moment))


def grid_of(fine: NDArray[np.int32]) -> Integers:
    """Millionths to thousandths, the nearest, halves up."""
    step = FINE // GRID
    thousandths: Integers = (fine.astype(np.int64) + step // 2) // step
    return thousandths


def lines_by_outcome(people: People, cells: int) -> tuple[Lines, ...]:
    """The exact line of every cell, outcome by outcome."""
    weight = None if people.weight is None else people.weight / WEIGHT_GRID
    x = people.x / FINE
    return tuple(lines_of(x, outcome / FINE, people.cell, cells, weight) for outcome in people.y)
