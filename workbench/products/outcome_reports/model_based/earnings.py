"""Model-based earnings: institutions and cells differ from what all institutions have in common.

A published value over the pooled one is 1 + β + α + c + y + noise: β of its cell and year is common to all
institutions, α is the institution's, c the institution's cell's, y that of one year. Their standard deviations are a,
√(b² + s²/n) and √(g² + h²/n) with n people. The part of c that comes from who the people are fades as they change, by a
share v a year. β is a level of the cell and a path over the years that cells share,
both free, and deviations from it with standard deviation k: so a value that all institutions have in common is known
no better than the published values say, and few institutions are drawn together no more than they should be.
The estimate is the best linear one, averaged over the sizes of effects (`averaging.py`), given published values, their
margins of error and published counts, and nothing else. It is a model: an institution that is unlike all others is
drawn towards them, and its interval does not know it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.outcome_reports.model_based.averaging import averaged, likely_sizes

_START = np.log(np.array([0.1, 0.05, 0.3, 0.02, 0.2, 0.03, 0.1]))  # a, b, s, g, h, k, v
_LOWEST, _HIGHEST = np.log(1e-4), np.log(3.0)
_LONGEST = np.log(0.99)  # of v
_UNKNOWN = 1e4  # variance of a relative deviation that was not published


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deviations:
    """Relative deviations and their noise; endless noise where nothing was published."""

    value: Floats  # institutions × cells × years
    noise: Floats  # variance
    people: Floats  # institutions × cells


@dataclass(frozen=True, slots=True, kw_only=True)
class _System:
    """Solved normal equations of what is common (cells × years), of institutions and of the shared path of years."""

    prior: Floats  # institutions × cells × years × years: of c and y
    inverse: Floats  # of prior and noise together
    of_common: Floats  # cells × years × years: inverse of the equations of β
    across: Floats  # cells × years × (institutions + years)
    left: Floats  # inverse of the equations of institutions and path, once β is eliminated
    beta: Floats  # cells × years
    alpha: Floats  # institutions
    log_posterior: float


def modelled_earnings(value: Floats, sd: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Institutions × cells × years of published earnings, their noise and (model-based) counts → estimates and sd."""
    pooled = _pooled(value, sd, count)
    known = np.isfinite(value) & np.isfinite(sd)
    with np.errstate(invalid="ignore"):
        deviations = _Deviations(
            value=np.where(known, value / pooled - 1.0, 0.0),
            noise=np.where(known, np.maximum((sd / pooled) ** 2, 1e-12), _UNKNOWN),
            people=np.maximum(count.mean(axis=2), 1.0),
        )

    def log_posterior(logs: Floats) -> float:
        return _solved(deviations, logs).log_posterior

    best = _likeliest(deviations)
    bounds = np.full(len(best), _LOWEST), np.append(np.full(len(best) - 1, _HIGHEST), _LONGEST)
    parts = [
        (each.weight, *_estimated(deviations, _solved(deviations, each.logs)))
        for each in likely_sizes(log_posterior, best, *bounds)
    ]
    estimate, variance = averaged(parts)
    return pooled * (1.0 + estimate), pooled * np.sqrt(variance)


def _pooled(value: Floats, sd: Floats, count: Floats) -> Floats:
    """Cells × years: a level of each cell times a path of the years that all share, from means weighted by people.

    Both are free in what follows, so that their noise does no harm; means of single cells and years would bring theirs.
    """
    known = np.isfinite(value) & np.isfinite(sd)
    weight = np.where(known, np.maximum(count, 1.0), 0.0)
    paid = np.where(known, value, 0.0) * weight
    overall = max(float(paid.sum() / max(weight.sum(), 1.0)), 1.0)
    level = _shares(paid.sum(axis=(0, 2)), weight.sum(axis=(0, 2)), overall)
    path = _shares(paid.sum(axis=(0, 1)), (weight * level[None, :, None]).sum(axis=(0, 1)), 1.0)
    return (level[:, None] * path)[None]


def _shares(paid: Floats, weight: Floats, otherwise: float) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = paid / weight
    made: Floats = np.where(np.isfinite(found) & (found > 0.0), found, otherwise)
    return made


