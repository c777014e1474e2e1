"""Records from a mixture of products: a stratified draw, then swaps towards the model's own two-way tables.

Each component gives N*/M records; inside it every variable is drawn systematically (one random start, random order), so
that the file lies closer to the model than independent draws would. A swap exchanges one variable's answers of two
records: one-way tables stay as they are, and two-way tables move towards the model. The confidential data play no part.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET, Context
from workbench.tabulation.pairs import counted_pairs

_SWEEPS = 25
_FIRST_SHARE = 0.3
_ENOUGH = 0.01  # a sweep that gains less than this share of the distance ends the polish …
_SETTLED = 5  # … once the shares of swaps made at a time have settled


def drawn(chances: Floats, categories: Integers, size: int, rng: np.random.Generator) -> Integers:
    """`size` records × variables, as positions of categories."""
    components = len(chances)
    own = np.full(components, size // components)
    own[rng.permutation(components)[: size - int(own.sum())]] += 1
    records = np.empty((size, len(categories)), dtype=np.int64)
    ends = np.concatenate([[0], np.cumsum(own)])
    offsets = np.concatenate([[0], np.cumsum(categories)])
    for component in range(components):
        rows = slice(int(ends[component]), int(ends[component + 1]))
        count = int(own[component])
        if not count:
            continue
        for variable, first in enumerate(offsets[:-1]):
            upper = np.cumsum(chances[component, first : offsets[variable + 1]])
            points = (np.arange(count) + rng.random()) / count * upper[-1]
            places = np.minimum(np.searchsorted(upper, points, side="right"), categories[variable] - 1)
            records[rows, variable] = rng.permutation(places)
    return records[rng.permutation(size)]


def file_tables(records: Integers, categories: Integers) -> Floats:
    """All two-way tables of a file, as one square over all categories."""
    offsets = np.concatenate([[0], np.cumsum(categories)])
    sizes = categories.tolist()
    columns = [records[:, place].astype(np.min_scalar_type(size)) for place, size in enumerate(sizes)]
    tables = np.diag(np.concatenate([np.bincount(c, minlength=s) for c, s in zip(columns, sizes, strict=True)]))
    tables = tables.astype(np.float64)
    which = combinations([slice(first, last) for first, last in pairwise(offsets.tolist())], 2)
    for (first, second), counts in zip(which, counted_pairs(columns, sizes, QUIET), strict=True):
        tables[first, second] = counts
        tables[second, first] = counts.T
    return tables


def polished(
    records: Integers, target: Floats, categories: Integers, rng: np.random.Generator, context: Context
) -> Integers:
    """The file after swaps that bring its two-way tables closer to the target's."""
    offsets = np.concatenate([[0], np.cumsum(categories)])
    places = records + offsets[:-1]
    away = file_tables(records, categories) - target
    _clear_own(away, offsets)
    share, last = np.full(len(categories), _FIRST_SHARE), float((away**2).sum())
    for sweep in range(_SWEEPS):
        for done, variable in enumerate(rng.permutation(len(categories)).tolist()):
            context.step((sweep + done / len(categories)) / _SWEEPS, "bringing the file closer to the model")
            share[variable] = _swap(places, away, offsets, variable, share[variable], rng)
        now = float((away**2).sum())
        if sweep >= _SETTLED and last - now < _ENOUGH * last:
            break
        last = now
    context.step(1.0, "file brought closer to the model")
    polished_: Integers = places - offsets[:-1]
    return polished_


def _clear_own(away: Floats, offsets: Integers) -> None:
    for first, last in pairwise(offsets.tolist()):
        away[first:last, first:last] = 0.0


def _swap(
    places: Integers, away: Floats, offsets: Integers, variable: int, share: float, rng: np.random.Generator
) -> float:
    """One round of swaps of one variable; returns the share of improving swaps to make next time."""
    size, others = len(places), np.delete(np.arange(places.shape[1]), variable)
    order = rng.permutation(size)
    a, b = order[: size // 2], order[size // 2 : 2 * (size // 2)]
    own, other = places[a, variable], places[b, variable]
    first, last = int(offsets[variable]), int(offsets[variable + 1])
    rows = away[first:last]
    pull_a = _pulls(rows, places[a][:, others])
    pull_b = _pulls(rows, places[b][:, others])
    at = np.arange(len(a))
    gain = pull_a[own - first, at] - pull_a[other - first, at] + pull_b[other - first, at] - pull_b[own - first, at]
    differ = (places[a][:, others] != places[b][:, others]).sum(axis=1)
    better = np.flatnonzero((own != other) & (-2.0 * gain + 4.0 * differ < 0.0))
    made = better[rng.random(len(better)) < share]
    if not len(made):
        return min(share * 1.2, 1.0)
    before = float((rows**2).sum())
    changed = _changed(places, a[made], b[made], variable, others, rows.shape, first)
    after = float(((rows + changed) ** 2).sum())
    if after >= before:
        return share / 2.0
    away[first:last] += changed
    away[:, first:last] += changed.T
    places[a[made], variable], places[b[made], variable] = other[made], own[made]
    return min(share * 1.2, 1.0)


def _pulls(rows: Floats, others: Integers) -> Floats:
    """S[c, r] = Σ over the other columns of (file − model) at category c and the record's answers."""
    total = np.zeros((len(rows), len(others)))
    for column in range(others.shape[1]):
        total += rows[:, others[:, column]]
    return total


def _changed(
    places: Integers,
    a: Integers,
    b: Integers,
    variable: int,
    others: Integers,
    shape: tuple[int, ...],
    first: int,
) -> Floats:
    """What the swaps change in the two-way tables of this variable with all others."""
    width = shape[1]
    changed = np.zeros(shape[0] * width)
    own, other = places[a, variable] - first, places[b, variable] - first
    for column in others.tolist():
        for rows, leaves, comes in ((a, own, other), (b, other, own)):
            answer = places[rows, column]
            changed -= np.bincount(leaves * width + answer, minlength=len(changed))
            changed += np.bincount(comes * width + answer, minlength=len(changed))
    return changed.reshape(shape)
