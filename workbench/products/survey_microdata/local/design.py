"""How one variable is protected by itself: the method, its integers, its exact loss and its matrix of chances.

Category: k-ary randomised response (`noise/randomised_response.py`). Number: x + discrete Laplace of scale (hi − lo)/ε,
values beyond the bounds published as they are; or random rounding to one of L levels, then k-ary randomised response on
the levels. A uniform level or category is drawn from all of them, the true one included.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET
from workbench.core.published import Codes
from workbench.core.randomness import UniformWords
from workbench.noise import discrete_laplace, randomised_response
from workbench.noise.declared.contract import Law
from workbench.noise.declared.discrete import DiscreteLaplace, Response
from workbench.noise.declared.levels import LevelResponse
from workbench.noise.geometric import discrete_laplace as laplace_noise
from workbench.noise.uniform_integers import below
from workbench.products.survey_microdata.survey_data import Variable


class Method(IntEnum):
    """Codes of the published design, in the order of METHOD_TEXTS."""

    RESPONSE = 0
    LAPLACE = 1
    GRID = 2
    JOINT = 3


METHOD_TEXTS = (
    "k-ary randomised response",
    "discrete Laplace noise",
    "random rounding to levels, then randomised response",
    "randomised response of the whole record",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalDesign:
    """One variable's protection. `kept` is the threshold T out of 2^64, `scale` that of Laplace noise."""

    variable: Variable
    method: Method
    epsilon: Fraction
    answers: int = 0  # among which randomised response chooses: categories or levels
    kept: int = 0
    scale: float = 0.0

    def exact_loss(self) -> float:
        """The largest log ratio between any two answers, from the integers that are used."""
        if self.method is Method.LAPLACE:
            return float(discrete_laplace.spent(self.variable.width, self.scale))
        return randomised_response.exact_loss(self.kept, self.answers)

    def chances(self) -> tuple[float, float]:
        """P(the answer itself) and P(each other one) of randomised response."""
        return randomised_response.chances(self.kept, self.answers)

    def matrix(self) -> Floats:
        """P(published | true) over categories or levels."""
        same, other = self.chances()
        matrix: Floats = np.full((self.answers, self.answers), other)
        np.fill_diagonal(matrix, same)
        return matrix

    def drawn(self, answers: Integers, rng: UniformWords) -> NDArray[np.signedinteger[Any]]:
        """Protected answers: categories, numbers, or levels of a grid, in as few bytes as they need."""
        if self.method is Method.LAPLACE:
            noise = laplace_noise(np.full(len(answers), self.scale), rng, QUIET)
            return answers.astype(np.int64) + noise
        if self.method is Method.GRID:
            answers = self.rounded(answers, rng)
        small: Codes = answers.astype(np.int8) if self.answers <= 2**7 else answers.astype(np.int32)
        randomised_response.replace_some(small, self.answers, self.kept, rng)
        return small

    def rounded(self, answers: Integers, rng: UniformWords) -> Integers:
        """One of the two nearest levels, with chances that keep the mean: exact, as the chances are whole shares."""
        width = self.variable.width
        steps = (answers.astype(np.int64) - self.variable.lower) * (self.answers - 1)
        level, rest = steps // width, steps % width
        up = below(np.full(len(steps), width, dtype=np.int64), rng) < rest
        return level + up

    def law(self, answers: Integers) -> Law:
        """What protected answers are declared to be."""
        if self.method is Method.LAPLACE:
            return DiscreteLaplace(answers, np.full(len(answers), self.scale))
        if self.method is Method.GRID:
            position = (answers - self.variable.lower) * (self.answers - 1) / self.variable.width
            level = np.floor(position + 1e-9).astype(np.int64)
            replaced = 1.0 - self.kept / randomised_response.WHOLE
            return LevelResponse(level, np.maximum(position - level, 0.0), self.answers, replaced)
        same = self.kept / randomised_response.WHOLE * (1.0 - 1.0 / self.answers) + 1.0 / self.answers
        codes = answers - self.variable.lower if self.method is Method.JOINT else answers
        return Response(codes, np.full(len(answers), self.answers), np.full(len(answers), same))

    def level_values(self) -> Floats:
        """The number that each level of a grid stands for."""
        levels: Floats = np.linspace(self.variable.lower, self.variable.upper, self.answers)
        return levels


def response(variable: Variable, epsilon: Fraction) -> LocalDesign:
    """Randomised response over the declared categories."""
    kept = randomised_response.threshold(epsilon, variable.domain)
    return LocalDesign(
        variable=variable, method=Method.RESPONSE, epsilon=epsilon, answers=variable.domain, kept=kept
    )  # fmt: skip


def laplace(variable: Variable, epsilon: Fraction) -> LocalDesign:
    """Noise of scale (hi − lo)/ε: 14.29 for 0 … 100 at ε = 7."""
    scale = discrete_laplace.scale_for(variable.width, epsilon)
    return LocalDesign(variable=variable, method=Method.LAPLACE, epsilon=epsilon, scale=scale)


def grid(variable: Variable, epsilon: Fraction, levels: int) -> LocalDesign:
    """Random rounding to equally spaced levels, then randomised response on them."""
    kept = randomised_response.threshold(epsilon, levels)
    return LocalDesign(variable=variable, method=Method.GRID, epsilon=epsilon, answers=levels, kept=kept)