def _likeliest(deviations: _Deviations) -> Floats:
    from scipy.optimize import minimize

    def cost(logs: Floats) -> float:
        return -_solved(deviations, logs).log_posterior

    options = {"maxiter": 900, "fatol": 1e-2, "xatol": 1e-2}
    found = minimize(cost, _START, method="Nelder-Mead", options=options)  # type: ignore[call-overload]
    best: Floats = np.clip(found.x, _LOWEST, np.append(np.full(len(_START) - 1, _HIGHEST), _LONGEST))
    return best


def _solved(deviations: _Deviations, logs: Floats) -> _System:
    """β, α and the path of years together; β is eliminated cell by cell."""
    inside = np.clip(logs, _LOWEST, np.append(np.full(len(logs) - 1, _HIGHEST), _LONGEST))
    a, b, s, g, h, k, v = np.exp(inside)
    y, each = deviations.value, 1.0 / deviations.people[..., None, None]
    institutions, cells, years = y.shape
    place = np.arange(years)
    staying = (1.0 - v) ** np.abs(place[:, None] - place[None, :])
    prior = b * b + s * s * each * staying + (g * g + h * h * each) * np.eye(years)
    covariance = prior + deviations.noise[..., None] * np.eye(years)
    inverse = np.linalg.inv(covariance)
    weighted, pull = (inverse @ y[..., None])[..., 0], inverse.sum(axis=-1)
    around = (np.eye(years) - 1.0 / years) / (k * k)  # a cell's level is free
    equations = inverse.sum(axis=0) + around
    right = weighted.sum(axis=0)
    across = np.concatenate([pull.transpose(1, 2, 0), np.broadcast_to(-around, (cells, years, years))], axis=2)
    of_common = np.linalg.inv(equations)
    outer = np.zeros((institutions + years, institutions + years))
    outer[range(institutions), range(institutions)] = 1.0 / (a * a) + pull.sum(axis=(1, 2))
    outer[institutions:, institutions:] = cells * around + 1.0 / years  # the path adds up to nothing
    pulled = of_common @ across
    outer -= np.einsum("ctj,ctk->jk", across, pulled)
    first = np.concatenate([weighted.sum(axis=(1, 2)), np.zeros(years)])
    left = np.linalg.inv(outer)
    alpha = left @ (first - np.einsum("ctj,ct->j", pulled, right))
    beta = np.einsum("ctu,cu->ct", of_common, right) - pulled @ alpha
    size = sum(float(np.linalg.slogdet(each)[1].sum()) for each in (covariance, equations, outer))
    size += 2.0 * (institutions * np.log(a) + cells * (years - 1) * np.log(k))
    squares = float((y * weighted).sum() - (beta * right).sum() - alpha @ first)
    beyond = float(np.abs(logs - inside).sum())  # outside its bounds a size is less likely than at them
    return _System(
        prior=prior, inverse=inverse, of_common=of_common, across=across, left=left, beta=beta,
        alpha=alpha[:institutions], log_posterior=float(-0.5 * (squares + size) + inside.sum() - 10.0 * beyond),
    )  # fmt: skip


def _estimated(deviations: _Deviations, system: _System) -> tuple[Floats, Floats]:
    """What is common and the institution's, and of what is left the part that is not noise; with its variance."""
    institutions, years = len(system.alpha), system.beta.shape[1]
    base = system.beta[None] + system.alpha[:, None, None]
    gain = system.prior @ system.inverse
    estimate = base + (gain @ (deviations.value - base)[..., None])[..., 0]
    variance = np.diagonal(system.prior - gain @ system.prior, axis1=-2, axis2=-1)
    pulled = system.of_common @ system.across  # cells × years × (institutions + years)
    moved = pulled @ system.left
    common = system.of_common + moved @ pulled.swapaxes(-1, -2)  # cells × years × years
    with_own = -moved[:, :, :institutions].transpose(2, 0, 1)  # Cov(β, α), institutions × cells × years
    alone = np.diagonal(system.left)[:institutions, None, None, None]
    both = common[None] + with_own[..., :, None] + with_own[..., None, :] + alone
    rest = np.eye(years) - gain
    variance = variance + np.einsum("ictu,icuv,ictv->ict", rest, both, rest)
    return estimate, np.maximum(variance, 0.0)
