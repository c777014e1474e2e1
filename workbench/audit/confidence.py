"""Exact confidence bounds on a probability from counts (Clopper and Pearson 1934), for whole arrays at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats


def lower_bound(hits: NDArray[np.int64], draws: int, risk: float) -> Floats:
    """The smallest p not refuted by seeing at least `hits` of `draws`, wrong with probability at most `risk`."""
    from scipy.special import betaincinv

    k, place = _different(hits)
    inner = betaincinv(np.maximum(k, 1.0), draws - k + 1.0, risk)
    bound: Floats = np.where(k > 0, inner, 0.0)[place]
    return bound


def upper_bound(hits: NDArray[np.int64], draws: int, risk: float) -> Floats:
    """The largest p not refuted by seeing at most `hits` of `draws`, wrong with probability at most `risk`."""
    from scipy.special import betaincinv

    k, place = _different(hits)
    inner = betaincinv(k + 1.0, np.maximum(draws - k, 1.0), 1.0 - risk)
    bound: Floats = np.where(k < draws, inner, 1.0)[place]
    return bound


def _different(hits: NDArray[np.int64]) -> tuple[Floats, NDArray[np.intp]]:
    """Each number of hits once, and where every event has it: many events are seen equally often."""
    known, place = np.unique(hits, return_inverse=True)
    return known.astype(np.float64), place.reshape(hits.shape)
