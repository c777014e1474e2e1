"""What a product's twin is: synthetic data of any size, in the same files as its sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from workbench.core.progress import Context

Format = Literal["csv", "parquet"]
ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)

# From here on a text file is slow to write and to read; Parquet keeps the codes as they are.
_PARQUET_FROM = 500_000


class Twin(Protocol[ParamsT_contra]):
    @property
    def params(self) -> type:
        """How large it is and what else can be asked of it; the same seed gives the same files."""

    def write(self, folder: Path, params: ParamsT_contra, *, seed: int, context: Context) -> tuple[Path, ...]:
        """The files of the sample at that size. The sample's plan reads them, whether CSV or Parquet."""


AnyTwin = Twin[Any]


def format_for(rows: int) -> Format:
    return "parquet" if rows >= _PARQUET_FROM else "csv"
