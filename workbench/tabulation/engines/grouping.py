"""Named aggregates of groups, and all two-way tables, as queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, raise_if
from workbench.core.progress import Context, Part
from workbench.microdata.table import Texts
from workbench.tabulation.aggregates import (
    HALF,
    Aggregate,
    Count,
    Distinct,
    Distorted,
    Half,
    Largest,
    Product,
    Ranked,
    Sum,
    TotalOfLargest,
)
from workbench.tabulation.answers import Answer, Positions, TwoWay
from workbench.tabulation.engines.contract import ALL, Answered, SqlEngine, integers, the
from workbench.tabulation.engines.facts import count_rows
from workbench.tabulation.engines.placing import Placed, kept, numbered, placed, refuse, scaled
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.keys import Beyond, Dimension, Key, Scale
from workbench.tabulation.sums import refuse_overflow

_ROWS = "rows_"  # the count that every answer carries, for the rule about overflow


def grouped(
    engine: SqlEngine,
    relation: Relation,
    by: Sequence[Dimension],
    aggregates: Mapping[str, Aggregate],
    context: Context,
) -> Answer:
    """Named aggregates of every group that has rows, in the order of its positions."""
    keys = placed(engine, relation, by)
    scales = tuple(dict.fromkeys(_scales(aggregates)))
    distorting = [Key.met(each.unit) for each in aggregates.values() if isinstance(each, Distorted)]
    strict = [*keys, *placed(engine, relation, distorting)]
    refuse(engine, relation, strict, scales, Part(context, 0.0, 0.2))
    base = _Base(engine=engine, relation=relation, keys=keys, scales=scales, ranked=_ranked(aggregates))
    plain = {f"v{n}": each for n, each in enumerate(aggregates.values()) if not isinstance(each, _OF_UNITS)}
    _refuse_products(plain)
    found = base.grouped({name: base.expression(each) for name, each in plain.items()}, Part(context, 0.2, 0.6))
    order, positions, met = base.arranged(found, context)
    largest = int(integers(found, _ROWS).max(initial=0))
    values: dict[str, Confidential[Integers]] = {}
    for number, (name, each) in enumerate(aggregates.items()):
        part = Part(context, 0.6 + 0.4 * number / len(aggregates), 0.6 + 0.4 * (number + 1) / len(aggregates))
        if f"v{number}" in plain:
            _refuse_sums(each, largest)
            values[name] = Confidential(integers(found, f"v{number}")[order])
        else:
            values[name] = Confidential(base.of_units(each, positions, part))
    left = count_rows(engine, relation, context) - int(integers(found, _ROWS).sum())
    return Answer(keys=Confidential(positions), values=values, met=met, left_out=Confidential(left))


_OF_UNITS = (Largest, TotalOfLargest, Distorted, Ranked)


class _Base:
    """The rows a question is about, with their positions and numbers, as one query."""

    def __init__(
        self,
        *,
        engine: SqlEngine,
        relation: Relation,
        keys: Sequence[Placed],
        scales: Sequence[Scale],
        ranked: Sequence[Ranked] = (),
    ) -> None:
        self._engine, self._relation, self._keys, self._scales = engine, relation, keys, scales
        self._ranked = ranked
        self._found: dict[tuple[str, Scale | None], Answered] = {}

    def query(self, condition: str, columns: Sequence[str] = ()) -> str:
        """Positions p0 …, numbers x0 … and the named columns of the rows that are kept."""
        engine, relation = self._engine, self._relation
        listed = [f"{each.position} AS p{number}" for number, each in enumerate(self._keys)]
        listed += [f"{scaled(engine, relation, each)} AS x{number}" for number, each in enumerate(self._scales)]
        listed += [f"r.{column}" for column in dict.fromkeys(columns)]
        joins = "".join(each.join for each in self._keys)
        where = kept(engine, relation, self._keys, self._scales)
        return f"(SELECT {', '.join(listed) or '1 AS one'} FROM {relation.rows(condition)} AS r{joins} WHERE {where})"

    @property
    def positions(self) -> list[str]:
        return [f"p{number}" for number in range(len(self._keys))]

    def number(self, scale: Scale | None) -> str:
        return "1" if scale is None else f"x{self._scales.index(scale)}"

    def expression(self, aggregate: Aggregate) -> str:
        match aggregate:
            case Count():
                return "count(*)"
            case Sum(of):
                return self._engine.dialect.whole_sum(self.number(of))
            case Product():
                return self._engine.dialect.whole_sum(self._product(aggregate))
            case Distinct(name):
                return f"count(DISTINCT {self._relation.coded(name)})"
        raise Defect("an aggregate that nobody knows was asked for")

    def _product(self, product: Product) -> str:
        dialect, made = self._engine.dialect, " * ".join(self.number(factor) for factor in product.factors)
        if product.over > 1:
            made = dialect.divided(f"2 * ({made}) + {product.over}", 2 * product.over)
        match product.half:
            case Half.LOWER:
                return f"({made}) % {HALF}"
            case Half.UPPER:
                return dialect.divided(made, HALF)
        return made

    def grouped(self, expressions: Mapping[str, str], context: Context) -> Answered:
        columns = list(self._relation.short.values())
        said = ", ".join([*self.positions, f"count(*) AS {_ROWS}", *(f"{e} AS {n}" for n, e in expressions.items())])
        group = f" GROUP BY {', '.join(self.positions)}" if self._keys else " HAVING count(*) > 0"
        query = f"SELECT {said} FROM {self.query(ALL, columns)} AS b{group}"
        return self._engine.ask(query, context, "adding up the groups")

    def arranged(self, found: Answered, context: Context) -> tuple[Integers, Positions, dict[str, Confidential[Texts]]]:
        """The order of the groups by their positions, and both in that order."""
        positions, met = numbered(self._engine, self._relation, self._keys, found, context)
        order = np.lexsort(tuple(positions.T[::-1])) if self._keys else np.arange(len(positions))
        return order.astype(np.int64), positions[order], met

    def of_units(self, aggregate: Aggregate, positions: Positions, context: Context) -> Integers:
        """Largest contributions and keyed sums, laid out like the groups."""
        match aggregate:
            case Largest(unit, of):
                return self._laid(self._best(unit, of, context), "held", positions, context)
            case TotalOfLargest(unit, of):
                return self._laid(self._best(unit, of, context), "total", positions, context)
            case Ranked(of):
                if ("", of) not in self._found:
                    self._found["", of] = self._ask_ranked(of, context)
                return self._laid(self._found["", of], f"held{self._ranked.index(aggregate)}", positions, context)
            case Distorted(unit, factors):
                column = self._relation.coded(unit)
                table = self._engine.factored(self._units_of(column), factors, context)
                listed = ", ".join([*self.positions, f"{self._engine.dialect.whole_sum('f.factor')} AS held"])
                group = f" GROUP BY {', '.join(self.positions)}" if self._keys else ""
                rows = self.query(ALL, [column])
                query = f"SELECT {listed} FROM {rows} AS b JOIN {table(ALL)} AS f ON b.{column} = f.unit{group}"
                return self._laid(self._engine.ask(query, context, "adding up factors"), "held", positions, context)
        raise Defect("an aggregate that nobody knows was asked for")

    def _ask_ranked(self, of: Scale, context: Context) -> Answered:
        """Of each group, by x, the first row that has so many behind it: every quantile of x in one query, since
        putting the rows in order is what takes the time."""
        x, group = self.number(of), ", ".join(self.positions)
        over = f"PARTITION BY {group}" if self._keys else ""
        ranked = (
            f"SELECT {group + ', ' if group else ''}{x} AS x, row_number() OVER ({over} ORDER BY {x}) AS place, "
            f"count(*) OVER ({over}) AS many FROM {self.query(ALL)} AS b"
        )
        first = {
            f"held{number}": f"{each.parts} * place >= {each.part} * many "
            f"AND {each.parts} * (place - 1) < {each.part} * many"
            for number, each in enumerate(self._ranked)
            if each.of == of
        }
        held = (f"max(CASE WHEN {condition} THEN x END) AS {name}" for name, condition in first.items())
        by = f" GROUP BY {group}" if self._keys else " HAVING count(*) > 0"
        query = f"SELECT {', '.join([*self.positions, *held])} FROM ({ranked}) AS q{by}"
        return self._engine.ask(query, context, "finding the quantiles")

    def _units_of(self, column: str) -> Callable[[str], str]:
        relation = self._relation
        return lambda condition: (
            f"SELECT DISTINCT {column} AS unit FROM {relation.rows(condition)} AS r WHERE {column} IS NOT NULL"
        )

    def _best(self, unit: str, of: Scale | None, context: Context) -> Answered:
        if (unit, of) not in self._found:
            self._found[unit, of] = self._ask_best(unit, of, context)
        return self._found[unit, of]

    def _ask_best(self, unit: str, of: Scale | None, context: Context) -> Answered:
        engine, relation, dialect = self._engine, self._relation, self._engine.dialect
        column = relation.coded(unit)
        x = "CAST(1 AS BIGINT)" if of is None else scaled(engine, relation, of)
        totals = (
            f"SELECT {column} AS unit, {dialect.whole_sum(x)} AS total, count(*) AS many FROM {relation.rows()} AS r "
            f"WHERE {column} IS NOT NULL GROUP BY {column}"
        )
        most = the(engine.ask(f"SELECT max(many) AS n FROM ({totals}) AS t", context, "adding up units"), "n")
        refuse_overflow(most, 1 if of is None else of.most, unit if of is None else of.column)
        group = ", ".join([*self.positions, column])
        held = f"{dialect.whole_sum(self.number(of))} AS held"
        pairs = (
            f"SELECT {group}, {held} FROM {self.query(ALL, [column])} AS b WHERE {column} IS NOT NULL GROUP BY {group}"
        )
        best = dialect.largest_pair("q.held", "t.total")
        of_group = "".join(f"q.{name}, " for name in self.positions)
        by = f" GROUP BY {', '.join(f'q.{name}' for name in self.positions)}" if self._keys else ""
        inner = f"SELECT {of_group}{best} AS best FROM ({pairs}) AS q JOIN ({totals}) AS t ON q.{column} = t.unit{by}"
        parts = f"{dialect.part_of_pair('best', 0)} AS held, {dialect.part_of_pair('best', 1)} AS total"
        query = f"SELECT {', '.join([*self.positions, parts])} FROM ({inner}) AS m"
        return engine.ask(query, context, "finding the largest contributions")

    def _laid(self, found: Answered, name: str, positions: Positions, context: Context) -> Integers:
        """A column of an answer that lacks some groups, in the order of all of them; 0 where a group is not there."""
        made = np.zeros(len(positions), dtype=np.int64)
        if not found.num_rows or not len(positions):
            return made
        own, _ = numbered(self._engine, self._relation, self._keys, found, context)
        place = {tuple(row): number for number, row in enumerate(positions.tolist())}
        made[[place[tuple(row)] for row in own.tolist()]] = integers(found, name)
        return made


def _refuse_products(aggregates: Mapping[str, Aggregate]) -> None:
    for each in aggregates.values():
        if isinstance(each, Product):
            raise_if(each.check())


def _refuse_sums(aggregate: Aggregate, largest: int) -> None:
    match aggregate:
        case Sum(of):
            refuse_overflow(largest, of.most, of.column)
        case Product():
            refuse_overflow(largest, aggregate.most, aggregate.title)


def _ranked(aggregates: Mapping[str, Aggregate]) -> tuple[Ranked, ...]:
    return tuple(dict.fromkeys(each for each in aggregates.values() if isinstance(each, Ranked)))


def _scales(aggregates: Mapping[str, Aggregate]) -> Iterator[Scale]:
    for aggregate in aggregates.values():
        match aggregate:
            case Sum(of) | Ranked(of) | Largest(_, Scale() as of) | TotalOfLargest(_, Scale() as of):
                yield of
            case Product():
                yield from aggregate.factors


def two_way(
    engine: SqlEngine, relation: Relation, by: Sequence[Dimension], weight: Scale | None, context: Context
) -> TwoWay:
    """Counts, or sums of weights, of every pair over the rows that are in all dimensions: one query of grouping sets.

    A row without a weight adds nothing.
    """
    from workbench.tabulation.engines.placing import values_of

    keys = placed(engine, relation, by)
    refuse(engine, relation, keys, (), Part(context, 0.0, 0.2))
    scales = () if weight is None else (replace(weight, beyond=Beyond.OWN),)
    own = [int(key.beyond is Beyond.OWN) for key in by]
    texts = {each.key.column: values_of(engine, relation, each.key.column, context) for each in keys if each.met}
    listed = [
        Key.listed(each.key.column, texts[each.key.column], each.key.beyond) if each.met else each.key for each in keys
    ]
    keys = placed(engine, relation, listed)
    sizes = tuple(each.size + extra for each, extra in zip(keys, own, strict=True))
    base = _Base(engine=engine, relation=relation, keys=keys, scales=scales)
    which = list(combinations(range(len(keys)), 2))
    tables = {pair: np.zeros((sizes[pair[0]], sizes[pair[1]]), dtype=np.int64) for pair in which}
    shifted = ", ".join(f"coalesce(p{n} + {extra}, 0) AS q{n}" for n, extra in enumerate(own))
    weighed = "" if weight is None else ", x0"
    rows = f"SELECT {shifted}{weighed} FROM {base.query(ALL)} AS b" if which else ""
    if which:
        sets = ", ".join(f"(q{i}, q{j})" for i, j in which)
        names = ", ".join(f"q{n}" for n in range(len(keys)))
        told = "" if weight is None else f", {engine.dialect.whole_sum('x0')} AS w"
        query = f"SELECT {names}, count(*) AS n{told} FROM ({rows}) AS s GROUP BY GROUPING SETS ({sets})"
        found = engine.ask(query, Part(context, 0.2, 0.9), "counting pairs")
        at = {n: integers(found, f"q{n}", -1) for n in range(len(keys))}
        many = integers(found, "n")
        kept_rows = int(many.sum()) // len(which)  # every pair holds all of them
        if weight is not None:
            refuse_overflow(kept_rows, weight.most, weight.column)
            many = integers(found, "w")
        for i, j in which:
            others = [at[n] < 0 for n in range(len(keys)) if n not in (i, j)]
            mine = (at[i] >= 0) & (at[j] >= 0) & np.logical_and.reduce([np.ones(len(many), bool), *others])
            tables[i, j][at[i][mine], at[j][mine]] = many[mine]
        left = count_rows(engine, relation, context) - kept_rows
    else:
        left = _left_out(engine, relation, keys, context)
    return TwoWay(
        columns=tuple(key.column for key in by),
        sizes=sizes,
        tables={pair: Confidential(table) for pair, table in tables.items()},
        left_out=Confidential(left),
    )


def _left_out(engine: SqlEngine, relation: Relation, keys: Sequence[Placed], context: Context) -> int:
    joins = "".join(each.join for each in keys)
    where = kept(engine, relation, keys, ())
    outside = f"count(*) - coalesce(sum(CASE WHEN {where} THEN 1 ELSE 0 END), 0) AS n"
    query = f"SELECT {outside} FROM {relation.rows()} AS r{joins}"
    return the(engine.ask(query, context, "counting rows"), "n")
