"""Randomised response on the levels of a grid, after random rounding to one of the two nearest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared.contract import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class LevelResponse:
    """Randomised response after random rounding: with 1 − replaced the level or, `up` of the times, the next one.

    Otherwise any of the levels, all alike. Scores: of the share that is replaced, and of the mean level.
    """

    level: Integers
    up: Floats
    levels: int
    replaced: float

    @property
    def width(self) -> int:
        return 1

    def __len__(self) -> int:
        return len(self.level)

    def _own(self, code: Integers) -> Floats:
        """P(code) where nothing is replaced."""
        found: Floats = np.where(code == self.level, 1.0 - self.up, 0.0) + np.where(
            code == self.level + 1, self.up, 0.0
        )
        return found

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        each, k = self.replaced / self.levels, self.levels
        own = self._own(drawn)
        chance = each + (1.0 - self.replaced) * own
        before = np.where(drawn > self.level, 1.0 - self.up, 0.0) + np.where(drawn > self.level + 1, self.up, 0.0)
        two = [self._own(self.level + step) for step in (0, 1)]
        known = (k - 2 + (self.level + 1 >= k)) * each  # of levels that are met by replacement only
        for step, share in enumerate(two):
            there = self.level + step < k
            known = known + np.where(
                there, (each - self.replaced * share) ** 2 / (each + (1.0 - self.replaced) * share), 0.0
            )
        mean = self.replaced * (k - 1) / 2.0 + (1.0 - self.replaced) * (self.level + self.up)
        square = self.replaced * (k - 1) * (2 * k - 1) / 6.0 + (1.0 - self.replaced) * (
            (1.0 - self.up) * self.level**2 + self.up * (self.level + 1.0) ** 2
        )
        return Evidence(
            uniform=drawn * each + (1.0 - self.replaced) * before + inside * chance,
            scale=(each - self.replaced * own) / chance,
            scale_information=np.asarray(known, dtype=np.float64),
            place=drawn - mean,
            place_information=square - mean**2,
        )

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        replaced = min(self.replaced * factor, 1.0)
        found: Floats = np.log(np.maximum(replaced / self.levels + (1.0 - replaced) * self._own(drawn), 1e-300))
        return found

    def noise(self, drawn: Integers) -> Integers:
        return drawn

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        """Of the levels themselves."""
        told = (
            np.bincount(np.arange(self.levels) % modulus, minlength=modulus) * len(self) * self.replaced / self.levels
        )
        kept = 1.0 - self.replaced
        told = told + kept * np.bincount(self.level % modulus, 1.0 - self.up, modulus)
        return np.arange(len(self)), told + kept * np.bincount((self.level + 1) % modulus, self.up, modulus)
