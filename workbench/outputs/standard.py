"""The files that every product offers: CSV, Parquet, Stata and a code book. A product may add layouts of its own."""

from __future__ import annotations

from functools import partial

from workbench.core.published import Published
from workbench.outputs.contract import OutputFile


def standard_files(published: Published) -> tuple[OutputFile, ...]:
    """CSV first: it is the file that the approval report names."""
    stem = "records" if published.records else "table"
    return (
        OutputFile(
            name=f"{stem}.csv", kind="csv", title="CSV", media_type="text/csv", lasting=True,
            write=partial(_csv, published),
        ),
        OutputFile(
            name="code-book.csv", kind="code-book", title="Code book (CSV)", media_type="text/csv",
            write=partial(_code_book, published),
        ),
        OutputFile(
            name=f"{stem}.parquet", kind="parquet", title="Parquet", media_type="application/vnd.apache.parquet",
            write=partial(_parquet, published),
        ),
        OutputFile(
            name=f"{stem}.dta", kind="stata", title="Stata", media_type="application/x-stata-dta",
            write=partial(_stata, published),
        ),
    )  # fmt: skip


def _csv(published: Published) -> bytes:
    from workbench.outputs.csv_file import csv_bytes

    return csv_bytes(published)


def _code_book(published: Published) -> bytes:
    from workbench.outputs.code_book import code_book

    return code_book(published)


def _parquet(published: Published) -> bytes:
    from workbench.outputs.parquet_file import parquet_bytes

    return parquet_bytes(published)


def _stata(published: Published) -> bytes:
    from workbench.outputs.stata_file import stata_bytes

    return stata_bytes(published)
