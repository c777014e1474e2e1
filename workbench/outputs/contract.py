"""What an output file is: one of the files in which the values of a release leave the agency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.core.published import Published


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFile:
    """`name` stands behind the release's number in the name of the file: `table.csv` becomes `R-0001-table.csv`.

    The bytes are made when somebody asks for them. `lasting`: they follow from the published values alone, whatever
    version of a library writes them, so that the approval report can name their SHA-256. `table` is what the file holds
    where that is not the published table.
    """

    name: str
    kind: str  # how people ask for it: csv, parquet, stata, code-book
    title: str
    media_type: str
    write: Callable[[], bytes]
    lasting: bool = False
    table: Published | None = None

    def of(self, release_id: str) -> str:
        """The name of the file."""
        return f"{release_id}-{self.name}"
