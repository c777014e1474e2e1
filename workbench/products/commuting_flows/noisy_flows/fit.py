"""From noisy answers to expected flows: public layout and what was drawn go in, no job can.

Tract flows: the prior q with its law of distance corrected by noisy totals, then posterior means around q·Σ n̂, as
shares π_T of the tract, corrected by the same totals; π_T = q_T where no population is larger.
Cells: μ_{g,c} = Σ π_T over the homes of the cell; posterior means around n̂·μ, rescaled to n̂. Small populations that
report: three passes of the reports' posterior with μ ← (40·μ + x̂)/(40 + n).
Expected flow of a piece (cell × point): x̂_{g,c}·π_T·share of the point's people in the piece/μ_{g,c}.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, starmap

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context, Part
from workbench.core.together import together
from workbench.noise import randomised_response
from workbench.noise.discrete_laplace import variance
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.noisy_flows.extents import SPLIT
from workbench.products.commuting_flows.noisy_flows.layout import Layout
from workbench.products.commuting_flows.noisy_flows.measure import Measured
from workbench.products.commuting_flows.noisy_flows.places import CELLS
from workbench.products.commuting_flows.noisy_flows.posterior import (
    Noisy,
    evenly,
    fitted,
    means_with,
    posterior_means,
    report_means,
)
from workbench.products.commuting_flows.noisy_flows.public_prior import BINS, times_bin

_PASSES, _BELIEVED = 3, 40.0
_LEAST_SIZE = 0.5
_REFITS = 2
_PAIRS = 200_000  # of work tract and point, or of workplace and own piece, that are worked on at once
_LEAST_FACTOR = 0.05  # a bin whose noisy total is about nothing keeps a little of its prior
_CLASSES = len(BINS) + 1
_TRACE = 1e-9  # of the prior, so that no home becomes impossible and nothing is divided by zero


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fitted:
    """What is expected: workers of each population in each listed cell, and how each work tract's homes are shared."""

    workers: Integers  # m: what is published of each population
    pattern: Floats  # π: work tracts × points
    shares: Floats  # μ of each listed cell of each workplace
    own: Floats  # what is expected of each own piece of a workplace, per worker
    cells: Floats  # x̂, populations × CELLS, zero where a cell is not listed; rows add up to n̂


def fit(layout: Layout, measured: Measured, context: Context) -> Fitted:
    context.step(0.0, "estimating the flows of work tracts")
    public = measured.budget.sizes is None
    workers = np.maximum(measured.sizes, 0)
    size = workers.astype(np.float64) if public else np.maximum(measured.sizes, _LEAST_SIZE)
    pattern = _pattern(layout, measured, size, Part(context, 0.0, 0.5))
    context.step(0.5, "estimating distance and direction")
    shares, own = _shares(layout, pattern)
    cells = _cells(layout, measured, size, shares)
    whole = cells.sum(axis=1, keepdims=True)
    context.step(1.0, "flows estimated")
    scaled = np.divide(cells * size[:, None], whole, out=np.zeros_like(cells), where=whole > 0)
    return Fitted(workers=workers, pattern=pattern, shares=shares, own=own, cells=scaled)


