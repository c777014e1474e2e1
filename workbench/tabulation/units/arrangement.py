"""Rows arranged once by the unit they belong to, so that every table afterwards is interactive.

Units are numbered by their own attributes, rows are stored by unit. A chunk of neighbouring rows then holds whole
units, and those that share their attributes lie together, whatever attributes are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.progress import Context, Part
from workbench.microdata.table import CodedColumn, Codes, Microdata, Texts
from workbench.tabulation.answers import UnitCells
from workbench.tabulation.factors import Factors
from workbench.tabulation.grid import Grid, packed
from workbench.tabulation.keys import Key
from workbench.tabulation.positions import Places, key_problems, places_of
from workbench.tabulation.sums import sums
from workbench.tabulation.units import layout

SORTED_COPY_LIMIT = 1_000_000_000  # bytes; beyond it rows stay as they are and DuckDB reads them in place


class Route(Enum):
    """How a table is counted. All give the same cells."""

    DENSE = "dense"  # a histogram per chunk, for few combinations of row attributes
    SPARSE = "sparse"  # sorted packed keys, for more
    DUCKDB = "DuckDB"  # where the sorted copy of the rows does not fit into memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The column that says to whom a row belongs, and what such units are called in sentences."""

    column: str
    one: str = "unit"
    many: str = "units"
    mend: str = "Correct the data, choose other columns, or identify each of them separately"  # where attributes differ


class VariesWithin(UserProblem):
    """Attributes of which some units have more than one value: a problem for each, in their order."""

    def __init__(self, attributes: Sequence[str], unit: Unit, file: str) -> None:
        self.attributes = tuple(attributes)
        what = (f"Some {unit.many} have more than one value of “{name}”" for name in attributes)
        super().__init__(problems=[Problem(each, file, unit.mend) for each in what])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Contents:
    """The confidential part of an arrangement. Units are in its order, grouped by their attributes."""

    raw_unit: Codes  # per row, in the order of the file, as loaded
    raw_row: Mapping[str, Codes]
    positions: Mapping[str, NDArray[np.int32]]  # per row attribute: code as loaded → position
    identifier: NDArray[np.int32]  # per unit: its code as loaded
    total: Integers  # per unit: its rows
    total_rank: Integers  # per unit: the rank of its total among the distinct totals
    distinct_totals: Integers
    group_start: Integers  # first unit of every combination of unit attributes
    group_position: Mapping[str, NDArray[np.int32]]  # per unit attribute, per group: position
    sorted: layout.SortedRows | None  # None where the copy would not fit


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Placed:
    """A grid, and for every group of units of an arrangement its place in the list."""

    grid: Grid
    place_of_group: Integers


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SizeTable:
    """How many units have so many rows and this position of an attribute, in order of both."""

    size: Integers
    position: NDArray[np.int32]
    units: Integers


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Arrangement:
    """What tables of units need of a data set. Everything but `contents` is public or a total."""

    unit: Unit
    rows: int
    units: int
    sizes: Mapping[str, int]  # positions of every attribute
    identifiers: Texts
    contents: Confidential[Contents]

    def __repr__(self) -> str:
        return f"<{self.unit.many} with {len(self.sizes)} attributes>"

    def combinations(self, names: Sequence[str]) -> Confidential[NDArray[np.int32]]:
        """The combinations of these unit attributes that units have, in order, the first attribute slowest."""
        held = self.contents.reveal().group_position
        _, first = np.unique(self._keys(names), return_index=True)
        made = np.empty((len(first), len(names)), dtype=np.int32)
        for column, name in enumerate(names):
            made[:, column] = held[name][first]
        return Confidential(made)

    def count_combinations(self, names: Sequence[str]) -> Confidential[int]:
        return Confidential(len(np.unique(self._keys(names))))

    def _keys(self, names: Sequence[str]) -> Integers:
        contents = self.contents.reveal()
        columns = [contents.group_position[name] for name in names]
        return packed(columns, [self.sizes[name] for name in names], len(contents.group_start))

    def placed(self, grid: Grid) -> Placed:
        """Where the units stand in the list of a grid. A unit that is in none of its combinations is a problem."""
        if grid.combinations is None:
            return Placed(grid=grid, place_of_group=self._keys(grid.listed))
        contents = self.contents.reveal()
        groups, listed = len(contents.group_start), len(grid.combinations)
        columns = [
            np.concatenate([contents.group_position[name], grid.combinations[:, number]])
            for number, name in enumerate(grid.listed)
        ]
        key = packed(columns, grid.listed_sizes, groups + listed)
        order = np.argsort(key[groups:], kind="stable")
        place = order[np.minimum(np.searchsorted(key[groups:], key[:groups], sorter=order), max(listed - 1, 0))]
        if not listed or not np.array_equal(key[groups:][place], key[:groups]):
            what = f"Some {self.unit.many} belong to a combination that is not listed"
            raise UserProblem(what, ", ".join(grid.listed), "Complete the list, or leave those rows out")
        return Placed(grid=grid, place_of_group=place.astype(np.int64))

    def cells(
        self, grid: Grid, *, contributions: bool = False, context: Context, route: Route | None = None
    ) -> UnitCells:
        """Rows, units, largest contribution and that unit's total for every cell of the grid, empty ones included."""
        from workbench.tabulation.units.routes import cells_of  # the routes know arrangements

        return cells_of(self, grid, contributions=contributions, route=route, context=context)

    def distorted(self, grid: Grid, factors: Factors, context: Context) -> Confidential[Integers]:
        """Σ over the rows of each cell of their unit's keyed factor, in billionths."""
        who = self.cells(grid, contributions=True, context=Part(context, 0.0, 0.4)).contributions
        if who is None:
            return Confidential(np.zeros(grid.cells, dtype=np.int64))
        held = who.reveal()
        of_unit = factors.of(held.identifiers, Part(context, 0.4, 0.9))
        each = of_unit[held.unit] * held.rows
        return Confidential(sums(held.cell, each, grid.cells, most=int(each.max(initial=0))))

    def sizes_by(self, name: str) -> Confidential[SizeTable] | None:
        """Units by size and position of an attribute; None where a row attribute differs within a unit."""
        contents = self.contents.reveal()
        if name in contents.group_position:
            lengths = np.diff(np.append(contents.group_start, len(contents.total)))
            position = np.repeat(contents.group_position[name], lengths)
        else:
            codes, constant = layout.once_per_unit(contents.raw_unit, contents.raw_row[name], len(self.identifiers))
            if not constant:
                return None
            position = contents.positions[name][codes[contents.identifier]]
        key, units = np.unique(contents.total * self.sizes[name] + position, return_counts=True)
        size, where = np.divmod(key, max(self.sizes[name], 1))
        return Confidential(SizeTable(size=size, position=where.astype(np.int32), units=units.astype(np.int64)))


