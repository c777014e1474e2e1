"""Rows by unit, as queries: combinations, sizes, and the cells of a public grid, in passes that keep units whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET, Context, Part
from workbench.tabulation.answers import UnitCells
from workbench.tabulation.engines.contract import Answered, Groups, SqlEngine, integers
from workbench.tabulation.engines.placing import Placed, placed, refuse
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.factors import Factors
from workbench.tabulation.grid import Grid, packed
from workbench.tabulation.keys import Key
from workbench.tabulation.units.arrangement import Route, SizeTable, Unit, VariesWithin


@dataclass(frozen=True, kw_only=True, repr=False)
class SqlUnits:
    """See `contract.Units`. Only aggregates are here; the units stay where the rows are."""

    engine: SqlEngine
    relation: Relation
    unit: Unit
    rows: int
    units: int
    sizes: Mapping[str, int]
    of_unit: Mapping[str, Placed]
    of_row: Mapping[str, Placed]
    held: NDArray[np.int32]  # the combinations of all unit attributes that units have
    _largest: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<{self.unit.many} with {len(self.sizes)} attributes>"

    def combinations(self, names: Sequence[str]) -> Confidential[NDArray[np.int32]]:
        return Confidential(np.unique(self.held[:, [self._place(name) for name in names]], axis=0).astype(np.int32))

    def count_combinations(self, names: Sequence[str]) -> Confidential[int]:
        return Confidential(len(self.combinations(names).reveal()))

    def _place(self, name: str) -> int:
        return list(self.of_unit).index(name)

    def sizes_by(self, name: str) -> Confidential[SizeTable] | None:
        at = self.of_unit.get(name) or self.of_row[name]

        def query(condition: str) -> str:
            per_unit = (
                f"SELECT count(*) AS n, min({at.position}) AS low, max({at.position}) AS high FROM "
                f"{self.relation.rows(condition)} AS r{at.join} GROUP BY r.{self._unit}"
            )
            varies = "sum(CASE WHEN low <> high THEN 1 ELSE 0 END) AS varying"
            return f"SELECT n, low, count(*) AS units, {varies} FROM ({per_unit}) AS u GROUP BY n, low"

        found = self._passes(query, QUIET, "counting units by size")
        if any(integers(part, "varying").any() for part in found):
            return None
        size, position = (np.concatenate([integers(part, name) for part in found]) for name in ("n", "low"))
        width = max(self.sizes[name], 1)
        key, place = np.unique(size * width + position, return_inverse=True)
        units = np.zeros(len(key), dtype=np.int64)
        np.add.at(units, place, np.concatenate([integers(part, "units") for part in found]))
        return Confidential(SizeTable(size=key // width, position=(key % width).astype(np.int32), units=units))

    @property
    def _unit(self) -> str:
        return self.relation.coded(self.unit.column)

    def _passes(
        self, query: Callable[[str], str], context: Context, sentence: str, crossings: int = 1
    ) -> list[Answered]:
        groups = Groups(self.units, min(self.rows, self.units * crossings))
        return self.engine.in_passes(query, self.relation.splittable([self.unit.column]), context, sentence, groups)

    def _held(self, grid: Grid, condition: str) -> str:
        """One row per unit and cell with at least one row: unit, positions p0 … of the grid, rows."""
        places = [self.of_unit[name] for name in grid.listed] + [self.of_row[name] for name in grid.crossed]
        listed = "".join(f", {each.position} AS p{number}" for number, each in enumerate(places))
        joins = "".join(each.join for each in dict.fromkeys(places))
        group = "".join(f", {each.position}" for each in places)
        rows = self.relation.rows(condition)
        return f"SELECT r.{self._unit} AS unit{listed}, count(*) AS held FROM {rows} AS r{joins} GROUP BY r.{self._unit}{group}"  # noqa: E501

    def cells(
        self, grid: Grid, *, contributions: bool = False, context: Context, route: Route | None = None
    ) -> UnitCells:
        """Contributions stay where the rows are, asked for or not."""
        del contributions, route
        names, dialect = [f"p{n}" for n in range(len(grid.listed) + len(grid.crossed))], self.engine.dialect
        by = ", ".join(names)

        def query(condition: str) -> str:
            held = self._held(grid, condition)
            if not grid.crossed:  # a unit is in one cell with all its rows: what it holds there is its total
                said = "CAST(sum(held) AS BIGINT) AS n, count(*) AS units, " + ", ".join(
                    f"max(held) AS {name}" for name in ("largest", "total", "listed")
                )
                group = f" GROUP BY {by}" if by else ""
                return f"SELECT {', '.join([*names, said])} FROM ({held}) AS h{group}"
            totals = f"SELECT unit, sum(held) AS total FROM h GROUP BY unit"  # noqa: F541
            best = dialect.largest_pair("h.held", "t.total")
            listed = "".join(f"h.{name}, " for name in names)
            group = f" GROUP BY {', '.join(f'h.{name}' for name in names)}" if names else ""
            inner = (
                f"SELECT {listed}CAST(sum(h.held) AS BIGINT) AS n, count(*) AS units, {best} AS best, "
                f"max(CAST(t.total AS BIGINT)) AS listed FROM h JOIN ({totals}) AS t ON h.unit = t.unit{group}"
            )
            largest, total = (dialect.part_of_pair("best", which) for which in (0, 1))
            said = f"n, units, {largest} AS largest, CAST({total} AS BIGINT) AS total, listed"
            return f"WITH h AS ({held}) SELECT {', '.join([*names, said]) if by else said} FROM ({inner}) AS c"

        made = _Merged(grid, self.unit)
        sentence = f"counting {self.unit.many} and rows by cell"
        for part in self._passes(query, context, sentence, grid.crossings):
            if part.num_rows and part.column("n").null_count < part.num_rows:
                made.add(part)
        return made.finished()

    def distorted(self, grid: Grid, factors: Factors, context: Context) -> Confidential[Integers]:
        """Σ over the rows of each cell of their unit's keyed factor, in billionths."""
        unit = self._unit
        table = self.engine.factored(
            lambda condition: f"SELECT DISTINCT {unit} AS unit FROM {self.relation.rows(condition)} AS r",
            factors,
            Part(context, 0.0, 0.3),
        )
        names = [f"p{n}" for n in range(len(grid.listed) + len(grid.crossed))]

        def query(condition: str) -> str:
            listed = "".join(f"h.{name}, " for name in names)
            group = f" GROUP BY {', '.join(f'h.{name}' for name in names)}" if names else ""
            total = self.engine.dialect.whole_sum("h.held * f.factor")
            held = self._held(grid, condition)
            return f"SELECT {listed}{total} AS total FROM ({held}) AS h JOIN {table(condition)} AS f ON h.unit = f.unit{group}"  # noqa: E501

        made = np.zeros(grid.cells, dtype=np.int64)
        cells = _Places(grid, self.unit)
        for part in self._passes(query, Part(context, 0.3, 1.0), "adding up distorted units", grid.crossings):
            np.add.at(made, cells.of(part), integers(part, "total"))
        return Confidential(made)


