"""Sums of clipped gradients of the logistic loss: exact integers, whatever the order of people and their number.

A person with predictors x on the grid of thousandths adds w·x, where w = (y − p) is rounded to a grid and cut so that
‖w·x‖ is at most the clip. What it is cut at follows from clip and length of x alone, so that nobody's gradient has to
be written down. Coefficients are put on a grid for which every x·θ is an integer below 2^53. So both matrix products
are exact, and what one person adds depends on nobody else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.model_fits.fit_data import GRID, FitData

RESIDUALS = 1 << 16  # the grid of y − p
STEPS_PER_UNIT = RESIDUALS * GRID  # and of sums of gradients
_ROUNDING = 2.0**-40  # far more than products, division and square root lose together
_ROOM = 52 - 10 - 1  # bits of β where a predictor has ten, and one is left for rounding
_USUAL_EXPONENT = 8  # coefficients that are below 2^8 in sum all have the same grid
_LARGEST_ODDS = 700.0  # beyond which e^x leaves the floats
_AT_ONCE = 1 << 18  # numbers that stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class GradientSums:
    """People with predictors in thousandths, outcomes on w's grid, and the largest w that a clip of 1 allows."""

    grid: Floats
    outcome: Floats
    reach: Floats

    def of_all(self, beta: Floats, clip: Floats) -> Integers:
        """Over everybody, for every row of β with its clip; nobody's w·x is longer than clip·STEPS_PER_UNIT."""
        places, step = exact_places(beta)
        total = np.zeros(beta.shape, np.int64)
        block = max(1, _AT_ONCE // beta.size)
        for start in range(0, len(self.outcome), block):
            part = slice(start, start + block)
            rows, most = self.grid[part], np.floor(self.reach[part, None] * clip)
            weight = _weights((rows @ places.T) * -step, self.outcome[part, None], most)
            total += (weight.T @ rows).astype(np.int64)
        return total

    def clipped(self, clip: float) -> SampleSums:
        """The same people for many samples at one clip."""
        most = np.floor(self.reach * clip)
        return SampleSums(people=np.concatenate([self.grid, most[:, None], self.outcome[:, None]], axis=1))

    def of_sample(self, beta: Floats, clip: float, sample: Integers) -> Integers:
        """Over one sample for each row of β, see `SampleSums`."""
        return self.clipped(clip).of(beta, sample)


@dataclass(frozen=True, slots=True, eq=False)
class SampleSums:
    """Everybody's predictors, the largest w that the clip allows and the outcome, side by side: one look for each."""

    people: Floats

    def of(self, beta: Floats, sample: Integers) -> Integers:
        """Over a sample for each row of β; `sample` holds β's row × people + person, in order."""
        if len(beta) > 1:
            return self._of_pairs(beta, sample)
        (places,), step = exact_places(beta)
        found = self.people.take(sample, axis=0, mode="clip")
        rows = found[:, :-2]
        odds = rows @ places
        odds *= -step
        weight = _weights(odds, found[:, -1], found[:, -2])
        return (weight @ rows)[None].astype(np.int64)

    def _of_pairs(self, beta: Floats, sample: Integers) -> Integers:
        copy, person = np.divmod(sample, max(1, len(self.people)))
        places, step = exact_places(beta)
        found = self.people[person]
        rows = found[:, :-2]
        odds = np.einsum("ij,ij->i", rows, places[copy]) * -step
        weight = _weights(odds, found[:, -1], found[:, -2])
        sums = [np.bincount(copy, weights=weight * column, minlength=len(beta)) for column in rows.T]
        return np.stack(sums, axis=1).astype(np.int64)


def gradient_sums(prepared: FitData) -> GradientSums:
    grid = prepared.grid.reveal()
    lengths = np.sqrt(np.einsum("ij,ij->i", grid, grid))
    return GradientSums(
        grid=np.ascontiguousarray(grid, dtype=np.float64),
        outcome=prepared.outcome.reveal().astype(np.float64) * RESIDUALS,
        reach=(1.0 - _ROUNDING) * STEPS_PER_UNIT / np.maximum(lengths, 1.0),
    )


def exact_places(beta: Floats) -> tuple[Floats, float]:
    """β in integers, and the step that makes them log odds of predictors in thousandths.

    A row of integers stays below 2^(room + 1) in sum, rounding included.
    """
    bits = _ROOM - max(_USUAL_EXPONENT, math.frexp(beta.shape[1] * float(np.abs(beta).max()))[1])
    return np.rint(beta * 2.0**bits), 2.0**-bits / GRID


def _weights(against: Floats, outcome: Floats, most: Floats) -> Floats:
    """(y − p) on its grid, cut at `most`, from the odds against; in place, because a step is little else."""
    np.minimum(against, _LARGEST_ODDS, out=against)  # e^x of anything below is a float
    np.exp(against, out=against)
    against += 1.0
    np.divide(RESIDUALS, against, out=against)
    np.subtract(outcome, against, out=against)
    np.rint(against, out=against)
    np.minimum(against, most, out=against)
    np.maximum(against, -most, out=against)
    return against
