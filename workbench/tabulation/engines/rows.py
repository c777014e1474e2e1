"""The door to rows that an engine reads where they lie. See `contract.Rows` for what each question means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.errors import Refused
from workbench.core.progress import QUIET, Context, Part
from workbench.tabulation.aggregates import Aggregate
from workbench.tabulation.answers import Answer, ColumnFacts, NumberFacts, Records, Tally, TwoWay, UnitFacts, tally_of
from workbench.tabulation.contract import Keep, Sketch
from workbench.tabulation.engines import bounding, facts, grouping, units
from workbench.tabulation.engines.contract import ALL, SqlEngine, integers, the
from workbench.tabulation.engines.placing import kept, placed, refuse, scaled
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.keys import NOWHERE, Dimension, Key, Scale
from workbench.tabulation.units.arrangement import Unit

_HERE = '"duckdb" or "memory"'


class SqlRows:
    """One data set, or the rows of it that a rule kept."""

    def __init__(self, engine: SqlEngine, relation: Relation, *, rows: int | None = None) -> None:
        self._engine, self._relation, self._rows = engine, relation, rows

    def __repr__(self) -> str:
        return f"<confidential rows of {self.name}, read by {self._engine.title}>"

    @property
    def name(self) -> str:
        return self._relation.name

    @property
    def count(self) -> Confidential[int]:
        if self._rows is None:
            self._rows = facts.count_rows(self._engine, self._relation, QUIET)
        return Confidential(self._rows)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._relation.short)

    @property
    def gives_records(self) -> bool:
        return self._engine.gives_records

    def grouped(self, by: Sequence[Dimension], aggregates: Mapping[str, Aggregate], context: Context) -> Answer:
        return grouping.grouped(self._engine, self._relation, by, aggregates, context)

    def two_way(self, by: Sequence[Dimension], context: Context, weight: Scale | None = None) -> TwoWay:
        return grouping.two_way(self._engine, self._relation, by, weight, context)

    def arranged(
        self, unit: Unit, *, of_unit: Sequence[Key], of_row: Sequence[Key], context: Context
    ) -> units.SqlUnits:
        return units.arranged(
            self._engine, self._relation, unit, of_unit=of_unit, of_row=of_row, context=context
        )  # fmt: skip

    def bounded(self, unit: Sequence[str], keep: Keep, context: Context) -> SqlRows:
        return SqlRows(self._engine, bounding.bounded(self._engine, self._relation, unit, keep, context))

    def settled(self, unit: Sequence[str], columns: Sequence[str], keep: Keep, context: Context) -> SqlRows:
        return SqlRows(self._engine, bounding.settled(self._engine, self._relation, unit, columns, keep, context))

    def sample(self, unit: str, most: int, key: Confidential[bytes], context: Context) -> SqlRows:
        """Chosen in this process where identifiers may come into it."""
        hashes, texts = self._hashes(unit, key, context)
        chosen = [texts[place] for place in np.argsort(hashes, kind="stable")[:most]]
        table = self._engine.listed({"unit": chosen})
        column = self._relation.coded(unit)
        query = f"SELECT r.* FROM {{rows}} AS r JOIN {table} AS u ON r.{column} = u.unit"
        return SqlRows(self._engine, self._relation.chosen(query, split=tuple(self.columns)))

    def sketch(self, unit: str, most: int, key: Confidential[bytes], context: Context) -> Confidential[Sketch]:
        hashes, _ = self._hashes(unit, key, context)
        return Confidential(np.sort(hashes)[:most])

    def _hashes(self, unit: str, key: Confidential[bytes], context: Context) -> tuple[Sketch, list[str]]:
        from workbench.tabulation.factors import hashes_of

        if not self._engine.gives_records:
            self._refuse("A keyed sample of units")
        column = self._relation.coded(unit)
        found = self._engine.in_passes(
            lambda condition: (
                f"SELECT DISTINCT {column} AS unit FROM {self._relation.rows(condition)} AS r "
                f"WHERE {column} IS NOT NULL"
            ),
            self._relation.splittable([unit]), Part(context, 0.0, 0.5), "listing the units",
        )  # fmt: skip
        texts = sorted(text for part in found for text in part.column("unit").to_pylist())
        return hashes_of(texts, key.reveal(), Part(context, 0.5, 1.0)), texts

    def column(self, key: Key, context: Context) -> ColumnFacts:
        return facts.column_facts(self._engine, self._relation, key, context)

    def units(self, unit: str, attributes: Sequence[str], context: Context) -> UnitFacts:
        return facts.varying(self._engine, self._relation, unit, attributes, context)

    def repeated(self, columns: Sequence[str], context: Context) -> Confidential[int]:
        return facts.repeated(self._engine, self._relation, columns, context)

    def numbers(self, column: str, *, most: int, context: Context) -> NumberFacts:
        return facts.number_facts(self._engine, self._relation, column, most, context)

    def records(self, by: Sequence[Dimension], numbers: Sequence[Scale], context: Context) -> Confidential[Records]:
        """In an order of their own positions and numbers, which the file does not decide."""
        if not self._engine.gives_records:
            self._refuse("This step needs one record for each person, which")
        query, names = self._on_grids(by, numbers, Part(context, 0.0, 0.2))
        found = self._engine.ask(f"SELECT * FROM {query} AS g", Part(context, 0.2, 0.9), "reading the records")
        columns = [integers(found, name, NOWHERE) for name in names]
        order = np.lexsort(tuple(columns[::-1])) if columns else np.arange(found.num_rows)
        return Confidential(
            Records(
                positions={key.column: columns[n][order].astype(np.int32) for n, key in enumerate(by)},
                numbers={scale.column: columns[len(by) + n][order] for n, scale in enumerate(numbers)},
                left_out=self.count.reveal() - found.num_rows,
            )
        )

    def places(self, by: Sequence[Dimension], numbers: Sequence[Scale]) -> None:  # noqa: ARG002 - rows stay there
        return None

    def tallied(
        self, by: Sequence[Dimension], numbers: Sequence[Scale], most: int, context: Context
    ) -> Confidential[Tally]:
        query, names = self._on_grids(by, numbers, Part(context, 0.0, 0.2))
        group = f"SELECT {', '.join(names)}, count(*) AS n FROM {query} AS g GROUP BY {', '.join(names)}"
        if not self._engine.gives_records:
            told = self._engine.ask(f"SELECT count(*) AS n FROM ({group}) AS c", context, "counting combinations")
            if the(told, "n") > most:
                do = f"Round the columns to what the plan declares, or use kind = {_HERE}"
                raise Refused(
                    f"The rows have more than the {most:,} combinations that the plan declares, which would be almost "
                    f"rows and cannot leave {self._engine.title}", self.name, do,
                )  # fmt: skip
        found = self._engine.ask(group, Part(context, 0.3, 0.9), "counting combinations")
        columns = [integers(found, name, NOWHERE) for name in names]
        order = np.lexsort(tuple(columns[::-1]))
        count = integers(found, "n")[order]
        left = self.count.reveal() - int(count.sum())
        return Confidential(tally_of(by, numbers, [column[order] for column in columns], count, left))

    def _on_grids(self, by: Sequence[Dimension], numbers: Sequence[Scale], context: Context) -> tuple[str, list[str]]:
        """The rows that nothing leaves out, as positions and integers, and what those are called."""
        engine, relation = self._engine, self._relation
        keys = placed(engine, relation, by)
        refuse(engine, relation, keys, numbers, context)
        told = {f"p{n}": each.position for n, each in enumerate(keys)}
        told |= {f"x{n}": scaled(engine, relation, each) for n, each in enumerate(numbers)}
        listed = ", ".join(f"{expression} AS {name}" for name, expression in told.items())
        joins, where = "".join(each.join for each in keys), kept(engine, relation, keys, numbers)
        return f"(SELECT {listed} FROM {relation.rows(ALL)} AS r{joins} WHERE {where})", list(told)

    def between(self, of: Scale, lower: int, upper: int) -> SqlRows:
        known = self._engine.dialect.finite(self._relation.number(of.column))
        x = scaled(self._engine, self._relation, of)
        query = f"SELECT * FROM {{rows}} AS r WHERE {known} AND {x} BETWEEN {lower} AND {upper}"
        return SqlRows(self._engine, self._relation.chosen(query, split=self._relation.split or self.columns))

    def _refuse(self, what: str) -> NoReturn:
        do = f"Use kind = {_HERE} on a machine that is allowed to read the rows"
        raise Refused(f"{what} cannot leave {self._engine.title}", self.name, do)
