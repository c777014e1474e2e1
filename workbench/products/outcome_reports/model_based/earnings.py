"""Model-based earnings: institutions and cells differ from the pooled pay of their title, sector and year.

δ = value/pooled − 1 of an institution's cell and year is an institution's effect, a lasting effect of the cell and one
of the year: variances a², b² + s²/n and g² + h²/n. They are those under which the published values are likeliest. The
estimate is the best linear one given published values, their margins of error and published counts, and nothing else.
It is a model: an institution that is unlike all others is drawn towards them, and its interval does not know it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats

_START = np.log(np.array([0.1, 0.05, 0.5, 0.02, 0.2]))
_LOWEST, _HIGHEST = np.log(1e-4), np.log(3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deviations:
    """Relative deviations and their noise; precision 0 where nothing was published."""

    value: Floats  # institutions × cells × years
    noise: Floats  # variance
    people: Floats  # institutions × cells


def modelled_earnings(value: Floats, sd: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Institutions × cells × years of published earnings, their noise and (model-based) counts → estimates and sd."""
    pooled = _pooled(value, sd, count)
    known = np.isfinite(value) & np.isfinite(sd)
    with np.errstate(invalid="ignore"):
        deviations = _Deviations(
            value=np.where(known, value / pooled - 1.0, 0.0),
            noise=np.where(known, np.maximum((sd / pooled) ** 2, 1e-12), np.inf),
            people=np.maximum(count.mean(axis=2), 1.0),
        )
    best = _fitted(deviations)
    estimate, spread = _estimated(deviations, best)
    return pooled * (1.0 + estimate), pooled * np.sqrt(spread)


def _pooled(value: Floats, sd: Floats, count: Floats) -> Floats:
    """Cells × years: means weighted by people over institutions; that of all where there is none."""
    known = np.isfinite(value) & np.isfinite(sd)
    weight = np.where(known, np.maximum(count, 1.0), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        pooled = np.where(known, value, 0.0) * weight
        mean = pooled.sum(axis=0) / weight.sum(axis=0)
    overall = float(pooled.sum() / max(weight.sum(), 1.0))
    made: Floats = np.where(np.isfinite(mean) & (mean > 0.0), mean, max(overall, 1.0))[None, :, :]
    return made


def _parts(deviations: _Deviations, logs: Floats) -> tuple[float, Floats, Floats]:
    a, b, s, g, h = np.exp(np.clip(logs, _LOWEST, _HIGHEST))
    each = 1.0 / deviations.people
    return float(a * a), b * b + s * s * each, (g * g + h * h * each)[:, :, None]


def _cells(deviations: _Deviations, year_variance: Floats) -> tuple[Floats, Floats]:
    """Of each institution's cell over its years: the weighted mean and its precision."""
    weight = 1.0 / (deviations.noise + year_variance)
    precision = weight.sum(axis=2)
    mean: Floats = (weight * deviations.value).sum(axis=2) / np.maximum(precision, 1e-300)
    return mean, precision


def _minus_log_likelihood(logs: Floats, deviations: _Deviations) -> float:
    """By levels: years around their cell, cells around their institution, institutions around none."""
    institution, cell, year = _parts(deviations, logs)
    spread = deviations.noise + year
    known = np.isfinite(spread)
    mean, precision = _cells(deviations, year)
    filled = precision > 0.0
    inner = np.where(known, np.log(np.where(known, spread, 1.0)), 0.0).sum()
    inner += (np.where(known, (deviations.value - mean[:, :, None]) ** 2 / np.where(known, spread, 1.0), 0.0)).sum()
    inner += np.log(precision[filled]).sum()
    cell_spread = cell + 1.0 / np.maximum(precision, 1e-300)
    weight = np.where(filled, 1.0 / cell_spread, 0.0)
    total = weight.sum(axis=1)
    center = (weight * mean).sum(axis=1) / np.maximum(total, 1e-300)
    middle = np.where(filled, np.log(cell_spread) + weight * (mean - center[:, None]) ** 2, 0.0).sum()
    some = total > 0.0
    middle += np.log(total[some]).sum()
    outer_spread = institution + 1.0 / total[some]
    outer = (np.log(outer_spread) + center[some] ** 2 / outer_spread).sum()
    return float(0.5 * (inner + middle + outer))


def _fitted(deviations: _Deviations) -> Floats:
    from scipy.optimize import minimize

    found = minimize(
        _minus_log_likelihood, _START, args=(deviations,), method="Nelder-Mead", options={"maxiter": 600, "fatol": 1e-3}
    )
    best: Floats = np.clip(found.x, _LOWEST, _HIGHEST)
    return best


def _estimated(deviations: _Deviations, logs: Floats) -> tuple[Floats, Floats]:
    """From the outside in: the institution, its cell, the year; and the variance that is left."""
    institution, cell, year = _parts(deviations, logs)
    mean, precision = _cells(deviations, year)
    weight = np.where(precision > 0.0, 1.0 / (cell + 1.0 / np.maximum(precision, 1e-300)), 0.0)
    total = weight.sum(axis=1)
    left = 1.0 / (total + 1.0 / institution)
    effect = left * (weight * mean).sum(axis=1)
    share = cell * precision / (1.0 + cell * precision)
    lasting = effect[:, None] + share * (mean - effect[:, None])
    lasting_left = (1.0 - share) ** 2 * left[:, None] + cell * (1.0 - share)
    own = year / (year + deviations.noise)
    estimate = lasting[:, :, None] + own * (deviations.value - lasting[:, :, None])
    spread = (1.0 - own) ** 2 * lasting_left[:, :, None] + year * (1.0 - own)
    return estimate, spread
