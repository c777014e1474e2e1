"""Model-based earnings: institutions and cells differ from what all institutions have in common.

A published value over the pooled one is 1 + β + α + c + y + noise: β of its cell and year is common to all
institutions, α is the institution's, c the institution's cell's, y that of one year. Their standard deviations are a,
√(b² + s²/n) and √(g² + h²/n) with n people. The part of c that comes from who the people are fades as they change, by a
share v a year. β is a level of the cell and a path over the years that cells share,
both free, and deviations from it with standard deviation k: so a value that all institutions have in common is known
no better than the published values say, and few institutions are drawn together no more than they should be.
The estimate is the best linear one, averaged over the sizes of effects (`averaging.py`), given published values, their
noise and published counts, and nothing else. How much pay of single people differs is hardly seen through much noise;
there it is taken to be about what it is in published statistics. It is a model: an institution that is unlike all
others is drawn towards them, and its interval does not know it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.outcome_reports.model_based.averaging import averaged, likely_sizes

_START = np.log(np.array([0.1, 0.05, 0.5, 0.02, 0.2, 0.03, 0.1]))  # a, b, s, g, h, k, v
_LOWEST = np.full(len(_START), np.log(1e-4))
_HIGHEST = np.log(np.array([3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 0.99]))
_USUAL = 0.5  # half-Cauchy scale of a, b, g and k (Gelman 2006)
_PEOPLE = {2: (0.5, 0.25), 4: (0.2, 0.5), 6: (0.12, 0.7)}  # s, h and v: usual size, and the sd of its logarithm
_UNKNOWN = 1e4  # variance of a relative deviation that was not published


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Noise that values of a block share: covariance load·load·same_year or, between years, load·load·between."""

    load: Floats  # institutions × blocks × cells × years
    same_year: float
    between: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviations:
    """Relative deviations from a pooled value, institutions × blocks × cells × years; not-a-number where unknown."""

    value: Floats
    noise: Floats  # variance
    each: Floats  # 1/n at the expected n
    doubt: Floats | None = None  # by how much 1/n is expected to be larger, because n is uncertain
    shared: Shared | None = None
    lasting: Floats | None = None  # sd of an error of the same people: it fades over years as they change


@dataclass(frozen=True, slots=True, kw_only=True)
class _System:
    """Solved normal equations of what is common (cells and years of a block), of institutions and the shared path."""

    prior: Floats  # institutions × blocks × places × places: of c and y; places are cells × years
    inverse: Floats  # of prior and noise together
    of_common: Floats  # blocks × places × places: inverse of the equations of β
    across: Floats  # blocks × places × (institutions + years)
    left: Floats  # inverse of the equations of institutions and path, once β is eliminated
    beta: Floats  # blocks × places
    alpha: Floats  # institutions
    log_posterior: float


