"""Where a fit gets its noise: sums of integers with normal noise that is added and then rounded, and uniform words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer
from workbench.noise import exact_cdf
from workbench.noise.declared.contract import Law
from workbench.noise.declared.scalar import Rounded
from workbench.noise.declared.shapes import NormalShape
from workbench.noise.gaussian_tail import GaussianTail

_LAW = GaussianTail()


@dataclass(frozen=True, slots=True, eq=False)
class FitRandom:
    """`rounded` gives the nearest integers to sums + σ·Z for one row of each; `uniform` hands out words."""

    uniform: UniformWords
    rounded: Callable[[Integers, Floats], Integers]
    asked: list[Answer] | None = None  # the transcript, where somebody keeps one

    def normal(self, sums: Integers, sigma: Floats | float, name: str = "") -> Integers:
        """Independent rounded normal noise on every entry; σ is taken up to the next float, never down.

        `name` is that of the answer; without one the caller notes what it makes of the noise.
        """
        each = np.nextafter(np.broadcast_to(np.asarray(sigma, dtype=np.float64), sums.shape), np.inf)
        drawn = self.rounded(np.ascontiguousarray(sums).ravel(), each.ravel()).reshape(sums.shape)
        if name:
            self.note(name, sums, drawn)
        return drawn

    def note(self, name: str, exact: Integers, drawn: Integers) -> None:
        """One more answer of the transcript."""
        if self.asked is not None:
            self.asked.append(Answer(name=name, exact=Confidential(exact.ravel()), drawn=drawn.ravel()))


def normal_law(sigma: Floats | float) -> Callable[[Integers], Law]:
    """What `normal` draws around the exact sums, in the auditor's own formulas; σ once or one for each sum."""
    return lambda exact: Rounded(
        exact, np.broadcast_to(np.asarray(sigma, dtype=np.float64), exact.shape), NormalShape()
    )


def exact(rng: UniformWords) -> FitRandom:
    """For what is published: every integer comes with exactly its probability, and every answer is kept."""
    return FitRandom(rng, lambda sums, sigma: exact_cdf.draw(sums, sigma, _LAW, rng, QUIET), [])


def study(rng: StudyRandom) -> FitRandom:
    """The same law to float precision, for studies."""

    def rounded(sums: Integers, sigma: Floats) -> Integers:
        drawn: Integers = np.rint(sums + sigma * rng.generator.normal(size=len(sums))).astype(np.int64)
        return drawn

    return FitRandom(rng, rounded)
