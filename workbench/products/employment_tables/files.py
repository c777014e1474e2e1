"""Files of employment tables beside the standard ones: the margins, and the number of large establishments."""

from __future__ import annotations

from functools import partial

from workbench.core.published import Published
from workbench.outputs.contract import OutputFile
from workbench.products.employment_tables.published import margins_of_table, number_of


def files_beside(published: Published) -> tuple[OutputFile, ...]:
    margins, number = margins_of_table(published), number_of(published)
    return (
        *((_file("margins", "Margins (CSV)", margins),) if margins is not None else ()),
        *((_file("establishments", "Large establishments (CSV)", number),) if number is not None else ()),
    )


def _file(kind: str, title: str, table: Published) -> OutputFile:
    return OutputFile(
        name=f"{kind}.csv", kind=kind, title=title, media_type="text/csv", lasting=True, write=partial(_csv, table),
        table=table,
    )  # fmt: skip


def _csv(table: Published) -> bytes:
    from workbench.outputs.csv_file import csv_bytes

    return csv_bytes(table)
