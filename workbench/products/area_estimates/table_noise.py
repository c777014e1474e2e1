"""How ε is divided over a noisy table and which integer noise that gives: scales, exact loss, the draw itself.

Shares of ε: the four sums of all outcomes, the moment of x, the pooled moments of y. With K outcomes each has a K-th of
its share. One person moves the sums of one outcome by exactly W·m² in L1 and a moment by at most W·m²/2, W the largest
weight in units of its grid. Noise: discrete Laplace of scale W·m²·K/(s_T·ε), W·m²/(2·s_X·ε), W·m²·K/(2·s_Y·ε).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.progress import Context, Part
from workbench.core.randomness import UniformWords
from workbench.mechanisms.contract import Answer
from workbench.noise import discrete_laplace
from workbench.noise.geometric import discrete_laplace as laplace_noise
from workbench.products.area_estimates.area_data import AreaData, TableSums
from workbench.products.area_estimates.direct import NoisyTable
from workbench.products.area_estimates.fractional_sums import MOMENT, SUMS
from workbench.products.area_estimates.own_epsilon import Share

PARTS = ("sums of cells", "moments of the predictor", "moments of outcomes")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableShares:
    """Exact shares of ε that add up to one."""

    sums: Fraction
    x_moment: Fraction
    y_moment: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class TableScales:
    """Scales of discrete Laplace noise, in integers of the table, and what they cost one person at the worst place."""

    sums: float
    x_moment: float
    y_moment: float
    outcomes: int
    most_weight: int

    def each(self) -> tuple[float, float, float]:
        return self.sums, self.x_moment, self.y_moment

    def spent(self) -> Fraction:
        """The exact loss: all three moved by the most, which the person at (1, 1) does."""
        sums = discrete_laplace.spent(self.most_weight * SUMS, self.sums)
        x = discrete_laplace.spent(self.most_weight * MOMENT, self.x_moment)
        y = discrete_laplace.spent(self.most_weight * MOMENT, self.y_moment)
        return self.outcomes * (sums + y) + x


@runtime_checkable
class DrawsTable(Protocol):
    """A mechanism that draws a table of integers and works out everything from it, as an audit watches it."""

    def claim(self, prepared: AreaData | None, params: Any) -> Claim: ...
    def numbers(self, outcomes: int) -> int:
        """How many integers are drawn for one cell in a pool of its own."""

    def watched(
        self, table: TableSums, prepared: AreaData, params: Any, rng: UniformWords, context: Context
    ) -> tuple[Integers, ...]:
        """Those integers, one array each, where every cell of the table is a pool of its own."""


def scales_for(epsilon: Fraction, shares: TableShares, outcomes: int, most_weight: int) -> TableScales:
    return TableScales(
        sums=discrete_laplace.scale_for(most_weight * SUMS, epsilon * shares.sums / outcomes),
        x_moment=discrete_laplace.scale_for(most_weight * MOMENT, epsilon * shares.x_moment),
        y_moment=discrete_laplace.scale_for(most_weight * MOMENT, epsilon * shares.y_moment / outcomes),
        outcomes=outcomes,
        most_weight=most_weight,
    )


def drawn_table(table: TableSums, scales: TableScales, rng: UniformWords, context: Context) -> TableSums:
    """Integers plus integer noise, one independent draw each: everything published follows from these."""

    def noisy(values: Integers, scale: float, start: float, end: float) -> Integers:
        noise = laplace_noise(np.full(values.size, scale), rng, Part(context, start, end))
        return values + noise.reshape(values.shape)

    return TableSums(
        sums=noisy(table.sums, scales.sums, 0.0, 0.7),
        x_moment=noisy(table.x_moment, scales.x_moment, 0.7, 0.95),
        y_moment=noisy(table.y_moment, scales.y_moment, 0.95, 1.0),
    )


def drawn_parts(table: TableSums) -> tuple[Integers, Integers, Integers]:
    """The integers in the order in which they are drawn."""
    return table.sums.ravel(), table.x_moment.ravel(), table.y_moment.ravel()


def answers_of(exact: TableSums, drawn: TableSums, whose: str = "") -> list[Answer]:
    """What was asked of the data: one answer for each kind of number."""
    return [
        Answer(name=part + whose, exact=Confidential(true), drawn=noisy)
        for part, true, noisy in zip(PARTS, drawn_parts(exact), drawn_parts(drawn), strict=True)
    ]


def listed(drawn: TableSums) -> tuple[Integers, ...]:
    """All integers of a table whose cells are pools of their own, number by number."""
    return (*(sums for outcome in drawn.sums for sums in outcome.T), drawn.x_moment, *drawn.y_moment)


def real_table(
    drawn: TableSums, outcome: int, prepared: AreaData, variances: tuple[float, float], share: Share | None = None
) -> NoisyTable:
    """One outcome of a drawn table in units of people; `variances` are those of a sum and of the moment of x.

    `share` says which cells the table holds where it holds some of them only.
    """
    places = prepared.places
    unit = SUMS * prepared.weight_grid
    moments: tuple[Floats, Floats] = (drawn.x_moment / (4 * unit), drawn.y_moment[outcome] / (4 * unit))
    return NoisyTable(
        sums=drawn.sums[outcome] / unit,
        x_moment=moments[0],
        y_moment=moments[1],
        pool=places.pool if share is None else share.pool_of_cell,
        group=places.group if share is None else places.group[share.cells],
        sums_variance=variances[0] / unit**2,
        x_variance=variances[1] / (4 * unit) ** 2,
        typical_weight=prepared.typical_weight,
    )
