"""The share of people whose outcome a published fit predicts, where a share of ε is set aside for it.

Formula: with the coefficients drawn, everybody is counted as predicted (outcome 1 where x·β ≥ 0, otherwise 0) or not.
Both counts get discrete Laplace noise of scale 1/ε₂; published is predicted/(predicted + not), between 0 and 1.
Guarantee: pure ε₂ = share·ε, because one person adds 1 to one of the counts. The fit spends what is left; both add up.
Rounding: counts, noise and the products x·β are exact integers.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.params import param
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.noise.declared.contract import Declared
from workbench.noise.declared.discrete import DiscreteLaplace
from workbench.noise.discrete_laplace import scale_for
from workbench.noise.geometric import discrete_laplace
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms.fit_random import FitRandom
from workbench.products.model_fits.mechanisms.gradients import exact_places

MOST_SHARE = "0.5"
_COUNTS = "outcomes predicted or not"


def accuracy_param() -> Decimal:
    """The share as every method that has to pay declares it."""
    made: Decimal = param(
        Decimal(0),
        "Share for accuracy",
        "Part of ε for publishing how many outcomes the fit predicts. 0 publishes none.",
        ge=0,
        le=MOST_SHARE,
        advanced=True,
    )
    return made


def left_for_the_fit(epsilon: Epsilon, share: Decimal) -> float:
    return float(Decimal(epsilon) * (1 - share))


def predicted(prepared: FitData, beta: Floats) -> Integers:
    """Copies × (predicted, not predicted), counted exactly."""
    grid, outcome = prepared.grid.reveal().astype(np.float64), prepared.outcome.reveal() == 1
    places, _ = exact_places(beta)
    right = np.array([np.count_nonzero((grid @ row >= 0.0) == outcome) for row in places], dtype=np.int64)
    return np.stack([right, len(outcome) - right], axis=1)


def accuracy_laws(epsilon: Epsilon, share: Decimal, *, by_words: bool = True) -> dict[str, Declared]:
    """Discrete Laplace noise around both counts, where they are asked for."""
    if not share:
        return {}
    scale = _scale(epsilon, share)
    return {_COUNTS: Declared(law=lambda exact: DiscreteLaplace(exact, np.full(len(exact), scale)), by_words=by_words)}


def _scale(epsilon: Epsilon, share: Decimal) -> float:
    return scale_for(1, Fraction(epsilon) * Fraction(share))


def told_accuracy(
    prepared: FitData, beta: Floats, *, epsilon: Epsilon, share: Decimal, random: FitRandom
) -> Floats | None:
    """One share for each copy, or nothing where nothing is paid."""
    if not share:
        return None
    counts = predicted(prepared, beta)
    noise = discrete_laplace(np.full(counts.size, _scale(epsilon, share)), random.uniform, QUIET)
    noisy = counts + noise.reshape(counts.shape)
    random.note(_COUNTS, counts, noisy)
    return share_of_counts(noisy)


def share_of_counts(counts: Integers | Floats) -> Floats:
    """Predicted among all, of noisy counts; not-a-number where they leave nobody."""
    everybody = counts.sum(axis=1)
    share: Floats = np.clip(counts[:, 0] / np.maximum(everybody, 1.0), 0.0, 1.0)
    return np.where(everybody >= 1, share, np.nan)
