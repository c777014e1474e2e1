"""Linear regression from published noisy tables: moments of scored variables, with the privacy noise in the error.

All first and second moments of scored variables are linear in the residuals of one- and two-way tables. The noise of
each has a known variance, which is read from the published standard deviations of cells; it goes through the slope of
β̂ with respect to every residual. The sampling part is σ̂²·Â⁻¹/ñ, ñ respondents of equal weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.published import Published
from workbench.products.survey_microdata.estimation.regression import Coefficients
from workbench.products.survey_microdata.layout import effective
from workbench.products.survey_microdata.survey_data import Variable

_STEP = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMoments:
    """What a regression of these variables reads from the tables; the outcome is the first variable."""

    scores: tuple[Floats, ...]
    single: tuple[Floats, ...]  # centred residuals in respondents
    product: Floats  # s_iᵀ·R_ij·s_j of every pair, in their order
    total: float
    single_variance: Floats
    product_variance: Floats
    total_variance: float
    effective: float  # respondents of equal weight: what the sampling error divides by

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.scores)), 2))

    def packed(self) -> Floats:
        return np.concatenate([*self.single, self.product, [self.total]])

    def covariance(self) -> Floats:
        """Of the noise of everything packed."""
        blocks = []
        for residual, variance in zip(self.single, self.single_variance, strict=True):
            k = len(residual)
            blocks.append(variance * (np.eye(k) - 1.0 / k))
        size = sum(len(block) for block in blocks) + len(self.product) + 1
        whole = np.zeros((size, size))
        at = 0
        for block in blocks:
            whole[at : at + len(block), at : at + len(block)] = block
            at += len(block)
        for variance in (*self.product_variance, self.total_variance):
            whole[at, at] = variance
            at += 1
        return whole

    def moments(self, packed: Floats) -> Floats:
        """Second moments of (1, y, x₁, …)."""
        ends = np.cumsum([0, *(len(each) for each in self.scores)])
        single = [packed[ends[i] : ends[i + 1]] for i in range(len(self.scores))]
        product, total = packed[ends[-1] : -1], float(packed[-1])
        size = len(self.scores) + 1
        found = np.zeros((size, size))
        found[0, 0] = total
        for i, (scores, residual) in enumerate(zip(self.scores, single, strict=True)):
            margin = residual + total / len(scores)
            found[0, i + 1] = found[i + 1, 0] = float(scores @ margin)
            found[i + 1, i + 1] = float(scores**2 @ margin)
        for (i, j), value in zip(self.pairs, product, strict=True):
            first, second = self.scores[i], self.scores[j]
            whole = value + float(first @ single[i]) * second.mean() + float(second @ single[j]) * first.mean()
            whole += total * first.mean() * second.mean()
            found[i + 1, j + 1] = found[j + 1, i + 1] = whole
        return found / total


def read_moments(
    variables: tuple[Variable, ...], tables: Published, names: tuple[str, ...], scores: tuple[Floats, ...]
) -> TableMoments:
    """From the published tables; `names` are the outcome and the predictors, `scores` the number of each category."""
    value, noise = tables.units("estimate").numbers(), tables.units("noise_sd").numbers()
    sizes = [variable.categories for variable in variables]
    places = [next(at for at, variable in enumerate(variables) if variable.name == name) for name in names]
    starts = 1 + np.cumsum([0, *sizes])
    total, total_variance = float(value[0]), float(noise[0]) ** 2
    single, single_variance = [], []
    for place in places:
        own = value[starts[place] : starts[place + 1]]
        single.append(own - own.mean())
        k = sizes[place]
        single_variance.append((float(noise[starts[place]]) ** 2 - total_variance / k**2) * k / (k - 1))
    product, product_variance = [], []
    begins = _pair_starts(sizes, int(starts[-1]))
    for (i, j), first, second in (
        ((places[a], places[b]), scores[a], scores[b]) for a, b in combinations(range(len(places)), 2)
    ):
        low, high = min(i, j), max(i, j)
        begin = begins[low, high]
        cells = value[begin : begin + sizes[low] * sizes[high]].reshape(sizes[low], sizes[high])
        centred = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
        left, right = (first, second) if i == low else (second, first)
        product.append(float(left @ centred @ right))
        k, m = sizes[low], sizes[high]
        alone = dict(zip(places, single_variance, strict=True))
        shared = alone[low] * (k - 1) / k / m**2 + alone[high] * (m - 1) / m / k**2 + total_variance / (k * m) ** 2
        cell = (float(noise[begin]) ** 2 - shared) * k * m / ((k - 1) * (m - 1))
        product_variance.append(cell * _spread(left) * _spread(right))
    return TableMoments(
        scores=scores, single=tuple(single), product=np.array(product), total=total,
        single_variance=np.array(single_variance), product_variance=np.array(product_variance),
        total_variance=total_variance, effective=effective(tables),
    )  # fmt: skip


def _spread(scores: Floats) -> float:
    """‖s − mean‖²."""
    return float(((scores - scores.mean()) ** 2).sum())


def _pair_starts(sizes: list[int], first: int) -> dict[tuple[int, int], int]:
    starts, at = {}, first
    for i, j in combinations(range(len(sizes)), 2):
        starts[i, j] = at
        at += sizes[i] * sizes[j]
    return starts


def regression(moments: TableMoments, *, with_noise: bool = True) -> Coefficients:
    """Least squares of the first variable on the others; `with_noise` off leaves the privacy part out of the error."""
    packed = moments.packed()
    beta, normal, residual = _solved(moments, packed)
    spread: Floats = np.linalg.inv(normal).astype(np.float64) * (residual / max(moments.effective, 1.0))
    if with_noise:
        scale = np.maximum(np.abs(packed) * _STEP, 1.0)
        slopes = []
        for place in range(len(packed)):
            step = np.zeros(len(packed))
            step[place] = scale[place]
            up, down = (_solved(moments, packed + sign * step)[0] for sign in (1.0, -1.0))
            slopes.append((up - down) / (2.0 * scale[place]))
        slope = np.stack(slopes, axis=1)
        spread = spread + slope @ moments.covariance() @ slope.T
    return Coefficients(estimate=beta, error=np.sqrt(np.maximum(np.diag(spread), 0.0)))


def _solved(moments: TableMoments, packed: Floats) -> tuple[Floats, Floats, float]:
    found = moments.moments(packed)
    keep = [0, *range(2, len(found))]
    normal, right = found[np.ix_(keep, keep)], found[keep, 1]
    beta: Floats = np.linalg.solve(normal, right).astype(np.float64)
    return beta, normal, max(float(found[1, 1] - right @ beta), 0.0)
