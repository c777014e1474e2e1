"""Files of employment tables beside the standard ones: the margins, where there are any."""

from __future__ import annotations

from functools import partial

from workbench.core.published import Published
from workbench.outputs.contract import OutputFile


def margin_files(published: Published) -> tuple[OutputFile, ...]:
    margins = published.published_beside
    if margins is None:
        return ()
    return (
        OutputFile(
            name="margins.csv",
            kind="margins",
            title="Margins (CSV)",
            media_type="text/csv",
            write=partial(_csv, margins),
        ),
    )


def _csv(margins: Published) -> bytes:
    from workbench.outputs.csv_file import csv_bytes

    return csv_bytes(margins)
