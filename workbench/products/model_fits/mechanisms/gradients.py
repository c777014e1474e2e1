"""Clipped gradients of the logistic loss on a grid, all people at once.

Each person's gradient x·(y − p) is shortened to norm C and rounded to a grid g; the clip is taken shorter by g√d/2 and
by more than floats lose, so that the rounded gradient has norm at most C. Sums are exact integers, so that neither the
order of people nor how many there are changes what one of them adds.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.products.model_fits import logit

STEPS_PER_UNIT = 1_000_000  # the grid of gradients
_ROUNDING = 2.0**-40  # far more than the products and the square root lose together
_AT_ONCE = 1 << 18  # numbers that stay in the cache
People = tuple[Floats, Floats, Floats]  # design, length of each row, outcome


def clipped_grid(design: Floats, lengths: Floats, residual: Floats, clip: float) -> Integers:
    """… × people × coefficients in units of the grid; no person's row is longer than clip·STEPS_PER_UNIT."""
    room = max(clip * (1.0 - _ROUNDING) - math.sqrt(design.shape[1]) / (2.0 * STEPS_PER_UNIT), 0.0)
    shortened = np.minimum(1.0, room / np.maximum(np.abs(residual) * lengths, 1e-300)) * STEPS_PER_UNIT
    grid: Integers = np.rint((residual * shortened)[..., None] * design).astype(np.int64)
    return grid


def clipped_sums(people: People, beta: Floats, clip: float, chosen: Bools | None = None) -> Integers:
    """Σ over people for every copy, or over those who are in the copy's sample."""
    if chosen is not None and len(beta) > 1:
        return _sums_of_pairs(people, beta, clip, chosen)
    if chosen is not None:
        there = np.flatnonzero(chosen[0])
        people = people[0][there], people[1][there], people[2][there]
    design, lengths, outcome = people
    total = np.zeros(beta.shape, np.int64)
    block = max(1, _AT_ONCE // beta.size)
    for start in range(0, len(outcome), block):
        part = slice(start, start + block)
        residual = outcome[part] - logit.probability(design[part], beta)
        total += clipped_grid(design[part], lengths[part], residual, clip).sum(axis=1)
    return total


def _sums_of_pairs(people: People, beta: Floats, clip: float, chosen: Bools) -> Integers:
    """The same where every copy has its own sample: over pairs of a copy and a person in it."""
    design, lengths, outcome = people
    copy, person = np.nonzero(chosen)
    rows = design[person]
    residual = outcome[person] - logit.probability_by_row(rows, beta[copy])
    grid = clipped_grid(rows, lengths[person], residual, clip)
    sums = [np.bincount(copy, weights=grid[:, place], minlength=len(beta)) for place in range(beta.shape[1])]
    return np.stack(sums, axis=1).astype(np.int64)  # sums of integers below 2^53 are exact in floats
