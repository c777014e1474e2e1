"""One worker count of an establishment is known, the establishment is alone in its workplace cell.

Under noise infusion every published count of the establishment is h* = f·h with one factor f. So f = h*/h at the known
cell, and every other count, the size and the shape follow. Where values are published rounded, f lies in
[(y − ½)/h, (y + ½)/h] and every other count in [(y_c − ½)/f_high, (y_c + ½)/f_low].
Rows are establishments, columns worker cells. Source: Haney et al. (2017), section 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.products.employment_tables.noise_infusion import SMALL_CELL_LIMIT

_EDGE = 1e-9  # relative: an integer that touches the end of its interval is still a candidate


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FromExact:
    """What follows from unrounded values: factor, counts, size and shape. Not-a-number where nothing follows."""

    factor: Floats
    counts: Floats
    size: Floats
    shape: Floats


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FromRounded:
    """What follows from rounded values: bounds on the factor, on every count, and the whole numbers between them."""

    factor_low: Floats
    factor_high: Floats
    low: Floats
    high: Floats
    least: Integers
    most: Integers

    @property
    def exact_cells(self) -> Bools:
        """Counts that are known exactly, because one whole number is left."""
        found: Bools = self.least == self.most
        return found


def shares(published: Floats) -> Floats:
    """The published shape: each worker cell's share of the establishment. Negative values count as nothing."""
    values = np.maximum(published, 0.0)
    total = values.sum(axis=1, keepdims=True)
    found: Floats = np.divide(values, total, out=np.full_like(values, np.nan), where=total > 0)
    return found


def from_exact(published: Floats, known: Integers, true: Integers) -> FromExact:
    """f = h*/h at the known cell; h_c = h*_c/f; the size is their sum."""
    at_known = _picked(published, known)
    usable = (at_known > 0) & (true > 0)
    factor = np.divide(at_known, true, out=np.full(len(true), np.nan), where=usable)
    counts = published / factor[:, None]
    return FromExact(factor=factor, counts=counts, size=counts.sum(axis=1), shape=shares(published))


def from_rounded(published: Floats, known: Integers, true: Integers) -> FromRounded:
    """Intervals for the factor and every count. Published zeros stay zero: noise infusion preserves them."""
    at_known = _picked(published, known)
    usable = (at_known > 0.5) & (true > 0)
    safe = np.where(usable, true, 1)
    factor_low = np.where(usable, (at_known - 0.5) / safe, np.nan)
    factor_high = np.where(usable, (at_known + 0.5) / safe, np.nan)
    low, high = (published - 0.5) / factor_high[:, None], (published + 0.5) / factor_low[:, None]
    low, high = np.where(published == 0, 0.0, low), np.where(published == 0, 0.0, high)
    return FromRounded(
        factor_low=factor_low,
        factor_high=factor_high,
        low=low,
        high=high,
        least=_whole(np.ceil(low - _EDGE * np.abs(low))),
        most=_whole(np.floor(high + _EDGE * np.abs(high))),
    )


def size_bounds(published: Floats, known: Integers, true: Integers, *, exact: bool) -> tuple[Floats, Floats]:
    """Least and most size. A value below the small-cell limit was redrawn and stands for one worker or two."""
    small = (published > 0) & (published < SMALL_CELL_LIMIT)
    redrawn = small.sum(axis=1)
    large = np.where(small, 0.0, published)
    total, blur = large.sum(axis=1), (large > 0).sum(axis=1) / 2.0
    at_known = _picked(large, known)
    usable = (at_known > SMALL_CELL_LIMIT) & (true > 0)
    half = 0.0 if exact else 0.5
    factor_low = np.divide(at_known - half, true, out=np.full(len(true), np.nan), where=usable)
    factor_high = np.divide(at_known + half, true, out=np.full(len(true), np.nan), where=usable)
    if exact:
        return total / factor_high + redrawn, total / factor_low + 2.0 * redrawn
    others, spread = total - at_known, blur - 0.5  # the known count itself is certain
    return true + (others - spread) / factor_high + redrawn, true + (others + spread) / factor_low + 2.0 * redrawn


def _picked(published: Floats, known: Integers) -> Floats:
    picked: Floats = np.take_along_axis(published, known[:, None], axis=1)[:, 0].astype(np.float64)
    return picked


def _whole(values: Floats) -> Integers:
    """As integers. Where nothing follows they are zero; the factor, not a number, tells that apart from a true zero."""
    return np.nan_to_num(values, nan=0.0).astype(np.int64)
