"""Half-widths that follow from the plan alone, for rows that are one drawn cell or the sum of several.

99 of 100 published values lie within the half-width of what they estimate. For sums of m independent discrete Laplace
integers of scale s, with q = e^(−1/s), the characteristic function is ((1 − q)²/(1 − 2q·cos t + q²))^m; the law follows
by a discrete Fourier transform, long enough that what wraps around is below 1e-12.
Log-Laplace, published v = round(f·(n+g)·e^η − g), η Laplace of scale l: |η| ≤ l·ln 100 in 99 of 100 draws, so n lies
between (v − ½ + g)·e^(−c)/f − g and (v + ½ + g)·e^c/f − g with c = l·ln 100. The farther end is the half-width: a
function of the published value, whatever the true one.
Source: own derivation.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Integers
from workbench.products.employment_tables.mechanisms.error_law import discrete_half_width

SHARE = 0.01
_SCALE = 256.0  # noise is drawn this fine at most: sums of a larger scale are a multiple of it
_REACH = 8.0  # standard deviations, beside what a single value reaches
_SINGLE = 40.0  # scales
_MOST = 2**53  # jobs: more are never told
_MOST_REACH = 60.0  # of the logarithm


def laplace_note(of_what: str) -> str:
    return (
        f"margin_of_error: 99 of 100 published values lie within ± this of {of_what}. It follows from the published "
        "method and its settings alone."
    )


RELATIVE = (
    "margin_of_error: in 99 of 100 draws the true count lies within ± this of the published value. It follows from the "
    "published value and the published method alone. Margins of several cells have none."
)


def sum_half_widths(scale: float, cells: Integers) -> Integers:
    """For rows that are sums of so many drawn cells each."""
    kinds, where = np.unique(cells, return_inverse=True)
    found: Integers = np.array([sum_half_width(scale, int(kind)) for kind in kinds], dtype=np.int64)[where.ravel()]
    return found


@lru_cache(maxsize=4096)
def sum_half_width(scale: float, cells: int) -> int:
    """The least whole t with P(|X₁ + … + X_m| > t) ≤ .01; rounded upward where the scale is above 256."""
    if cells <= 1:
        return discrete_half_width(scale, SHARE) if cells else 0
    if scale > _SCALE:  # nearly continuous: proportional to the scale, with a step of the coarser grid more
        return math.ceil((sum_half_width(_SCALE, cells) + 1) * scale / _SCALE)
    q = math.exp(-1.0 / scale)
    reach = _REACH * scale * math.sqrt(2.0 * cells) + _SINGLE * scale + 16.0
    points = 2 ** math.ceil(math.log2(2.0 * reach))
    angle = 2.0 * np.pi * np.arange(points // 2 + 1) / points
    log_own = -np.log1p(4.0 * q * np.sin(angle / 2.0) ** 2 / (1.0 - q) ** 2)  # sure also where q is near 1
    law = np.maximum(np.fft.irfft(np.exp(cells * log_own), points), 0.0)
    beyond = 1.0 - law[0] - 2.0 * np.cumsum(law[1 : points // 2])
    return int(np.argmax(beyond <= SHARE)) + 1 if 1.0 - law[0] > SHARE else 0


def relative_half_widths(values: Integers, *, offset: float, spread: float, factor: float) -> Integers:
    """How far the true count may lie from each published value of Log-Laplace noise."""
    reach = spread * math.log(1.0 / SHARE)
    if reach > _MOST_REACH:
        return np.full(len(values), _MOST, dtype=np.int64)
    published = values.astype(np.float64)
    upper = (published + 0.5 + offset) * math.exp(reach) / factor - offset
    lower = np.maximum((published - 0.5 + offset) * math.exp(-reach) / factor - offset, 0.0)
    far = np.maximum(np.maximum(upper, 0.0) - published, published - lower)
    return np.minimum(np.ceil(far), float(_MOST)).astype(np.int64)
