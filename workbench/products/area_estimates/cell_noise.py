"""Laplace noise on the statistics of every cell, each drawn by itself, exact, rounded after the noise.

The noise is around the unrounded value and the sum is rounded to the last decimal, so that the law is that of the
continuous mechanism with rounding as post-processing. Counts get integer noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.progress import Context, Part
from workbench.core.published import MISSING, Columns
from workbench.core.quantities import Epsilon
from workbench.core.randomness import UniformWords
from workbench.noise import discrete_laplace, exact_cdf
from workbench.noise.geometric import discrete_laplace as laplace_noise
from workbench.noise.real_placement import at_floats
from workbench.noise.rounded_error import rounded_laplace
from workbench.noise.tail_laws import LaplaceTail
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.cell_statistics import Statistic
from workbench.products.area_estimates.columns import DECIMALS, LEVEL, MARGIN, laid, names_of

_UNIT = 10.0**DECIMALS


def count_scales(prepared: AreaData, epsilon: Sequence[Epsilon]) -> Floats:
    """Scale of the integer noise of every count, from ε of every pool."""
    by_pool = np.array([discrete_laplace.scale_for(1, Fraction(each)) for each in epsilon])
    scales: Floats = by_pool[prepared.places.pool]
    return scales


def with_noise(
    prepared: AreaData,
    statistics: Sequence[Statistic],
    scales: Sequence[Floats],
    count_scales: Floats,
    rng: UniformWords,
    context: Context,
) -> Columns:
    """One independent draw for each statistic and cell with a finite scale, and one for each count."""
    made: list[dict[str, Integers]] = [{} for _ in prepared.outcomes]
    steps = len(statistics) + 1
    for place, (statistic, scale) in enumerate(zip(statistics, scales, strict=True)):
        part = Part(context, place / steps, (place + 1) / steps)
        made[statistic.outcome][statistic.column] = _drawn(statistic, scale, rng, part)
    counts = prepared.table.reveal().sums[0].sum(axis=1) // 10**6
    noise = laplace_noise(count_scales, rng, Part(context, 1 - 1 / steps, 1.0))
    for each in made:
        each["count"] = counts + noise
    for statistic, scale in zip(statistics, scales, strict=True):
        margin, own = f"{statistic.column}_{MARGIN}", made[statistic.outcome]
        if margin in own:
            chi = scale * prepared.lines.reveal()[statistic.outcome].size * statistic.scale
            own[margin] = _with_the_noise(own[margin], own["count"], chi)
    return laid(prepared, made)


def _with_the_noise(margin: Integers, count: Integers, chi: Floats) -> Integers:
    """Margins that hold the noise of the estimate too: √(m² + 2(zχ/(εÑ))²), Ñ the published count.

    A function of published values and of χ/ε, which the claim holds fixed.
    """
    given = margin != MISSING
    deviation = math.sqrt(2.0) * LEVEL * _UNIT * chi[given] / np.maximum(count[given], 1)
    whole = margin.copy()
    whole[given] = np.rint(np.hypot(margin[given].astype(np.float64), deviation)).astype(np.int64)
    return whole


def _drawn(statistic: Statistic, scale: Floats, rng: UniformWords, context: Context) -> Integers:
    shown: Bools = np.isfinite(statistic.value) & np.isfinite(scale)
    factor = (LEVEL if statistic.is_error else 1.0) * statistic.scale * _UNIT
    center = statistic.value[shown] * factor + statistic.shift * _UNIT
    drawn = np.full(len(shown), MISSING, np.int64)
    drawn[shown] = exact_cdf.draw_placed(at_floats(center, scale[shown] * factor, LaplaceTail()), rng, context)
    if statistic.is_error:
        drawn[shown] = np.maximum(drawn[shown], 0)
    return drawn


def expected_errors(
    prepared: AreaData, statistics: Sequence[Statistic], scales: Sequence[Floats], count_scales: Floats
) -> Floats:
    """E|published − exact| in closed form, rows × columns; not-a-number where there is none."""
    names, cells = names_of(prepared), prepared.places.cells
    errors = np.full((prepared.rows, len(names)), np.nan)
    for statistic, scale in zip(statistics, scales, strict=True):
        if statistic.is_error:
            continue
        rows = slice(statistic.outcome * cells, (statistic.outcome + 1) * cells)
        units = scale * statistic.scale * _UNIT
        with np.errstate(invalid="ignore"):
            own = rounded_laplace(units) / _UNIT
            if statistic.bias is not None:
                own = np.where(statistic.bias == 0.0, own, _biased(statistic.bias, scale) * statistic.scale)
        errors[rows, names.index(statistic.column)] = own
    different, place = np.unique(count_scales, return_inverse=True)
    of_count = np.array([discrete_laplace.mean_absolute(scale) for scale in different.tolist()])[place]
    errors[:, names.index("count")] = np.tile(of_count, len(prepared.outcomes))
    return errors


def _biased(bias: Floats, scale: Floats) -> Floats:
    """E|b + Z| of Laplace noise Z of this scale: |b| + s·e^(−|b|/s). Rounding is left out, as b is no whole unit."""
    far = np.abs(bias)
    error: Floats = far + scale * np.exp(-far / scale)
    return error