def arrange(
    microdata: Microdata,
    unit: Unit,
    *,
    of_unit: Sequence[Key],
    of_row: Sequence[Key],
    context: Context,
    sorted_copy_limit: int = SORTED_COPY_LIMIT,
) -> Arrangement:
    """Arrange loaded microdata: once per data set and attributes, a second or two at ten million rows.

    Checks once what every table relies on: no missing cell, no code outside its list, and that each unit attribute is
    one per unit. All problems come together, and name columns only.
    """
    columns = {key.column: microdata.coded(key.column) for key in (Key.met(unit.column), *of_unit, *of_row)}
    raise_if(key_problems(microdata, (Key.met(unit.column), *of_unit, *of_row)))
    places = {key.column: places_of(columns[key.column], key) for key in (*of_unit, *of_row)}
    contents = _contents(
        columns, places, file=microdata.name, unit=unit, of_unit=[key.column for key in of_unit],
        of_row=[key.column for key in of_row], limit=sorted_copy_limit, context=context,
    )  # fmt: skip
    return Arrangement(
        unit=unit,
        rows=microdata.rows,
        units=len(contents.total),
        sizes={name: place.size for name, place in places.items()},
        identifiers=columns[unit.column].values,
        contents=Confidential(contents),
    )


def _contents(
    columns: Mapping[str, CodedColumn], places: Mapping[str, Places], *, file: str, unit: Unit, of_unit: Sequence[str],
    of_row: Sequence[str], limit: int, context: Context,
) -> Contents:  # fmt: skip
    unit_codes = columns[unit.column].codes.reveal()
    total_by_code = layout.occurrences(unit_codes, len(columns[unit.column].values), Part(context, 0, 0.1))
    raw = {name: columns[name].codes.reveal() for name in of_unit}
    by_code = _once_each(unit_codes, raw, total_by_code, file=file, unit=unit, context=context)
    context.step(0.35, f"ordering {unit.many}")
    order = layout.order_units(total_by_code, {name: places[name].of_code[codes] for name, codes in by_code.items()})
    total = total_by_code[order.identifier]
    context.step(0.4, f"ranking {unit.many} by size")
    distinct_totals, total_rank = np.unique(total, return_inverse=True)
    row_codes = {name: columns[name].codes.reveal() for name in of_row}
    positions = {name: places[name].of_code for name in of_row}
    arranged = None
    if layout.sorted_bytes(len(unit_codes), positions) <= limit:
        part = Part(context, 0.45, 1.0)
        arranged = layout.sort_rows(unit_codes, row_codes, positions=positions, order=order, total=total, context=part)
    return Contents(
        raw_unit=unit_codes,
        raw_row=row_codes,
        positions=positions,
        identifier=order.identifier,
        total=total,
        total_rank=total_rank.astype(np.int64),
        distinct_totals=distinct_totals,
        group_start=order.group_start,
        group_position=order.group_position,
        sorted=arranged,
    )


def _once_each(
    unit_codes: Codes, columns: Mapping[str, Codes], total: Integers, *, file: str, unit: Unit, context: Context
) -> dict[str, NDArray[np.int32]]:
    """Each unit attribute once per code of the unit, or the names of those that differ within one."""
    made, varying = {}, []
    for number, (name, codes) in enumerate(columns.items()):
        context.step(0.1 + 0.25 * number / len(columns), f"checking that {name} belongs to the {unit.one}")
        made[name], constant = layout.once_per_unit(unit_codes, codes, len(total))
        if not constant:
            varying.append(name)
    if varying:
        raise VariesWithin(varying, unit, file)
    return made
