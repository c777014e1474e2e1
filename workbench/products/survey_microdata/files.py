"""The files in which a survey leaves: the records or tables, and what stands beside them."""

from __future__ import annotations

from functools import partial

from workbench.core.published import Published
from workbench.outputs.contract import OutputFile
from workbench.outputs.csv_file import csv_bytes
from workbench.outputs.standard import standard_files
from workbench.products.survey_microdata.layout import has_tables


def output_files(published: Published) -> tuple[OutputFile, ...]:
    """CSV, code book, Parquet and Stata of the file; the noisy tables or the design as a CSV of their own."""
    files = standard_files(published)
    beside = published.published_beside
    if beside is None:
        return files
    tables = has_tables(beside)
    made = OutputFile(
        name="tables.csv" if tables else "design.csv",
        kind="tables" if tables else "design",
        title="Noisy tables (CSV)" if tables else "Design of the protection (CSV)",
        media_type="text/csv",
        lasting=True,
        write=partial(csv_bytes, beside),
        columns=beside.names,
    )
    return (*files, made)
