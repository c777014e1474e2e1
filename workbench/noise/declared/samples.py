"""How many people a random sample holds: each of them with the same probability, independently of all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared.contract import Evidence

_SUMMED = 20_000  # people up to whom remainders are summed one by one


@dataclass(frozen=True, slots=True, eq=False)
class SampleSize:
    """The binomial law: of so many people each is taken with this probability, sample by sample.

    The score of the scale is that of the logarithm of the probability, so that a sample that is too large shows as
    noise that is too large.
    """

    people: Integers
    share: Floats | float

    @property
    def width(self) -> int:
        return 1

    def __len__(self) -> int:
        return len(self.people)

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        from scipy.special import bdtr

        n, q = self.people.astype(np.float64), np.broadcast_to(self.share, self.people.shape)
        rest = np.maximum(1.0 - q, 1e-300)
        upto = np.where(drawn >= 0, bdtr(np.clip(drawn, 0, n), self.people, q), 0.0)
        before = np.where(drawn >= 1, bdtr(np.clip(drawn - 1, 0, n), self.people, q), 0.0)
        away, spread = drawn - n * q, np.maximum(n * q * (1.0 - q), 1e-300)
        return Evidence(
            uniform=before + inside * (upto - before),
            scale=np.where(q < 1.0, away / rest, 0.0),
            scale_information=np.where(q < 1.0, n * q / rest, 0.0),
            place=np.where(q < 1.0, away / np.sqrt(spread), 0.0),
            place_information=np.where((n > 0) & (q < 1.0), 1.0, 0.0),
        )

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        from scipy.stats import binom

        return np.asarray(
            binom.logpmf(drawn, self.people, np.minimum(np.multiply(self.share, factor), 1.0)), dtype=np.float64
        )

    def noise(self, drawn: Integers) -> Integers:
        return drawn

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        from scipy.stats import binom

        expected = np.zeros(modulus)
        kinds = np.stack([self.people, np.broadcast_to(self.share, self.people.shape)])
        for (people, share), times in zip(*_counted(kinds), strict=True):
            if people > _SUMMED:
                expected += times / modulus  # far wider than any remainder
                continue
            k = np.arange(int(people) + 1)
            expected += times * np.bincount(k % modulus, binom.pmf(k, people, share), modulus)
        return np.arange(len(self)), expected


def _counted(kinds: Floats) -> tuple[Floats, Integers]:
    found, times = np.unique(kinds, axis=1, return_counts=True)
    return found.T, times
