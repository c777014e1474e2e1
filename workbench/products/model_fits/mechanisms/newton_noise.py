"""Noise of private Newton steps: one noisy X′X and a fixed number of clipped, noisy gradients, composed as Gaussians.

Predictors lie in [−1, 1] and d counts the intercept, so that a row has norm at most R = √d. Gradients are clipped to C,
by rule √(1 + (d − 1)/3), or to what the noisy X′X says where rows are longer: it is measured first. With μ from (ε, δ),
a share of μ² goes to X′X and the rest to the gradients alike: sd_S = R²/(μ√share) on the diagonal of X′X and sd_S/√2
off it, sd_g = C/(μ√((1 − share)/steps)).
Guarantee: exactly μ-GDP for normal noise that is added and then rounded to a grid, where no gradient on its grid is
longer than C. Counting only predictors in d would cost 1.07 μ.
Source: own derivation from Dong, Roth and Su (2022); the idea of noisy Newton steps is that of Ganesh et al. (2023).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.accounting import gaussian_dp
from workbench.core.arrays import Floats


def clip_by_rule(coefficients: int) -> float:
    """C = √(1 + (d − 1)/3): the length of a row whose predictors are spread evenly between their bounds."""
    return math.sqrt(1.0 + (coefficients - 1) / 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewtonNoise:
    """Standard deviations of what is measured; `coefficients` counts the intercept."""

    coefficients: int
    mu: float
    steps: int = 8
    share: float = 0.05

    @property
    def radius(self) -> float:
        """R, the largest norm of a row."""
        return math.sqrt(self.coefficients)

    @property
    def clip(self) -> float:
        """C by rule, the largest norm of one person's gradient after clipping."""
        return clip_by_rule(self.coefficients)

    @property
    def moments(self) -> float:
        """sd of the noise on the diagonal of X′X; off the diagonal it is divided by √2."""
        return self.radius**2 / (self.mu * math.sqrt(self.share))

    @property
    def gradient(self) -> float:
        """sd of the noise on each entry of each gradient that is clipped by rule."""
        return self.clip * self.per_clip

    @property
    def per_clip(self) -> float:
        """The same for a clip of 1."""
        return 1.0 / (self.mu * math.sqrt((1.0 - self.share) / self.steps))

    def clip_for(self, moments: Floats) -> Floats:
        """C of each noisy X′X: the mean length of a row by its own trace and corner, from the rule's C to R."""
        people = np.maximum(moments[:, 0, 0], 1.0)
        square = np.trace(moments, axis1=1, axis2=2) / people
        found: Floats = np.sqrt(np.clip(square, self.clip**2, self.radius**2))
        return found

    @property
    def floor(self) -> float:
        """What the eigenvalues of the noisy X′X are raised to, at least."""
        return self.moments * math.sqrt(self.coefficients)


def noise_for(*, epsilon: float, delta: float, coefficients: int, steps: int = 8, share: float = 0.05) -> NewtonNoise:
    """The noise that keeps (ε, δ) for all measurements together."""
    mu = gaussian_dp.mu_of(epsilon, delta)
    return NewtonNoise(coefficients=coefficients, mu=mu, steps=steps, share=share)
