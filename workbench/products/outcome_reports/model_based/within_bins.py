"""What noisy bins leave open however many cells are taken together: where people are within their bins.

Percentiles and means of a histogram take pay to be spread evenly in the logarithm of each bin. Where it is not, all
institutions are off alike, so that no model of institutions makes it better: this part of a margin stays, and only the
part that is noise is drawn together. Means are corrected by the slope that the bins of all institutions show.
Everything is read from the published bins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import Published
from workbench.products.outcome_reports.files.added_bins import DrawnBins, drawn_bins
from workbench.products.outcome_reports.mechanisms.means_of_bins import UNIFORM, flat_means, sloped_means
from workbench.products.outcome_reports.percentiles import onto_simplex

_LEAST = 0.25  # of a margin is taken for noise at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Of a margin, as standard deviations: noise, and what stays."""

    noise: Floats
    stays: Floats


def parted(table: Published, value: Floats, sd: Floats) -> Parts:
    """Without bins all of it is noise."""
    bins = drawn_bins(table)
    if bins is None:
        return Parts(noise=sd, stays=np.zeros(len(sd)))
    stays = np.minimum(_of_percentiles(bins, value), sd)
    return Parts(noise=np.sqrt(np.maximum(sd**2 - stays**2, (_LEAST * sd) ** 2)), stays=stays)


def _of_percentiles(bins: DrawnBins, value: Floats) -> Floats:
    found = np.full(len(value), np.nan)
    for kind, edges in enumerate(bins.edges):
        rows = np.flatnonzero((bins.kind == kind) & np.isfinite(value))
        at = np.searchsorted(edges[1:-1], value[rows], side="right")
        found[rows] = UNIFORM * value[rows] * np.diff(np.log(np.maximum(edges, 1.0)))[at]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What people of a bin earn on average, and what is not known about it, per person: rows × bins, and rows."""

    mean: Floats
    apart: Floats  # variance of pay of single people around the means of their bins
    alike: Floats  # sd of what is off in all cells alike


def worth(edges: Floats, people: Floats, group: Integers) -> Worth:
    """From noisy bins of rows, pooled over those of one group: pay rises or falls within a bin as it does around it.

    The density of the logarithm of pay is taken to be exponential in each bin, with the slope that the bins beside it
    show. As much as this changes may still be off. The outer bins also hold whoever is beyond them: there pay is left
    to be spread evenly, and may lie anywhere.
    """
    groups = range(int(group.max()) + 1)
    kept = onto_simplex(np.stack([people[group == each].sum(axis=0) for each in groups]))
    whole = np.maximum(kept.sum(axis=1, keepdims=True), 1.0)
    mean, width = sloped_means(edges, kept), np.diff(edges)
    share = kept / whole
    outer = (share * UNIFORM * width)[:, [0, -1]].sum(axis=1)
    alike = np.hypot((share * (mean - flat_means(edges))).sum(axis=1), outer)
    apart = (share * (UNIFORM * width) ** 2).sum(axis=1)
    return Worth(mean=mean[group], apart=apart[group], alike=alike[group])
