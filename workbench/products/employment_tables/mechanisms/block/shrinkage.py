"""Worker cells estimated from noisy ones: what similar workplace cells have in common stands in for part of the noise.

Input is what was drawn and public facts only, so this is post-processing. It reads no true value.
Model: y_c = T·p_c + h_c + z_c for the d worker cells of a workplace cell with total T. p are the pooled shares of other
workplace cells that agree in public attributes, h what makes this one differ, with variance φ_c·p_c·T², and z the
noise, with the variance σ²·T² = (deviation·S)² in every worker cell, S² as `block_scale_meter` asks for it per class
of workplace cells of about one noisy total. φ_c is what the squared residuals y_c − p_c·Σy of the class have on top of
σ²·(1 − 2p_c + d·p_c²), over p_c·(1 − p_c), and not below zero.
Estimate: T̂ = Σ(p_c·y_c/v_c)/Σ(p_c²/v_c), v_c = σ² + φ_c·p_c, and T̂·p_c + (φ_c·p_c/v_c)·(y_c − T̂·p_c) for each cell:
the best linear predictor when T has no prior (Robinson 1991; using it here is ours). Where shares differ a lot φ is
large and little is borrowed. It biases single cells towards the shares of their kind.
Margins: for every kind of workplace cells and every worker cell, estimates are multiplied by one factor, so that they
add up to the noisy counts, which are right on average. So sums over many cells stay right on average, too.
Which workplace cells are alike: those that agree in some of the public attributes, the choice among “all but one” and
“one alone” for which noisy shares of the *other* cells predict best. With a single attribute nothing says which are
alike, and nothing is borrowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.products.employment_tables.mechanisms.block.scale_meter import ScaleMeter
from workbench.products.employment_tables.tabulation.cells import Domain

_LEAST_ALIKE = 20  # workplace cells that must agree before their shares are used
LEAST_ABOUT = 200  # workplace cells of about one total from which two variances are estimated
_SMALL = 20.0  # below so many jobs a workplace cell counts for less than one among its kind
TRIMMED = 0.995  # squared residuals beyond this quantile count as if at it: the noise has heavy tails
_ROWS = 20_000
Groups = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pool:
    """Sums of noisy counts over workplace cells that are alike; each counts about once, whatever its size."""

    noisy: Floats
    total: Floats
    group: Groups
    sums: Floats

    @classmethod
    def over(cls, noisy: Floats, group: Groups) -> Pool:
        total = np.maximum(noisy.sum(axis=1), 1.0)
        sums = np.empty((int(group.max(initial=0)) + 1, noisy.shape[1]))
        weight = 1.0 / np.maximum(total, _SMALL)
        for cell in range(noisy.shape[1]):
            sums[:, cell] = np.bincount(group, weights=weight * noisy[:, cell], minlength=len(sums))
        return cls(noisy, total, group, sums)

    def shares(self, rows: NDArray[np.int64] | slice) -> Floats:
        """Shares among the others of the same kind, the cell itself left out; zero where they tell nothing."""
        own = self.noisy[rows] / np.maximum(self.total[rows], _SMALL)[:, None]
        others = np.maximum(self.sums[self.group[rows]] - own, 0.0)
        whole = others.sum(axis=1, keepdims=True)
        found: Floats = np.divide(others, whole, out=np.zeros_like(others), where=whole > 0)
        return found

    def usable(self) -> NDArray[np.bool_]:
        return np.asarray(np.bincount(self.group, minlength=len(self.sums))[self.group] >= _LEAST_ALIKE)


def shrunk(pool: Pool, deviation: float, meter: ScaleMeter, context: Context) -> Floats:
    """The estimates, not yet rounded and not yet above zero (workplace cells × worker cells).

    `deviation` is the standard deviation of the noise of one cell per unit of S.
    """
    context.step(0.0, "asking how large the noise is")
    estimate = pool.noisy.copy()
    classes = tuple(of_about_one_total(pool))
    for number, (rows, square) in enumerate(zip(classes, meter.mean_squares(classes, pool.total), strict=True)):
        context.step((number + 1) / (len(classes) + 1), "comparing workplace cells of about the same size")
        total = pool.total[rows]
        size = deviation * np.maximum(math.sqrt(square) * meter.most(total), 1.0)  # S is never below 1
        estimate[rows] = _predicted(pool, rows, (size / total) ** 2)
    return estimate


def with_margins(estimate: Floats, pool: Pool) -> Floats:
    """Estimates not below zero, times one factor per kind and worker cell that makes them add up to the noisy counts.

    The factor stays between ½ and 2: a noisy sum further off than that is itself mostly noise.
    """
    made = estimate.copy()
    for cell in range(estimate.shape[1]):
        wanted, have = (
            np.bincount(pool.group, weights=values[:, cell], minlength=len(pool.sums))
            for values in (pool.noisy, estimate)
        )
        factor = np.divide(wanted, have, out=np.ones_like(have), where=have > 0)
        made[:, cell] *= np.where(pool.usable(), np.clip(factor, 0.5, 2.0)[pool.group], 1.0)
    return made


def alike(noisy: Floats, domain: Domain, context: Context) -> Pool | None:
    """The pool that predicts best; None where no public attribute says which workplace cells are alike."""
    best: tuple[float, Pool] | None = None
    candidates = tuple(_candidates(domain)) if noisy.shape[1] > 1 else ()
    for number, attributes in enumerate(candidates):
        context.step(number / len(candidates), "looking for workplace cells that are alike")
        pool = Pool.over(noisy, _groups(domain, attributes))
        kept = pool.usable()
        if np.count_nonzero(kept) < max(LEAST_ABOUT, 0.5 * len(kept)):
            continue
        distance = _distance(pool, kept)
        if best is None or distance < best[0]:
            best = distance, pool
    return None if best is None else best[1]


def _candidates(domain: Domain) -> Iterator[tuple[int, ...]]:
    """All attributes but one, then each alone."""
    count = len(domain.workplace)
    if count < 2:
        return
    most = tuple(tuple(i for i in range(count) if i != left_out) for left_out in range(count))
    yield from dict.fromkeys((*most, *((i,) for i in range(count))))


def _groups(domain: Domain, attributes: tuple[int, ...]) -> Groups:
    key = np.zeros(len(domain.workplace_cells), dtype=np.int64)
    for attribute in attributes:
        key = key * len(domain.workplace[attribute].values) + domain.workplace_cells[:, attribute]
        key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    return key


def _distance(pool: Pool, kept: NDArray[np.bool_]) -> float:
    """How far noisy cells lie from what the others' shares predict, per cell: what is chosen has it smallest."""
    apart, count = 0.0, 0
    for start in range(0, len(kept), _ROWS):
        rows = slice(start, start + _ROWS)
        noisy = pool.noisy[rows]
        off = np.abs(noisy - pool.shares(rows) * noisy.sum(axis=1, keepdims=True)).sum(axis=1)
        apart += float(off[kept[rows]].sum())
        count += int(np.count_nonzero(kept[rows]))
    return apart / max(count, 1)


