"""Noise of objective perturbation, and of the output step that an approximate minimum needs.

Objective: Σ loss + (λ/2)‖θ‖² + bᵀθ, b ~ N(0, σ²I), with ‖gradient of one loss‖ ≤ L = R and its curvature ≤ β = R²/4.
δ at ε, with ℓ = |ln(1 − β/λ)|, m = L²/(2σ²), ε̂ = ε − ℓ − m and H(e) = Φ(L/2σ − eσ/L) − e^e·Φ(−L/2σ − eσ/L):
2H(ε − ℓ) where ε̂ > 0, otherwise (1 − e^ε̂) + 2e^ε̂·H(m).
A solver that stops at a gradient of norm τ moves the minimum by at most τ/λ, and b on a grid g by √d·g/(2λ) more; so
neighbours by 2τ′/λ, τ′ = τ + √d·g/2. Noise of σ_out = 2τ′/λ/(μ_out − √d/m) on the output covers it at ε₂ (δ₂), where
σ_out/m is the grid of the output. ε₂ and δ₂ are taken out of ε and δ beforehand.
Source: Redberg, Koskela and Wang (2023); the output step is our own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from workbench.accounting import gaussian_dp
from workbench.core.errors import Defect

LINEAR_GRID = 1 << 30  # grid points in one standard deviation of b
OUTPUT_GRID = 1 << 22  # and in one of the output step
_CLOSE = 1e-7  # τ in units of λ
_ROUNDING = 2.0**-20
_SHARE = 0.1  # of ε that the curvature may cost
_HALVINGS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveNoise:
    """λ, σ of the linear term, and what the output step costs."""

    coefficients: int
    strength: float
    sigma: float
    output_mu: float
    output_epsilon: float
    output_delta: float

    @property
    def tolerance(self) -> float:
        """τ, the largest gradient at which the solver may stop, with its rounding."""
        return _CLOSE * self.strength

    @property
    def output_sigma(self) -> float:
        """σ_out for the solver's tolerance and the grid of b."""
        root = math.sqrt(self.coefficients)
        gradient = (self.tolerance + root * self.sigma / (2.0 * LINEAR_GRID)) * (1.0 + _ROUNDING)
        left = self.output_mu - root / OUTPUT_GRID
        if not 0.0 < left < math.inf or not gradient > 0.0:
            raise Defect("an output step without noise, which covers no tolerance")
        return 2.0 * gradient / self.strength / left


def strength_for(epsilon: float, radius: float, share: float = _SHARE) -> float:
    """λ = β/(1 − e^(−share·ε))."""
    return radius**2 / 4.0 / -math.expm1(-share * epsilon)


def delta_at(*, epsilon: float, radius: float, strength: float, sigma: float) -> float:
    """δ of the exact minimum."""
    curvature = -math.log1p(-(radius**2) / 4.0 / strength)
    half = radius**2 / (2.0 * sigma**2)
    room = epsilon - curvature - half
    mu = radius / sigma
    if room > 0.0:
        return 2.0 * gaussian_dp.delta_of(mu, epsilon - curvature)
    return -math.expm1(room) + 2.0 * math.exp(room) * gaussian_dp.delta_of(mu, half)


def sigma_for(*, epsilon: float, delta: float, radius: float, strength: float) -> float:
    """The smallest σ that keeps (ε, δ), rounded up."""
    low, high = 0.0, 1.0
    while delta_at(epsilon=epsilon, radius=radius, strength=strength, sigma=high) > delta:
        high *= 2.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        kept = delta_at(epsilon=epsilon, radius=radius, strength=strength, sigma=middle) <= delta
        low, high = (low, middle) if kept else (middle, high)
    return high


def noise_for(
    *, epsilon: float, delta: float, coefficients: int, output_mu: float = 0.001, output_delta: float = 1e-8
) -> ObjectiveNoise:
    """The noise of objective and output step that together keep (ε, δ)."""
    output_epsilon, radius = gaussian_dp.epsilon_of(output_mu, output_delta), math.sqrt(coefficients)
    strength = strength_for(epsilon - output_epsilon, radius)
    sigma = sigma_for(epsilon=epsilon - output_epsilon, delta=delta - output_delta, radius=radius, strength=strength)
    return ObjectiveNoise(
        coefficients=coefficients,
        strength=strength,
        sigma=sigma,
        output_mu=output_mu,
        output_epsilon=output_epsilon,
        output_delta=output_delta,
    )
