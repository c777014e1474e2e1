"""The log-staircase: noise whose density falls by steps, on rings that grow as fast as the noise scale may change.

Law of Z: density ∝ e^(−J·k) on ring k, J = ε − ln(1+α). Ring 0 is |z| < γ and ring k ≥ 1 is t_{k−1} ≤ |z| < t_k with
t_k = ((1+αγ)·(1+α)^k − 1)/α. Published = n + S·Z rounded, S = max(α·x_v, 1); there is no further factor.
Loss. Let τ(z) = ln(1+α|z|)/ln(1+α): all rings but the first have length 1 in τ. A step moves the count by s ≤ 1 (in
units of the smaller S) and S by a ratio 1 ≤ r ≤ 1+α. Outward from the smaller data set, at distance t,
    (1 + α(t + s))/(1 + αt/r) lies between 1 + αs and r, and (1 + α(t + s)/r)/(1 + αt) is at most 1 + αs/r,
both at most 1+α: at most one ring is crossed. So the log ratio is at most J + ln r one way and J − ln r the other,
and its supremum over all steps is J + ln(1+α) = ε. For pairs further apart more rings are crossed; `crossed` counts.
Moments, q = (1+α)e^(−ε), ρ = (1+α)q, A = 1+αγ, C = γ + Aq/(1−ρ): ring 0 has probability γ/C, ring k ≥ 1 has
Aqρ^(k−1)/C, and
    E|Z| = [γ²/2 + (Aq/α)(A(1+α/2)/(1−ρ(1+α)) − 1/(1−ρ))]/C, finite iff ε > 3·ln(1+α).
Rounding: T(z) = P(|Z| > z) is linear on every ring, so E|round(S·Z)| = S·E|Z| less, for each end of a ring, the drop
of the density there over S times half the squared distance of S·t from the nearest whole number. Exact for every S.
γ is the multiple of 1/40 with the smallest E|Z|: public, for it depends on ε and α only.
Source: the staircase of Geng and Viswanath (2014), carried to the smooth scales of Haney et al. (2017) by us.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats

_PARTS = 40
_WIDEST_CORE = 2 * _PARTS  # γ up to 2
_GUARD_DIGITS = 14
_LOST_BITS = 2.0**-47  # of each of the few operations behind a probability, some thirty times what doubles lose
_ROUNDED_RINGS = 400  # ends of rings whose rounding is worked out one by one
_FARTHEST = 1e12  # ring ends of interest, in units of S
_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Staircase:
    """The law for exactly these ε, α and γ. Hashable, so that whoever shares draws by law finds it again."""

    epsilon: Fraction
    alpha: Fraction
    core: Fraction  # γ

    @property
    def window(self) -> float:
        return float(self.alpha)

    @property
    def stretch(self) -> float:
        """ln(1+α)."""
        return math.log1p(self.window)

    @property
    def jump(self) -> float:
        """J: what crossing one ring costs."""
        return float(self.epsilon) - self.stretch

    @property
    def head(self) -> float:
        """ln A."""
        return math.log1p(float(self.alpha * self.core))

    @property
    def fall(self) -> float:
        """ρ: how the probability falls from ring to ring."""
        return math.exp(2.0 * self.stretch - float(self.epsilon))

    @property
    def beyond_core(self) -> float:
        """What lies beyond ring 0, in units of the density of ring 0."""
        return math.exp(self.head - self.jump) / (1.0 - self.fall)

    @property
    def whole(self) -> float:
        """C: all of it, in the same units."""
        return float(self.core) + self.beyond_core

    @property
    def mean(self) -> float:
        """E|Z|; infinite for ε ≤ 3·ln(1+α)."""
        grown = self.fall * (1.0 + self.window)
        if grown >= 1.0:
            return math.inf
        first = math.exp(self.head)
        ends = first * (1.0 + self.window / 2.0) / (1.0 - grown) - 1.0 / (1.0 - self.fall)
        beyond = math.exp(self.head - self.jump) / self.window * ends
        return (float(self.core) ** 2 / 2.0 + beyond) / self.whole

    def end(self, ring: NDArray[np.int64] | Floats) -> Floats:
        """t_k."""
        found: Floats = np.expm1(self.head + self.stretch * ring) / self.window
        return found

    def ring(self, z: Floats) -> Floats:
        """k of each |z|, as a float that holds a whole number."""
        beyond = np.floor((np.log1p(self.window * z) - self.head) / self.stretch) + 1.0
        found: Floats = np.where(z < float(self.core), 0.0, np.maximum(beyond, 1.0))
        return found

    def ends(self) -> Floats:
        """The ends of all rings of interest, from t_0 outward."""
        most = math.ceil((math.log1p(self.window * _FARTHEST) - self.head) / self.stretch)
        return self.end(np.arange(min(max(most, 1), 20_000), dtype=np.float64))

    def survival(self, z: Floats) -> Floats:
        """T(z) for z ≥ 0."""
        return self.measured(z)[0]

    def measured(self, z: Floats) -> tuple[Floats, Floats]:
        """T(z), and a bound on its relative error, also where doubles take z for its neighbour ring's."""
        ring = self.ring(z)
        height, end = np.exp(-self.jump * ring), self.end(ring)
        after = self.beyond_core * np.exp(np.log(self.fall) * ring)
        inside: Floats = height * np.maximum(end - z, 0.0)
        total = np.where(ring == 0.0, np.maximum(float(self.core) - z, 0.0), inside) + after
        steepest = np.exp(-self.jump * np.maximum(ring - 1.0, 0.0))
        lost = (4.0 + ring) * _LOST_BITS * (1.0 + (end + z) * steepest / np.maximum(total, 1e-300))
        return total / self.whole, lost

    def quantile(self, tail: Floats, polish: int = 0) -> Floats:  # noqa: ARG002 - in closed form already
        """That z with T(z) = tail."""
        first = self.beyond_core / self.whole
        with np.errstate(divide="ignore"):
            ring = np.floor(np.log(np.maximum(tail, 1e-300) / first) / np.log(self.fall)) + 1.0
        ring = np.where(tail >= first, 0.0, np.maximum(ring, 1.0))
        after = first * np.exp(np.log(self.fall) * ring)
        inside = (tail - after) * self.whole * np.exp(self.jump * ring)
        found: Floats = np.where(ring == 0.0, (1.0 - tail) * self.whole, self.end(ring) - inside)
        return np.maximum(found, 0.0)

    def survival_to(self, z: Fraction, digits: int) -> Decimal:
        """T(z) with a relative error below 10^−digits: decimals, e^(−ε) and ln(1+α) to as many as it takes.

        A ring end lies between two rings, and T is continuous: which of them z is put into does not matter there.
        """
        with decimal.localcontext() as context:
            lost = len(str(int(z))) + int(self.epsilon) + len(str(int(1 / self.alpha)))
            context.prec = digits + _GUARD_DIGITS + lost
            context.Emin = decimal.MIN_EMIN
            one, alpha, core, point = Decimal(1), _exactly(self.alpha), _exactly(self.core), _exactly(z)
            first, fallen = one + alpha * core, (-_exactly(self.epsilon)).exp()
            height = (one + alpha) * fallen
            fall = (one + alpha) * height
            beyond = first * height / (one - fall)
            if z < self.core:
                return (core - point + beyond) / (core + beyond)
            stretch = (one + alpha).ln()
            ring = int(((one + alpha * point) / first).ln() / stretch) + 1
            end = (first * (one + alpha) ** ring - one) / alpha
            inside = height**ring * max(end - point, Decimal(0))
            return (inside + beyond * fall**ring) / (core + beyond)

    def rounded_mean(self, scale: Floats) -> Floats:
        """E|round(scale·Z)|, see above."""
        found: Floats = scale * self.mean
        edges = min(_ROUNDED_RINGS, max(math.ceil(40.0 / self.jump), 1))
        for ring in range(edges):
            drop = math.exp(-self.jump * ring) * -math.expm1(-self.jump)
            place = scale * self.end(np.array([float(ring)]))[0]
            found -= drop / (self.whole * scale) * (place - np.rint(place)) ** 2 / 2.0
        left: Floats = math.exp(-self.jump * edges) / (24.0 * self.whole * scale)
        return found - left

    def crossed(self, shift: float, ratio: float) -> tuple[int, int]:
        """The most rings that lie between the two centres, counted by the narrower law and by the wider.

        A difference of two rising staircases is largest where the first one rises: at the ends of its rings. Beyond
        those looked at only the ratio counts.
        """
        ends = self.ends()
        narrow = self._more(np.maximum(ends - shift, 0.0) / ratio, ends >= shift)
        wide = self._more(np.maximum(ends * ratio - shift, 0.0), ends * ratio >= shift)
        far = math.ceil(math.log(ratio) / self.stretch - _SAME) if ratio > 1.0 else 0
        at_once = int(self._within(np.array([shift]))[0]), int(self._within(np.array([shift / ratio]))[0])
        return max(narrow, far, at_once[0]), max(wide, at_once[1])

    def _more(self, other: Floats, reached: NDArray[np.bool_]) -> int:
        more = np.arange(1, len(other) + 1) - self._within(other)
        return int(max(more[reached].max(initial=0), 0))

    def _within(self, z: Floats) -> NDArray[np.intp]:
        """How many ends of rings are not beyond z; what lies at an end has passed it, also where doubles miss it."""
        return np.searchsorted(self.ends(), z * (1.0 + _SAME), side="right")

    def loss(self, shift: float, ratio: float) -> float:
        """The largest log ratio, either way, for a shift in units of the smaller S and a ratio of the scales ≥ 1."""
        narrow, wide = self.crossed(shift, ratio)
        dilated = math.log(ratio)
        return max(self.jump * narrow - dilated, self.jump * wide + dilated)


@lru_cache(maxsize=256)
def best_staircase(epsilon: Fraction, alpha: Fraction) -> Staircase | None:
    """The staircase with the smallest E|Z|; None where that is infinite."""
    if float(epsilon) <= least_epsilon(float(alpha)):
        return None
    choices = [Staircase(epsilon, alpha, Fraction(part, _PARTS)) for part in range(1, _WIDEST_CORE + 1)]
    best = min(choices, key=lambda law: law.mean)
    return best if math.isfinite(best.mean) else None


def least_epsilon(alpha: float) -> float:
    """ε must exceed this for the expected error to be finite."""
    return 3.0 * math.log1p(alpha)


@lru_cache(maxsize=16_384)
def pair_loss(law: Staircase, shift: float, ratio: float) -> float:
    """What two states lose, kept: made-up states repeat."""
    return law.loss(shift, ratio)


def _exactly(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
