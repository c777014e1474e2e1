"""Model-based counts: what institutions have in common over the years, times a walk of each institution's cells.

n = g·a over the years of a title's sectors. The profile g of a title and sector is common to all institutions: it is
itself unknown: a path that the sectors of a title share, which is free, and deviations from it with standard deviation
k. a walks: in each step people come and go (variance φ·n) and move between the sectors of their title
(covariance μ·(n_j − n_j·n_k/N), which leaves the title's total alone); in single years some stay away (variance ψ·n).
Noise within a block is correlated as one of the laws says that the table may have been drawn with, the likeliest of
them (`noise_within_blocks.py`). The estimate is the best linear one given the published counts and their margins of
error, averaged over φ, μ, ψ and k (`averaging.py`); it uses nothing else, so that it costs no privacy. It is a model:
where people do not come and go alike it is wrong, and its interval too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.outcome_reports.model_based.averaging import averaged, likely_sizes
from workbench.products.outcome_reports.model_based.expected_people import expected
from workbench.products.outcome_reports.model_based.noise_within_blocks import NONE, Correlation

_LEAST = 1.0
_SIZES = {
    "coming": tuple(np.exp(np.linspace(np.log(0.003), np.log(2.0), 12))),
    "away": tuple(np.exp(np.linspace(np.log(0.001), np.log(0.5), 10))),
    "moving": tuple(np.exp(np.linspace(np.log(0.002), np.log(1.0), 10))),
    "common": tuple(np.exp(np.linspace(np.log(0.001), np.log(1.0), 8))),
}
_ROUNDS = 2
_FINER = (0.8, 1.0, 1.25)  # around the best of the lists above, whose steps are wider
_MOST_TOGETHER = 90  # cells of a block that are modelled together; larger blocks sector by sector
_WIDE = 3.0  # times the level: the sd of the first year, of which nothing else is known
_STEADY = 4.0  # sds of noise: smaller sums over institutions follow all sums together


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laws:
    """φ, μ, ψ, k, and how noise is correlated."""

    coming: float = 0.05
    moving: float = 0.02
    away: float = 0.02
    common: float = 0.05
    noise: Correlation = NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Titles × institutions × sectors × years: counts and noise over the profile, and the level of each sector."""

    observed: Floats
    noise: Floats  # sd
    level: Floats  # titles × institutions × sectors
    doubt: Floats  # sd that levels may be off by
    profile: Floats  # titles × 1 × sectors × years

    @property
    def sectors(self) -> int:
        return int(self.observed.shape[2])

    @property
    def years(self) -> int:
        return int(self.observed.shape[3])


@dataclass(frozen=True, slots=True, kw_only=True)
class _System:
    """Best linear estimates, flattened over sectors and years."""

    prior: Floats  # titles × institutions × cells × cells
    inverse: Floats  # of prior and noise together
    design: Floats  # titles × institutions × cells: what a unit of the common path moves
    spread: Floats  # titles × paths × paths
    common: Floats  # titles × paths
    log_posterior: float


def modelled_counts(count: Floats, sd: Floats, noise: Sequence[Correlation] = (NONE,)) -> tuple[Floats, Floats]:
    """Institutions × titles × sectors × years of published counts and their noise → estimates and their sd."""
    return modelled_with_noise(count, sd, noise)[:2]


def modelled_with_noise(
    count: Floats, sd: Floats, noise: Sequence[Correlation] = (NONE,)
) -> tuple[Floats, Floats, Correlation]:
    """The same, and how noise seems to be correlated: the likeliest of what is offered."""
    if count.shape[-1] == 1:
        return np.maximum(count, 0.0), sd.copy(), NONE
    block = _block(count, sd)
    laws = _fitted(block, noise)
    estimate, variance = _averaged(block, laws)
    made, spread = (
        _unfolded(each, count.shape) for each in (estimate * block.profile, np.sqrt(variance) * block.profile)
    )
    return np.maximum(made, 0.0), spread, laws.noise


