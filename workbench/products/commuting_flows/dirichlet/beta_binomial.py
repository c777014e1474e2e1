"""Tails of the beta-binomial law: how many of m synthetic workers land in one cell.

S ~ BetaBin(m, a, b): P(S = s) = C(m, s)·B(s + a, m − s + b)/B(a, b), where a is the cell's posterior weight and b
that of all others. The ratio of neighbouring probabilities is P(s + 1)/P(s) = (m − s)(s + a)/((s + 1)(m − s − 1 +
b)), so a tail is its first probability times a sum of products that all have one sign: nothing cancels. Below the
mean the other tail is summed and taken from 1. Relative error some 1e−11 for m up to 10,000 (log-gamma differences),
tested against an independent library.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats

_FIRST_CHUNK = 16
_LONGEST_CHUNK = 512
_NEGLIGIBLE = 1e-16


def log_pmf(s: Any, *, draws: Any, a: Any, b: Any) -> Floats:
    """ln P(S = s) for 0 ≤ s ≤ m and a, b > 0."""
    from scipy.special import gammaln

    s, m, a, b = (np.asarray(value, dtype=np.float64) for value in (s, draws, a, b))
    choose = gammaln(m + 1.0) - gammaln(s + 1.0) - gammaln(m - s + 1.0)
    cell = gammaln(s + a) - gammaln(a)
    others = gammaln(m - s + b) - gammaln(b)
    logs: Floats = choose + cell + others - (gammaln(m + a + b) - gammaln(a + b))
    return logs


def upper_tail(t: Any, *, draws: Any, a: Any, b: Any) -> Floats:
    """P(S ≥ t). A weight of zero is allowed: a = 0 never receives a draw, b = 0 receives them all."""
    t, m, a, b = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (t, draws, a, b)))
    tail = np.where((t <= 0.0) | ((t <= m) & (b <= 0.0)), 1.0, 0.0)
    inner = (t > 0.0) & (t <= m) & (a > 0.0) & (b > 0.0)
    low = inner & (t * (a + b) <= m * a)
    high = inner & ~low
    tail[high] = _summed(t[high], m[high], a[high], b[high])
    tail[low] = 1.0 - _summed(m[low] - t[low] + 1.0, m[low], b[low], a[low])
    return np.clip(tail, 0.0, 1.0)


def tail_ceiling(t: Floats, *, draws: Floats, a: Floats, b: Floats) -> Floats:
    """A quick upper bound on P(S ≥ t), 1 ≤ t ≤ m: the first probability over 1 minus the largest ratio that follows."""
    ratio = _largest_ratio(t, draws, a, b)
    first = np.exp(log_pmf(t, draws=draws, a=a, b=b))
    ceiling: Floats = np.where(ratio < 1.0, first / np.maximum(1.0 - ratio, 1e-300), 1.0)
    return np.minimum(ceiling, 1.0)


def _largest_ratio(s: Floats, m: Floats, a: Floats, b: Floats) -> Floats:
    """The supremum of P(u + 1)/P(u) over u ≥ s; not below 1 where the law may rise again at its end (b < 1)."""
    own = np.where(a >= 1.0, (s + a) / (s + 1.0), 1.0)
    rest = (m - s) / np.where(b >= 1.0, np.maximum(m - s - 1.0 + b, 1e-300), 1.0)
    largest: Floats = np.where(b >= 1.0, own * rest, np.where(s >= m, 0.0, np.inf))
    return largest


def _summed(t: Floats, m: Floats, a: Floats, b: Floats) -> Floats:
    """P(S ≥ t) by adding up from t, in chunks, until what is left is below the last bit."""
    totals = np.ones(len(t))
    place: NDArray[np.int64] = np.arange(len(t))
    term: Floats = np.ones(len(t))
    s, mm, aa, bb = t, m, a, b
    chunk = _FIRST_CHUNK
    while len(place):
        at = s[:, None] + np.arange(chunk)
        left = np.maximum(mm[:, None] - at, 0.0)
        ratios = left * (at + aa[:, None]) / ((at + 1.0) * np.maximum(left - 1.0 + bb[:, None], 1e-300))
        products = np.cumprod(ratios, axis=1) * term[:, None]
        totals[place] += products.sum(axis=1)
        term, s, chunk = products[:, -1], s + chunk, min(2 * chunk, _LONGEST_CHUNK)
        ratio = _largest_ratio(np.minimum(s, mm), mm, aa, bb)
        unsure = (s < mm) & (term * ratio > _NEGLIGIBLE * (1.0 - ratio) * totals[place])
        place = place[unsure]
        term, s, mm, aa, bb = (values[unsure] for values in (term, s, mm, aa, bb))
    return np.asarray(np.exp(log_pmf(t, draws=m, a=a, b=b)) * totals)
