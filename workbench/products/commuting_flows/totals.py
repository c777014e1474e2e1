"""Segments against the totals they belong to: a job in two segments of one set would be paid for once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.errors import Problem
from workbench.core.progress import QUIET
from workbench.microdata.table import Microdata
from workbench.products.commuting_flows.pairs import MOST_JOBS, Pairs
from workbench.products.commuting_flows.segments import sets_of, sums_by_set
from workbench.tabulation.door import rows_of


def above_total(microdata: Microdata, pairs: Pairs, segments: Sequence[str]) -> list[Problem]:
    """Sets that hold more jobs than there are; a missing total allows nothing."""
    held_by_set = sums_by_set(segments, list(pairs.counts.values())) if segments else []
    found = []
    for total, most in pairs.totals.items():
        gaps = rows_of(microdata).numbers(total, most=MOST_JOBS, context=QUIET).missing.reveal()
        for (name, members), held in zip(sets_of(segments).items(), held_by_set, strict=True):
            if gaps or not np.all(held <= most):
                said = f"The segments {name} add" if len(members) > 1 else f"“{segments[members[0]]}” comes"
                what = f"{said} up to more than “{total}” in some rows, so some jobs are counted more than once"
                do = "A job must be in one segment of a set at most: correct the counts, or choose other segments"
                found.append(Problem(what, "segments", do))
    return found
