"""The released table as CSV: UTF-8, numbers as numbers, no cell that a spreadsheet would run as a formula."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect
from workbench.core.files import write_bytes

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def table_bytes(
    *,
    columns: Sequence[str],
    keys: Sequence[Sequence[str]],
    value_name: str,
    values: NDArray[np.integer] | Sequence[int],
) -> bytes:
    """The table as the bytes that are published: one text column per key, then the value as an integer (RFC 4180).

    Text that begins with = + - @ tab or a line break gets an apostrophe in front: spreadsheets then show it instead
    of running it.
    """
    numbers = np.asarray(values)
    if not np.issubdtype(numbers.dtype, np.integer):
        raise Defect("a released table must hold integers")
    if len(columns) != len(keys) or any(len(column) != len(numbers) for column in keys):
        raise Defect("the key columns of a released table do not line up with its values")
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*_harmless(columns), _harmless([value_name])[0]])
    writer.writerows(zip(*(_harmless(column) for column in keys), numbers.tolist(), strict=True))
    return text.getvalue().encode("utf-8")


def write_table(
    *,
    columns: Sequence[str],
    keys: Sequence[Sequence[str]],
    value_name: str,
    values: NDArray[np.integer] | Sequence[int],
    path: Path,
) -> str:
    """Write the table whole or not at all; returns the SHA-256 of the file."""
    content = table_bytes(columns=columns, keys=keys, value_name=value_name, values=values)
    write_bytes(path, content)
    return hashlib.sha256(content).hexdigest()


def _harmless(cells: Iterable[str]) -> list[str]:
    return [f"'{cell}" if cell.startswith(_STARTS_A_FORMULA) else cell for cell in cells]
