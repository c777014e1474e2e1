"""Exact uniform integers below any bounds, uniform subsets and uniform orders, from uniform words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.randomness import UniformWords


def below(bounds: Integers, rng: UniformWords) -> Integers:
    """One uniform integer in 0 … bound − 1 for each bound; words beyond the last full round are drawn again."""
    bound = bounds.astype(np.uint64)
    uneven = (np.uint64(2**64 - 1) % bound + np.uint64(1)) % bound  # 2^64 modulo the bound
    last = np.uint64(2**64 - 1) - uneven
    value = np.zeros(len(bound), dtype=np.uint64)
    left = np.arange(len(bound))
    while len(left):
        words = rng.words(len(left))
        fair = words <= last[left]
        value[left[fair]] = words[fair] % bound[left[fair]]
        left = left[~fair]
    return value.astype(np.int64)


def subsets(sizes: Integers, taken: Integers, rng: UniformWords) -> Integers:
    """A uniform subset of {1 … size} with so many members, for each row; sorted, padded at the front with zeros.

    Floyd's algorithm: for j = size − taken + 1 … size take a uniform t ≤ j, or j itself where t is in already.
    """
    most = int(taken.max(initial=0))
    members = np.zeros((len(sizes), most), dtype=np.int64)
    for step in range(most):
        rows = np.flatnonzero(taken > step)
        largest = sizes[rows] - taken[rows] + step + 1
        candidate = below(largest, rng) + 1
        there = (members[rows, :step] == candidate[:, None]).any(axis=1)
        members[rows, step] = np.where(there, largest, candidate)
    members.sort(axis=1)
    return members


def order(count: int, rng: UniformWords) -> NDArray[np.int32]:
    """One uniform order of 0 … count − 1: that of random keys whose last bits are the places, drawn again on a tie."""
    mask = np.uint64(2 ** max(count - 1, 1).bit_length() - 1)
    places = np.arange(count, dtype=np.uint64)
    while True:
        keys = rng.words(count) & ~mask
        keys |= places
        keys.sort()
        if not bool(((keys[1:] ^ keys[:-1]) <= mask).any()):
            return (keys & mask).astype(np.int32)


def orders(rows: int, columns: int, rng: UniformWords) -> NDArray[np.intp]:
    """A uniform order of the columns for each row: that of random keys, drawn again where two are equal."""
    keys = rng.words(rows * columns).reshape(rows, columns).copy()
    while True:
        ordered = np.sort(keys, axis=1)
        again = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(again):
            return np.argsort(keys, axis=1)
        keys[again] = rng.words(len(again) * columns).reshape(len(again), columns)
