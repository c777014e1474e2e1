"""Find the published values that tell two neighbours apart best, and bound what they give away.

The event is chosen on one half of the draws and judged on the other, so choosing costs no confidence. On the second
half ε ≥ ln((p − δ)/q): p a lower bound on the event's probability under one neighbour, q an upper one under the other,
both after Clopper and Pearson.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.audit.confidence import lower_bound, upper_bound
from workbench.audit.likelihood_score import Score

Draws = NDArray[Any]  # one row per draw; whole numbers, unless a sampler is at fault
_MOST_VALUES = 2000
_MOST_TRIED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A statistic of the draw lies between two values. The values follow the true counts, so never show them."""

    statistic: int  # a column of the draw; one past the last means their sum, two past it the score of all together
    low: float
    high: float
    score: Score | None = None

    def words(self) -> str:
        if self.score is not None and self.statistic > len(self.score.edges):
            return "together typical of one of the two"
        if math.isinf(self.low):
            return "at or below a threshold"
        if math.isinf(self.high):
            return "at or above a threshold"
        return "exactly one value" if self.low == self.high else "within an interval"

    def hits(self, draws: Draws) -> int:
        values = statistics_of(draws, self.score)[self.statistic]
        return int(np.count_nonzero((values >= self.low) & (values <= self.high)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What one event gives away: the ratio seen, and the lower confidence bound on the loss (both in log odds)."""

    event: Event
    seen: float
    lower: float


def statistics_of(draws: Draws, score: Score | None = None) -> list[Draws]:
    """What is watched of a draw: each value and, where there are several, their sum and what they score together."""
    columns: list[Draws] = [draws[:, i] for i in range(draws.shape[1])]
    if len(columns) == 1:
        return columns
    return [*columns, draws.sum(axis=1), *((score.of(draws),) if score is not None else ())]


def largest_loss(likely: Draws, unlikely: Draws, *, delta: float, risk: float) -> Bound:
    """A lower bound on ε for outputs likelier under the first neighbour, wrong with probability at most `risk`."""
    half_a, half_b = len(likely) // 2, len(unlikely) // 2
    event = _best_event(likely[:half_a], unlikely[:half_b], delta=delta, risk=risk)
    test_a, test_b = likely[half_a:], unlikely[half_b:]
    hits_a, hits_b = event.hits(test_a), event.hits(test_b)
    lower = _log_ratio(np.array([hits_a]), np.array([hits_b]), (len(test_a), len(test_b)), delta=delta, risk=risk)
    seen = math.log(hits_a / len(test_a) / (hits_b / len(test_b))) if hits_a and hits_b else math.nan
    return Bound(event=event, seen=seen, lower=max(float(lower[0]), 0.0))


def _best_event(likely: Draws, unlikely: Draws, *, delta: float, risk: float) -> Event:
    best, best_score = Event(statistic=0, low=-math.inf, high=math.inf), -math.inf
    score = Score.learned(likely, unlikely) if likely.shape[1] > 1 else None
    pairs = zip(statistics_of(likely, score), statistics_of(unlikely, score), strict=True)
    for statistic, (a, b) in enumerate(pairs):
        low, high = _intervals(np.concatenate([a, b]).astype(np.float64))
        hits, sizes = (_hits(a, low, high), _hits(b, low, high)), (len(a), len(b))
        tried = _promising(hits, sizes, delta=delta, risk=risk)
        scores = _log_ratio(hits[0][tried], hits[1][tried], sizes, delta=delta, risk=risk)
        best_tried = int(np.argmax(scores))
        top = tried[best_tried]
        if scores[best_tried] > best_score:
            best_score = scores[best_tried]
            best = Event(statistic=statistic, low=float(low[top]), high=float(high[top]), score=score)
    return best


def _intervals(pooled: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Candidate events: each value alone (or each narrow bin), everything up to it, everything from it on."""
    edges = np.unique(pooled)
    if len(edges) > _MOST_VALUES:
        edges = np.unique(np.quantile(pooled, np.linspace(0.0, 1.0, _MOST_VALUES)))
        single_low, single_high = edges[:-1], edges[1:]
    else:
        single_low, single_high = edges, edges
    endless = np.full(len(edges), math.inf)
    return np.concatenate([single_low, -endless, edges]), np.concatenate([single_high, edges, endless])


def _hits(values: Draws, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.int64]:
    ordered = np.sort(values.astype(np.float64))
    counted = np.searchsorted(ordered, high, side="right") - np.searchsorted(ordered, low, side="left")
    return counted.astype(np.int64)


def _promising(
    hits: tuple[NDArray[np.int64], NDArray[np.int64]], draws: tuple[int, int], *, delta: float, risk: float
) -> NDArray[np.intp]:
    """The events that look best by the bounds of Wilson (1927), which are quick: exact ones decide among them."""
    from scipy.special import ndtri

    z = float(ndtri(1.0 - risk / 2.0))
    (p, p_half), (q, q_half) = (_wilson(own, many, z) for own, many in zip(hits, draws, strict=True))
    likely, unlikely = np.maximum(p - p_half - delta, 1e-300), q + q_half
    return np.argsort(-(likely / unlikely), kind="stable")[:_MOST_TRIED]


def _wilson(hits: NDArray[np.int64], draws: int, z: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middle and half width of the interval of a share."""
    share = hits / draws
    width = z / (1.0 + z * z / draws)
    middle = (share + z * z / (2.0 * draws)) / (1.0 + z * z / draws)
    half: NDArray[np.float64] = width * np.sqrt(share * (1.0 - share) / draws + z * z / (4.0 * draws**2))
    return middle, half


def _log_ratio(
    likely: NDArray[np.int64], unlikely: NDArray[np.int64], draws: tuple[int, int], *, delta: float, risk: float
) -> NDArray[np.float64]:
    """ln((p − δ)/q) with p bounded from below and q from above, each at half the risk."""
    p = lower_bound(likely, draws[0], risk / 2.0) - delta
    q = upper_bound(unlikely, draws[1], risk / 2.0)
    ratio = np.maximum(p, 0.0) / q
    return np.log(ratio, out=np.full(len(ratio), -math.inf), where=ratio > 0)