def _pattern(layout: Layout, measured: Measured, size: Floats, context: Context) -> Floats:
    larger = ~measured.small()
    held = totals(layout.tract_of[larger], size[larger], layout.tracts)
    some = np.flatnonzero(held > 0)
    if not len(some):
        return layout.prior.copy()
    seen = totals_by_distance(layout, measured, some)
    pattern = calibrated(layout, layout.prior, seen, held)
    picked = evenly(len(some) * layout.points)
    row, point = some[picked // layout.points], picked % layout.points
    chosen = fitted(_flows(measured, pattern[row, point], held[row], measured.tract_flows[row, point]))

    def estimate(rows: Integers) -> None:
        before = pattern[rows]
        whole = np.repeat(held[rows], layout.points)
        means = means_with(_flows(measured, before.ravel(), whole, measured.tract_flows[rows].ravel()), chosen)
        means = means.reshape(before.shape)
        before *= _TRACE * held[rows][:, None]
        means += before
        means /= means.sum(axis=1, keepdims=True)
        pattern[rows] = means

    step = max(1, _PAIRS // layout.points)
    tasks = [partial(estimate, some[start : start + step]) for start in range(0, len(some), step)]
    together(tasks, context, "estimating the flows of work tracts")
    return calibrated(layout, pattern, seen, held, into=pattern)


def _flows(measured: Measured, share: Floats, held: Floats, drawn: Integers) -> Noisy:
    """Noisy flows of pairs of work tract and point beside what the prior expects."""
    return Noisy(drawn=drawn, mean=share * held, share=share, scale=measured.budget.tract_flows)


def totals_by_distance(layout: Layout, measured: Measured, some: Integers) -> tuple[Floats, Floats]:
    """Of every bin of distance, over these work tracts: the noisy flows, and the variance of their noise."""
    seen, many = np.zeros(_CLASSES), np.zeros(_CLASSES)
    for start in range(0, len(some), step := max(1, _PAIRS // layout.points)):
        rows = some[start : start + step]
        bins = layout.bins[rows].astype(np.intp).ravel()
        seen += np.bincount(bins, measured.tract_flows[rows].ravel(), _CLASSES)
        many += np.bincount(bins, minlength=_CLASSES)
    return seen, many * variance(measured.budget.tract_flows)


def calibrated(
    layout: Layout, pattern: Floats, totals_seen: tuple[Floats, Floats], held: Floats, into: Floats | None = None
) -> Floats:
    """Shares with their law of distance corrected by the noisy flows, all work tracts together; `into` takes them.

    The noisy total y of a bin of distance is believed as far as it leaves what the prior expects (d = y − expected) by
    more than noise and chance would: expected + (1 − s²/d²)⁺·d, s² the variance of both. So a prior that knows too few
    commutes of a kind, as surveys do of those from far away, does not pull every estimate down. Estimates of many small
    flows lean towards the prior one by one; their totals by distance are known better, so they are corrected in turn.
    """
    some, (seen, noise) = np.flatnonzero(held > 0), totals_seen
    # of each work tract the prior's share of every bin: all that a factor by bin can change
    share = np.stack([np.bincount(bins, row, _CLASSES) for bins, row in zip(layout.bins, pattern, strict=True)])
    factor = np.ones(_CLASSES)
    for _ in range(_REFITS):
        shares = share[some] * factor
        expected = held[some] @ (shares / shares.sum(axis=1, keepdims=True))
        apart = seen - expected
        believed = np.maximum(1.0 - (noise + expected) / np.maximum(apart**2, 1e-12), 0.0)
        step = np.maximum(expected + believed * apart, _LEAST_FACTOR * expected) / np.maximum(expected, 1e-12)
        factor = factor * np.where(expected > 0, step, 1.0)
    found = np.empty_like(pattern) if into is None else into
    times_bin(factor / (share @ factor)[:, None], layout.bins, pattern, found)
    return found


def _shares(layout: Layout, pattern: Floats) -> tuple[Floats, Floats]:
    """μ of every listed cell of every workplace, those of a workplace add up to one; and of its own pieces alone."""
    pieces = layout.pieces
    settled = np.zeros((layout.tracts, CELLS))
    for tract, cells in enumerate(pieces.settled):
        settled[tract] = np.bincount(cells - np.int8(SPLIT), pattern[tract], CELLS + 1)[1:]
    cell = layout.cell_start
    found = settled[np.repeat(layout.tract_of_area, np.diff(cell)), layout.cell]
    own, start, all_points = np.empty(len(pieces.area)), layout.own_start, pattern.ravel()
    row = layout.tract_of_area * layout.points
    for areas in _in_turns(start[cell]):
        slots = slice(cell[areas.start], cell[areas.stop])
        mine = slice(start[slots.start], start[slots.stop])
        place = np.repeat(row[areas], np.diff(start[cell[areas.start : areas.stop + 1]]))
        place += pieces.point[mine]
        np.multiply(all_points.take(place), pieces.share[mine], out=own[mine])
        many = np.diff(start[slots.start : slots.stop + 1])
        slot = np.repeat(np.arange(len(many)), many)
        found[slots] += np.bincount(slot, weights=own[mine], minlength=len(many))
    return found, own


def _in_turns(start: Integers) -> Iterator[slice]:
    """A few at a time of those that begin at `start`, one more than there are."""
    cuts = np.flatnonzero(np.diff(start[1:] // _PAIRS)) + 1
    yield from starmap(slice, pairwise([0, *cuts.tolist(), len(start) - 1]))


def _cells(layout: Layout, measured: Measured, size: Floats, shares: Floats) -> Floats:
    """x̂ of every population and cell."""
    populations, listed = layout.populations, layout.listed
    of = np.repeat(np.arange(populations), listed)
    start = np.cumsum(listed) - listed
    slot = np.arange(len(of)) + np.repeat(layout.cell_start[layout.area_of] - start, listed)
    mu = shares[slot]
    found = np.zeros(len(of))
    noisy = np.flatnonzero(~measured.reported[of])
    top = measured.sizes[of[noisy]] if measured.budget.sizes is None else None
    found[noisy] = posterior_means(
        Noisy(
            drawn=measured.cells[noisy],
            mean=mu[noisy] * size[of[noisy]],
            share=mu[noisy],
            scale=measured.cell_scales[of[noisy]],
            top=top,
        )
    )
    laid = np.zeros((populations, CELLS))
    laid[of, layout.cell[slot]] = found + _TRACE * mu * size[of]
    if measured.reported.any():
        told = np.flatnonzero(measured.reported)
        laid[told] = _from_reports(layout, measured, told, (of, slot, mu))
    return laid


def _from_reports(
    layout: Layout, measured: Measured, told: Integers, cells: tuple[Integers, Integers, Floats]
) -> Floats:
    of, slot, mu = cells
    believed, seen = np.zeros((layout.populations, CELLS)), np.zeros((layout.populations, CELLS))
    believed[of, layout.cell[slot]], seen[of, layout.cell[slot]] = mu, measured.cells
    believed, seen = believed[told], seen[told]
    chances = {many: _chances(measured, many) for many in np.unique(layout.listed[told]).tolist()}
    kept, other = (np.array([chances[many][side] for many in layout.listed[told].tolist()])[:, None] for side in (0, 1))
    size = measured.sizes[told][:, None].astype(np.float64)
    prior = believed
    for _ in range(_PASSES):
        found = report_means(prior, seen, kept, other)
        prior = (_BELIEVED * prior + found) / (_BELIEVED + size)
    return found


def _chances(measured: Measured, cells: int) -> tuple[float, float]:
    return randomised_response.chances(randomised_response.threshold(measured.epsilon, cells), cells)
