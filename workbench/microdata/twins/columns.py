"""Columns of a twin: codes and the texts they stand for. Nothing in a twin comes from anybody's records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workbench.microdata.table import Codes


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinColumn:
    """Codes into sorted text values; labels and populations are what the data dictionary says."""

    codes: Codes
    values: tuple[str, ...] | NDArray[np.str_]
    labels: Mapping[str, str] = field(default_factory=dict)
    populations: Mapping[str, int] = field(default_factory=dict)


def identifiers(letter: str, count: int, digits: int) -> NDArray[np.str_]:
    """E0000001, E0000002 …: sorted texts of one width, made without a Python loop."""
    letters = np.empty((count, digits + 1), dtype=np.uint32)
    letters[:, 0] = ord(letter)
    rest = np.arange(1, count + 1, dtype=np.uint32)
    for position in range(digits, 0, -1):
        rest, digit = np.divmod(rest, 10)
        letters[:, position] = digit + ord("0")
    return letters.view(f"U{digits + 1}").ravel()
