"""What noisy bins leave open however many cells are taken together: where people are within their bins.

Percentiles and means of a histogram take pay to be spread evenly in the logarithm of each bin. Where it is not, all
institutions are off alike, so that no model makes it better: this part of a margin stays, and only the part that is
noise is drawn together. Everything is read from the published bins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.published import Published
from workbench.products.outcome_reports.files.added_bins import DrawnBins, drawn_bins
from workbench.products.outcome_reports.percentiles import onto_simplex

_UNIFORM = 0.29  # sd of a uniform law of width 1
_LEAST = 0.25  # of a margin is taken for noise at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Of a margin, as standard deviations: noise, and what stays."""

    noise: Floats
    stays: Floats


def parted(table: Published, value: Floats, sd: Floats, *, mean: bool) -> Parts:
    """Without bins all of it is noise."""
    bins = drawn_bins(table)
    if bins is None:
        return Parts(noise=sd, stays=np.zeros(len(sd)))
    stays = np.minimum(_of_means(bins, value) if mean else _of_percentiles(bins, value), sd)
    if mean:
        return Parts(noise=sd, stays=stays)
    return Parts(noise=np.sqrt(np.maximum(sd**2 - stays**2, (_LEAST * sd) ** 2)), stays=stays)


def _of_percentiles(bins: DrawnBins, value: Floats) -> Floats:
    found = np.full(len(value), np.nan)
    for kind, edges in enumerate(bins.edges):
        rows = np.flatnonzero((bins.kind == kind) & np.isfinite(value))
        at = np.searchsorted(edges[1:-1], value[rows], side="right")
        found[rows] = _UNIFORM * value[rows] * np.diff(np.log(np.maximum(edges, 1.0)))[at]
    return found


def _of_means(bins: DrawnBins, value: Floats) -> Floats:
    """Each bin by itself, weighted by its people."""
    found = np.full(len(value), np.nan)
    for kind, edges in enumerate(bins.edges):
        rows = np.flatnonzero((bins.kind == kind) & np.isfinite(value))
        people = onto_simplex(np.stack([bins.people[row] for row in rows])) if len(rows) else np.zeros((0, 1))
        low, high = np.maximum(edges[:-1], 1.0), np.maximum(edges[1:], 1.0)
        each = _UNIFORM * (high - low)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[rows] = np.sqrt(((people * each) ** 2).sum(axis=1)) / people.sum(axis=1)
    return found
