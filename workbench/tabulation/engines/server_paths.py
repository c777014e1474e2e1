"""Paths on a cluster: a name is that name, and never a pattern for others that happen to fit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.core.errors import Problem

PARQUET_NAMES = "*.{[pP][aA][rR][qQ][uU][eE][tT],[pP][qQ]}"  # a pattern of Hadoop, which tells capitals apart
_MARKS = re.compile(r"([\[\]{}*?\\])")
_BEYOND_ASCII = re.compile(r"/[^/]*=[^/]*%[89a-fA-F][0-9a-fA-F]")


def as_written(path: str) -> str:
    """The path, its marks of patterns taken for themselves: a folder called jobs[12] is not one called jobs1."""
    return _MARKS.sub(r"\\\1", path)


def as_pattern(path: str) -> str:
    """The last name as a pattern, the folders before it as they are written."""
    home, slash, last = path.rstrip("/").rpartition("/")
    return as_written(home) + slash + last


def unlike_names(path: str, files: Sequence[str]) -> list[Problem]:
    """Folders whose names Spark would read otherwise than every other engine does."""
    if not any(_BEYOND_ASCII.search(file) for file in files):
        return []
    do = "Write such characters as they are, without %, or use another engine"
    return [Problem("A folder's name holds characters beyond ASCII that are written with %", path, do)]
