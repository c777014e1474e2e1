"""Numpy on the codes in memory answers every question at the door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import raise_if
from workbench.core.progress import Context
from workbench.microdata.selection import seen_rows, take_rows
from workbench.microdata.table import Microdata
from workbench.tabulation import bounding, facts, grouping, pairs
from workbench.tabulation.aggregates import Aggregate
from workbench.tabulation.answers import Answer, ColumnFacts, NumberFacts, Records, Tally, TwoWay, UnitFacts, tally_of
from workbench.tabulation.contract import Keep, Sketch
from workbench.tabulation.factors import hashes_of
from workbench.tabulation.groups import Chosen
from workbench.tabulation.keys import NOWHERE, Beyond, Dimension, Key, Scale
from workbench.tabulation.positions import key_problems, on_grid, placement
from workbench.tabulation.records import records_of
from workbench.tabulation.units.arrangement import SORTED_COPY_LIMIT, Arrangement, Unit, arrange


class Memory:
    """The rows of one loaded data set. See `contract.Rows` for what each question means."""

    def __init__(self, microdata: Microdata, *, sorted_copy_limit: int = SORTED_COPY_LIMIT) -> None:
        self._microdata = microdata
        self._sorted_copy_limit = sorted_copy_limit

    def __repr__(self) -> str:
        return f"<confidential rows of {self.name}>"

    @property
    def name(self) -> str:
        return self._microdata.name

    @property
    def count(self) -> Confidential[int]:
        return Confidential(self._microdata.rows)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._microdata.columns)

    def grouped(self, by: Sequence[Dimension], aggregates: Mapping[str, Aggregate], context: Context) -> Answer:
        return grouping.grouped(self._microdata, by, aggregates, context)

    def two_way(self, by: Sequence[Dimension], context: Context, weight: Scale | None = None) -> TwoWay:
        return pairs.two_way(self._microdata, by, weight, context)

    def arranged(self, unit: Unit, *, of_unit: Sequence[Key], of_row: Sequence[Key], context: Context) -> Arrangement:
        limit = self._sorted_copy_limit
        return arrange(self._microdata, unit, of_unit=of_unit, of_row=of_row, sorted_copy_limit=limit, context=context)

    def bounded(self, unit: Sequence[str], keep: Keep, context: Context) -> Memory:
        return Memory(bounding.bounded(self._microdata, unit, keep, context))

    def settled(self, unit: Sequence[str], columns: Sequence[str], keep: Keep, context: Context) -> Memory:
        return Memory(bounding.settled(self._microdata, unit, columns, keep, context))

    @property
    def gives_records(self) -> bool:
        return True

    def between(self, of: Scale, lower: int, upper: int) -> Memory:
        found = on_grid(self._microdata, of)
        inside = found.known & (found.of_row >= lower) & (found.of_row <= upper)
        return Memory(seen_rows(self._microdata, np.flatnonzero(inside)))

    def tallied(
        self, by: Sequence[Dimension], numbers: Sequence[Scale], most: int, context: Context  # noqa: ARG002 - rows are here
    ) -> Confidential[Tally]:  # fmt: skip
        found = self.records(by, numbers, context).reveal()
        columns: list[Integers] = [each.astype(np.int64) for each in found.positions.values()]
        columns += found.numbers.values()
        rows = np.stack(columns, axis=1) if columns else np.zeros((0, 0), np.int64)
        held, count = np.unique(rows, axis=0, return_counts=True)
        return Confidential(tally_of(by, numbers, list(held.T), count, found.left_out))

    def sample(self, unit: str, most: int, key: Confidential[bytes], context: Context) -> Memory:
        column = self._microdata.coded(unit)
        hashes = hashes_of(column.values, key.reveal(), context)
        chosen = np.zeros(len(hashes) + 1, bool)  # the last entry stands for rows without a unit
        chosen[np.argsort(hashes, kind="stable")[:most]] = True  # equal hashes: the first in the order of texts
        return Memory(take_rows(self._microdata, np.flatnonzero(np.take(chosen, column.codes.reveal(), mode="wrap"))))

    def sketch(self, unit: str, most: int, key: Confidential[bytes], context: Context) -> Confidential[Sketch]:
        hashes = hashes_of(self._microdata.coded(unit).values, key.reveal(), context)
        return Confidential(np.sort(hashes)[:most])

    def column(self, key: Key, context: Context) -> ColumnFacts:
        return facts.column_facts(self._microdata, key, context)

    def units(self, unit: str, attributes: Sequence[str], context: Context) -> UnitFacts:
        return facts.unit_facts(self._microdata, unit, attributes, context)

    def repeated(self, columns: Sequence[str], context: Context) -> Confidential[int]:
        return facts.repeated(self._microdata, columns, context)

    def numbers(self, column: str, *, most: int, context: Context) -> NumberFacts:
        return facts.number_facts(self._microdata, column, most, context)

    def records(self, by: Sequence[Dimension], numbers: Sequence[Scale], context: Context) -> Confidential[Records]:
        return Confidential(records_of(self._microdata, by, numbers, context))

    def places(self, by: Sequence[Dimension], numbers: Sequence[Scale]) -> Confidential[Integers]:
        chosen = self._chosen(by, numbers)
        seen = self._microdata.seen
        return Confidential(chosen.of(np.arange(self._microdata.rows) if seen is None else seen.reveal()))

    def _chosen(self, by: Sequence[Dimension], numbers: Sequence[Scale]) -> Chosen:
        """The rows that no key and no scale leaves out."""
        raise_if(key_problems(self._microdata, by))
        known = [placement(self._microdata, key).of_row != NOWHERE for key in by if key.beyond is Beyond.LEAVE_OUT]
        known += [on_grid(self._microdata, scale).known for scale in numbers if scale.beyond is Beyond.LEAVE_OUT]
        return Chosen.where(self._microdata.rows, known)