def _block(count: Floats, sd: Floats) -> _Block:
    """Titles first; where a block would have too many cells, sectors as if they were titles."""
    sectors, years = count.shape[2:]
    together = sectors * years <= _MOST_TOGETHER
    profile = _profile(count, sd)

    def folded(values: Floats) -> Floats:
        turned = values.transpose(1, 2, 0, 3) if not together else values.transpose(1, 0, 2, 3)
        made: Floats = turned.reshape(-1, len(count), 1, years) if not together else turned
        return made

    of_profile = folded(np.broadcast_to(profile[None], count.shape))
    observed = folded(count) / of_profile
    spread = folded(sd) / of_profile
    of_mean = np.sqrt((spread**2).mean(axis=3))  # no smaller than if years were all alike: noise may be shared
    return _Block(
        observed=observed,
        noise=spread,
        level=expected(observed.mean(axis=3), of_mean).number,
        doubt=of_mean,
        profile=of_profile[:, :1],
    )


def _unfolded(values: Floats, shape: tuple[int, ...]) -> Floats:
    institutions, titles, sectors, years = shape
    if values.shape[2] == sectors and values.shape[0] == titles:
        return values.transpose(1, 0, 2, 3)
    return values.reshape(titles, sectors, institutions, years).transpose(2, 0, 1, 3)


def _profile(count: Floats, sd: Floats) -> Floats:
    """Titles × sectors × years: the sum over institutions and sectors, in units of the first year.

    It is free in what follows, so that its noise does no harm; profiles of single sectors would bring theirs. Sums that
    are small beside their noise follow those of all cells.
    """
    total, every = count.sum(axis=(0, 2)), np.maximum(count.sum(axis=(0, 1, 2)), _LEAST)
    lent = np.maximum(_STEADY * np.sqrt((sd**2).sum(axis=(0, 2)).mean(axis=-1)), _LEAST)[:, None] * every / every.mean()
    steady = np.maximum(total, 0.0) + lent
    profile = np.maximum(steady / steady[:, :1], 0.01)
    return np.broadcast_to(profile[:, None, :], count.shape[1:])


def _fitted(block: _Block, noise: Sequence[Correlation]) -> _Laws:
    """One after the other, twice over; then once more between the steps of the lists."""
    best, names = _Laws(), _named(block)
    for _ in range(_ROUNDS):
        for name in names:
            best = _likeliest(block, [replace(best, **{name: size}) for size in _SIZES[name]])
        best = _likeliest(block, [replace(best, noise=each) for each in noise if each.is_possible(block.sectors)])
    for name in names:
        best = _likeliest(block, [replace(best, **{name: getattr(best, name) * factor}) for factor in _FINER])
    return best


def _named(block: _Block) -> tuple[str, ...]:
    return ("coming", "away", "moving", "common") if block.sectors > 1 else ("coming", "away")


def _likeliest(block: _Block, tried: Sequence[_Laws]) -> _Laws:
    return max(tried, key=lambda each: _log_posterior(block, each))


def _log_posterior(block: _Block, laws: _Laws) -> float:
    return _solved(block, laws).log_posterior


def _averaged(block: _Block, best: _Laws) -> tuple[Floats, Floats]:
    names = _named(block)

    def at(logs: Floats) -> _Laws:
        return replace(best, **dict(zip(names, np.exp(logs).tolist(), strict=True)))

    low, high = (np.log([_SIZES[name][end] for name in names]) for end in (0, -1))
    sizes = likely_sizes(
        lambda logs: _log_posterior(block, at(logs)), np.log([getattr(best, name) for name in names]), low, high
    )
    shape = block.observed.shape
    parts = []
    for each in sizes:
        estimate, variance = _estimated(block, _solved(block, at(each.logs)))
        parts.append((each.weight, estimate.reshape(shape), variance.reshape(shape)))
    return averaged(parts)


