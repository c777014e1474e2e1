"""What one respondent counts in a category: Σw²/Σw there, from the noisy sums of squared weights.

A weighted count C of a sample with total weight W has the sampling variance Σw²(z − p)² = Q_c·(1 − 2p) + Q·p², with
p = C/W, Q = Σw² and Q_c = Σw² in the cell (a ratio, linearised). Q_c is C·d_c. A category's own d_c is noisy: it is
moved towards the whole sample's d as far as its noise, which is known, exceeds how much categories differ, which is
estimated by moments over all of them. A cell of two variables has d_a·d_b/d. Without weights every d is 1.
Source: Kish (1965) for the whole sample; the rest is our own derivation. Post-processing only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.survey_microdata import residuals
from workbench.products.survey_microdata.central.measurement import Drawn


@dataclass(frozen=True, slots=True)
class DesignEffects:
    """d of the whole sample, of every category of every variable, and the largest that there can be."""

    whole: float
    category: tuple[Floats, ...]
    size: float
    largest: float

    def variance(self, counts: Floats, each: Floats) -> Floats:
        """Of sampling, of noisy counts whose respondents count `each`."""
        held = np.clip(counts, 0.0, self.size)
        share = held / self.size
        found: Floats = np.maximum(each * held * (1.0 - 2.0 * share) + self.whole * self.size * share**2, 0.0)
        return found

    def of_pair(self, first: int, second: int) -> Floats:
        """d of every cell of two variables, flat."""
        product = np.outer(self.category[first], self.category[second]) / self.whole
        return np.clip(product, 0.0, self.largest).ravel()


def design_effects(drawn: Drawn) -> DesignEffects:
    measured, whole = drawn.measured, drawn.weight_of_record()
    if measured.squares is None:
        flat = tuple(np.ones(k) for k in measured.categories.tolist())
        return DesignEffects(whole=1.0, category=flat, size=drawn.size, largest=1.0)
    counts = [
        np.maximum(residuals.margin_from(drawn.residual(place), drawn.people), 1.0)
        for place in range(len(measured.variables))
    ]
    own = np.concatenate([drawn.squared(place) / counts[place] for place in range(len(counts))])
    unit = measured.squares * measured.weighing.largest / measured.weighing.unit
    noise = (unit / np.concatenate(counts)) ** 2
    careful = 1.0 / noise**2
    differ = max(float(careful @ ((own - whole) ** 2 - noise)) / float(careful.sum()), 0.0)
    moved = whole + (own - whole) * (differ / (differ + noise))
    ends = np.cumsum(measured.categories)[:-1]
    lowest = min(whole, 1.0 / measured.weighing.unit)
    kept = np.split(np.clip(moved, lowest, max(measured.weighing.largest, lowest)), ends)
    return DesignEffects(
        whole=whole, category=tuple(kept), size=drawn.size, largest=max(measured.weighing.largest, whole)
    )
