"""Keys and scales as SQL: positions in public lists by a join, numbers on their grids, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, raise_if
from workbench.core.progress import Context
from workbench.microdata.shaping.params import say_of_gaps
from workbench.microdata.table import Texts
from workbench.tabulation.answers import Positions
from workbench.tabulation.engines.contract import ALL, Answered, SqlEngine, integers, the
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.keys import NOWHERE, Beyond, Bins, Dimension, Key, Scale


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Placed:
    """One dimension over a relation: the expression of its position, unknown where it has none, and its join."""

    key: Dimension
    position: str
    join: str
    size: int

    @property
    def met(self) -> bool:
        """Whether positions are the texts themselves, to be numbered where the answer arrives."""
        return isinstance(self.key, Key) and self.key.texts is None


def placed(engine: SqlEngine, relation: Relation, keys: Sequence[Dimension]) -> list[Placed]:
    return [_placed(engine, relation, key, f"k{number}") for number, key in enumerate(keys)]


def _placed(engine: SqlEngine, relation: Relation, key: Dimension, alias: str) -> Placed:
    if isinstance(key, Bins):
        raise_if(key.check())
        x = scaled(engine, relation, key.of)
        where = " ".join(f"WHEN {x} < {edge} THEN {number}" for number, edge in enumerate(key.edges))
        known = engine.dialect.finite(relation.number(key.column))
        position = f"CASE WHEN NOT {known} THEN NULL {where} ELSE {len(key.edges)} END"
        return Placed(key=key, position=position, join="", size=key.size)
    column = relation.coded(key.column)
    if key.texts is None:
        return Placed(key=key, position=f"r.{column}", join="", size=0)
    texts = [str(text) for text in key.texts]
    positions = np.arange(len(texts), dtype=np.int32) if key.positions is None else key.positions
    table = engine.listed({"text": texts, "position": np.asarray(positions, dtype=np.int32)})
    join = f" LEFT JOIN {table} AS {alias} ON r.{column} = {alias}.text"
    return Placed(key=key, position=f"{alias}.position", join=join, size=key.size)


def scaled(engine: SqlEngine, relation: Relation, scale: Scale) -> str:
    """The integer of the grid; 0 where there is no finite number."""
    raise_if(scale.check())
    number, dialect = relation.number(scale.column), engine.dialect
    product = f"{number} * CAST({10**scale.decimals} AS DOUBLE)"
    low, high = f"CAST({float(scale.lower)!r} AS DOUBLE)", f"CAST({float(scale.upper)!r} AS DOUBLE)"
    cut = f"CAST(least(greatest({dialect.rounded(f'({product})')}, {low}), {high}) AS BIGINT)"
    whole = f"least(greatest({cut}, CAST({scale.lower} AS BIGINT)), CAST({scale.upper} AS BIGINT))"
    if scale.steps:
        width = scale.upper - scale.lower
        above = f"CAST({2 * scale.steps} AS BIGINT) * ({whole} - CAST({scale.lower} AS BIGINT)) + {width}"
        whole = dialect.divided(above, 2 * width)
        whole = dialect.divided(f"{whole} + {scale.coarser // 2}", scale.coarser)
    return f"(CASE WHEN {dialect.finite(number)} THEN {whole} ELSE CAST(0 AS BIGINT) END)"


def refuse(
    engine: SqlEngine,
    relation: Relation,
    keys: Sequence[Placed],
    scales: Iterable[Scale],
    context: Context,
) -> None:
    """Missing cells, codes outside their list and missing numbers, where a key or a scale refuses them."""
    strict = [
        each
        for each in keys
        if isinstance(each.key, Key)
        and each.key.beyond is Beyond.REFUSE
        and not relation.has_only(each.key.column, each.key.texts)  # type: ignore[arg-type]
    ]
    numbers = [scale for scale in scales if scale.beyond is Beyond.REFUSE]
    bins = [each.key.of for each in keys if isinstance(each.key, Bins) and each.key.beyond is Beyond.REFUSE]
    numbers = list(dict.fromkeys([*numbers, *bins]))
    if not strict and not numbers:
        return
    counted = []
    for number, each in enumerate(strict):
        column = relation.short[each.key.column]
        counted.append(f"count(*) - count(r.{column}) AS m{number}")
        outside = f"r.{column} IS NOT NULL AND {each.position} IS NULL"
        counted.append(f"coalesce(sum(CASE WHEN {outside} THEN 1 ELSE 0 END), 0) AS o{number}")
    for number, scale in enumerate(numbers):
        known = engine.dialect.finite(relation.number(scale.column))
        counted.append(f"coalesce(sum(CASE WHEN {known} THEN 0 ELSE 1 END), 0) AS n{number}")
    joins = "".join(each.join for each in strict)
    query = f"SELECT {', '.join(counted)} FROM {relation.rows(ALL)} AS r{joins}"
    found = engine.ask(query, context, "looking for missing values")
    said = {name: the(found, name) for name in found.column_names}
    raise_if(_problems(relation.name, [each.key.column for each in strict], numbers, said))


def _problems(file: str, columns: Sequence[str], numbers: Sequence[Scale], said: dict[str, int]) -> list[Problem]:
    found = []
    for number, column in enumerate(columns):
        if said[f"m{number}"]:
            do = f"Do not use it, or {say_of_gaps(column)}"
            found.append(Problem("Some rows have no value here", f"{file}, column “{column}”", do))
    for number, column in enumerate(columns):
        if said[f"o{number}"]:
            do = "Add the missing codes to the dictionary or correct the data"
            found.append(Problem("Some values are not in the data dictionary", f"{file}, column “{column}”", do))
    for number, scale in enumerate(numbers):
        if said[f"n{number}"]:
            do = "Complete the column, or leave those rows out"
            found.append(Problem("Some rows have no number here", f"{file}, column “{scale.column}”", do))
    return found


def kept(engine: SqlEngine, relation: Relation, keys: Sequence[Placed], scales: Iterable[Scale]) -> str:
    """The condition for rows that no key and no scale leaves out."""
    conditions = [f"{each.position} IS NOT NULL" for each in keys if each.key.beyond is Beyond.LEAVE_OUT]
    conditions += [
        engine.dialect.finite(relation.number(scale.column)) for scale in scales if scale.beyond is Beyond.LEAVE_OUT
    ]
    return " AND ".join(conditions) or ALL


def numbered(
    engine: SqlEngine, relation: Relation, keys: Sequence[Placed], answered: Answered, context: Context
) -> tuple[Positions, dict[str, Confidential[Texts]]]:
    """The positions of each group (groups × keys), met texts numbered by code points over the whole data set."""
    import pyarrow as pa
    import pyarrow.compute as pc

    made = np.full((answered.num_rows, len(keys)), NOWHERE, dtype=np.int32)
    met: dict[str, Confidential[Texts]] = {}
    for number, each in enumerate(keys):
        if not each.met:
            made[:, number] = integers(answered, f"p{number}", NOWHERE)
            continue
        name = each.key.column
        if name not in met:
            met[name] = Confidential(values_of(engine, relation, name, context))
        known = pa.array(met[name].reveal(), pa.string())
        column = answered.column(f"p{number}").cast(pa.string())
        made[:, number] = pc.fill_null(pc.index_in(column, value_set=known), NOWHERE).to_numpy()
    return made, met


def values_of(engine: SqlEngine, relation: Relation, name: str, context: Context) -> tuple[str, ...]:
    """The values met in a column, in the order of their code points."""
    column = relation.coded(name)
    if relation.split is None and name in relation.values:
        return relation.values[name]
    query = f"SELECT DISTINCT {column} AS t FROM {relation.rows()} AS r WHERE {column} IS NOT NULL"
    found = engine.ask(query, context, f"listing the values of “{name}”")
    return tuple(sorted(found.column("t").to_pylist()))
