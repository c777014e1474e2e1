"""What the earnings of a block's cells say about its counts: both come from the same noisy sums.

A cell publishes count = (U + V)/L and mean = B·U/(U + V). To first order the errors are (z₁ + z₂)/L and
B·((1 − p)·z₁ − p·z₂)/(L·n), p = mean/B; all noise of a block's year has one variance and one correlation. With σ² the
variance of a count and r the correlation of two counts of a year:
Cov(count_j, mean_j) = (B/n_j)·(σ²/2)·(1 − 2p_j), Cov(count_j, mean_k) = (B/n_k)·(r·σ²/2)·(1 − 2p_k),
Cov(mean_j, mean_k) = (B²/(n_j·n_k))·(r·σ²/4)·(1 − 2p_j)·(1 − 2p_k).
The earnings model estimates the error of each mean, as published less modelled. The counts' errors are regressed on
these and taken out; their variance falls by what is known of the means' errors. Where most people earn far below the
cap that is a fifth of it or more. Everything is a function of published values: the cap follows from them too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.published import Published

SUMS = ("noisy_sum_of_earnings", "noisy_sum_below_cap")
_CERTAIN = 3.0  # sds of noise: a smaller count makes a mean whose error is not of first order
_LEAST_LEFT = 0.01  # of the variance of a count: margins are rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Of every cell: published count and mean with the sd of their noise, the modelled mean with its sd, and count."""

    count: Floats
    count_sd: Floats
    mean: Floats
    mean_sd: Floats
    model: Floats
    left: Floats
    people: Floats


def published_cap(table: Published, mean: Floats) -> float | None:
    """B, where the noisy sums stand beside the table; None where counts and means come from other draws."""
    beside = table.beside
    if beside is None or not set(SUMS) <= set(beside.names):
        return None
    earned, missing = (beside.units(name).numbers() for name in SUMS)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = mean * (earned + missing) / earned
    usable = np.isfinite(found) & (earned > np.median(earned))
    return float(np.median(found[usable])) if usable.any() else None


def steadied(cells: Cells, cap: float, shared: float) -> tuple[Floats, Floats]:
    """Counts and their sds, cells as … × sectors × years; `shared` is the correlation of two counts of a year."""
    size = np.maximum(cells.people, 1.0)
    with np.errstate(invalid="ignore"):
        known = np.isfinite(cells.mean * cells.mean_sd * cells.model) & (cells.count > _CERTAIN * cells.count_sd)
        variance = np.where(known, (cells.mean_sd * cells.count / size) ** 2, 1.0)  # published at the noisy count
        away = np.where(known, cells.mean - cells.model, 0.0)
        learnt = np.where(known, np.maximum(cells.mean_sd**2 - cells.left**2, 0.0), 0.0)
    reach = np.where(known, (cap / size) * (1.0 - 2.0 * np.clip(cells.model / cap, 0.0, 1.0)) * cells.count_sd, 0.0)
    pull, one = _by_year(reach), np.eye(reach.shape[-2])
    apart = one + (1.0 - one) * shared
    between = apart * _by_year(cells.count_sd)[..., :, None] * pull[..., None, :] / 2.0
    of_means = (1.0 - one) * shared * pull[..., :, None] * pull[..., None, :] / 4.0
    of_means = of_means + one * _by_year(variance)[..., None]
    slope = np.linalg.solve(of_means, between.swapaxes(-1, -2)).swapaxes(-1, -2)
    moved = (slope @ _by_year(away)[..., None])[..., 0]
    gained = ((slope**2) @ _by_year(learnt)[..., None])[..., 0]
    left = np.maximum(cells.count_sd**2 - _by_year(gained), _LEAST_LEFT * cells.count_sd**2)
    return cells.count - _by_year(moved), np.sqrt(left)


def _by_year(cells: Floats) -> Floats:
    """… × sectors × years as … × years × sectors, or back."""
    return cells.swapaxes(-1, -2)
