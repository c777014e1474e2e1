"""The law of a mechanism's error in one cell, as far as studies need it: mean, probability of a limit, draws.

published − true is the nearest integer to a real noise X, so for a limit t the error stays within it with probability
P(|X| < ⌊t⌋ + ½). In all mechanisms here X depends on the cell through one number, its driver: the jobs of the cell
(Log-Laplace), of its largest establishment (Smooth Gamma and Laplace), or of the workplace's largest (block noise).
    scaled: X = κ·S(driver)·Z with T(z) = P(|Z| > z): P(|error| ≤ t) = 1 − T((⌊t⌋ + ½)/(κS));
    logarithmic: X = f·(n+g)·e^(l·Z) − (n+g), Z standard Laplace, f = 1 or 1 − l² (unbiased).
Closed forms, so a study over many settings needs no sampling; where it samples, the same standard Z serve all settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, runtime_checkable

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise.tail_laws import LaplaceTail
from workbench.products.employment_tables.mechanisms.rounded_means import log_laplace_mean
from workbench.products.employment_tables.tabulation.cells import Cells

LAPLACE = LaplaceTail()
_MOST_WIDTH = 2**62


class Driver(Enum):
    """Which confidential number of a cell decides how its noise is spread."""

    COUNT = "count"
    LARGEST = "largest"
    WORKPLACE = "workplace_largest"

    def of(self, cells: Cells) -> Integers:
        """One number per cell."""
        values: Integers = getattr(cells, self.value).reveal()
        return np.repeat(values, cells.domain.worker_combinations) if self is Driver.WORKPLACE else values


def half_width(scale: float, law: StandardLaw, share: float = 0.01) -> int:
    """The least whole t such that the rounded noise scale·Z stays within ± t but for this share of draws."""
    return max(math.ceil(scale * float(law.quantile(np.array([share]))[0]) - 0.5), 0)


def half_width_note(scale: float, law: StandardLaw) -> str:
    return width_note(half_width(scale, law))


def width_note(width: int) -> str:
    return f"In 99 of 100 draws the published count is within ± {width:,} of the true one."


def discrete_half_width(scale: float, share: float = 0.01) -> int:
    """The same for discrete Laplace noise, P(|X| > t) = 2q^(t+1)/(1 + q) with q = e^(−1/scale)."""
    q = math.exp(-1.0 / scale)
    return max(math.ceil(-scale * math.log(share * (1.0 + q) / 2.0) - 1.0), 0)


def half_width_by(noise: Noise, drivers: Integers, share: float = 0.01) -> int:
    """The same by the law of the error itself, for one of these cells at random: doubled until enough, then halved."""
    distinct, cells = np.unique(drivers, return_counts=True)

    def enough(width: int) -> bool:
        return float(noise.within(distinct, np.array(float(width))) @ cells) >= (1.0 - share) * len(drivers)

    high = 1
    while not enough(high) and high < _MOST_WIDTH:
        high *= 2
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


class StandardLaw(Protocol):
    """The symmetric law of Z, by T(z) = P(|Z| > z) and its inverse."""

    def survival(self, z: Floats) -> Floats: ...
    def quantile(self, tail: Floats, polish: int = 0) -> Floats: ...


class Noise(Protocol):
    """See the module's docstring."""

    @property
    def driver(self) -> Driver: ...
    @property
    def standard(self) -> StandardLaw:
        """The law of the standard draws that `errors` takes."""

    def mean(self, driver: Integers) -> Floats:
        """E|published − true|, rounding included; infinite where it is."""

    def within(self, driver: Integers, limit: Floats) -> Floats:
        """P(|published − true| ≤ limit)."""

    def errors(self, driver: Floats, standard: Floats) -> Floats:
        """published − true for these standard draws (signed)."""


@runtime_checkable
class ErrorLaw(Protocol):
    """A mechanism that knows the law of its error."""

    def error_law(self, params: Any, worker_cells: int) -> Noise | None:
        """For feasible params on a table with so many worker cells; None where values are post-processed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled:
    """κ·S(driver)·Z. `base` is S, `shape` names it (all ε of one α share it), `rounded` is E|round(scale·Z)|."""

    driver: Driver
    shape: str
    kappa: float
    base: Callable[[Integers | Floats], Floats]
    standard: StandardLaw
    rounded: Callable[[Floats], Floats]

    def mean(self, driver: Integers) -> Floats:
        return self.rounded(self.kappa * self.base(driver))

    def within(self, driver: Integers, limit: Floats) -> Floats:
        edge = np.floor(limit) + 0.5
        inside: Floats = 1.0 - self.standard.survival(np.maximum(edge, 0.0) / (self.kappa * self.base(driver)))
        return np.where(edge > 0.0, inside, 0.0)

    def errors(self, driver: Floats, standard: Floats) -> Floats:
        moved: Floats = self.kappa * self.base(driver) * standard
        return np.rint(moved, out=moved)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logarithmic:
    """Log-Laplace: offset g, spread l, factor 1 or 1 − l²."""

    offset: float
    spread: float
    unbiased: bool
    driver: Driver = Driver.COUNT
    standard: StandardLaw = LAPLACE

    @property
    def factor(self) -> float:
        return 1.0 - self.spread**2 if self.unbiased else 1.0

    def mean(self, driver: Integers) -> Floats:
        counts = driver.astype(np.float64)
        return log_laplace_mean(counts, offset=self.offset, spread=self.spread, unbiased=self.unbiased)

    def within(self, driver: Integers, limit: Floats) -> Floats:
        edge = np.floor(limit) + 0.5
        centre: Floats = driver.astype(np.float64) + self.offset
        inside: Floats = self._below(centre + edge, centre) - self._below(centre - edge, centre)
        return np.where(edge > 0.0, inside, 0.0)

    def _below(self, point: Floats, centre: Floats) -> Floats:
        """P(out + g < point): ½·ratio^(1/l) below the median, 1 − ½·ratio^(−1/l) above it."""
        ratio = np.maximum(point, 0.0) / (self.factor * centre)
        power = 1.0 / self.spread
        lower = 0.5 * np.minimum(ratio, 1.0) ** power
        return np.where(ratio <= 1.0, lower, 1.0 - 0.5 * np.maximum(ratio, 1.0) ** -power)

    def errors(self, driver: Floats, standard: Floats) -> Floats:
        centre = driver + self.offset
        moved: Floats = np.exp(self.spread * standard)
        moved *= self.factor * centre
        moved -= centre
        return np.rint(moved, out=moved)
