"""The smallest ε at which a mechanism meets an accuracy target, by bisection on closed forms of its error.

Shares use P(|published − true| ≤ t·true), means use E|published − true| (`noise`); a mechanism without a known law is
judged by its own closed form where it has one and by seeded draws, the same at every ε, where it has none. More ε never
makes an error larger, so bisection on ln ε finds the smallest; it is given to three digits, rounded up.
The answer follows from the confidential counts, so it is as confidential as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.baselines.alternatives import error_of
from workbench.core.arrays import Floats
from workbench.core.progress import QUIET, Context
from workbench.products.employment_tables.mechanisms.error_law import Noise
from workbench.products.employment_tables.usefulness.contenders import (
    MOST_EPSILON,
    Contender,
    rounded_up,
    smallest_feasible,
)
from workbench.products.employment_tables.usefulness.noise_laws import noise_of
from workbench.products.employment_tables.usefulness.targets import EVERY, Kind, Target
from workbench.products.employment_tables.usefulness.workloads import Workload
from workbench.utility.streams import stream

_ROUNDS = 30
_DRAWS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """The smallest ε of one contender, or why there is none. `by_draws` where no closed form decided it."""

    contender: Contender
    epsilon: Decimal | None
    why: str = ""
    by_draws: bool = False

    @property
    def reached(self) -> bool:
        return self.epsilon is not None


class Judge:
    """One target on one table: groups the cells once, then judges params."""

    def __init__(self, workload: Workload, target: Target, seed: int) -> None:
        self.cells = workload.cells
        self.target = target
        self.seed = seed
        self.true = self.cells.count.reveal().astype(np.float64)
        today = workload.baseline.reveal()
        strata = workload.strata
        keep = np.isfinite(today) if target.kind is Kind.L1 else np.ones(len(self.true), dtype=np.bool_)
        if target.kind is Kind.WITHIN:
            keep &= self.true > 0  # a truly empty cell has no relative error
        groups = [np.flatnonzero(keep & (strata.member == i)) for i in range(len(strata.names))]
        if target.stratum == EVERY:
            chosen = groups
        elif target.stratum:
            chosen = [groups[strata.keys.index(target.stratum)]] if target.stratum in strata.keys else []
        else:
            chosen = [np.flatnonzero(keep)]
        self.groups = [rows for rows in chosen if len(rows)]
        self.today = error_of(workload.baseline, self.true).mean if target.kind is Kind.L1 else np.zeros(0)

    def met(self, contender: Contender, params: Any) -> tuple[bool, bool]:
        """Whether the target is met, and whether draws had to decide it."""
        scores, drawn = self._scores(contender, params)
        return all(self._good(scores, rows) for rows in self.groups), drawn

    def _scores(self, contender: Contender, params: Any) -> tuple[Floats, bool]:
        """Per cell: the probability of staying within the limit, or the expected error."""
        mechanism = contender.mechanism
        noise = noise_of(mechanism, params, self.cells.domain.worker_combinations)
        limit = self.target.limit * self.true
        if noise is not None:
            return self._by_law(noise, limit), False
        if self.target.kind is not Kind.WITHIN:
            expected = mechanism.expected_error(self.cells, params)
            if expected is not None:
                return expected.reveal(), False
        rng = stream(self.seed, "solve")
        draws = (mechanism.study(self.cells, params, rng, QUIET).reveal().values for _ in range(_DRAWS))
        drawn = [np.abs(values - self.true) for values in draws]
        if self.target.kind is Kind.WITHIN:
            return np.mean([error <= limit for error in drawn], axis=0), True
        return np.mean(drawn, axis=0), True

    def _by_law(self, noise: Noise, limit: Floats) -> Floats:
        driver = noise.driver.of(self.cells)
        if self.target.kind is Kind.WITHIN:
            return noise.within(driver, limit)
        distinct, where = np.unique(driver, return_inverse=True)
        return noise.mean(distinct)[where]

    def _good(self, scores: Floats, rows: NDArray[np.intp]) -> bool:
        if self.target.kind is Kind.WITHIN:
            return float(scores[rows].mean()) >= self.target.share
        if self.target.kind is Kind.MEAN:
            return float(scores[rows].mean()) <= self.target.limit
        return float(scores[rows].sum()) <= self.target.limit * float(self.today[rows].sum())


def solve(judge: Judge, contender: Contender, context: Context) -> Solved:
    """The smallest ε of this contender that meets the judge's target."""
    if not judge.groups:
        return Solved(contender=contender, epsilon=None, why="no cell of the table is in that stratum")
    least = smallest_feasible(contender, judge.cells, None)
    if least is None:
        problems = contender.problems(judge.cells, MOST_EPSILON, None)
        return Solved(contender=contender, epsilon=None, why=" ".join(problem.sentence() for problem in problems))
    most = MOST_EPSILON
    good, drawn = judge.met(contender, contender.at(most, None))
    if not good:
        return Solved(contender=contender, epsilon=None, why=f"no ε up to {most} meets the target", by_draws=drawn)
    low, high = math.log(float(least)), math.log(float(most))
    for step in range(_ROUNDS):
        context.step(step / _ROUNDS, f"smallest ε of {contender.name}")
        middle = (low + high) / 2.0
        met = judge.met(contender, contender.at(Decimal(repr(math.exp(middle))), None))[0]
        low, high = (low, middle) if met else (middle, high)
    return Solved(contender=contender, epsilon=_shortened(judge, contender, math.exp(high)), by_draws=drawn)


def _shortened(judge: Judge, contender: Contender, epsilon: float) -> Decimal:
    """Three digits: the round value just below where it meets the target too, otherwise the one above."""
    exact = Decimal(repr(epsilon))
    below = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 2), rounding=ROUND_FLOOR).normalize()
    feasible = below > 0 and not contender.problems(judge.cells, below, None)
    if feasible and judge.met(contender, contender.at(below, None))[0]:
        return below
    return min(rounded_up(epsilon, 3), MOST_EPSILON)
