"""Exact integer noise for whole blocks of worker cells, from random bits only.

Heavy tail (block-gamma): z = t·(±E_c/ΣE)_c, E_c = −ln U_c independent exponentials (so E/ΣE is uniform on the simplex)
and t = (G_a/G_b)^(a/d), which has the density ∝ t^(d−1)·(1 + t^m)^(−g/m) for a = d/m, b = (g − d)/m. A gamma variate is
a sum of exponentials for the whole part of its shape, and for the rest φ one more exponential times Jöhnk's beta,
X/(X + Y) with X = U^(1/φ), Y = V^(1/(1−φ)), the pair (U, V) drawn again until X + Y ≤ 1 (at least π/4 of them are
accepted). With a weight b on the total the length is N(z) = (1 − b)‖z‖₁ + b|Σz| and z = t·θ/N(θ), θ with density
∝ e^(−N(θ)): signs and exponentials as before, all drawn again until one more exponential E₀ has (1 − b)·E₀ > b·|Σ±E_c|.
Vector Laplace (block-laplace): z_c = ±E_c.
Published: n_c + z_c·σ rounded to the nearest integer, σ = κ·S.

Why the integers are exact. Each uniform is an endless row of bits, of which 64 are drawn first; the published vector
is a function of the endless rows. Double arithmetic gives each |z_c|·σ with an error bound that adds up the unknown
bits (U known to 2⁻⁶⁴), and at least four times the worst rounding error of every logarithm, exponential, product and
quotient. Where no rounding threshold k + ½ (and, for the pair, no acceptance threshold) lies within the bound, the
endless rows would give the same integer. Everything else goes to `block_exact`, which appends bits and digits until
the integer is certain. So no value depends on where double precision ends.
Not certified by us: that the processor's or numpy's log and exp keep within eight units in the last place (numpy
documents at most four; the bound allows more than eight), and that the keystream of `ReleaseRandom` is as good as
uniform.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.products.employment_tables.mechanisms.block.exact import Radius, decide_laplace, decide_radial
from workbench.products.employment_tables.mechanisms.block.intervals import Words
from workbench.products.employment_tables.mechanisms.block.variates import (
    ULP,
    Directions,
    GammaDraws,
    Measured,
    drawn_directions,
    drawn_gammas,
    drawn_signs,
    exponentials,
)

_TRUSTED = 2.0**52  # beyond it doubles have no halves
_FIRST_ORDER = 2.0**-20


@dataclass(frozen=True, slots=True, kw_only=True)
class Scales:
    """σ = κ·max(α·x, 1) per block, as doubles and exactly."""

    kappa: float
    alpha: Decimal
    largest: Integers

    def doubles(self) -> Floats:
        found: Floats = self.kappa * np.maximum(float(self.alpha) * self.largest, 1.0)
        return found

    def exact(self, block: int) -> Callable[[], Decimal]:
        """σ of one block at whatever precision is in force when it is called."""
        size = int(self.largest[block])
        return lambda: Decimal(self.kappa) * max(self.alpha * size, Decimal(1))


def draw(scales: Scales, cells: int, radius: Radius | None, words: Words) -> Integers:
    """Integer noise, one row per block and one column per worker cell."""
    blocks = len(scales.largest)
    if radius is None:
        raw = words(blocks * cells).reshape(blocks, cells)
        signs = drawn_signs(blocks, cells, words)
        rounded, unsure = _rounded(*_laplace(scales.doubles(), exponentials(raw)))
        for block in np.flatnonzero(unsure):
            rounded[block] = decide_laplace(raw[block].tolist(), scale=scales.exact(int(block)), words=words)
        return np.where(signs, rounded, -rounded)
    found = drawn_directions(blocks, cells, radius.totals, words)
    gammas = drawn_gammas(blocks, radius.core, words), drawn_gammas(blocks, radius.far, words)
    rounded, unsure = _rounded(*_radial(scales.doubles(), found, gammas, radius))
    for block in np.flatnonzero(unsure | found.unsure | gammas[0].unsure | gammas[1].unsure):
        both = gammas[0].lazily(int(block)), gammas[1].lazily(int(block))
        exact, direction = scales.exact(int(block)), found.lazily(int(block))
        rounded[block] = decide_radial(both, direction, radius, scale=exact, words=words)
        found.upper[block] = direction.upper
    return np.where(found.upper, rounded, -rounded)


def _laplace(scale: Floats, sizes: Measured) -> tuple[Floats, Floats]:
    values = scale[:, None] * sizes.value
    return values, scale[:, None] * sizes.slack * (1.0 + ULP) + 4.0 * ULP * values


def _radial(
    scale: Floats, found: Directions, gammas: tuple[GammaDraws, GammaDraws], radius: Radius
) -> tuple[Floats, Floats]:
    """|z_c|·σ and its error bound, to first order doubled, which covers the second where errors are below 2⁻²⁰."""
    power = float(radius.core / radius.cells)
    sizes, norm = found.size, found.norm
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = [np.log(gamma.size.value) for gamma in gammas]
        exponent = power * (logs[0] - logs[1])
        length = scale * np.exp(exponent)
        off = power * sum(gamma.size.slack / gamma.size.value for gamma in gammas)
        off += 4.0 * ULP * (1.0 + power * (np.abs(logs[0]) + np.abs(logs[1])))
        share = sizes.value / norm.value[:, None]
        error = off + norm.slack / norm.value + ULP * sizes.value.shape[1]
        margin = 2.0 * length[:, None] * (sizes.slack / norm.value[:, None] + share * error[:, None])
        margin[~(error < _FIRST_ORDER)] = np.inf
        return length[:, None] * share, margin


def _rounded(values: Floats, margin: Floats) -> tuple[Integers, NDArray[np.bool_]]:
    """The nearest integers, and which rows hold one that is not certain."""
    with np.errstate(invalid="ignore"):
        certain = (np.abs(values - np.floor(values) - 0.5) > margin) & (values < _TRUSTED)
    nearest = np.rint(np.where(certain, values, 0.0)).astype(np.int64)
    unsure: NDArray[np.bool_] = np.any(~certain, axis=1)
    return nearest, unsure
