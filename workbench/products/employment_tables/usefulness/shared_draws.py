"""The same standard draws, rescaled, for every point of a grid: sampling as the check beside the closed forms.

One uniform per cell and trial gives a sign and a tail probability, and from these the standard noise of every law. A
point of the grid only scales and rounds it, so a sweep costs little more than drawing numbers; and since all settings
share their luck, differences between settings are sharper than with fresh draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.products.employment_tables.mechanisms.error_law import Logarithmic, Noise, Scaled, StandardLaw
from workbench.products.employment_tables.usefulness.contenders import Point
from workbench.products.employment_tables.usefulness.evaluation import Ground, PointError
from workbench.products.employment_tables.usefulness.noise_laws import noise_of
from workbench.utility.streams import stream

_CHUNK = 16_384  # fits the cache, so that scaling and rounding cost no memory traffic


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledErrors:
    """Mean over trials, and its standard error, of each point's ratio over all cells."""

    mean: tuple[PointError, ...]
    standard_error: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A point that can be sampled: where its result goes, its noise, and its driver in the order of the strata."""

    position: int
    noise: Noise
    driver: Floats


def sampled_errors(
    ground: Ground, points: Sequence[Point], *, trials: int, seed: int, context: Context
) -> SampledErrors:
    """The ratio at every feasible point by `trials` draws. Points without a known law stay not-a-number."""
    order = np.flatnonzero(ground.published)
    order = order[np.argsort(ground.strata.member[order], kind="stable")]
    edges = np.searchsorted(ground.strata.member[order], np.arange(len(ground.strata.names) + 1))
    prepared = _prepared(ground, points, order)
    rng = stream(seed, "shared-draws").generator
    sums = np.zeros((trials, len(points), len(ground.strata.names)))
    for trial in range(trials):
        context.step(trial / trials, f"trial {trial + 1} of {trials}")
        uniforms = rng.random(len(order))
        for stratum, rows in _chunks(edges):
            _add_chunk(sums[trial, :, stratum], uniforms[rows], rows, prepared)
    return _summary(ground, points, sums, {one.position for one in prepared})


def _prepared(ground: Ground, points: Sequence[Point], order: NDArray[np.intp]) -> list[_Prepared]:
    cells = ground.workload.cells
    made = []
    drivers: dict[object, Floats] = {}
    for position, point in enumerate(points):
        if not point.feasible:
            continue
        noise = noise_of(point.contender.mechanism, point.params, cells.domain.worker_combinations)
        if noise is None:
            continue
        if noise.driver not in drivers:
            drivers[noise.driver] = noise.driver.of(cells)[order].astype(np.float64)
        made.append(_Prepared(position, noise, drivers[noise.driver]))
    return made


def _chunks(edges: NDArray[np.intp]) -> Iterator[tuple[int, slice]]:
    """Slices that lie within one stratum each."""
    for stratum in range(len(edges) - 1):
        low, high = int(edges[stratum]), int(edges[stratum + 1])
        for start in range(low, high, _CHUNK):
            yield stratum, slice(start, min(start + _CHUNK, high))


def _add_chunk(sums: Floats, uniforms: Floats, rows: slice, prepared: Sequence[_Prepared]) -> None:
    """Add |error| of these cells to every point. What points share (draws, scale of one α) is made once a chunk."""
    upper = uniforms < 0.5
    tail = 1.0 - 2.0 * np.where(upper, uniforms, uniforms - 0.5)  # never 0
    draws: dict[int, Floats] = {}
    scaled: dict[tuple[int, str], Floats] = {}
    work = np.empty(len(tail))
    for one in prepared:
        noise, driver = one.noise, one.driver[rows]
        size = _draw(draws, noise.standard, tail)
        if isinstance(noise, Scaled):
            key = (id(noise.standard), noise.shape)
            if key not in scaled:
                scaled[key] = noise.base(driver) * size
            np.multiply(scaled[key], noise.kappa, out=work)
            np.rint(work, out=work)
        elif isinstance(noise, Logarithmic):
            if -1 not in draws:
                draws[-1] = np.where(upper, size, -size)
            _logarithmic(noise, driver, draws[-1], work)
        sums[one.position] += work.sum()


def _draw(draws: dict[int, Floats], law: StandardLaw, tail: Floats) -> Floats:
    if id(law) not in draws:
        draws[id(law)] = law.quantile(tail)
    return draws[id(law)]


def _logarithmic(noise: Logarithmic, driver: Floats, signed: Floats, work: Floats) -> None:
    """|published − true| = round(|f·(n+g)·e^(l·z) − (n+g)|), in place."""
    centre = driver + noise.offset
    np.multiply(signed, noise.spread, out=work)
    np.exp(work, out=work)
    if noise.factor != 1.0:
        work *= noise.factor
    work -= 1.0
    work *= centre
    np.rint(work, out=work)
    np.abs(work, out=work)


def _summary(ground: Ground, points: Sequence[Point], sums: Floats, known: set[int]) -> SampledErrors:
    trials = len(sums)
    whole = ground.baseline_error.sum()
    means = tuple(
        ground.ratios(point, sums[:, number].mean(axis=0) if number in known else None)
        for number, point in enumerate(points)
    )
    spread = sums.sum(axis=2) / whole if whole > 0 else np.full(sums.shape[:2], math.nan)
    error = spread.std(axis=0, ddof=1) / math.sqrt(trials) if trials > 1 else np.full(len(points), math.nan)
    return SampledErrors(mean=means, standard_error=tuple(error.tolist()))
