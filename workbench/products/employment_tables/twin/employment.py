"""An employment twin: made in memory, or written as CSV or Parquet with the data dictionary that goes with it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.microdata.twins.columns import TwinColumn
from workbench.products.employment_tables.twin.jobs import (
    BLOCK,
    EmploymentTwin,
    as_microdata,
    make_employment_twin,
)

__all__ = ["Format", "TwinFiles", "as_microdata", "make_employment_twin", "write_dictionary", "write_employment_twin"]

Format = Literal["csv", "parquet"]
DICTIONARY_COLUMNS = ("column", "value", "label", "population")


class TwinFiles(NamedTuple):
    data: Path
    dictionary: Path


def write_employment_twin(
    folder: Path,
    *,
    jobs: int,
    seed: int,
    context: Context,
    format: Format = "csv",  # noqa: A002 - the word every caller expects
    columns: Sequence[str] = (),
    share_with_two_jobs: float = 0.0,
) -> TwinFiles:
    """Make a twin and write jobs.csv or jobs.parquet and dictionary.csv into the folder.

    `columns` keeps only those (all where it is empty). A file appears under its name only once it is complete.
    """
    twin = make_employment_twin(
        jobs=jobs, seed=seed, context=Part(context, 0.0, 0.4), share_with_two_jobs=share_with_two_jobs
    )
    kept = {name: column for name, column in twin.columns.items() if not columns or name in columns}
    twin = EmploymentTwin(jobs=twin.jobs, columns=kept)
    files = TwinFiles(folder / f"jobs.{format}", folder / "dictionary.csv")
    write_jobs = _write_parquet if format == "parquet" else _write_csv
    with _explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _complete(files.data, lambda path: write_jobs(path, twin, Part(context, 0.4, 1.0)))
        _complete(files.dictionary, lambda path: write_dictionary(path, twin))
    context.step(1.0, "twin written")
    return files


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as wrong:
        reason = wrong.strerror or "the disk refused"
        do = "Choose another folder or free some space"
        raise UserProblem(f"The sample cannot be written ({reason})", str(folder), do) from wrong


def _complete(path: Path, write: Callable[[Path], None]) -> None:
    """Write beside the final name and rename at the end, so that a cancelled or failed write leaves nothing behind."""
    unfinished = path.with_name(path.name + ".part")
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_dictionary(path: Path, twin: EmploymentTwin) -> None:
    """One line per column and value: its label, and the population where the column is a place."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(DICTIONARY_COLUMNS)
        for name, column in twin.columns.items():
            for value in sorted(column.labels):
                writer.writerow((name, value, column.labels[value], column.populations.get(value, "")))


def _blocks(twin: EmploymentTwin, context: Context) -> Iterator[slice]:
    for start in range(0, twin.jobs, BLOCK):
        context.step(start / twin.jobs, "writing jobs")
        yield slice(start, min(start + BLOCK, twin.jobs))


def _write_csv(path: Path, twin: EmploymentTwin, context: Context) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    with path.open("wb") as file:
        file.write((",".join(twin.columns) + "\n").encode("utf-8"))
        options = arrow_csv.WriteOptions(include_header=False, quoting_style="none")
        for rows in _blocks(twin, context):
            texts = {name: _texts(column, rows) for name, column in twin.columns.items()}
            arrow_csv.write_csv(pa.table(texts), file, options)


def _write_parquet(path: Path, twin: EmploymentTwin, context: Context) -> None:
    """Dictionary-encoded columns; worker identifiers are plain text, since a dictionary of them saves nothing."""
    import pyarrow as pa
    from pyarrow import parquet

    listed = [name for name in twin.columns if name != "worker"]
    kinds = [(name, _listed_type() if name in listed else pa.string()) for name in twin.columns]
    with parquet.ParquetWriter(path, pa.schema(kinds), use_dictionary=listed, compression="zstd") as writer:
        dictionaries = {name: pa.array(twin.columns[name].values, pa.string()) for name in listed}
        for rows in _blocks(twin, context):
            arrays = [
                pa.DictionaryArray.from_arrays(
                    pa.array(twin.columns[name].codes[rows].astype(np.int32)), dictionaries[name]
                )
                if name in listed
                else _texts(twin.columns[name], rows)
                for name in twin.columns
            ]
            writer.write_table(pa.table(arrays, schema=pa.schema(kinds)))


def _listed_type() -> Any:
    import pyarrow as pa

    return pa.dictionary(pa.int32(), pa.string())


def _texts(column: TwinColumn, rows: slice) -> Any:
    import pyarrow as pa

    return pa.array(np.asarray(column.values)[column.codes[rows]], pa.string())
