"""The released table as CSV: UTF-8, numbers as numbers, no cell that a spreadsheet would run as a formula.

What begins a formula gets an apostrophe in front, so that spreadsheets show it; a negative number is no formula and
stays one. Cells with a semicolon or a tab are quoted as well, because spreadsheets of many countries part cells there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect
from workbench.core.files import write_bytes
from workbench.report.wording import visible

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NEGATIVE_NUMBER = re.compile(r"-\d+(\.\d+)?")
_NEEDS_QUOTES = re.compile('[",;\t\r\n]')


def table_bytes(
    *,
    columns: Sequence[str],
    keys: Sequence[Sequence[str]],
    value_name: str,
    values: NDArray[np.integer] | Sequence[int],
) -> bytes:
    """The table as the bytes that are published: one text column per key, then the value as an integer (RFC 4180).

    Control characters and marks that turn the direction of text become the replacement sign, as in the report.
    """
    numbers = np.asarray(values)
    if not np.issubdtype(numbers.dtype, np.integer):
        raise Defect("a released table must hold integers")
    if len(columns) != len(keys) or any(len(column) != len(numbers) for column in keys):
        raise Defect("the key columns of a released table do not line up with its values")
    return columns_bytes(columns=(*columns, value_name), keys=keys, numbers=(list(map(str, numbers.tolist())),))


def columns_bytes(*, columns: Sequence[str], keys: Sequence[Sequence[str]], numbers: Sequence[Sequence[str]]) -> bytes:
    """The same for a table of several value columns: `numbers` are texts that are published as they stand."""
    shown = [_harmless(column) for column in keys]
    lines = [",".join(_harmless(columns))]
    lines += [",".join(row) for row in zip(*shown, *numbers, strict=True)]
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8")


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
    """Each cell as it stands in the file. Keys repeat, so every different text is looked at once."""
    made: dict[str, str] = {}
    return [made[cell] if cell in made else made.setdefault(cell, _cell(cell)) for cell in cells]


def _cell(text: str) -> str:
    shown = visible(text)
    if shown.startswith(_STARTS_A_FORMULA) and not _NEGATIVE_NUMBER.fullmatch(shown):
        shown = f"'{shown}"
    return '"' + shown.replace('"', '""') + '"' if _NEEDS_QUOTES.search(shown) else shown
