"""What people of a bin earn on average, and how far that may be off: functions of the plan and of noisy bins only.

Inner bins: the density of the logarithm of pay is exponential in each, with the slope that the bins beside it show.
Outer bins also hold whoever is beyond their planned edges. Their means are those of pay spread evenly in its logarithm
as far as planned: no law of the tail that was tried was better on average, and some were far worse.

Off is what noise does not show. With f the share of a bin and n all people, f·b and √(f/n)·s are added in squares over
bins: b for where a bin's mean may lie, s for single people around it.
- Inner bins: b = s = 0.29 of the width, the sd of an even law, as if all pay of a bin could be at one place in it.
- First bin: b = s, such that a margin of 1.96 sds reaches from the estimate to zero and to the edge.
- Last bin: such that a margin reaches down to the edge; or b = the distance up to the mean of a law that falls by a
  power of pay, as very unequal pay does, if that is more. Its power p follows from the people above the edge and above
  the one before: (above before)/(above) = (edge/before)^p, less one sd of what noise and chance leave open. s is the sd
  of that law, and pay above the cap is the cap. A log-normal law with these two shares has the smaller mean, because it
  falls ever faster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.outcome_reports.published_outcomes import LEVEL

UNIFORM = 0.29  # sd of a uniform law of width 1
_SMOOTH = 0.05  # of an even share, added to each bin before slopes are taken
_STEEPEST, _FLAT = 3.0, 1e-6  # how much the logarithm of the density can change within a bin
_CERTAIN = 3.0  # sds of noise, added too: slopes of bins that hold hardly more are small


@dataclass(frozen=True, slots=True, kw_only=True)
class BinMeans:
    """Rows × bins, and the sd of what the mean of all bins is off, row by row."""

    mean: Floats
    off: Floats


def flat_means(edges: Floats) -> Floats:
    """The mean of pay that is log-uniform within each bin."""
    low, high = np.maximum(edges[:-1], 1.0), np.maximum(edges[1:], 1.0)
    means: Floats = (high - low) / np.log(high / low)
    return means


def sloped_means(edges: Floats, people: Floats, noise: float = 0.0) -> Floats:
    """Rows × bins; `people` are bins without negatives, `noise` is the sd of one, in people."""
    low, high = np.maximum(edges[:-1], 1.0), np.maximum(edges[1:], 1.0)
    width = np.log(high / low)
    density = np.log(_smoothed(people, _CERTAIN * noise) / width)
    middle = np.log(low) + width / 2.0
    slope = np.gradient(density, middle, axis=1) if len(width) > 2 else np.zeros_like(density)
    slope = np.clip(slope, -_STEEPEST / width, _STEEPEST / width)
    slope = _not_zero(slope, width)
    again = _not_zero(slope + 1.0, width)
    found: Floats = low * (np.expm1(again * width) / again) / (np.expm1(slope * width) / slope)
    found[:, [0, -1]] = flat_means(edges)[[0, -1]]
    return found


def means_of(edges: Floats, people: Floats, cap: int, noise: float) -> BinMeans:
    """Of rows whose people are not known (not-a-number), none is known."""
    mean = sloped_means(edges, people, noise)
    whole = people.sum(axis=1, keepdims=True)
    share = people / whole
    lasting = np.broadcast_to(UNIFORM * np.diff(edges), mean.shape).copy()
    lasting[:, 0] = np.maximum(mean[:, 0], edges[1] - mean[:, 0]) / LEVEL
    single = lasting.copy()
    if len(edges) > 2:
        unequal, spread = _unequal(edges, people, cap, noise)
        down = (mean[:, -1] - edges[-2]) / LEVEL
        lasting[:, -1] = np.maximum(unequal - mean[:, -1], down)
        single[:, -1] = np.maximum(spread, down)
    off = (share * lasting) ** 2 + share / np.maximum(whole, 1.0) * single**2
    return BinMeans(mean=mean, off=np.sqrt(off.sum(axis=1)))


def _unequal(edges: Floats, people: Floats, cap: int, noise: float) -> tuple[Floats, Floats]:
    """Mean and sd in the last bin, by a law that falls by a power of pay."""
    known = _smoothed(people, noise)
    edge, before = float(edges[-2]), float(max(edges[-3], 1.0))
    last, two = known[:, -1], known[:, -2:].sum(axis=1)
    apart = 1.0 / last - 1.0 / two
    doubt = np.sqrt(noise**2 * (apart**2 + 1.0 / two**2) + apart)
    power = np.maximum(np.log(two / last) - doubt, 0.0) / np.log(edge / before)
    reach = float(np.log(max(cap, edge + 1.0) / edge))
    first, second = (_not_zero(rank - power, reach) for rank in (1.0, 2.0))
    above = np.expm1(first * reach) / first
    squares = 2.0 * np.expm1(second * reach) / second
    return edge * (1.0 + above), edge * np.sqrt(np.maximum(1.0 + squares - (1.0 + above) ** 2, 0.0))


def _smoothed(people: Floats, added: float) -> Floats:
    whole = np.maximum(people.sum(axis=1, keepdims=True), 1.0)
    smoothed: Floats = people + _SMOOTH * whole / people.shape[1] + added
    return smoothed


def _not_zero(rate: Floats, width: Floats | float) -> Floats:
    return np.where(np.abs(rate * width) < _FLAT, _FLAT / width, rate)
