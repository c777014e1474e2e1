"""Privacy loss distributions on a grid: what mechanisms whose noise is known cost together at a given δ.

Formula: the law of the log odds ln(P/Q) is rounded up to multiples of `grid`, composed by convolution, and read off as
δ(ε) = E[(1 − e^{ε − L})⁺]. Guarantee: pessimistic for every grid; finer is tighter. Rounding: floating point, with
relative errors near 1e-11, so that whoever enters a result in a ledger rounds it up with `upwards`.
Source: Koskela et al. 2020; Doroshenko et al. 2022; Google's dp-accounting, which does the arithmetic.

For counts with one record per person, integer Laplace noise has log odds of exactly ±ε: its own distribution is the
worst pair's, and nothing is gained by knowing the mechanism. Continuous Laplace and Gaussian noise do gain.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workbench.core.errors import Defect

GRID = 1e-4
_MARGIN = Decimal("0.000001")
_PLACES = Decimal("0.0001")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """Nothing is known but the pair: randomised response with an open failure, the worst there is."""

    epsilon: float
    delta: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceNoise:
    """Continuous Laplace noise on a value that a neighbour moves by at most `sensitivity`."""

    scale: float
    sensitivity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianNoise:
    """Normal noise; `sampling` below 1 where each step uses a Poisson sample of the records."""

    sigma: float
    sensitivity: float = 1.0
    sampling: float = 1.0


Law = Guarantee | LaplaceNoise | GaussianNoise


def epsilon_at(laws: Sequence[tuple[Law, int]], delta: float, *, grid: float = GRID) -> float:
    """The smallest ε at `delta` of every law composed as often as it says; infinite where δ is too small for any."""
    return float(_composed(laws, grid).get_epsilon_for_delta(delta))


def delta_at(laws: Sequence[tuple[Law, int]], epsilon: float, *, grid: float = GRID) -> float:
    """The smallest δ at `epsilon` of every law composed as often as it says."""
    return float(_composed(laws, grid).get_delta_for_epsilon(epsilon))


def upwards(epsilon: float) -> Decimal:
    """An ε from the grid as a ledger may use it: four decimals, upwards, with room for floating-point errors."""
    if epsilon == float("inf"):
        return Decimal("Infinity")
    return (Decimal(epsilon) + _MARGIN).quantize(_PLACES, rounding=decimal.ROUND_CEILING)


def _composed(laws: Sequence[tuple[Law, int]], grid: float) -> Any:
    if not laws:
        raise Defect("composition of nothing")
    parts = [_distribution(law, grid).self_compose(times) for law, times in laws]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.compose(part)
    return whole


def _distribution(law: Law, grid: float) -> Any:
    from dp_accounting.pld import common, privacy_loss_distribution

    if isinstance(law, Guarantee):
        pair = common.DifferentialPrivacyParameters(law.epsilon, law.delta)
        return privacy_loss_distribution.from_privacy_parameters(pair, value_discretization_interval=grid)
    if isinstance(law, LaplaceNoise):
        return privacy_loss_distribution.from_laplace_mechanism(
            law.scale, sensitivity=law.sensitivity, value_discretization_interval=grid
        )
    return privacy_loss_distribution.from_gaussian_mechanism(
        law.sigma, sensitivity=law.sensitivity, sampling_prob=law.sampling, value_discretization_interval=grid
    )
