"""What columns hold, counted when a data set is opened: one query for all attributes, one for all numbers."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.tabulation.engines.contract import SqlEngine, integers, the
from workbench.tabulation.engines.facts import count_rows
from workbench.tabulation.engines.relation import Counted, Relation

_FEW = 1_000  # values that any attribute may have, however few the rows


def met_values(
    engine: SqlEngine, relation: Relation, names: Sequence[str], context: Context
) -> dict[str, tuple[tuple[str, ...], Counted]]:
    """The values that each of these columns has, in the order of code points, and how many cells."""
    if not names:
        return {}
    shorts = [relation.coded(name) for name in names]
    which = " ".join(f"WHEN grouping({short}) = 0 THEN {number}" for number, short in enumerate(shorts))
    query = (
        f"SELECT CASE {which} END AS which, coalesce({', '.join([*shorts, 'NULL'])}) AS v, count(*) AS n "
        f"FROM {relation.rows()} AS r GROUP BY GROUPING SETS ({', '.join(f'({short})' for short in shorts)})"
    )
    if not engine.gives_records:  # identifiers that somebody called an attribute stay where they are
        allowed = max(_FEW, count_rows(engine, relation, context) // 2)
        many = f"SELECT q.*, count(*) OVER (PARTITION BY which) AS many FROM ({query}) AS q"
        query = f"SELECT which, v, n FROM ({many}) AS w WHERE many <= {allowed}"
    found = engine.ask(query, context, "listing the values of the attributes")
    withheld = set(range(len(names))) - set(integers(found, "which").tolist())
    if withheld and not engine.gives_records and count_rows(engine, relation, context):
        raise _too_many_values(engine, relation, names[min(withheld)])
    values: list[list[str]] = [[] for _ in names]
    missing, most = [0] * len(names), [0] * len(names)
    columns = (integers(found, "which").tolist(), found.column("v").to_pylist(), integers(found, "n").tolist())
    for place, value, rows in zip(*columns, strict=True):
        if value is None:
            missing[place] += rows
        else:
            values[place].append(value)
            most[place] = max(most[place], rows)
    return {
        name: (tuple(sorted(values[n])), Counted(missing[n], len(values[n]), most[n], _padded(values[n])))
        for n, name in enumerate(names)
    }


def _too_many_values(engine: SqlEngine, relation: Relation, name: str) -> UserProblem:
    what = f"“{name}” has more values than half the rows, and values of attributes leave {engine.title}"
    do = "Give it the role of an identifier, or none; or group its values first"
    return UserProblem(what, relation.name, do)


def _padded(values: Sequence[str]) -> int:
    return sum(value != value.strip() for value in values)


def counted_values(engine: SqlEngine, relation: Relation, name: str, context: Context) -> Counted:
    """How many cells and different values a column has that identifies units; the values stay where they are."""
    column = relation.coded(name)

    def query(condition: str) -> str:
        each = f"SELECT {column} AS v, count(*) AS n FROM {relation.rows(condition)} AS r GROUP BY {column}"
        missing = "sum(CASE WHEN v IS NULL THEN n ELSE 0 END) AS missing"
        most = "max(CASE WHEN v IS NULL THEN 0 ELSE n END) AS most"
        padded = f"sum(CASE WHEN v <> {engine.dialect.trimmed('v')} THEN 1 ELSE 0 END) AS padded"
        return f"SELECT count(v) AS different, {missing}, {most}, {padded} FROM ({each}) AS u"

    found = engine.in_passes(query, relation.splittable([name]), context, f"looking at “{name}”")
    missing, different, padded = (sum(the(part, told) for part in found) for told in ("missing", "different", "padded"))
    return Counted(missing, different, max(the(part, "most") for part in found), padded)


def missing_numbers(engine: SqlEngine, relation: Relation, names: Sequence[str], context: Context) -> dict[str, int]:
    """The cells of each of these columns that hold no number."""
    if not names:
        return {}
    gone = [f"{relation.short[name]} IS NULL OR isnan({relation.short[name]})" for name in names]
    told = ", ".join(f"coalesce(sum(CASE WHEN {each} THEN 1 ELSE 0 END), 0) AS m{n}" for n, each in enumerate(gone))
    found = engine.ask(f"SELECT {told} FROM {relation.rows()} AS r", context, "looking for missing numbers")
    return {name: the(found, f"m{number}") for number, name in enumerate(names)}