class _Places:
    """Cell numbers of a grid from the positions of an answer. A combination that is not listed is a problem."""

    def __init__(self, grid: Grid, unit: Unit) -> None:
        self._grid, self._unit = grid, unit
        if grid.combinations is not None:
            columns = [grid.combinations[:, number] for number in range(len(grid.listed))]
            self._key = packed(columns, grid.listed_sizes, len(grid.combinations))
            self._order = np.argsort(self._key, kind="stable")

    def listed(self, part: Answered) -> Integers:
        """The place of each row of the answer in the list."""
        grid = self._grid
        columns = [integers(part, f"p{number}") for number in range(len(grid.listed))]
        key = packed(columns, grid.listed_sizes, part.num_rows)
        if grid.combinations is None:
            return key
        known = len(self._key)
        place = self._order[np.minimum(np.searchsorted(self._key, key, sorter=self._order), max(known - 1, 0))]
        if not known or not np.array_equal(self._key[place], key):
            what = f"Some {self._unit.many} belong to a combination that is not listed"
            raise UserProblem(what, ", ".join(grid.listed), "Complete the list, or leave those rows out")
        return place.astype(np.int64)

    def of(self, part: Answered) -> Integers:
        grid, first = self._grid, len(self._grid.listed)
        columns = [integers(part, f"p{first + number}") for number in range(len(grid.crossed))]
        return self.listed(part) * grid.crossings + packed(columns, grid.crossed_sizes, part.num_rows)


