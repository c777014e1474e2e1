"""Records from a mixture of products: a stratified draw, then swaps towards the model's own two-way tables.

Each component gives N*/M records; inside it every variable is drawn systematically (one random start, random order), so
that the file lies closer to the model than independent draws would. A swap exchanges one variable's answers of two
records: one-way tables stay as they are, and two-way tables move towards the model. The confidential data play no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET, Context
from workbench.products.survey_microdata.mixture import Short
from workbench.tabulation.bundles import Bundle, packed
from workbench.tabulation.pairs import counted_pairs

_WIDEST = 256  # joint positions of answers that are looked up together …
_FOR_EACH = 16  # … and at least so many records for each, or preparing the positions takes longer than looking up
_SWEEPS = 60
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
    file = _File.of(records, categories)
    away = file_tables(records, categories) - target
    _clear_own(away, offsets)
    share, last = np.full(len(categories), _FIRST_SHARE), float((away**2).sum())
    for sweep in range(_SWEEPS):
        for done, variable in enumerate(rng.permutation(len(categories)).tolist()):
            context.step((sweep + done / len(categories)) / _SWEEPS, "bringing the file closer to the model")
            share[variable] = _swap(file, away, offsets, variable, share[variable], rng)
        now = float((away**2).sum())
        if sweep >= _SETTLED and last - now < _ENOUGH * last:
            break
        last = now
    context.step(1.0, "file brought closer to the model")
    polished_: Integers = np.ascontiguousarray(file.answers.T).astype(np.int64)
    return polished_


def _clear_own(away: Floats, offsets: Integers) -> None:
    for first, last in pairwise(offsets.tolist()):
        away[first:last, first:last] = 0.0


@dataclass(frozen=True, slots=True)
class _File:
    """The records by variable, and as bundles: a sum over all answers of a record has a term for each bundle."""

    answers: NDArray[np.integer]  # variables × records
    bundles: tuple[Bundle, ...]
    spread: tuple[Floats, ...]  # of each bundle: joint positions × categories of all variables

    @classmethod
    def of(cls, records: Integers, categories: Integers) -> _File:
        sizes, offsets = categories.tolist(), np.concatenate([[0], np.cumsum(categories)])
        answers = np.ascontiguousarray(records.T).astype(np.min_scalar_type(max(sizes)))
        widest = min(_WIDEST, max(len(records) // _FOR_EACH, 1))
        bundles = tuple(Bundle.of(list(answers), sizes, members) for members in packed(sizes, widest))
        spread = []
        for bundle in bundles:
            own = np.concatenate([np.arange(offsets[member], offsets[member + 1]) for member in bundle.members])
            belongs = np.eye(bundle.size) if bundle.belongs is None else bundle.belongs
            one = np.zeros((bundle.size, int(offsets[-1])))
            one[:, own] = belongs
            spread.append(one)
        return cls(answers=answers, bundles=bundles, spread=tuple(spread))

    def pulls(self, rows: Floats) -> Short:
        """S[c, r] = Σ over all answers of the record of (file − model) at category c and the answer."""
        total = np.zeros((len(rows), self.answers.shape[1]), dtype=np.float32)
        for bundle, spread in zip(self.bundles, self.spread, strict=True):
            terms = (rows @ spread.T).astype(np.float32)
            for category, term in enumerate(terms):
                total[category] += term.take(bundle.codes)
        return total

    def exchange(self, variable: int, a: Integers, b: Integers) -> None:
        """Swap the answers of pairs of records to one question."""
        answers = self.answers[variable]
        own, other = answers[a], answers[b]
        answers[a], answers[b] = other, own
        for bundle in self.bundles:
            if variable in bundle.members and len(bundle.members) > 1:
                step = bundle.step(variable)
                moved = (other.astype(np.int64) - own) * step
                bundle.codes[a] = (bundle.codes[a] + moved).astype(bundle.codes.dtype)
                bundle.codes[b] = (bundle.codes[b] - moved).astype(bundle.codes.dtype)


def _swap(file: _File, away: Floats, offsets: Integers, variable: int, share: float, rng: np.random.Generator) -> float:
    """One round of swaps of one variable; returns the share of improving swaps to make next time."""
    size = file.answers.shape[1]
    order = rng.permutation(size)
    a, b = order[: size // 2], order[size // 2 : 2 * (size // 2)]
    own, other = file.answers[variable][a], file.answers[variable][b]
    first, last = int(offsets[variable]), int(offsets[variable + 1])
    rows = away[first:last]
    pull = file.pulls(rows)
    gain = pull[own, a] - pull[other, a] + pull[other, b] - pull[own, b]
    apart = np.flatnonzero((own != other) & (gain > 0.0))
    differ = (file.answers[:, a[apart]] != file.answers[:, b[apart]]).sum(axis=0) - 1  # the variable itself differs
    better = apart[2.0 * gain[apart] > 4.0 * differ]
    made = better[rng.random(len(better)) < share]
    if not len(made):
        return min(share * 1.2, 1.0)
    before = float((rows**2).sum())
    changed = _changed(file.answers, a[made], b[made], variable, offsets)
    after = float(((rows + changed) ** 2).sum())
    if after >= before:
        return share / 2.0
    away[first:last] += changed
    away[:, first:last] += changed.T
    file.exchange(variable, a[made], b[made])
    return min(share * 1.2, 1.0)


def _changed(answers: NDArray[np.integer], a: Integers, b: Integers, variable: int, offsets: Integers) -> Floats:
    """What the swaps change in the two-way tables of this variable with all others."""
    width, first, last = int(offsets[-1]), int(offsets[variable]), int(offsets[variable + 1])
    both = np.concatenate([a, b])
    leaves = np.concatenate([answers[variable][a], answers[variable][b]]).astype(np.int64) * width
    comes = np.concatenate([answers[variable][b], answers[variable][a]]).astype(np.int64) * width
    places = answers[:, both] + offsets[:-1, None]  # of all variables: categories × both sides of each swap
    cells = (last - first) * width
    more, less = (np.bincount((side + places).ravel(), minlength=cells) for side in (comes, leaves))
    changed: Floats = (more - less).reshape(last - first, width).astype(np.float64)
    changed[:, first:last] = 0.0
    return changed
