"""Poisson samples: everybody is in a sample with probability q, independently of everybody else, drawn by gaps.

Formula: the number of people skipped before the next one who is chosen is geometric, P(G ≥ g) = e^(−g/s) with
s = −1/ln(1 − q). s is rounded up, so that the chance of being chosen is at most the q that is accounted for.
Rounding: none. Sixteen bits of a uniform decide the gap, but for the few values between which it changes; those get
more bits and the exact sampler of geometric integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.randomness import UniformWords
from workbench.noise.geometric import geometric_of_words

_WORDS = 1 << 16
_CLOSE = 1e-6  # in steps of 2^−16: far more than a float loses
_ROUNDING = 2.0**-48
_LONGEST_BY_TABLE = 256.0  # mean gaps beyond which nearly every value lies between two gaps
_AT_ONCE = 1 << 16  # people chosen, whose places stay in the cache


def poisson_samples(
    people: int, sampling: float, samples: int, rng: UniformWords, *, copies: int = 1
) -> Iterator[Integers]:
    """So many samples, each as the places of those who are chosen, in order; of copies in copy × people + person."""
    people *= copies
    if sampling >= 1.0 or not people:
        yield from (np.arange(people) for _ in range(samples))
        return
    block = max(1, min(samples, int(_AT_ONCE / (1.0 + sampling * people))))
    for start in range(0, samples, block):
        many = min(block, samples - start)
        places = _chosen(people * many, sampling, rng)
        edges = np.searchsorted(places, np.arange(many + 1) * people)
        for number in range(many):
            yield places[edges[number] : edges[number + 1]] - number * people


def mean_gap(sampling: float) -> float:
    """s, rounded up."""
    return -1.0 / math.log1p(-sampling) * (1.0 + _ROUNDING)


def _chosen(trials: int, sampling: float, rng: UniformWords) -> Integers:
    """The places of those chosen among so many independent trials."""
    found: list[Integers] = []
    reached = -1
    while reached < trials:
        expected = (trials - reached) * sampling
        steps = _gaps(int(expected + 4.0 * math.sqrt(expected)) + 16, sampling, rng)
        steps += 1
        places = np.cumsum(steps, out=steps)
        places += reached
        found.append(places)
        reached = int(places[-1])
    every = found[0] if len(found) == 1 else np.concatenate(found)
    return every[: int(np.searchsorted(every, trials))]


def _gaps(many: int, sampling: float, rng: UniformWords) -> Integers:
    """People skipped between one who is chosen and the next."""
    scale = mean_gap(sampling)
    if scale > _LONGEST_BY_TABLE:
        return geometric_of_words(np.full(many, scale), rng.words(many), rng)
    short = rng.words(-(-many // 4)).view(np.uint16)[:many]
    gaps = _table(scale).take(short)
    unsure = np.flatnonzero(gaps < 0)
    words = (short[unsure].astype(np.uint64) << np.uint64(48)) | (rng.words(len(unsure)) >> np.uint64(16))
    gaps[unsure] = geometric_of_words(np.full(len(unsure), scale), words, rng)
    return gaps


@lru_cache(maxsize=8)
def _table(scale: float) -> Integers:
    """The gap for the first 16 bits of a uniform, −1 where they leave it open."""
    gaps = np.zeros(_WORDS, np.int64)
    edges = _WORDS * np.exp(-np.arange(1, _WORDS) / scale)
    gaps[:] = np.searchsorted(-edges, -np.arange(_WORDS, dtype=np.float64))
    open_ = np.floor(np.concatenate([edges - _CLOSE, edges + _CLOSE])).astype(np.int64)
    gaps[np.unique(np.clip(open_, 0, _WORDS - 1))] = -1
    gaps[0] = -1
    return gaps