class _Merged:
    """Cells added up over passes: units are in one pass only, so counts add and the largest of all is the largest."""

    def __init__(self, grid: Grid, unit: Unit) -> None:
        self._places = _Places(grid, unit)
        self._sums = {name: np.zeros(grid.cells, dtype=np.int64) for name in ("n", "units", "largest", "total")}
        self._listed = np.zeros(grid.places, dtype=np.int64)

    def add(self, part: Answered) -> None:
        cells = self._places.of(part)
        for name in ("n", "units"):
            self._sums[name][cells] += integers(part, name)  # a cell stands in one row of an answer
        largest, total = integers(part, "largest"), integers(part, "total")
        before, tied = self._sums["largest"][cells], self._sums["total"][cells]
        better = (largest > before) | ((largest == before) & (total > tied))
        self._sums["largest"][cells[better]] = largest[better]
        self._sums["total"][cells[better]] = total[better]
        np.maximum.at(self._listed, self._places.listed(part), integers(part, "listed"))

    def finished(self) -> UnitCells:
        return UnitCells(
            count=Confidential(self._sums["n"]),
            units=Confidential(self._sums["units"]),
            largest=Confidential(self._sums["largest"]),
            largest_total=Confidential(self._sums["total"]),
            listed_largest=Confidential(self._listed),
        )


def arranged(
    engine: SqlEngine,
    relation: Relation,
    unit: Unit,
    *,
    of_unit: Sequence[Key],
    of_row: Sequence[Key],
    context: Context,
) -> SqlUnits:
    """Checks what every table relies on, and asks which combinations of unit attributes there are."""
    from workbench.tabulation.engines.facts import varying

    keys = placed(engine, relation, [*of_unit, *of_row])
    own = placed(engine, relation, [Key.met(unit.column)])
    refuse(engine, relation, [*own, *keys], (), Part(context, 0.0, 0.2))
    names = [key.column for key in of_unit]
    facts = varying(engine, relation, unit.column, names, Part(context, 0.2, 0.6))
    broken = [name for name in names if facts.varying[name].reveal()]
    if broken:
        raise VariesWithin(broken, unit, relation.name)
    positions = keys[: len(names)]
    told = ", ".join(f"{each.position} AS p{number}" for number, each in enumerate(positions))
    joins = "".join(each.join for each in positions)
    held = np.zeros((1, 0), dtype=np.int32)
    if names:
        query = f"SELECT DISTINCT {told} FROM {relation.rows()} AS r{joins}"
        found = engine.ask(query, Part(context, 0.6, 1.0), "finding the combinations of attributes")
        held = np.stack([integers(found, f"p{n}") for n in range(len(names))], axis=1).astype(np.int32)
    from workbench.tabulation.engines.facts import count_rows

    return SqlUnits(
        engine=engine,
        relation=relation,
        unit=unit,
        rows=count_rows(engine, relation, context),
        units=facts.units.reveal(),
        sizes={each.key.column: each.size for each in keys},
        of_unit={key.column: each for key, each in zip(of_unit, keys, strict=False)},
        of_row={key.column: each for key, each in zip(of_row, keys[len(names) :], strict=True)},
        held=held,
    )
