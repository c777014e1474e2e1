"""Segments: columns of counts that divide the jobs of a pair of places, and which of them exclude one another."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from workbench.core.arrays import Integers
from workbench.microdata.table import Microdata

# The sets of LODES and how far their numbers go; a job is in one segment of each. Any other name proves nothing.
_LODES = {
    "SA": 3, "SE": 3, "SI": 3, "CA": 3, "CE": 3, "CNS": 20, "CR": 7, "CT": 2, "CD": 4, "CS": 2, "CFA": 5, "CFS": 5,
}  # fmt: skip
_SEGMENT = re.compile(r"([A-Z]{2,3})(\d{2})")
_TOTALS = ("S000", "C000")


def sets_of(segments: Sequence[str]) -> dict[str, list[int]]:
    """The sets that segments fall into: name of the set, numbers of its segments.

    SA01 … SA03 are one set of LODES, SE01 … SE03 another: a job is in one segment of each. Columns with other names may
    overlap (jobs2019, JOB20, JOB21), so each is paid for as a set of its own.
    """
    found: dict[str, list[int]] = {}
    for number, name in enumerate(segments):
        known = lodes_set(name)
        found.setdefault(f"{known}01 …" if known else name, []).append(number)
    return found


def lodes_set(name: str) -> str:
    """The set of LODES a column belongs to by its name, SA for SA01; nothing where it is not one of them."""
    match = _SEGMENT.fullmatch(name)
    return match[1] if match and 1 <= int(match[2]) <= _LODES.get(match[1], 0) else ""


def sums_by_set(segments: Sequence[str], counts: Sequence[Integers]) -> list[Integers]:
    """The jobs of each entry, once for every set; the counts themselves where there are no segments."""
    if not segments:
        return list(counts)
    return [np.sum([counts[number] for number in members], axis=0) for members in sets_of(segments).values()]


def totals_of(microdata: Microdata, jobs: str) -> tuple[str, ...]:
    """The columns known to count every job of a row once: the count of jobs, and the totals of LODES."""
    return tuple(name for name in dict.fromkeys((jobs, *_TOTALS)) if name in microdata.columns)
