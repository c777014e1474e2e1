"""The questions that any engine answers about the rows of one data set.

Rules that keep the digits equal, whoever answers: everything counted, added or compared is an integer; numbers come
onto a declared grid first (`keys.Scale`); factors are integers of billionths; groups come in the order of their
positions and positions in the order of public lists, or of code points where values are met in the data; of units
that contribute the same, the one with the larger total is taken; which row stands for a unit is decided by a total
order over all columns; a missing cell is never a group of its own unless a key says so. Nothing is estimated.

A product says in these words what it needs, composes its own structures from the answers, and reads no row behind the
door, except where the release itself is one row per record (`records`). No answer and no problem shows a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import Context
from workbench.tabulation.aggregates import Aggregate
from workbench.tabulation.answers import Answer, ColumnFacts, NumberFacts, Records, Tally, TwoWay, UnitCells, UnitFacts
from workbench.tabulation.factors import Factors
from workbench.tabulation.grid import Grid
from workbench.tabulation.keys import Dimension, Key, Scale
from workbench.tabulation.units.arrangement import Route, SizeTable, Unit


@dataclass(frozen=True, slots=True)
class Highest:
    """Keep the row with the largest x; of several, the first in the order of all other columns."""

    of: Scale


@dataclass(frozen=True, slots=True)
class First:
    """Keep the first row in the order of these columns, then of all others."""

    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summed:
    """Keep the row with the largest x, with the sum of the unit's x in its place, cut off at the bounds again."""

    of: Scale


Keep: TypeAlias = Highest | First | Summed


class Units(Protocol):
    """Rows arranged by unit, so that every table of unit and row attributes afterwards is quick."""

    @property
    def unit(self) -> Unit: ...
    @property
    def rows(self) -> int: ...
    @property
    def units(self) -> int: ...
    @property
    def sizes(self) -> Mapping[str, int]:
        """How many positions every attribute has."""

    def combinations(self, names: Sequence[str]) -> Confidential[NDArray[np.int32]]:
        """The combinations of these unit attributes that units have, in order, the first attribute slowest."""

    def count_combinations(self, names: Sequence[str]) -> Confidential[int]:
        """How many there are."""

    def sizes_by(self, name: str) -> Confidential[SizeTable] | None:
        """Units by size and position of an attribute; None where a row attribute differs within a unit."""

    def cells(
        self, grid: Grid, *, contributions: bool = False, context: Context, route: Route | None = None
    ) -> UnitCells:
        """Rows, units, largest contribution and that unit's total for every cell of a public list, empty ones too.

        An engine that has several routes chooses one by size unless one is named. One that keeps rows away gives no
        contributions, asked for or not.
        """

    def distorted(self, grid: Grid, factors: Factors, context: Context) -> Confidential[Integers]:
        """Σ over the rows of each cell of their unit's keyed factor, in billionths."""


class Rows(Protocol):
    """One data set behind the door. Every question can be cancelled through its context."""

    @property
    def name(self) -> str: ...
    @property
    def count(self) -> Confidential[int]:
        """How many rows there are."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def gives_records(self) -> bool:
        """Whether single records can be had. Where not, a product asks for its aggregates instead."""

    def grouped(self, by: Sequence[Dimension], aggregates: Mapping[str, Aggregate], context: Context) -> Answer:
        """Named aggregates of every group that has rows. No key: one group of all rows."""

    def two_way(self, by: Sequence[Dimension], context: Context, weight: Scale | None = None) -> TwoWay:
        """Counts of every pair of dimensions over the rows that are in all of them; or the sums of their weights, a
        row without one adding nothing."""

    def arranged(self, unit: Unit, *, of_unit: Sequence[Key], of_row: Sequence[Key], context: Context) -> Units:
        """The rows by unit; refuses missing cells, codes outside their list, and unit attributes that vary in one."""

    def bounded(self, unit: Sequence[str], keep: Keep, context: Context) -> Rows:
        """One row for each combination of these columns, chosen by a rule. Rows without one of them are left out."""

    def settled(self, unit: Sequence[str], columns: Sequence[str], keep: Keep, context: Context) -> Rows:
        """All rows of a unit that agree in these columns with its one row chosen by a rule; the others are gone.

        So each unit has one combination of them. Rows without a unit are left out; a missing cell is a value here.
        """

    def between(self, of: Scale, lower: int, upper: int) -> Rows:
        """The rows whose number is there and, on its grid, within these public bounds."""

    def tallied(
        self, by: Sequence[Dimension], numbers: Sequence[Scale], most: int, context: Context
    ) -> Confidential[Tally]:
        """Every combination of positions and numbers that rows have, with their count: a contingency table.

        Where rows cannot leave their engine, more combinations
        than `most`, which a plan declares, are refused: they would be almost the rows.
        """

    def sample(self, unit: str, most: int, key: Confidential[bytes], context: Context) -> Rows:
        """All rows of at most so many units: those whose keyed hashes are smallest, the same under the same key."""

    def sketch(self, unit: str, most: int, key: Confidential[bytes], context: Context) -> Confidential[Sketch]:
        """The smallest keyed hashes of a column's values, by which overlapping data sets recognise each other."""

    def column(self, key: Key, context: Context) -> ColumnFacts:
        """Missing cells, different values, and codes and rows outside the list of the key."""

    def units(self, unit: str, attributes: Sequence[str], context: Context) -> UnitFacts:
        """Units, the most rows of one, and for each attribute how many units have more than one value of it."""

    def repeated(self, columns: Sequence[str], context: Context) -> Confidential[int]:
        """Rows beyond the first of each combination of these columns; rows without one of them are left out."""

    def numbers(self, column: str, *, most: int, context: Context) -> NumberFacts:
        """Rows by what is odd about a number that should be whole and between zero and `most`."""

    def records(self, by: Sequence[Dimension], numbers: Sequence[Scale], context: Context) -> Confidential[Records]:
        """Every row as positions and integers: for releases of one row per record, and for nothing else."""

    def places(self, by: Sequence[Dimension], numbers: Sequence[Scale]) -> Confidential[Integers] | None:
        """Where the rows of `records` stand among those that were loaded; None where they stay with their engine."""


Sketch: TypeAlias = NDArray[np.uint64]
