"""What every method of area estimates starts from: people on public grids in public cells, and their exact sums.

Predictor and outcomes are mapped from their declared bounds to 0 … 1 and kept in millionths; the noisy table takes
them in thousandths. Which cells, pools, outcomes and ranks there are is decided by the plan and public files alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import Release
from workbench.products.area_estimates.dollars import DollarTable
from workbench.products.area_estimates.estimators.contract import Estimator, Sides
from workbench.products.area_estimates.fractional_sums import four_sums, moment_sum, totals
from workbench.products.area_estimates.line import Lines, lines_of
from workbench.products.area_estimates.people import FINE, People
from workbench.products.area_estimates.places import Places
from workbench.products.area_estimates.power_sums import PowerSums, power_sums

EFFECT = "effect"
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
    typical_weight: float = 1.0  # Σw²/Σw as declared: how much more a weighted sum varies than a sum of people
    estimator: Estimator | None = None  # of an effect; None where the line is estimated at the ranks
    sides: Confidential[tuple[Sides, ...]] | None = None  # one for each outcome, where an effect is estimated
    dollars: DollarTable | None = None  # public; where outcomes are ranks
    held: Confidential[tuple[Floats, ...]] | None = None  # χ of every published statistic, where an audit holds it
    which: Callable[[], Confidential[Integers] | None] | None = field(default=None, repr=False, compare=False)
    """Reads once more where the people who count stand among the rows that were loaded, for whoever asks."""

    @property
    def rows(self) -> int:
        return self.places.cells * len(self.outcomes)

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return (("people who count", int(self.lines.reveal()[0].size.sum())), ("cells", self.places.cells))

    def row_rule(self, release: Release) -> None:
        """None: there is a row for every listed cell."""

    def suppressible(self) -> Tabulated:
        from workbench.products.area_estimates.suppressible import counted_cells

        return counted_cells(self)

    @property
    def weighted(self) -> bool:
        return self.weight_grid > 1

    @property
    def inner_ranks(self) -> tuple[float, ...]:
        """The ranks between 0 and 1; none where an effect is estimated."""
        if self.estimator is not None:
            return ()
        return tuple(self.predictor.inside(float(rank)) for rank in self.ranks)

    def inner_rank(self, place: int) -> float | None:
        """Where a named estimate stands between 0 and 1; None for an effect, which stands nowhere."""
        return self.inner_ranks[place] if self.estimator is None else None

    def rank_names(self) -> tuple[str, ...]:
        """What is estimated in every cell: p25 where the predictor is a share, at_12 elsewhere; or the effect."""
        if self.estimator is not None:
            return (EFFECT,)
        shares = (self.predictor.lower, self.predictor.upper) == (0.0, 1.0)
        return tuple(f"p{float(rank) * 100:g}" if shares else f"at_{rank}" for rank in self.ranks)


def table_of(people: People, places: Places) -> TableSums:
    """The sums that get noise: what every person contributes, added up from powers so that few passes suffice."""
    return table_from(power_sums(people, places.cells), places)


def table_from(power: PowerSums, places: Places) -> TableSums:
    pool, pools = places.pool, places.pools
    return TableSums(
        sums=np.stack([four_sums(power.n, power.x, y, xy) for y, xy in zip(power.y, power.xy, strict=True)]),
        x_moment=moment_sum(power.n, power.x, power.xx),
        y_moment=np.stack(
            [totals(moment_sum(power.n, y, yy), pool, pools) for y, yy in zip(power.y, power.yy, strict=True)]
        ),
    )


def sides_by_outcome(people: People, cells: int, estimator: Estimator | None) -> Confidential[tuple[Sides, ...]] | None:
    """The sums of every side of every cell, outcome by outcome; none where the line is estimated."""
    if estimator is None or people.side is None:
        return None
    chosen = [np.flatnonzero(people.side == place) for place in range(estimator.sides)]
    x = people.x / FINE
    return Confidential(
        tuple(
            tuple(lines_of(x[rows], outcome[rows] / FINE, people.cell[rows], cells) for rows in chosen)
            for outcome in people.y
        )
    )


def lines_by_outcome(people: People, cells: int) -> tuple[Lines, ...]:
    """The exact line of every cell, outcome by outcome."""
    weight = None if people.weight is None else people.weight / WEIGHT_GRID
    x = people.x / FINE
    return tuple(lines_of(x, outcome / FINE, people.cell, cells, weight) for outcome in people.y)
