"""Model-based two-way tables: the noisy ones, shrunk by what their known noise says of them.

Each variable's categories are turned to the axes of its own covariance e, so that an entry of two variables divided by
√(e_a·e_b) is a correlation Z_ab. It is taken as λ_a·λ_b + own_ab + noise: a few factors that all variables share, what
one pair has alone (variance c), the noise of the draw (σ²/(n²·e_a·e_b), known) and that of sampling (1/n), since users
estimate the population. λ has a normal prior with a variance for every factor. All of it is estimated by variational
Bayes: each λ_a has a normal posterior given the moments of all others; half steps of all at once settle in about ten
rounds. The result is λ_a·λ_b plus the share c/(c + noise) of what the noisy entry has beyond it: much noise leaves only
what the factors say. Nothing is tuned to data: both noises are known, all other variances are estimated.
Post-processing only: the plan and noisy values go in, and n is the noisy total.
Source: own derivation; factors with such priors are Bishop's (1999), the estimate of c is Fisher scoring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.products.survey_microdata.mixture import NoisyTables

_FACTORS = 20  # at most; those that are not needed get a variance near 0
_ROUNDS = 60
_SETTLED = 0.01  # mean change of an entry in a round, in standard deviations of its noise
_LEAST = 0.5  # respondents in a category, where the noisy count is below
_LEAST_CELL = 0.01
_SCALINGS = 10


def model_based(tables: NoisyTables, context: Context) -> Floats:
    """The centred residuals of all pairs as the model has them, in respondents, laid out like the noisy ones."""
    axes, spread = _axes(tables)
    n, deviation = float(tables.size()), np.sqrt(spread)
    scale = np.outer(deviation, deviation)
    own = _own(tables)
    apart = (own[:, None] != own[None, :]).astype(np.float64)
    variance = tables.pair_variance[np.ix_(own, own)]
    seen = _Seen(
        entries=axes.T @ tables.pair @ axes / (n * scale),
        deviation=deviation,
        noise=variance / (n * n * scale**2) + 1.0 / n,
        apart=apart,
    )
    factors, alone = _settled(seen, min(_FACTORS, len(own)), context)
    shared = factors @ factors.T
    kept = alone / (seen.noise + alone)
    found = apart * (shared + kept * (seen.entries - shared)) * scale
    residuals: Floats = n * (axes @ found @ axes.T)
    return residuals


def counts(tables: NoisyTables) -> Floats:
    """All two-way tables in respondents, none below 0, with margins that are the noisy one-way tables."""
    variable, n = tables.variable, float(tables.size())
    k = tables.categories[variable].astype(np.float64)
    found = tables.pair + tables.single[:, None] / k[None, :] + tables.single[None, :] / k[:, None] + n / np.outer(k, k)
    margins, starts, sizes = tables.positive_margins(), tables.offsets[:-1], tables.categories
    found = np.maximum(found, _LEAST_CELL)
    for _ in range(_SCALINGS):
        found = found * np.repeat(margins[:, None] / np.add.reduceat(found, starts, axis=1), sizes, axis=1)
        found = found * np.repeat(margins[None, :] / np.add.reduceat(found, starts, axis=0), sizes, axis=0)
    return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """Noisy correlations, √e of every axis, the variance of the noise, and 1 where two different variables meet."""

    entries: Floats
    deviation: Floats
    noise: Floats
    apart: Floats


def _own(tables: NoisyTables) -> Integers:
    """The variable of every axis."""
    return np.repeat(np.arange(len(tables.categories)), tables.categories - 1)


def _axes(tables: NoisyTables) -> tuple[Floats, Floats]:
    """Categories × axes: the principal axes of every variable's covariance, without the constant; their variances."""
    shares, ends = np.maximum(tables.margins(), _LEAST), tables.offsets
    axes = np.zeros((len(shares), len(shares) - len(tables.categories)))
    spread = []
    for place, k in enumerate(tables.categories.tolist()):
        own = shares[ends[place] : ends[place + 1]] / shares[ends[place] : ends[place + 1]].sum()
        centre = np.eye(k) - 1.0 / k
        variances, vectors = np.linalg.eigh(centre @ (np.diag(own) - np.outer(own, own)) @ centre)
        first = int(ends[place]) - place
        axes[ends[place] : ends[place + 1], first : first + k - 1] = vectors[:, 1:]  # the first is the constant
        spread.append(np.maximum(variances[1:], np.finfo(np.float64).tiny ** 0.25))
    return axes, np.concatenate(spread)


def _settled(seen: _Seen, factors: int, context: Context) -> tuple[Floats, float]:
    """Means of λ, and the variance that single pairs have alone."""
    size = len(seen.entries)
    places = np.arange(factors)
    mean = _start(seen, factors)
    spread, last = np.zeros((size, factors, factors)), np.zeros_like(seen.entries)
    prior = np.maximum((mean**2).mean(axis=0), np.finfo(np.float64).tiny ** 0.5)
    alone = 0.5 * float(np.median(seen.noise))
    for number in range(_ROUNDS):
        context.step(number / _ROUNDS, "estimating tables from the noisy ones")
        weight = seen.apart / (seen.noise + alone)
        precision = (weight @ _moments(mean, spread)).reshape(size, factors, factors)
        precision[:, places, places] += 1.0 / prior
        covariance = np.linalg.inv(precision)
        now = (covariance @ ((weight * seen.entries) @ mean)[:, :, None])[:, :, 0]
        mean, spread = 0.5 * (mean + now), 0.5 * (spread + covariance)
        prior = (mean**2 + spread[:, places, places]).mean(axis=0)
        shared = mean @ mean.T
        alone = _alone(seen, shared, _moments(mean, spread), alone)
        moved = float(np.sqrt((weight * (shared - last) ** 2).sum() / max(float(seen.apart.sum()), 1.0)))
        last = shared
        if moved < _SETTLED:
            break
    context.step(1.0, "tables estimated")
    return mean, alone


def _start(seen: _Seen, factors: int) -> Floats:
    """The largest axes of the noisy covariances, where all entries have noise of one size."""
    values, vectors = np.linalg.eigh(seen.entries * np.outer(seen.deviation, seen.deviation))
    chosen = np.argsort(values)[::-1][:factors]
    least = float(np.sqrt(seen.noise.min())) * float(seen.deviation.min()) ** 2
    found: Floats = vectors[:, chosen] * np.sqrt(np.maximum(values[chosen], least)) / seen.deviation[:, None]
    return found


def _moments(mean: Floats, spread: Floats) -> Floats:
    """E[λλᵀ] of every row, flat."""
    flat: Floats = (mean[:, :, None] * mean[:, None, :] + spread).reshape(len(mean), -1)
    return flat


def _alone(seen: _Seen, shared: Floats, moments: Floats, now: float) -> float:
    """One step of Fisher scoring for the variance beyond factors and noise, at least nearly 0."""
    squared = seen.entries**2 - 2.0 * seen.entries * shared + moments @ moments.T
    weight = seen.apart / (seen.noise + now) ** 2
    total = float(weight.sum())
    found = float((weight * (squared - seen.noise)).sum()) / total if total else 0.0
    return max(found, 1e-9 * float(seen.noise.min()))
