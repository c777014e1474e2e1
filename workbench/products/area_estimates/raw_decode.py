"""From the noisy sums of one cell to its line, without any smoothing: what noise alone does to an estimate.

With T the four sums and X the moment of x in real units: n = ΣT, Sx = T₁₀ + T₁₁, Sy = T₀₁ + T₁₁, Sxy = T₁₁,
Sxx = X + Sx − n/8. Around a line (a, b) the score of (θ25, θ75) is linear in the noise; its covariance is
v₁KKᵀ + v_X(b, −b)ᵀ(b, −b), v₁ = 2/(s_T·ε)², v_X = 2(1/(8·s_X·ε))².
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats

WEIGHTS = np.array([[1.5, -0.5], [-0.5, 1.5]])  # a line at ranks .25 and .75, as values at 0 and 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How ε is divided over the four sums, the moment of x and the pooled moment of y."""

    sums: float = 0.90
    x_moment: float = 0.08
    y_moment: float = 0.02

    def sums_variance(self, epsilon: float) -> float:
        """v₁, in units of persons squared."""
        return 2.0 / (self.sums * epsilon) ** 2

    def x_variance(self, epsilon: float) -> float:
        """v_X."""
        return 2.0 * (0.125 / (self.x_moment * epsilon)) ** 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """n, Σx, Σx², Σy, Σxy of a cell as the noisy sums have them."""

    n: float
    x: float
    xx: float
    y: float
    xy: float


def moments(sums: Floats, x_moment: float) -> Moments:
    """`sums` in real units, in the order of `fractional_sums`."""
    low_low, low_high, high_low, high_high = (float(value) for value in sums)
    n, x = low_low + low_high + high_low + high_high, high_low + high_high
    return Moments(n=n, x=x, xx=x_moment + x - n / 8.0, y=low_high + high_high, xy=high_high)


def estimates(found: Moments) -> Floats:
    """θ25 and θ75 of the cell's own line."""
    design = np.array([[found.n - 2 * found.x + found.xx, found.x - found.xx], [found.x - found.xx, found.xx]])
    outcome = np.array([found.y - found.xy, found.xy])
    solved: Floats = np.linalg.solve(design @ WEIGHTS, outcome)
    return solved


def privacy_covariance(found: Moments, line: tuple[float, float], epsilon: float, shares: Shares) -> Floats:
    """Covariance of (θ25, θ75) that the noise alone gives, around the line a + b·x."""
    return covariance_from(found, line, shares.sums_variance(epsilon), shares.x_variance(epsilon))


def covariance_from(found: Moments, line: tuple[float, float], sums: float, x_moment: float) -> Floats:
    """The same from the variances of a sum and of the moment of x."""
    a, b = line
    design = np.array([[found.n - 2 * found.x + found.xx, found.x - found.xx], [found.x - found.xx, found.xx]])
    inverse = np.linalg.inv(design @ WEIGHTS)
    slopes = np.array(
        [
            [-a - b / 8, 1 - a - b / 8, -b / 8, -b / 8],
            [b / 8, b / 8, -a - 7 * b / 8, 1 - a - 7 * b / 8],
        ]
    )
    tilt = np.array([b, -b])
    noise = sums * slopes @ slopes.T + x_moment * np.outer(tilt, tilt)
    covariance: Floats = inverse @ noise @ inverse.T
    return covariance
