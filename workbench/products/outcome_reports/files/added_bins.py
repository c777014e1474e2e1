"""Percentiles of cells taken together, from the sums of their noisy bins: nothing is drawn again.

Cells planned with different sizes have different edges. Their bins are cut at the edges of all, people of a bin being
spread evenly over the logarithm of pay, as percentiles take them to be; bins with the same edges are simply added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import Published
from workbench.products.outcome_reports.outcomes import SHARES
from workbench.products.outcome_reports.percentiles import interpolated, onto_simplex


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnBins:
    """Noisy bins, row of the report by row: edges as their place in `edges`, people as drawn."""

    edges: tuple[Floats, ...]
    kind: Integers  # of each row
    people: tuple[Floats, ...]  # of each row

    def percentiles(self, rows: Sequence[int]) -> Floats:
        """Of all people of these rows together; not-a-number where the noisy people are not positive."""
        kinds = sorted({int(self.kind[row]) for row in rows})
        common = self.edges[kinds[0]] if len(kinds) == 1 else np.unique(np.concatenate([self.edges[k] for k in kinds]))
        total = np.zeros(len(common) - 1)
        for kind in kinds:
            own = np.sum([self.people[row] for row in rows if self.kind[row] == kind], axis=0)
            total += own if len(kinds) == 1 else _cut(self.edges[kind], own, common)
        found: Floats = interpolated(common, onto_simplex(total[None, :]), SHARES)[0]
        return found


def _cut(edges: Floats, people: Floats, common: Floats) -> Floats:
    """People of bins, at finer edges that hold all of theirs."""
    running = np.concatenate([[0.0], np.cumsum(people)])
    return np.diff(np.interp(np.log(np.maximum(common, 1.0)), np.log(np.maximum(edges, 1.0)), running))


def drawn_bins(table: Published) -> DrawnBins | None:
    """None where the release has no bins beside it."""
    beside = table.published_beside
    if beside is None or "noisy_people" not in beside.names:
        return None
    shape = tuple(len(key.values) for key in table.keys)
    row = np.ravel_multi_index(tuple(beside.coded(key.name).codes for key in table.keys), shape)
    starts = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
    low, high = (beside.units(name).integers for name in ("earnings_from", "earnings_to"))
    people = beside.units("noisy_people").integers.astype(np.float64)
    known: dict[tuple[int, ...], int] = {}
    kinds, bins = [], []
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(row)], strict=True):
        edges = (*low[start:end].tolist(), int(high[end - 1]))
        kinds.append(known.setdefault(edges, len(known)))
        bins.append(people[start:end])
    edges_of = tuple(np.array(edges, dtype=np.float64) for edges in known)
    return DrawnBins(edges=edges_of, kind=np.array(kinds, dtype=np.int64), people=tuple(bins))