def of_about_one_total(pool: Pool, least: int = LEAST_ABOUT) -> Iterator[NDArray[np.int64]]:
    """Rows by powers of two of their noisy total; too few are taken together with the next smaller ones."""
    usable = np.flatnonzero(pool.usable()).astype(np.int64)
    order = usable[np.argsort(-pool.total[usable], kind="stable")]
    power = np.floor(np.log2(pool.total[order]))
    starts = [0, *(np.flatnonzero(power[1:] != power[:-1]) + 1).tolist(), len(order)]
    kept = [0]
    for start in starts[1:]:
        if start - kept[-1] >= least:
            kept.append(start)
    kept[-1] = len(order)
    for first, last in pairwise(kept):
        yield order[first:last]


def _predicted(pool: Pool, rows: NDArray[np.int64], noise: Floats) -> Floats:
    """`noise` is σ², one per row."""
    noisy, total, share = pool.noisy[rows], pool.total[rows], pool.shares(rows)
    told = share.sum(axis=1) > 0
    residual = ((noisy - share * noisy.sum(axis=1, keepdims=True)) / total[:, None])[told] ** 2
    if not len(residual):
        return noisy
    residual = np.minimum(residual, np.quantile(residual, TRIMMED))
    other = _beyond_noise(residual, share[told], noise[told, None])
    spread = noise[:, None] + other * share + 1e-300
    weight = share / spread
    middle = (weight * noisy).sum(axis=1) / np.maximum((weight * share).sum(axis=1), 1e-300)
    expected = middle[:, None] * share
    found: Floats = np.where(told[:, None], expected + other * weight * (noisy - expected), noisy)
    return found


def _beyond_noise(residual: Floats, share: Floats, noise: Floats) -> Floats:
    """φ, one per worker cell."""
    by_noise = noise * (1.0 - 2.0 * share + share.shape[1] * share**2)
    by_kind = (share * (1.0 - share)).sum(axis=0)
    rest = (residual - by_noise).sum(axis=0) / np.maximum(by_kind, 1e-300)
    found: Floats = np.maximum(rest, 0.0)
    return found
