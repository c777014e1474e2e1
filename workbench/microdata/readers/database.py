"""One table of a DuckDB or SQLite file, read only. The option `sheet` names it where there are several."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.request import pathname2url

from workbench.core.errors import Place, Problem, UserProblem
from workbench.core.nearest import did_you_mean
from workbench.core.progress import Context
from workbench.microdata.files import Kind, corrupt
from workbench.microdata.options import AUTO, ReadOptions
from workbench.microdata.readers.contract import Batch, Opened, SeveralTables, without_plain_values
from workbench.microdata.texts import as_text

_ROWS_AT_ONCE = 1 << 17
_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY 1"


def opened_duckdb(path: Path, options: ReadOptions, context: Context) -> Opened:
    import duckdb

    context.step(0.0, "Opening the database")
    try:
        with _duckdb(path) as base:
            listed = base.execute("SELECT table_name FROM information_schema.tables ORDER BY 1").fetchall()
            table = _chosen(path, [name for (name,) in listed], options.sheet)
            empty: Any = base.sql(f"SELECT * FROM {_quoted(table)} LIMIT 0").to_arrow_table()
            rows = int(base.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchall()[0][0])
    except duckdb.PermissionException:
        what = "The table is a view of another file, which is not read through a database"
        raise UserProblem(what, path.name, "Choose that file itself, or store its rows as a table") from None
    except (duckdb.ConnectionException, duckdb.IOException) as wrong:
        if "lock" in str(wrong) or "different configuration" in str(wrong):
            do = "Close it there, then try again"
            raise UserProblem("The database is in use by another program or session", path.name, do) from None
        raise corrupt(path, Kind.DUCKDB) from None
    except duckdb.Error:
        raise corrupt(path, Kind.DUCKDB) from None

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        named = ", ".join(_quoted(name) for name in columns)
        done = 0
        try:
            with _duckdb(path) as base:
                reader: Any = base.sql(f"SELECT {named} FROM {_quoted(table)}").to_arrow_reader(_ROWS_AT_ONCE)
                for batch in reader:
                    done += batch.num_rows
                    arrays = {name: batch.column(place) for place, name in enumerate(columns)}
                    yield Batch(arrays, batch.num_rows, done / max(rows, 1))
        except duckdb.Error:
            raise corrupt(path, Kind.DUCKDB) from None

    schema = empty.schema
    nested = without_plain_values(schema.names, schema.types, verb="Store")
    found = ("DuckDB file", f"table {table}")
    return Opened(kind=Kind.DUCKDB, columns=tuple(schema.names), found=found, batches=batches, unreadable=nested)


def _duckdb(path: Path) -> Any:
    """Read only, and nothing but this file: a view in it could otherwise read any other file of the person."""
    import duckdb

    return duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false"})


def opened_sqlite(path: Path, options: ReadOptions, context: Context) -> Opened:
    context.step(0.0, "Opening the database")
    try:
        with _sqlite(path) as base:
            listed = [name for (name,) in base.execute(_TABLES) if not name.startswith("sqlite_")]
            table = _chosen(path, listed, options.sheet)
            columns = tuple(row[0] for row in base.execute(f"SELECT * FROM {_quoted(table)} LIMIT 0").description)
            rows = int(base.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0])
    except sqlite3.Error:
        raise corrupt(path, Kind.SQLITE) from None

    def batches(wanted: tuple[str, ...]) -> Iterator[Batch]:
        named, done = ", ".join(_quoted(name) for name in wanted), 0
        try:
            with _sqlite(path) as base:
                cursor = base.execute(f"SELECT {named} FROM {_quoted(table)}")
                while block := cursor.fetchmany(_ROWS_AT_ONCE):
                    done += len(block)
                    arrays = {
                        name: _array(values) for name, values in zip(wanted, zip(*block, strict=True), strict=True)
                    }
                    yield Batch(arrays, len(block), done / max(rows, 1))
        except sqlite3.Error:
            raise corrupt(path, Kind.SQLITE) from None

    return Opened(kind=Kind.SQLITE, columns=columns, found=("SQLite file", f"table {table}"), batches=batches)


@contextlib.contextmanager
def _sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """Read only and as it is: nothing is written beside it, whatever journal somebody left."""
    base = sqlite3.connect(f"file:{pathname2url(str(path.absolute()))}?mode=ro", uri=True)
    try:
        yield base
    finally:
        base.close()


def _array(values: Sequence[Any]) -> Any:
    """A column of SQLite may hold anything: numbers stay numbers where all are, everything else becomes text.

    A number has the same text in either case: no row decides how another one is written.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int} or kinds == {float}:
        return pa.array(values, pa.float64() if kinds == {float} else pa.int64())
    numbers = as_text(pa.array([value if isinstance(value, float) else None for value in values], pa.float64()))
    texts = pa.array([None if isinstance(value, float) else _text(value) for value in values], pa.string())
    return pc.coalesce(texts, numbers)


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return None if value is None else str(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _chosen(path: Path, tables: Sequence[str], wanted: str) -> str:
    if not tables:
        raise UserProblem("The database holds no table", path.name, "Choose another file")
    if wanted != AUTO:
        if wanted in tables:
            return wanted
        do = did_you_mean(wanted, tables) or f"Tables: {', '.join(tables[:20])}"
        raise UserProblem.of((Problem(f"There is no table “{wanted}”", path.name, do, Place("data", "sheet")),))
    if len(tables) > 1:
        do = f"Name one under sheet: {', '.join(tables[:20])}"
        raise SeveralTables("The database holds several tables", path.name, do, tables)
    return tables[0]