def _solved(block: _Block, laws: _Laws) -> _System:
    """The common path is unknown from the second year on; where sectors share it, they are drawn together."""
    prior = _walk(block, laws)
    inverse, log_size = _inverse(prior + _noise(block, laws))
    away = _flat(block.observed - block.level[..., None])
    free = np.arange(block.observed[0, 0].size).reshape(block.sectors, block.years)[:, 1:].reshape(-1)
    design = np.repeat(block.level, block.years, axis=2)
    equations = (design[..., :, None] * inverse * design[..., None, :]).sum(axis=1)[:, free][:, :, free]
    around = np.kron(np.eye(block.sectors) - 1.0 / block.sectors, np.eye(block.years - 1)) / laws.common**2
    solved = (inverse @ away[..., None])[..., 0]
    right = (design * solved).sum(axis=1)[:, free]
    spread, log_common = _inverse(equations + around)
    common = (spread @ right[..., None])[..., 0]
    shared_free = (block.sectors - 1) * (block.years - 1) * len(equations)
    size = log_size + log_common + 2.0 * shared_free * np.log(laws.common)
    squares = float((away * solved).sum() - (common * right).sum())
    sizes = 0.5 * np.log([laws.coming, laws.away])
    if block.sectors > 1:
        sizes = np.append(sizes, [0.5 * np.log(laws.moving), np.log(laws.common)])
    return _System(
        prior=prior, inverse=inverse, design=design, spread=spread, common=common,
        log_posterior=float(-0.5 * (squares + size) + sizes.sum()),
    )  # fmt: skip


def _inverse(covariance: Floats) -> tuple[Floats, float]:
    _, log_size = np.linalg.slogdet(covariance)
    inverse: Floats = np.asarray(np.linalg.inv(covariance), dtype=np.float64)
    return inverse, float(log_size.sum())


def _walk(block: _Block, laws: _Laws) -> Floats:
    """Covariance of a over sectors and years: a wide start, steps that add up, and years apart."""
    people = block.level[..., None] * block.profile  # titles × institutions × sectors × years
    whole = np.maximum(people.sum(axis=2, keepdims=True), _LEAST)
    own = np.eye(block.sectors)[None, None, :, :, None]
    moving = laws.moving if block.sectors > 1 else 0.0
    steps = (laws.coming + moving) * own * people[:, :, :, None, :]
    steps = steps - moving * people[:, :, :, None, :] * people[:, :, None, :, :] / whole[:, :, :, None, :]
    steps = steps / (block.profile[:, :, :, None, :] * block.profile[:, :, None, :, :])
    running = np.cumsum(steps, axis=4)
    years = running.shape[4]
    earlier = np.minimum(np.arange(years)[:, None], np.arange(years)[None, :])
    start = _WIDE**2 * (block.level**2 + block.doubt**2)[..., None] * own[..., 0]
    apart = laws.away * own * (people / block.profile**2)[:, :, :, None, :]
    return _square(start[..., None, None] + running[..., earlier] + apart[..., None] * np.eye(years))


def _noise(block: _Block, laws: _Laws) -> Floats:
    of_sectors = np.full((block.sectors, block.sectors), laws.noise.same_year)
    between = np.full((block.sectors, block.sectors), laws.noise.neither)
    np.fill_diagonal(of_sectors, 1.0)
    np.fill_diagonal(between, laws.noise.same_cell)
    same = np.eye(block.years)
    correlation = of_sectors[:, :, None, None] * same + between[:, :, None, None] * (1.0 - same)
    sd = block.noise
    return _square(correlation * sd[:, :, :, None, :, None] * sd[:, :, None, :, None, :])


def _square(covariance: Floats) -> Floats:
    """… sector × sector × year × year as … cells × cells."""
    *outer, sectors, _, years, _ = covariance.shape
    made: Floats = covariance.swapaxes(-3, -2).reshape(*outer, sectors * years, sectors * years)
    return made


def _flat(values: Floats) -> Floats:
    return values.reshape(*values.shape[:2], -1)


def _estimated(block: _Block, system: _System) -> tuple[Floats, Floats]:
    free = np.arange(block.observed[0, 0].size).reshape(block.sectors, block.years)[:, 1:].reshape(-1)
    moved = np.zeros((len(system.common), block.observed[0, 0].size))
    moved[:, free] = system.common
    base = _flat(np.broadcast_to(block.level[..., None], block.observed.shape)) + system.design * moved[:, None, :]
    gain = system.prior @ system.inverse
    estimate = base + (gain @ (_flat(block.observed) - base)[..., None])[..., 0]
    variance = np.diagonal(system.prior - gain @ system.prior, axis1=-2, axis2=-1)
    rest = (np.eye(gain.shape[-1]) - gain) * system.design[..., None, :]
    rest = rest[..., free]
    variance = variance + ((rest @ system.spread[:, None]) * rest).sum(axis=-1)
    return estimate, np.maximum(variance, 0.0)
