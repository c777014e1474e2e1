"""What noise infusion costs on average over its factors, cell by cell, in closed form instead of by one draw of them.

A cell's value is off by Y = Σ h·X over its establishments, X = f − 1 symmetric with a known characteristic function φ.
One establishment: P(|Y| > y) is that of one factor. Many of similar size: normal, corrected by the fourth cumulant.
Else by Fourier: E|Y| = (2/π)·∫ (1 − Πφ(h·t))/t² dt and P(|Y| > y) = 1 − (2/π)·∫ sin(ty)/t·Πφ(h·t) dt. Rounded to
whole jobs E|Y| = Σ P(|Y| > k − ½). Cells below the small-cell limit are redrawn, empty
ones stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from workbench.baselines.alternatives import ExpectedError
from workbench.baselines.distortion import cumulative, mean_absolute, variance
from workbench.core.arrays import Floats, Integers
from workbench.products.employment_tables.noise_infusion import NoiseInfusionParams, redrawn
from workbench.products.employment_tables.tabulation.cells import Contributions
from workbench.tabulation.factors import Shape

_NORMAL = 0.02  # Σh⁴/(Σh²)² below which a cell has establishments enough
_FINE = 8.0  # jobs of standard deviation from which rounding does not matter
_LARGEST = 20_000  # jobs of one establishment up to which its rounded error is summed
_REACH, _NODES = 40.0, 200
_AT_ONCE = 20_000
_SMALL_ANGLE = 1e-2


def expected_distortion(
    contributions: Contributions, count: Integers, params: NoiseInfusionParams, width: int
) -> ExpectedError:
    """Mean and standard deviation of |published − true| over the factors; `width` worker cells share theirs."""
    law = FactorLaw(params)
    mean, square = np.zeros(len(count)), np.zeros(len(count))
    jobs = contributions.jobs.astype(np.float64)
    inside = np.bincount(contributions.cell, minlength=len(count))
    second, fourth = (np.bincount(contributions.cell, jobs**power, len(count)) for power in (2, 4))
    one = np.flatnonzero(inside == 1)
    sizes: Floats = np.bincount(contributions.cell, jobs, len(count)).astype(np.float64)
    mean[one], square[one] = law.alone(sizes[one])
    sigma = np.sqrt(second * law.variance)
    alike = np.divide(fourth, second**2, out=np.ones(len(count)), where=second > 0)
    many = (inside > 1) & (alike < _NORMAL) & ((sigma >= _FINE) | (not params.rounded))
    mean[many] = sigma[many] * math.sqrt(2.0 / math.pi) * (1.0 - law.excess * alike[many] / 24.0)
    square[many] = sigma[many] ** 2
    few = (inside > 1) & ~many
    for cells, groups in _chunks(contributions, few):
        mean[cells], square[cells] = law.together(groups, sigma[cells])
    small = redrawn(count, params)
    wrong = np.where(count == 1, 1.0 - float(params.one_stays_one), float(params.two_becomes_one))
    mean[small], square[small] = wrong[small], wrong[small]
    return ExpectedError(mean=mean, deviation=np.sqrt(np.maximum(square - mean**2, 0.0)), width=width)


def _chunks(contributions: Contributions, wanted: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Iterator[
    tuple[Integers, list[Floats]]
]:  # fmt: skip
    """Cells with the sizes of their establishments, some thousand contributions at a time."""
    kept = np.flatnonzero(wanted[contributions.cell])
    order = kept[np.argsort(contributions.cell[kept], kind="stable")]
    cell, jobs = contributions.cell[order], contributions.jobs[order].astype(np.float64)
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    ends = np.append(starts[1:], len(cell))
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + _AT_ONCE)))
        groups = [jobs[a:b] for a, b in zip(starts[first:last], ends[first:last], strict=True)]
        yield cell[starts[first:last]].astype(np.int64), groups
        first = last


class FactorLaw:
    """Moments, tail and characteristic function of X = f − 1, and what follows for one establishment and several."""

    def __init__(self, params: NoiseInfusionParams) -> None:
        self.least, self.most, self.shape = float(params.least), float(params.most), params.shape
        self.rounded = params.rounded
        known = {"least": self.least, "most": self.most, "shape": self.shape}
        self.mean, self.variance = mean_absolute(**known), variance(**known)  # type: ignore[arg-type]
        self.excess = self._fourth() / self.variance**2 - 3.0

    def _fourth(self) -> float:
        """E X⁴."""
        a, b = self.least, self.most
        if self.shape is Shape.RAMP:
            return 2.0 / (b - a) ** 2 * (b * (b**5 - a**5) / 5.0 - (b**6 - a**6) / 6.0)
        return (b**5 - a**5) / (5.0 * (b - a))

    def tail(self, distance: Floats) -> Floats:
        """P(|X| > distance)."""
        found: Floats = 2.0 * cumulative(1.0 - distance, least=self.least, most=self.most, shape=self.shape)
        return np.minimum(found, 1.0)

    def angle(self, x: Floats) -> Floats:
        """φ(x) = E cos(x·X)."""
        a, b, width = self.least, self.most, self.most - self.least
        safe = np.where(x > _SMALL_ANGLE, x, 1.0)
        if self.shape is Shape.RAMP:
            found = 2.0 / width**2 * ((np.cos(safe * a) - np.cos(safe * b)) / safe**2 - width * np.sin(safe * a) / safe)
        else:
            found = (np.sin(safe * b) - np.sin(safe * a)) / (width * safe)
        return np.where(x > _SMALL_ANGLE, found, 1.0 - self.variance * x**2 / 2.0)

    def alone(self, sizes: Floats) -> tuple[Floats, Floats]:
        """E|Y| and E Y² of single establishments."""
        mean, square = sizes * self.mean, sizes**2 * self.variance
        if not self.rounded:
            return mean, square
        distinct, where = np.unique(sizes, return_inverse=True)
        for place, size in enumerate(distinct):
            if size > _LARGEST:
                break
            k = np.arange(1, math.ceil(size * self.most + 0.5) + 1)
            tails = self.tail((k - 0.5) / size)
            mean[where == place], square[where == place] = tails.sum(), ((2 * k - 1) * tails).sum()
        return mean, square

    def together(self, groups: list[Floats], sigma: Floats) -> tuple[Floats, Floats]:
        """E|Y| and E Y² of several establishments each, by Fourier."""
        nodes, weights = np.polynomial.legendre.leggauss(_NODES // 8)
        panels = np.arange(8)[:, None]
        u = ((panels + 0.5 * (nodes + 1.0)) / 8 * _REACH).ravel()
        weight = np.tile(0.5 * weights / 8 * _REACH, 8)
        starts = np.cumsum([0, *map(len, groups)])[:-1]
        scaled = np.concatenate(groups) / np.repeat(sigma, [len(group) for group in groups])
        phi = np.multiply.reduceat(self.angle(scaled[:, None] * u[None, :]), starts, axis=0)
        mean = 2.0 / math.pi * sigma * (((1.0 - phi) / u**2) @ weight + 1.0 / _REACH)
        square = sigma**2
        narrow = np.flatnonzero(sigma < _FINE) if self.rounded else np.zeros(0, dtype=np.int64)
        if len(narrow):
            mean[narrow], square[narrow] = _rounded(phi[narrow], sigma[narrow], u, weight)
        return mean, square


def _rounded(phi: Floats, sigma: Floats, u: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Σ P(|Y| > k − ½) and Σ (2k − 1)·P(|Y| > k − ½)."""
    mean, square = np.zeros(len(sigma)), np.zeros(len(sigma))
    for k in range(1, math.ceil(6.0 * float(sigma.max())) + 2):
        wave = np.sin(((k - 0.5) / sigma)[:, None] * u[None, :]) / u
        tail = np.clip(1.0 - 2.0 / math.pi * ((wave * phi) @ weight), 0.0, 1.0)
        tail[(k - 0.5) > 6.0 * sigma + 0.5] = 0.0
        mean += tail
        square += (2 * k - 1) * tail
    return mean, square
