"""Facts about columns and units, as queries."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.tabulation.answers import ColumnFacts, NumberFacts, UnitFacts
from workbench.tabulation.engines.contract import Groups, SqlEngine, integers, the
from workbench.tabulation.engines.placing import placed
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.keys import Key


def count_rows(engine: SqlEngine, relation: Relation, context: Context) -> int:
    """Counted once: every table of the same rows asks again."""
    known = engine.counts.get(relation.query)
    if known is not None:
        return known
    split = relation.splittable(relation.split or ())
    found = engine.in_passes(
        lambda condition: f"SELECT count(*) AS n FROM {relation.rows(condition)} AS r", split, context, "counting rows"
    )
    return engine.counts.setdefault(relation.query, sum(the(part, "n") for part in found))


def column_facts(engine: SqlEngine, relation: Relation, key: Key, context: Context) -> ColumnFacts:
    """Missing cells, different values, and what the list of the key does not have; one group of each value at a time.

    Passes go by the column itself: each value is in one of them.
    """
    column, known = relation.coded(key.column), relation.counted.get(key.column)
    if known is not None and (key.texts is None or relation.within(key.column, key.texts)):
        nothing = Confidential(0)
        return ColumnFacts(
            missing=Confidential(known.missing), distinct=Confidential(known.distinct), codes_outside=nothing,
            rows_outside=nothing,
        )  # fmt: skip
    (at,) = placed(engine, relation, [key])
    outside = "FALSE" if at.met else f"{at.position} IS NULL AND r.{column} IS NOT NULL"

    def query(condition: str) -> str:
        per_value = (
            f"SELECT r.{column} AS v, count(*) AS n, max(CASE WHEN {outside} THEN 1 ELSE 0 END) AS o "
            f"FROM {relation.rows(condition)} AS r{at.join} GROUP BY r.{column}"
        )
        sums = (
            "sum(CASE WHEN v IS NULL THEN n ELSE 0 END) AS missing, sum(o) AS codes, sum(o * n) AS beyond, "
            "count(v) AS different"
        )
        return f"SELECT {sums} FROM ({per_value}) AS u"

    found = engine.in_passes(query, relation.splittable([key.column]), context, f"looking at “{key.column}”")
    missing, different, codes, beyond = (
        sum(the(part, name) for part in found) for name in ("missing", "different", "codes", "beyond")
    )
    return ColumnFacts(
        missing=Confidential(missing),
        distinct=Confidential(different),
        codes_outside=Confidential(codes),
        rows_outside=Confidential(beyond),
    )


def varying(engine: SqlEngine, relation: Relation, unit: str, attributes: Sequence[str], context: Context) -> UnitFacts:
    """Units that have rows, the most rows of one, and how many vary in each attribute; a missing cell is a value."""
    column, known = relation.coded(unit), relation.counted.get(unit)
    shorts = [relation.coded(name) for name in attributes]
    if known is not None and (not shorts or _one_each(engine, relation, unit, shorts, context) == known.distinct):
        none = Confidential(0)
        return UnitFacts(
            units=Confidential(known.distinct), most_rows=Confidential(known.most),
            varying=dict.fromkeys(attributes, none), varying_at_all=none,
        )  # fmt: skip

    def query(condition: str) -> str:
        told = "".join(
            f", CASE WHEN min({short}) <> max({short}) OR (count({short}) > 0 AND count({short}) < count(*)) "
            f"THEN 1 ELSE 0 END AS d{number}"
            for number, short in enumerate(shorts)
        )
        per_unit = (
            f"SELECT count(*) AS n{told} FROM {relation.rows(condition)} AS r WHERE {column} IS NOT NULL "
            f"GROUP BY {column}"
        )
        each = "".join(f", sum(d{number}) AS d{number}" for number in range(len(shorts)))
        at_all = f"greatest({', '.join(f'd{n}' for n in range(len(shorts)))})" if len(shorts) > 1 else "d0"
        whole = f", sum({at_all}) AS at_all" if shorts else ""
        return f"SELECT count(*) AS units, max(n) AS most{each}{whole} FROM ({per_unit}) AS u"

    found = engine.in_passes(query, relation.splittable([unit]), context, f"looking at the units of “{unit}”")
    return UnitFacts(
        units=Confidential(sum(the(part, "units") for part in found)),
        most_rows=Confidential(max(the(part, "most") for part in found)),
        varying={
            name: Confidential(sum(the(part, f"d{number}") for part in found)) for number, name in enumerate(attributes)
        },
        varying_at_all=Confidential(sum(the(part, "at_all") for part in found) if shorts else 0),
    )


def _one_each(engine: SqlEngine, relation: Relation, unit: str, shorts: Sequence[str], context: Context) -> int:
    """The combinations of unit and attributes. Units that have as many as they are vary in nothing."""
    column = relation.coded(unit)

    def query(condition: str) -> str:
        rows = f"SELECT DISTINCT {column}, {', '.join(shorts)} FROM {relation.rows(condition)} AS r"
        return f"SELECT count(*) AS n FROM ({rows} WHERE {column} IS NOT NULL) AS u"

    units, sentence = relation.counted[unit].distinct, f"looking at the units of “{unit}”"
    found = engine.in_passes(query, relation.splittable([unit]), context, sentence, Groups(units, units))
    return sum(the(part, "n") for part in found)


def repeated(engine: SqlEngine, relation: Relation, columns: Sequence[str], context: Context) -> Confidential[int]:
    """Rows beyond the first of each combination."""
    if not columns:
        raise UserProblem("No column says which rows are the same", relation.name, "Name at least one")
    shorts = [relation.coded(name) for name in columns]
    known = " AND ".join(f"{short} IS NOT NULL" for short in shorts)

    def query(condition: str) -> str:
        per = (
            f"SELECT count(*) AS n FROM {relation.rows(condition)} AS r WHERE {known} GROUP BY {', '.join(shorts)}"
        )  # fmt: skip
        return f"SELECT sum(n - 1) AS n FROM ({per}) AS u"

    sentence = "looking for rows that are there twice"
    found = engine.in_passes(query, relation.splittable([columns[0]]), context, sentence)
    return Confidential(sum(the(part, "n") for part in found))


def number_facts(engine: SqlEngine, relation: Relation, column: str, most: int, context: Context) -> NumberFacts:
    """Rows by what is odd about a number that should be whole and between zero and `most`."""
    x, finite = relation.number(column), engine.dialect.finite(relation.number(column))
    odd = {"negative": f"{x} < 0", "fractional": f"{x} <> floor({x})", "above": f"{x} > CAST({most} AS DOUBLE)"}
    told = ", ".join(
        f"coalesce(sum(CASE WHEN {finite} AND {where} THEN 1 ELSE 0 END), 0) AS {name}" for name, where in odd.items()
    )
    gone = f"coalesce(sum(CASE WHEN {finite} THEN 0 ELSE 1 END), 0) AS missing"
    split = relation.splittable(relation.split or ())
    found = engine.in_passes(
        lambda condition: f"SELECT {gone}, {told} FROM {relation.rows(condition)} AS r",
        split, context, f"looking at the numbers of “{column}”",
    )  # fmt: skip
    sums = {name: Confidential(int(sum(integers(part, name)[0] for part in found))) for name in ("missing", *odd)}
    return NumberFacts(**sums)
