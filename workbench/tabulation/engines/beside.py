"""Linked files where the engine reads them: in this process for DuckDB, on the cluster for Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.progress import Context
from workbench.microdata.dictionary import ColumnWords
from workbench.microdata.roles import Role, Roles
from workbench.microdata.shaping.columns import texts_of
from workbench.microdata.shaping.params import Shaping
from workbench.microdata.table import CodedColumn, Column, Microdata
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.engines.shaping import Beside
from workbench.tabulation.engines.source import expressions

if TYPE_CHECKING:
    from workbench.tabulation.engines.in_duckdb import DuckDbEngine
    from workbench.tabulation.engines.in_spark import SparkEngine


def registered(engine: DuckDbEngine, table: Microdata) -> Beside:
    """A table of this process that DuckDB reads in place: nothing of it enters the text of a query."""
    columns = {f"t{number}": _cells(column) for number, column in enumerate(table.columns.values())}
    source = engine.listed(columns) if columns else "(SELECT 1 AS one LIMIT 0)"
    relation = Relation.of_source(
        table.name,
        columns={name: f"t{number}" for number, name in enumerate(table.columns)},
        numbers=frozenset(name for name, column in table.columns.items() if not isinstance(column, CodedColumn)),
        source=source,
    )
    return Beside(relation=relation, unread=table.unread, words={n: _words(c) for n, c in table.columns.items()})


def _cells(column: Column) -> Any:
    """The cells of a column as Arrow has them, unknown where they are missing."""
    import pyarrow as pa

    if not isinstance(column, CodedColumn):
        return pa.array(column.numbers.reveal(), pa.float64())
    codes = column.codes.reveal().astype(np.int32)
    texts = pa.array(texts_of(column.values), pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), texts).dictionary_decode()


def _words(column: Column) -> ColumnWords:
    if not isinstance(column, CodedColumn):
        return ColumnWords(title=column.title)
    return ColumnWords(
        title=column.title, labels=column.labels, populations=column.populations, inside=column.labels_inside
    )


def on_server(
    engine: SparkEngine, paths: Mapping[str, str], shaping: Shaping, roles: Roles, context: Context
) -> dict[str, Beside]:
    """Linked Parquet files as the server sees them. No row of them comes here."""
    return {name: _on_server(engine, path, name, shaping, roles, context) for name, path in paths.items()}


def _on_server(engine: SparkEngine, path: str, name: str, shaping: Shaping, roles: Roles, context: Context) -> Beside:
    holds = engine.one_layout(path, engine.files(path, context), context)
    link = shaping.links[name]
    used = {*shaping.used(), *(link.columns or roles)}
    names = tuple(each for each in holds if each in used or each in link.there)
    compared = {*shaping.numbers(), *(each for each, role in roles.items() if role.numbers)} - set(link.there)
    numbers = frozenset(each for each in names if each in compared and roles.get(each, Role.IGNORE) is not None)
    file = path.rstrip("/").rsplit("/", 1)[-1]
    relation = Relation.of_source(
        file,
        columns=expressions(engine.dialect, holds, numbers, names, file) or {"": "NULL"},
        numbers=numbers,
        source=engine.source(path),
    )
    return Beside(relation=relation, unread=tuple(each for each in holds if each not in names))
