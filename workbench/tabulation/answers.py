"""What the door gives back: columns of keys and integers, confidential, in an order that the rows do not decide."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.microdata.table import Texts
from workbench.tabulation.keys import Dimension, Scale

Positions = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One row per group that has rows, in the order of its positions, the first key slowest.

    `keys` holds the position of each key (groups × keys), `values` one column per aggregate. `met` are, for keys that
    list the values met in the data, their texts. `left_out` counts the rows that a key or grid leaves out.
    """

    keys: Confidential[Positions]
    values: Mapping[str, Confidential[Integers]]
    met: Mapping[str, Confidential[Texts]] = field(default_factory=dict)
    left_out: Confidential[int] = field(default_factory=lambda: Confidential(0))

    def column(self, name: str) -> Integers:
        """The aggregate of that name, one integer per group."""
        return self.values[name].reveal()

    def over(self, sizes: tuple[int, ...], name: str) -> Integers:
        """The aggregate over every combination of positions, empty ones 0; the keys must have these sizes."""
        full = np.zeros(math.prod(sizes), dtype=np.int64)
        keys = self.keys.reveal()
        full[np.ravel_multi_index(tuple(keys.T), sizes) if sizes else np.zeros(len(keys), np.intp)] = self.column(name)
        return full.reshape(sizes)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Tally:
    """One row per combination, in its own order: positions, then integers of declared grids, and how many rows."""

    positions: Mapping[str, Positions]
    numbers: Mapping[str, Integers]
    count: Integers
    left_out: int

    def records(self) -> Records:
        """Every combination as often as it was met."""
        return Records(
            positions={name: np.repeat(places, self.count) for name, places in self.positions.items()},
            numbers={name: np.repeat(values, self.count) for name, values in self.numbers.items()},
            left_out=self.left_out,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoWay:
    """Counts of every pair of dimensions: `tables[i, j]` (i < j) has the positions of i as rows, of j as columns."""

    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    tables: Mapping[tuple[int, int], Confidential[Integers]]
    left_out: Confidential[int] = field(default_factory=lambda: Confidential(0))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Contributions:
    """Who is in which cell, sparsely: one entry per unit and cell with at least one row, in no particular order."""

    cell: Integers
    unit: NDArray[np.int32]  # position in `identifiers`
    rows: Integers
    identifiers: Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCells:
    """Per cell of a grid: rows, units, the most rows of one unit, and how many rows that unit has in all.

    Of units that share the most, the larger total is given. `listed_largest` has, for each listed combination, the
    largest total of any unit in it.
    """

    count: Confidential[Integers]
    units: Confidential[Integers]
    largest: Confidential[Integers]
    largest_total: Confidential[Integers]
    listed_largest: Confidential[Integers]
    contributions: Confidential[Contributions] | None = None  # only where they were asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFacts:
    """What is known of the units of a column: how many, how many rows the largest has, and where they disagree.

    `varying` counts, for each attribute asked about, the units with more than one value of it; missing is a value.
    """

    units: Confidential[int]
    most_rows: Confidential[int]
    varying: Mapping[str, Confidential[int]]
    varying_at_all: Confidential[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFacts:
    """What is known of one column: empty cells, different values, and what its dictionary does not list."""

    missing: Confidential[int]
    distinct: Confidential[int]
    codes_outside: Confidential[int]
    rows_outside: Confidential[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFacts:
    """Rows by what is odd about a number: missing or not finite, below zero, not whole, above the most allowed."""

    missing: Confidential[int]
    negative: Confidential[int]
    fractional: Confidential[int]
    above: Confidential[int]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Records:
    """Every row, in the order of the file: positions in the listed dimensions, and integers of declared grids.

    `met` are the texts behind positions of values met in the data, where the rows are at hand.
    """

    positions: Mapping[str, Positions]
    numbers: Mapping[str, Integers]
    left_out: int
    met: Mapping[str, Texts] = field(default_factory=dict)


def tally_of(
    by: Sequence[Dimension], numbers: Sequence[Scale], columns: Sequence[Integers], count: Integers, left_out: int
) -> Tally:
    """A tally from its columns, those of the positions first."""
    return Tally(
        positions={key.column: columns[n].astype(np.int32) for n, key in enumerate(by)},
        numbers={scale.column: columns[len(by) + n] for n, scale in enumerate(numbers)},
        count=count.astype(np.int64),
        left_out=left_out,
    )