def modelled_earnings(value: Floats, sd: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Institutions × cells × years of published earnings, their noise and (model-based) counts → estimates and sd."""
    pooled = _pooled(value, sd, count)
    deviations = Deviations(
        value=(value / pooled - 1.0)[:, :, None],
        noise=((sd / pooled) ** 2)[:, :, None],
        each=1.0 / np.maximum(count, 1.0)[:, :, None],
    )
    estimate, left = modelled_deviations(deviations)
    return pooled * (1.0 + estimate[:, :, 0]), pooled * left[:, :, 0]


def modelled_deviations(deviations: Deviations) -> tuple[Floats, Floats]:
    """Estimates of the deviations without noise, and their sd."""
    known = np.isfinite(deviations.value) & np.isfinite(deviations.noise)
    filled = replace(
        deviations,
        value=np.where(known, deviations.value, 0.0),
        noise=np.where(known, np.maximum(deviations.noise, 1e-12), _UNKNOWN),
    )

    def log_posterior(logs: Floats) -> float:
        return _solved(filled, logs).log_posterior

    parts = []
    for each in likely_sizes(log_posterior, _likeliest(filled), _LOWEST, _HIGHEST):
        estimate, variance = _estimated(filled, _solved(filled, each.logs))
        parts.append((each.weight, estimate, variance + _of_unknown_people(filled, np.exp(each.logs))))
    estimate, variance = averaged(parts)
    return estimate.reshape(filled.value.shape), np.sqrt(variance).reshape(filled.value.shape)


def _of_unknown_people(deviations: Deviations, sizes: Floats) -> Floats:
    """Fewer people differ more: what that adds to the variance of a mean where their number is uncertain."""
    if deviations.doubt is None:
        return np.zeros(1)
    added: Floats = (sizes[2] ** 2 + sizes[4] ** 2) * deviations.doubt.reshape(*deviations.doubt.shape[:2], -1)
    return added


def _pooled(value: Floats, sd: Floats, count: Floats) -> Floats:
    known = np.isfinite(value) & np.isfinite(sd)
    weight = np.where(known, np.maximum(count, 1.0), 0.0)
    return pooled_ratio(np.where(known, value, 0.0) * weight, weight)


def pooled_ratio(paid: Floats, weight: Floats) -> Floats:
    """Cells × years: a level of each cell times a path of the years that all share, from sums over institutions.

    Both are free in what follows, so that their noise does no harm; means of single cells and years would bring theirs.
    """
    overall = max(float(paid.sum() / max(weight.sum(), 1.0)), 1.0)
    level = _shares(paid.sum(axis=(0, 2)), weight.sum(axis=(0, 2)), overall)
    path = _shares(paid.sum(axis=(0, 1)), (weight * level[None, :, None]).sum(axis=(0, 1)), 1.0)
    return (level[:, None] * path)[None]


def _shares(paid: Floats, weight: Floats, otherwise: float) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = paid / weight
    made: Floats = np.where(np.isfinite(found) & (found > 0.0), found, otherwise)
    return made


def _likeliest(deviations: Deviations) -> Floats:
    from scipy.optimize import minimize

    def cost(logs: Floats) -> float:
        return -_solved(deviations, logs).log_posterior

    bounds = list(zip(_LOWEST.tolist(), _HIGHEST.tolist(), strict=True))
    options = {"maxiter": 40, "ftol": 1e-6, "eps": 1e-3}
    found = minimize(cost, _START, method="L-BFGS-B", bounds=bounds, options=options)  # type: ignore[call-overload]
    best: Floats = np.asarray(found.x, dtype=np.float64)
    return best


def _log_prior(logs: Floats) -> float:
    """Of the logarithms: half-Cauchy for a, b, g and k, about the usual for s, h and v."""
    total = float(logs.sum())
    for place, log in enumerate(logs.tolist()):
        if place in _PEOPLE:
            usual, doubt = _PEOPLE[place]
            total -= log + 0.5 * ((log - np.log(usual)) / doubt) ** 2
        else:
            total -= np.log1p((np.exp(log) / _USUAL) ** 2)
    return float(total)


def _covariances(deviations: Deviations, sizes: Floats) -> tuple[Floats, Floats]:
    """Of c and y, and of these with noise: institutions × blocks × places × places."""
    _, b, s, g, h, _, v = sizes
    institutions, blocks, cells, years = deviations.value.shape
    root, place = np.sqrt(deviations.each), np.arange(years)
    staying = (1.0 - v) ** np.abs(place[:, None] - place[None, :])
    own = b * b + s * s * staying * root[..., :, None] * root[..., None, :]
    own[..., place, place] += g * g + h * h * deviations.each
    prior = _blocks(own)
    covariance = prior.copy()
    if deviations.lasting is not None:
        lasting = deviations.lasting
        covariance += _blocks(staying * lasting[..., :, None] * lasting[..., None, :])
    if deviations.shared is not None:
        load = deviations.shared.load.reshape(institutions, blocks, -1)
        law = np.where(np.kron(np.ones((cells, cells)), np.eye(years)), deviations.shared.same_year, 0.0)
        law += np.kron(np.ones((cells, cells)), 1.0 - np.eye(years)) * deviations.shared.between
        np.fill_diagonal(law, 0.0)
        covariance += law * load[..., :, None] * load[..., None, :]
    diagonal = np.arange(cells * years)
    covariance[..., diagonal, diagonal] += deviations.noise.reshape(institutions, blocks, -1)
    return prior, covariance


def _blocks(own: Floats) -> Floats:
    """Covariances of the years of each cell as those of all places of a block: cells have nothing to do with others."""
    institutions, blocks, cells, years, _ = own.shape
    made = np.zeros((institutions, blocks, cells, years, cells, years))
    for cell in range(cells):
        made[:, :, cell, :, cell] = own[:, :, cell]
    return made.reshape(institutions, blocks, cells * years, cells * years)


def _solved(deviations: Deviations, logs: Floats) -> _System:
    """β, α and the path of years together; β is eliminated block by block."""
    sizes = np.exp(logs)
    a, k = sizes[0], sizes[5]
    institutions, blocks, cells, years = deviations.value.shape
    places = cells * years
    y = deviations.value.reshape(institutions, blocks, places)
    prior, covariance = _covariances(deviations, sizes)
    inverse: Floats = np.asarray(np.linalg.inv(covariance), dtype=np.float64)
    weighted, pull = (inverse @ y[..., None])[..., 0], inverse.sum(axis=-1)
    of_path = (np.eye(years) - 1.0 / years) / (k * k)  # a cell's level is free
    equations = inverse.sum(axis=0) + np.kron(np.eye(cells), of_path)
    right = weighted.sum(axis=0)
    to_path = np.broadcast_to(-np.tile(of_path, (cells, 1)), (blocks, places, years))
    across = np.concatenate([pull.transpose(1, 2, 0), to_path], axis=2)
    of_common = np.linalg.inv(equations)
    outer = np.zeros((institutions + years, institutions + years))
    outer[range(institutions), range(institutions)] = 1.0 / (a * a) + pull.sum(axis=(1, 2))
    outer[institutions:, institutions:] = blocks * cells * of_path + 1.0 / years  # the path adds up to nothing
    pulled = of_common @ across
    outer -= (across.reshape(-1, institutions + years).T) @ pulled.reshape(-1, institutions + years)
    first = np.concatenate([weighted.sum(axis=(1, 2)), np.zeros(years)])
    left = np.linalg.inv(outer)
    alpha = left @ (first - pulled.reshape(-1, institutions + years).T @ right.reshape(-1))
    beta = (of_common @ right[..., None])[..., 0] - pulled @ alpha
    size = sum(float(np.linalg.slogdet(each)[1].sum()) for each in (covariance, equations, outer))
    size += 2.0 * (institutions * np.log(a) + blocks * cells * (years - 1) * np.log(k))
    squares = float((y * weighted).sum() - (beta * right).sum() - alpha @ first)
    return _System(
        prior=prior, inverse=inverse, of_common=of_common, across=across, left=left, beta=beta,
        alpha=alpha[:institutions], log_posterior=float(-0.5 * (squares + size) + _log_prior(logs)),
    )  # fmt: skip


def _estimated(deviations: Deviations, system: _System) -> tuple[Floats, Floats]:
    """What is common and the institution's, and of what is left the part that is not noise; with its variance."""
    institutions = len(system.alpha)
    y = deviations.value.reshape(institutions, len(system.beta), -1)
    base = system.beta[None] + system.alpha[:, None, None]
    gain = system.prior @ system.inverse
    estimate = base + (gain @ (y - base)[..., None])[..., 0]
    variance = np.diagonal(system.prior, axis1=-2, axis2=-1) - (gain * system.prior).sum(axis=-1)
    pulled = system.of_common @ system.across  # blocks × places × (institutions + years)
    moved = pulled @ system.left
    common = system.of_common + moved @ pulled.swapaxes(-1, -2)  # blocks × places × places
    with_own = -moved[:, :, :institutions].transpose(2, 0, 1)  # Cov(β, α), institutions × blocks × places
    alone = np.diagonal(system.left)[:institutions, None, None, None]
    both = common[None] + with_own[..., :, None] + with_own[..., None, :] + alone
    rest = np.eye(y.shape[-1]) - gain
    variance = variance + ((rest @ both) * rest).sum(axis=-1)
    return estimate, np.maximum(variance, 0.0)
