"""Model-based counts: a retention profile shared by all institutions, times a walk of each institution's cells.

n = g·a over the years of a title's sectors. The profile g of a title and sector is the ratio of sums over institutions.
a walks: in each step people come and go (variance φ·n) and move between the sectors of their title (covariance
μ·(n_j − n_j·n_k/N), which leaves the title's total alone); in single years some stay away (variance ψ·n). Noise of the
sectors of a year has correlation r. φ, μ, ψ and r are the values under which the published counts are likeliest. The
estimate is the best linear one given the published values and their margins of error; it uses nothing else, so that it
costs no privacy, and its cells add up. It is a model: where people do not come and go alike it is wrong, and its
interval too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.core.arrays import Floats

_LEAST = 1.0
_COMING = tuple(np.exp(np.linspace(np.log(0.003), np.log(2.0), 14)))
_MOVING = (0.0, *np.exp(np.linspace(np.log(0.003), np.log(1.0), 9)))
_AWAY = (0.0, 0.003, 0.006, 0.012, 0.025, 0.05, 0.1, 0.2)
_CORRELATION = (0.0, -0.1, -0.2, -0.3, -0.4)
_ROUNDS = 2
_FINER = (0.7, 0.85, 1.0, 1.2, 1.4)  # around the best of the lists above, whose steps are wider
_MOST_TOGETHER = 90  # cells of a block that are modelled together; larger blocks sector by sector


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laws:
    """φ, μ, ψ and r."""

    coming: float = 0.05
    moving: float = 0.0
    away: float = 0.0
    shared: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Blocks × sectors × years: counts and noise over the profile, and the level of each sector."""

    observed: Floats
    noise: Floats  # sd
    level: Floats  # blocks × sectors
    profile: Floats


def modelled_counts(count: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Institutions × titles × sectors × years of published counts and their noise → estimates and their sd."""
    return modelled_with_noise(count, sd)[:2]


def modelled_with_noise(count: Floats, sd: Floats) -> tuple[Floats, Floats, float]:
    """The same, and the correlation r that the noise of a year's sectors seems to have."""
    institutions, titles, sectors, years = count.shape
    if years == 1:
        return np.maximum(count, 0.0), sd.copy(), 0.0
    profile = np.broadcast_to(_profile(count)[None], count.shape)
    together = sectors * years <= _MOST_TOGETHER
    shape = (institutions * titles, sectors, years) if together else (institutions * titles * sectors, 1, years)
    observed = (count / profile).reshape(shape)
    block = _Block(
        observed=observed,
        noise=(sd / profile).reshape(shape),
        level=np.maximum(observed.mean(axis=2), _LEAST),
        profile=np.ascontiguousarray(profile).reshape(shape),
    )
    laws = _fitted(block)
    estimate, spread = _estimated(block, laws)
    made = np.maximum(estimate.reshape(count.shape) * profile, 0.0)
    return made, spread.reshape(count.shape) * profile, laws.shared


def _profile(count: Floats) -> Floats:
    """Titles × sectors × years: the sum over institutions, in units of the first year; never below a hundredth."""
    total = np.maximum(count.sum(axis=0), _LEAST)
    profile: Floats = np.maximum(total / total[..., :1], 0.01)
    return profile


def _fitted(block: _Block) -> _Laws:
    """One after the other, twice over; then once more between the steps of the lists."""
    best = _Laws()
    searched = [("coming", _COMING), ("away", _AWAY)]
    if block.observed.shape[1] > 1:
        searched += [("moving", _MOVING), ("shared", _CORRELATION)]
    for _ in range(_ROUNDS):
        for name, candidates in searched:
            best = _likeliest(block, best, name, candidates)
    for name in ("coming", "away", "moving"):
        best = _likeliest(block, best, name, [getattr(best, name) * factor for factor in _FINER])
    return best


def _likeliest(block: _Block, laws: _Laws, name: str, candidates: Sequence[float]) -> _Laws:
    tried = [replace(laws, **{name: value}) for value in dict.fromkeys(candidates)]
    return max(tried, key=lambda each: _log_likelihood(block, each))


def _walk(block: _Block, laws: _Laws) -> Floats:
    """Covariance of a over sectors and years: a wide start, steps that add up, and years apart."""
    people = block.level[:, :, None] * block.profile  # blocks × sectors × years
    whole = np.maximum(people.sum(axis=1, keepdims=True), _LEAST)
    own = np.eye(block.observed.shape[1])[None, :, :, None]
    steps = (laws.coming + laws.moving) * own * people[:, :, None, :]
    steps = steps - laws.moving * people[:, :, None, :] * people[:, None, :, :] / whole[:, :, None, :]
    steps = steps / (block.profile[:, :, None, :] * block.profile[:, None, :, :])
    running = np.cumsum(steps, axis=3)
    years = running.shape[3]
    earlier = np.minimum(np.arange(years)[:, None], np.arange(years)[None, :])
    start = (3.0 * block.level[:, :, None]) ** 2 * own[..., 0]
    apart = laws.away * own * (people / block.profile**2)[:, :, None, :]
    # blocks × sector × sector × year × year
    return _flat(start[..., None, None] + running[..., earlier] + apart[..., None] * np.eye(years))


def _noise(block: _Block, shared: float) -> Floats:
    """Noise of a year's sectors has correlation `shared`; years are independent."""
    sectors, years = block.observed.shape[1:]
    correlation = (1.0 - shared) * np.eye(sectors) + shared
    sd = block.noise
    made = correlation[None, :, :, None] * sd[:, :, None, :] * sd[:, None, :, :]
    return _flat(made[..., None] * np.eye(years))


def _flat(covariance: Floats) -> Floats:
    """Blocks × sector × sector × year × year as blocks × cells × cells."""
    blocks, sectors, _, years, _ = covariance.shape
    made: Floats = covariance.transpose(0, 1, 3, 2, 4).reshape(blocks, sectors * years, sectors * years)
    return made


def _log_likelihood(block: _Block, laws: _Laws) -> float:
    covariance = _walk(block, laws) + _noise(block, laws.shared)
    away = (block.observed - block.level[:, :, None]).reshape(len(covariance), -1)
    _, log_size = np.linalg.slogdet(covariance)
    solved = np.linalg.solve(covariance, away[..., None])[..., 0]
    return float(-0.5 * (log_size + (away * solved).sum(axis=1)).sum())


def _estimated(block: _Block, best: _Laws) -> tuple[Floats, Floats]:
    prior = _walk(block, best)
    gain = np.linalg.solve(prior + _noise(block, best.shared), prior).swapaxes(-1, -2)
    level = np.broadcast_to(block.level[:, :, None], block.observed.shape)
    away = (block.observed - level).reshape(len(prior), -1)
    estimate = level.reshape(len(prior), -1) + (gain @ away[..., None])[..., 0]
    spread = np.maximum(np.diagonal(prior - gain @ prior, axis1=-2, axis2=-1), 0.0)
    return estimate, np.sqrt(spread)
