"""One reader per kind of file. All of them give Arrow arrays batch by batch, so that no file need fit in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.params import problems_of
from workbench.core.progress import Context
from workbench.microdata.files import Kind, require_readable
from workbench.microdata.header import named_twice, require_named
from workbench.microdata.options import ReadOptions
from workbench.microdata.readers import database, delimited, excel, parquet, parquet_folder, statistical
from workbench.microdata.readers.contract import Batch, Opened
from workbench.microdata.readers.gaps import with_gaps

__all__ = ["Batch", "Opened", "open_data"]

_READERS: dict[Kind, Callable[[Path, ReadOptions, Context], Opened]] = {
    Kind.DELIMITED: delimited.opened,
    Kind.PARQUET: parquet.opened,
    Kind.STATA: statistical.opened,
    Kind.SAS: statistical.opened,
    Kind.SAS_TRANSPORT: statistical.opened,
    Kind.SPSS: statistical.opened,
    Kind.EXCEL: excel.opened,
    Kind.DUCKDB: database.opened_duckdb,
    Kind.SQLITE: database.opened_sqlite,
    Kind.PARQUET_FOLDER: parquet_folder.opened,
}


def open_data(path: Path, options: ReadOptions, context: Context) -> Opened:
    """Open a data file of any known kind; every way in which that can fail is a problem in one sentence."""
    wrong = problems_of(options)
    if wrong:
        raise UserProblem.of(wrong)
    kind = require_readable(path)
    file = _READERS[kind](path, options, context)
    _require_names(path, file.columns)
    if not file.columns:
        raise UserProblem("The file has no columns", path.name, "Choose a file with data")
    return with_gaps(file, options.missing)


def _require_names(path: Path, names: tuple[str, ...]) -> None:
    """Refuse a file in which a column has no name or two columns have the same."""
    require_named(path, names, "Name every column")
    twice = named_twice(names)
    if twice:
        listed = ", ".join(f"“{name}”" for name in twice[:5])
        raise UserProblem(f"More than one column is called {listed}", path.name, "Give every column its own name")
