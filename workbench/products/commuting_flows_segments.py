"""Segments: columns of counts that divide the jobs of a pair of places, and which of them exclude one another."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from workbench.flows.structures import Counts

_SEGMENT = re.compile(r"([A-Z]{2,3})\d{2}")


def sets_of(segments: Sequence[str]) -> dict[str, list[int]]:
    """The sets that segments fall into: name of the set, numbers of its segments.

    SA01 … SA03 are one set of LODES, SE01 … SE03 another: a job is in one segment of each. Columns with other names may
    overlap (jobs2019, jobs2020), so each is paid for as a set of its own.
    """
    found: dict[str, list[int]] = {}
    for number, name in enumerate(segments):
        match = _SEGMENT.fullmatch(name)
        found.setdefault(f"{match[1]}00" if match else name, []).append(number)
    return found


def sums_by_set(segments: Sequence[str], counts: Sequence[Counts]) -> list[Counts]:
    """The jobs of each row, once for every set; the counts themselves where there are no segments."""
    if not segments:
        return list(counts)
    return [np.sum([counts[number] for number in members], axis=0) for members in sets_of(segments).values()]
