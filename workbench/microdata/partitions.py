"""Folders named `year=2025` inside a data folder: each names a value that all rows beneath it share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from workbench.core.errors import UserProblem
from workbench.microdata.files import is_pattern

_SIGN = "="
_MISSING = "__HIVE_DEFAULT_PARTITION__"  # as Hive, Spark, Arrow and DuckDB write the folder of rows without a value


def partitions_of(folder: Path, file: Path) -> dict[str, str | None]:
    """The columns that the folders between a data folder and one of its files name, outermost first.

    A value that cannot be a folder's name is written as in addresses: place=a%2Fb.
    """
    parts = file.relative_to(folder).parts[:-1]
    named = (part.split(_SIGN, 1) for part in parts if _SIGN in part.strip(_SIGN))
    return {unquote(name): None if value == _MISSING else unquote(value) for name, value in named}


def partitioned(folder: Path, files: Sequence[Path], columns: Sequence[str]) -> list[dict[str, str | None]]:
    """The values of every file. All files must name the same columns, and none that is inside a file already."""
    home = folder.parent if is_pattern(folder) else folder
    found = [partitions_of(home, file) for file in files]
    for file, named in zip(files, found, strict=True):
        if named.keys() != found[0].keys():
            what = f"{file.name} and {files[0].name} lie in folders that name different columns"
            raise UserProblem(what, folder.name, "Give every file a folder of the same kind, such as year=2025")
        twice = sorted(set(named) & set(columns))
        if twice:
            what = f"“{twice[0]}” is named by a folder and is a column of {file.name} too"
            raise UserProblem(what, folder.name, "Rename the folders or the column")
    return found
