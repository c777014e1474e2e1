"""How large the noise is on average among workplace cells of about one size: a small query of its own.

What is drawn says how far cells lie from their kind, not how much of it is noise: the noise is as large as S, which
follows the largest establishment and is confidential. So a two-hundredth of ε asks for it: for each class of workplace
cells (classes and noisy totals T are known from values already drawn) the sum of ⌊4096·ρ⌋, ρ = min((S/max(αT, 1))², 1),
plus discrete Laplace noise.
Guarantee: one strong step changes one S by a factor of at most 1 + α, hence one ρ, which stays within 1, by at most
1 − (1 + α)⁻², and one class by that many units and one for rounding down. Classes hold different workplace cells. So
the query costs ε/200, and the table, whose noise gets the rest, ε in all (adaptive sequential composition).
Rounding: integers, drawn exactly. The answer is lowered by the query's own noise: too small a ρ only means that less
is borrowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer
from workbench.noise import discrete_laplace
from workbench.noise.geometric import add_laplace

SHARE = Fraction(1, 200)  # of ε
NAME = "how large the noise is"
_UNITS = 4096
Rows = NDArray[np.int64]
Noisy = Callable[[Integers, int, Fraction], Integers]  # sums, how far one step may move them, and ε to noisy sums


def most_units(alpha: float) -> int:
    """The most that one step moves a sum; two units more than the formula cover rounding, of doubles too."""
    return math.ceil(-_UNITS * math.expm1(-2.0 * math.log1p(alpha))) + 2


def asked(ratio: float, alpha: float, epsilon: float) -> float:
    """The most that the query tells about two states whose S differ by this factor; nothing where they do not."""
    return 0.0 if ratio == 1.0 else epsilon * (2.0 - _UNITS * math.expm1(-2.0 * math.log(ratio))) / most_units(alpha)


def exactly(rng: UniformWords) -> Noisy:
    """For what is published: drawn exactly from the release's own words."""
    return lambda sums, most, epsilon: add_laplace(sums, sensitivity=most, epsilon=epsilon, rng=rng, context=QUIET)


def noted(noisy: Noisy, asked: list[Answer]) -> Noisy:
    """The same, with every question and what it was answered written down for the release's transcript."""

    def answered(sums: Integers, most: int, epsilon: Fraction) -> Integers:
        drawn = noisy(sums, most, epsilon)
        asked.append(Answer(name=NAME, exact=Confidential(sums), drawn=drawn))
        return drawn

    return answered


def seeded(rng: StudyRandom) -> Noisy:
    """The same law for a study."""
    scale = discrete_laplace.scale_for
    return lambda sums, most, epsilon: sums + discrete_laplace.draw_for_study(len(sums), scale(most, epsilon), rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleMeter:
    """Asked once per release, for classes that do not overlap."""

    largest: Confidential[Integers]
    alpha: Decimal
    epsilon: Fraction
    noisy: Noisy

    def most(self, total: Floats) -> Floats:
        """max(αT, 1): S of workplace cells whose largest establishment is the whole."""
        found: Floats = np.maximum(float(self.alpha) * total, 1.0)
        return found

    def mean_squares(self, classes: Sequence[Rows], total: Floats) -> list[float]:
        """A cautious mean of (S/max(αT, 1))² for each class, between 0 and 1."""
        share = (np.maximum(float(self.alpha) * self.largest.reveal(), 1.0) / self.most(total)) ** 2
        units = np.floor(_UNITS * np.minimum(share, 1.0)).astype(np.int64)
        sums = np.array([int(units[rows].sum()) for rows in classes], dtype=np.int64)
        most = most_units(float(self.alpha))
        slack = discrete_laplace.scale_for(most, self.epsilon)
        return [
            min(max((float(answer) - slack) / (_UNITS * len(rows)), 0.0), 1.0)
            for answer, rows in zip(self.noisy(sums, most, self.epsilon), classes, strict=True)
        ]
