"""A folder of Parquet files with one schema, read as one table in the order of their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.core.quantities import counted
from workbench.microdata.files import Kind, parquet_files
from workbench.microdata.options import ReadOptions
from workbench.microdata.readers import parquet
from workbench.microdata.readers.contract import Batch, Opened


def opened(path: Path, options: ReadOptions, context: Context) -> Opened:
    """Every footer is read before any row: the file that differs is named, and what it differs in."""
    files = parquet_files(path)
    parts = [
        parquet.opened(file, options, Part(context, place / len(files), (place + 1) / len(files)))
        for place, file in enumerate(files)
    ]
    first, columns = files[0], parts[0].columns
    for file, part in zip(files[1:], parts[1:], strict=True):
        odd = sorted(set(columns) ^ set(part.columns))
        if odd:
            listed = ", ".join(f"“{name}”" for name in odd[:5])
            what = f"{file.name} and {first.name} do not have the same columns: {listed}"
            raise UserProblem(what, path.name, "Bring the files to one layout, or move the odd one away")
        if part.unreadable.keys() != parts[0].unreadable.keys():
            what = f"{file.name} and {first.name} do not have the same types"
            raise UserProblem(what, path.name, "Bring the files to one layout, or move the odd one away")

    def batches(wanted: tuple[str, ...]) -> Iterator[Batch]:
        for place, part in enumerate(parts):
            for batch in part.batches(wanted):
                yield Batch(batch.arrays, batch.rows, (place + batch.fraction) / len(parts))

    found = (f"folder of {counted(len(files), 'Parquet file')}",)
    return Opened(kind=Kind.PARQUET, columns=columns, found=found, batches=batches, unreadable=parts[0].unreadable)
