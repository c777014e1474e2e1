"""One row for each unit, or all rows that agree with it, as queries with a total order over all columns."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.errors import raise_if
from workbench.core.progress import Context
from workbench.tabulation.bounding import bound_problems
from workbench.tabulation.contract import First, Keep, Summed
from workbench.tabulation.engines.contract import SqlEngine
from workbench.tabulation.engines.placing import refuse, scaled
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.keys import Beyond


def bounded(engine: SqlEngine, relation: Relation, unit: Sequence[str], keep: Keep, context: Context) -> Relation:
    """The relation of the rows kept; rows without a unit, or without the number of the rule, are gone."""
    refuse(engine, relation, (), () if isinstance(keep, First) else (keep.of,), context)
    shorts = [relation.coded(name) for name in unit]
    inside = " AND ".join([*(f"{short} IS NOT NULL" for short in shorts), _can_keep(engine, relation, keep)])
    listed = list(relation.short.values())
    partition = ", ".join(shorts)
    summed = ""
    if isinstance(keep, Summed):
        raise_if(bound_problems(keep.of))
        x = scaled(engine, relation, keep.of)
        summed = f", sum({x}) OVER (PARTITION BY {partition}) AS summed_"
        short = relation.short[keep.of.column]
        bound = f"least(greatest(CAST(summed_ AS BIGINT), {keep.of.lower}), {keep.of.upper})"
        made = f"CAST({bound} AS DOUBLE) / CAST({10**keep.of.decimals} AS DOUBLE) AS {short}"
        listed = [made if each == short else each for each in listed]
    order = _order(engine, relation, keep)
    inner = (
        f"SELECT *{summed}, row_number() OVER (PARTITION BY {partition} ORDER BY {order}) AS row_ "
        f"FROM {{rows}} AS r WHERE {inside}"
    )
    query = f"SELECT {', '.join(listed)} FROM ({inner}) AS w WHERE row_ = 1"
    return relation.chosen(query, split=tuple(unit))


def settled(
    engine: SqlEngine, relation: Relation, unit: Sequence[str], columns: Sequence[str], keep: Keep, context: Context
) -> Relation:
    """The relation of the rows that agree in these columns with the one row of their unit that the rule keeps.

    A unit whose rows all agree keeps them whatever the rule says; one that does not, and none of whose rows the rule
    can keep, has no row at all.
    """
    del context
    shorts = [relation.coded(name) for name in unit]
    known = " AND ".join(f"{short} IS NOT NULL" for short in shorts)
    value = " || chr(31) || ".join(_told_apart(relation.coded(name)) for name in columns)
    listed, partition = ", ".join(relation.short.values()), ", ".join(shorts)
    able = f"CASE WHEN {_can_keep(engine, relation, keep)} THEN 0 ELSE 1 END"
    first = f"SELECT *, {value} AS value_, {able} AS able_ FROM {{rows}} AS r WHERE {known}"
    over = f"OVER (PARTITION BY {partition} ORDER BY able_, {_order(engine, relation, keep)} ROWS UNBOUNDED PRECEDING)"
    whole = f"OVER (PARTITION BY {partition})"
    second = (
        f"SELECT *, first_value(value_) {over} AS chosen_, min(able_) {whole} AS none_, min(value_) {whole} AS low_, "
        f"max(value_) {whole} AS high_ FROM ({first}) AS v"
    )
    agrees = "low_ = high_ OR (none_ = 0 AND value_ = chosen_)"
    return relation.chosen(f"SELECT {listed} FROM ({second}) AS w WHERE {agrees}", split=tuple(unit))


def _told_apart(short: str) -> str:
    """A text that stands beside others: the mark between them is written twice inside a value."""
    return f"coalesce('v' || replace({short}, chr(31), chr(31) || chr(31)), 'n')"


def _can_keep(engine: SqlEngine, relation: Relation, keep: Keep) -> str:
    if isinstance(keep, First) or keep.of.beyond is Beyond.REFUSE:
        return "TRUE"
    return engine.dialect.finite(relation.number(keep.of.column))


def _order(engine: SqlEngine, relation: Relation, keep: Keep) -> str:
    """By what the rule says, then by all columns in the order of their names, missing first."""
    named = keep.by if isinstance(keep, First) else ()
    names = [*named, *sorted(name for name in relation.short if name not in named)]
    keys = [] if isinstance(keep, First) else [f"{scaled(engine, relation, keep.of)} DESC"]
    for name in names:
        short = relation.short[name]
        known = f"CASE WHEN isnan({short}) THEN NULL ELSE {short} END" if name in relation.numbers else short
        keys.append(f"{known} ASC NULLS FIRST")
    return ", ".join(keys)
