"""Percentiles by the public PSEO rule, for comparison: Laplace noise on 20 bins of every cell and year by itself.

Edges are the quantiles of the published lognormal law, from 10,000 dollars up to its .999. Negative bins stay in the
running sum. A cell whose noisy people are not positive has no value there; it is compared by the public median.
Source: Foote, Machanavajjhala and McKinney (2019), and the published program.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.randomness import StudyRandom
from workbench.noise import discrete_laplace
from workbench.products.outcome_reports.outcomes import SHARES, Outcomes
from workbench.products.outcome_reports.percentiles import running_sums

_LOG_MEAN, _LOG_SD, _BINS, _LOWEST = 11.00255, 0.75275, 20, 10_000.0


def public_edges() -> Floats:
    """All 21 bins: below the first edge nobody is, above the last everybody is in the last bin."""
    from scipy.special import ndtri

    shares = [*(np.arange(1, _BINS) / _BINS), 0.975, 0.999]
    return np.array([_LOWEST, *np.exp(_LOG_MEAN + _LOG_SD * ndtri(shares))])


def public_pseo(prepared: Outcomes, epsilon: float, rng: StudyRandom) -> Floats:
    """Rows × shares of one draw; ε is that of a whole history, so that each year has its part."""
    edges = public_edges()
    exact = prepared.histogram(edges)
    scale = prepared.layout.years / epsilon
    noisy = (exact + discrete_laplace.draw_for_study(exact.size, scale, rng).reshape(exact.shape)).astype(np.float64)
    found = np.stack([running_sums(edges, noisy, share) for share in SHARES], axis=1)
    return np.where(np.isnan(found), math.exp(_LOG_MEAN), np.minimum(found, prepared.cap))
