"""Workers drawn one after another from Pólya's urn, each at a point by true workers, prior weight and earlier draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.noise.declared.contract import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class UrnDraws:
    """The t-th worker (from 0) of a population is at point i with probability (n_i + α_i + draws so far)/(N + A + t).

    All populations have as many draws, listed one population after another. The score of the scale is that of the
    logarithm of the prior weight, so that less prior shows as less noise; that of the place is of a point further on.
    """

    true: Floats  # populations × points
    prior: Floats
    draws: int  # of each population

    @property
    def width(self) -> int:
        return 1

    def __len__(self) -> int:
        return len(self.true) * self.draws

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        point, within = drawn.reshape(-1, self.draws), inside.reshape(-1, self.draws)
        place = np.arange(self.true.shape[1], dtype=np.float64)
        rows, prior, parts = np.arange(len(point)), self.prior.sum(axis=1), []
        for turn, (weight, whole) in enumerate(self._urns(point, 1.0)):
            at, chance = point[:, turn], weight / whole[:, None]
            below = np.concatenate([np.zeros((len(point), 1)), np.cumsum(chance, axis=1)], axis=1)
            own = np.divide(self.prior, weight, out=np.zeros_like(weight), where=weight > 0.0)
            mean = chance @ place
            parts.append(
                (
                    below[rows, at] + within[:, turn] * chance[rows, at],
                    own[rows, at] - prior / whole,
                    (chance * own**2).sum(axis=1) - (prior / whole) ** 2,
                    at - mean,
                    np.maximum(chance @ place**2 - mean**2, 0.0),
                )
            )
        uniform, scale, about_scale, further, about_place = (
            np.stack(part, axis=1).ravel() for part in zip(*parts, strict=True)
        )
        return Evidence(
            uniform=uniform,
            scale=scale,
            scale_information=about_scale,
            place=further,
            place_information=about_place,
        )

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        point, rows = drawn.reshape(-1, self.draws), np.arange(len(self.true))
        urns = enumerate(self._urns(point, factor))
        with np.errstate(divide="ignore"):
            found = [np.log(weight[rows, point[:, turn]] / whole) for turn, (weight, whole) in urns]
        return np.stack(found, axis=1).ravel()

    def _urns(self, point: NDArray[np.int64], factor: float) -> list[tuple[Floats, Floats]]:
        """The weights before each draw, and their sums."""
        weight, rows, found = self.true + factor * self.prior, np.arange(len(point)), []
        for turn in range(self.draws):
            found.append((weight.copy(), weight.sum(axis=1)))
            weight[rows, point[:, turn]] += 1.0
        return found

    def noise(self, drawn: Integers) -> Integers:
        return drawn

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        """None: points are names, not numbers."""
        return np.zeros(0, dtype=np.int64), np.zeros(modulus)
