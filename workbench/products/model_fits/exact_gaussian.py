"""Sums of integers with normal noise that is added and then rounded, drawn exactly: what the accounting is about."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom, UniformWords
from workbench.noise import exact_cdf
from workbench.noise.gaussian_tail import GaussianTail

Noise = Callable[[Integers, Floats], Integers]
_LAW = GaussianTail()


def exact(rng: UniformWords) -> Noise:
    """For what is published: the nearest integer to sum + σ·Z, exactly."""

    def noisy(sums: Integers, sigma: Floats) -> Integers:
        return exact_cdf.draw(sums, sigma, _LAW, rng, QUIET)

    return noisy


def study(rng: StudyRandom) -> Noise:
    """The same law to float precision, for studies."""

    def noisy(sums: Integers, sigma: Floats) -> Integers:
        drawn: Integers = np.rint(sums + sigma * rng.generator.normal(size=len(sums))).astype(np.int64)
        return drawn

    return noisy
