"""The files in which a survey leaves: the records or tables, what stands beside them, and how to estimate."""

from __future__ import annotations

from functools import partial

from workbench.core.published import Published
from workbench.outputs.contract import OutputFile
from workbench.outputs.csv_file import csv_bytes
from workbench.outputs.standard import standard_files
from workbench.products.survey_microdata.code_book import guide, program
from workbench.products.survey_microdata.layout import has_design, has_tables


def output_files(published: Published) -> tuple[OutputFile, ...]:
    """CSV, code book, Parquet and Stata of the file; the tables or the design as a CSV; a guide and two programs."""
    beside = published.published_beside
    files = list(standard_files(published))
    if beside is not None:
        tables = has_tables(beside)
        files.append(
            OutputFile(
                name="tables.csv" if tables else "design.csv",
                kind="tables" if tables else "design",
                title="Noisy tables (CSV)" if tables else "Design of the protection (CSV)",
                media_type="text/csv",
                lasting=True,
                write=partial(csv_bytes, beside),
                table=beside,
            )
        )
    if has_tables(published) or has_tables(beside) or has_design(beside):
        files += [
            OutputFile(name="estimates.md", kind="guide", title="How to estimate", media_type="text/markdown",
                       write=partial(guide, published)),
            OutputFile(name="estimate.py", kind="python", title="Estimates in Python", media_type="text/x-python",
                       write=partial(program, published, "py")),
            OutputFile(name="estimate.R", kind="r", title="Estimates in R", media_type="text/x-r",
                       write=partial(program, published, "R")),
        ]  # fmt: skip
    return tuple(files)
