"""Where a fit gets its noise: sums of integers with normal noise that is added and then rounded, and uniform words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom, UniformWords
from workbench.noise import exact_cdf
from workbench.noise.gaussian_tail import GaussianTail

_LAW = GaussianTail()


@dataclass(frozen=True, slots=True, eq=False)
class FitRandom:
    """`rounded` gives the nearest integers to sums + σ·Z for one row of each; `uniform` hands out words."""

    uniform: UniformWords
    rounded: Callable[[Integers, Floats], Integers]

    def normal(self, sums: Integers, sigma: Floats | float) -> Integers:
        """Independent rounded normal noise on every entry; σ is taken up to the next float, never down."""
        each = np.nextafter(np.broadcast_to(np.asarray(sigma, dtype=np.float64), sums.shape), np.inf)
        return self.rounded(np.ascontiguousarray(sums).ravel(), each.ravel()).reshape(sums.shape)


def exact(rng: UniformWords) -> FitRandom:
    """For what is published: every integer comes with exactly its probability."""
    return FitRandom(rng, lambda sums, sigma: exact_cdf.draw(sums, sigma, _LAW, rng, QUIET))


def study(rng: StudyRandom) -> FitRandom:
    """The same law to float precision, for studies."""

    def rounded(sums: Integers, sigma: Floats) -> Integers:
        drawn: Integers = np.rint(sums + sigma * rng.generator.normal(size=len(sums))).astype(np.int64)
        return drawn

    return FitRandom(rng, rounded)
