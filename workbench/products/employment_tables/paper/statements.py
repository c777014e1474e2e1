"""Findings 1 to 5 and the Summary of Haney et al. (2017), section 10.1, as statements that can be measured.

Each statement has the paper's words, the figure that decides it, and a rule. Where the paper says “close to 1” the rule
is ours: a rank correlation of at least 0.9. “Nearly the same” is at most 1.25 times. In the Summary “performs well” is
read as Findings 1 to 3 put it in numbers, within a factor of 3 (10 for marginals with workers), and “a significant
reduction” as at most half the error. Everything else is the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

from workbench.core.quantities import percent, show
from workbench.products.employment_tables.usefulness.closeness import WithinReach
from workbench.products.employment_tables.usefulness.evaluation import PointError
from workbench.products.employment_tables.usefulness.grid_rankings import PointRanking

LOG, GAMMA, LAPLACE, BLOCK = "log-laplace", "smooth-gamma", "smooth-laplace", "block-gamma"
CLOSE = 0.9
TWO, FOUR, TENTH = Decimal(2), Decimal(4), Decimal("0.1")
Key = tuple[int, str, Decimal, Decimal]  # workload or ranking, mechanism, ε, α


@dataclass(slots=True)
class Results:
    """What one set of calibrations gave. Strata are numbered from the smallest places on; None is all cells."""

    errors: dict[Key, PointError] = field(default_factory=dict)
    rankings: dict[Key, PointRanking] = field(default_factory=dict)
    reach: dict[str, WithinReach] = field(default_factory=dict)

    def ratio(
        self, workload: int, mechanism: str, epsilon: Decimal, alpha: Decimal, stratum: int | None = None
    ) -> float:
        found = self.errors.get((workload, mechanism, epsilon, alpha))
        return math.nan if found is None else found.of(stratum)

    def rank(self, ranking: int, mechanism: str, epsilon: Decimal, alpha: Decimal, stratum: int | None = None) -> float:
        found = self.rankings.get((ranking, mechanism, epsilon, alpha))
        return math.nan if found is None else found.of(stratum)

    def alphas(self) -> tuple[Decimal, ...]:
        return tuple(sorted({key[3] for key in self.errors}))

    def epsilons(self) -> tuple[Decimal, ...]:
        return tuple(sorted({key[2] for key in self.errors}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of the paper, the figure that decides it and the rule it must meet."""

    finding: int
    words: str
    measure: Callable[[Results], float]
    rule: str
    holds: Callable[[float], bool]
    percent: bool = False

    def shown(self, results: Results) -> str:
        value = self.measure(results)
        if not math.isfinite(value):
            return "not feasible" if math.isnan(value) else "unbounded"
        return f"{100 * value:.0f} %" if self.percent else show(value, 3)


def at_most(limit: float) -> tuple[str, Callable[[float], bool]]:
    return f"≤ {limit:g}", lambda value: value <= limit


def at_least(limit: float) -> tuple[str, Callable[[float], bool]]:
    return f"≥ {limit:g}", lambda value: value >= limit


def worst(values: list[float]) -> float:
    """The largest of the values that exist: what “for all tested values” comes down to."""
    known = [value for value in values if not math.isnan(value)]
    return max(known) if known else math.nan


def least(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return min(known) if known else math.nan


Rule = tuple[str, Callable[[float], bool]]


def _said(finding: int, words: str, measure: Callable[[Results], float], rule: Rule) -> Statement:
    return Statement(finding=finding, words=words, measure=measure, rule=rule[0], holds=rule[1])


def _reached(mechanism: str, paper: float) -> Statement:
    return Statement(
        finding=1,
        words=f"{percent(paper)} of the counts are within 10 points of SDL's relative error ({mechanism})",
        measure=lambda r: r.reach[mechanism].in_one_draw if mechanism in r.reach else math.nan,
        rule=f"{100 * (paper - 0.1):.0f} % to {100 * (paper + 0.1):.0f} %",
        holds=lambda value: abs(value - paper) <= 0.1,
        percent=True,
    )


def _large_places(ranking: int, mechanism: str, from_epsilon: str) -> Callable[[Results], float]:
    """The lowest correlation in the two strata of larger places, over all tested ε from one on."""
    return lambda r: least(
        [
            r.rank(ranking, mechanism, epsilon, TENTH, stratum)
            for epsilon in r.epsilons()
            if epsilon >= Decimal(from_epsilon)
            for stratum in (2, 3)
        ]
    )


def _steps(r: Results, mechanism: str) -> list[float]:
    """How much the ratio falls from each stratum to the next, workload 1 at ε 2 and α 0.1."""
    ratios = [r.ratio(1, mechanism, TWO, TENTH, stratum) for stratum in range(4)]
    return [before - after for before, after in pairwise(ratios)]


def _growth(mechanism: str) -> Callable[[Results], float]:
    """The share of steps between neighbouring strata at which the ratio falls."""

    def share(r: Results) -> float:
        steps = [step for step in _steps(r, mechanism) if math.isfinite(step)]
        return sum(step > 0 for step in steps) / len(steps) if steps else math.nan

    return share


def _first_is_largest(r: Results) -> float:
    """In how many of the three mechanisms the first step is the largest."""
    all_steps = [_steps(r, mechanism) for mechanism in (LOG, GAMMA, LAPLACE)]
    first = [steps[0] >= max(steps) for steps in all_steps if all(map(math.isfinite, steps))]
    return sum(first) / len(first) if first else math.nan


def _rank_growth(r: Results) -> float:
    """The same for the correlation of ranking 1, which should rise."""
    rises = [
        r.rank(1, mechanism, TWO, TENTH, stratum + 1) > r.rank(1, mechanism, TWO, TENTH, stratum)
        for mechanism in (LOG, GAMMA, LAPLACE)
        for stratum in range(3)
        if math.isfinite(r.rank(1, mechanism, TWO, TENTH, stratum))
    ]
    return sum(rises) / len(rises) if rises else math.nan


def _best_share(r: Results) -> float:
    """In how many settings of all three workloads Smooth Laplace has the smallest error, where it is feasible."""
    wins = []
    for (workload, mechanism, epsilon, alpha), error in r.errors.items():
        if mechanism == LAPLACE and math.isfinite(error.total):
            others = [r.ratio(workload, other, epsilon, alpha) for other in (LOG, GAMMA)]
            wins.append(all(math.isnan(other) or error.total <= other for other in others))
    return sum(wins) / len(wins) if wins else math.nan


def _log_before_gamma(r: Results) -> float:
    """In how many settings Log-Laplace is better than Smooth Gamma, where both are feasible."""
    wins = []
    for (workload, mechanism, epsilon, alpha), error in r.errors.items():
        gamma = r.ratio(workload, GAMMA, epsilon, alpha)
        if mechanism == LOG and not math.isnan(gamma):
            wins.append(error.total < gamma)
    return sum(wins) / len(wins) if wins else math.nan


def _all_three(workload: int) -> Callable[[Results], float]:
    """The worst of the three mechanisms at ε 2 and α 0.1."""
    return lambda r: worst([r.ratio(workload, mechanism, TWO, TENTH) for mechanism in (LOG, GAMMA, LAPLACE)])


def _all_better_in_large_places(r: Results) -> float:
    """In how many of the three mechanisms the largest places have a smaller ratio than the smallest ones."""
    pairs = [
        (r.ratio(1, mechanism, TWO, TENTH, 0), r.ratio(1, mechanism, TWO, TENTH, 3))
        for mechanism in (LOG, GAMMA, LAPLACE)
    ]
    known = [last < first for first, last in pairs if math.isfinite(first) and math.isfinite(last)]
    return sum(known) / len(known) if known else math.nan


def _failure_buys(r: Results) -> float:
    """Smooth Laplace's error, with δ, against the better of the other two, without (workload 1, ε 2, α 0.1)."""
    others = least([r.ratio(1, mechanism, TWO, TENTH) for mechanism in (LOG, GAMMA)])
    return r.ratio(1, LAPLACE, TWO, TENTH) / others


SUMMARY = 6
STATEMENTS: tuple[Statement, ...] = (
    _said(1, "Log-Laplace is within a factor of 3 of current SDL (marginal of workplaces, ε 2, α 0.1)",
          lambda r: r.ratio(1, LOG, TWO, TENTH), at_most(3)),
    _said(1, "Smooth Gamma is within a factor of 3 of current SDL (the same)",
          lambda r: r.ratio(1, GAMMA, TWO, TENTH), at_most(3)),
    _said(1, "Smooth Laplace is better than current SDL (the same)",
          lambda r: r.ratio(1, LAPLACE, TWO, TENTH), at_most(1)),
    _said(1, "Smooth Laplace ranks nearly as current SDL from ε 2 on (ranking 1, all places)",
          lambda r: least([r.rank(1, LAPLACE, epsilon, TENTH) for epsilon in (TWO, FOUR)]), at_least(CLOSE)),
    _said(1, "Log-Laplace ranks nearly as current SDL from ε 4 on",
          lambda r: r.rank(1, LOG, FOUR, TENTH), at_least(CLOSE)),
    _said(1, "Smooth Gamma ranks nearly as current SDL from ε 4 on",
          lambda r: r.rank(1, GAMMA, FOUR, TENTH), at_least(CLOSE)),
    _said(1, "In larger places Smooth Laplace ranks nearly as current SDL at every ε tested",
          _large_places(1, LAPLACE, "0"), at_least(CLOSE)),
    _said(1, "In larger places Log-Laplace ranks nearly as current SDL from ε 1 on",
          _large_places(1, LOG, "1"), at_least(CLOSE)),
    _reached(LOG, 0.65), _reached(LAPLACE, 0.75), _reached(GAMMA, 0.29),
    _said(2, "Log-Laplace is within a factor of 3 of current SDL (single queries, ε 2, α 0.1)",
          lambda r: r.ratio(2, LOG, TWO, TENTH), at_most(3)),
    _said(2, "Smooth Laplace has nearly the error of current SDL (the same)",
          lambda r: r.ratio(2, LAPLACE, TWO, TENTH), at_most(1.25)),
    _said(2, "Smooth Laplace is better than current SDL at ε 4 for every α tested",
          lambda r: worst([r.ratio(2, LAPLACE, FOUR, alpha) for alpha in r.alphas()]), at_most(1)),
    _said(2, "Smooth Laplace approaches a rank correlation of 1 at ε 4 (ranking 2, all places)",
          lambda r: r.rank(2, LAPLACE, FOUR, TENTH), at_least(CLOSE)),
    _said(2, "In larger places Smooth Laplace ranks well at every ε tested (ranking 2)",
          _large_places(2, LAPLACE, "0"), at_least(CLOSE)),
    _said(2, "In larger places Log-Laplace ranks well at every ε tested (ranking 2)",
          _large_places(2, LOG, "0"), at_least(CLOSE)),
    _said(3, "Log-Laplace is within a factor of 10 of current SDL at ε 4 for α up to 0.05 (marginal with workers)",
          lambda r: worst([r.ratio(3, LOG, FOUR, alpha) for alpha in r.alphas() if alpha <= Decimal("0.05")]),
          at_most(10)),
    _said(3, "Smooth Laplace is within a factor of 10 at ε 4 for every α tested",
          lambda r: worst([r.ratio(3, LAPLACE, FOUR, alpha) for alpha in r.alphas()]), at_most(10)),
    _said(3, "Smooth Laplace is within a factor of 3 at ε 4 and α 0.01",
          lambda r: r.ratio(3, LAPLACE, FOUR, Decimal("0.01")), at_most(3)),
    _said(4, "Log-Laplace's error falls, against current SDL, from each stratum to the next (steps, ε 2, α 0.1)",
          _growth(LOG), at_least(1)),
    _said(4, "Smooth Gamma's error falls from each stratum to the next (the same)", _growth(GAMMA), at_least(1)),
    _said(4, "Smooth Laplace's error falls from each stratum to the next (the same)", _growth(LAPLACE), at_least(1)),
    _said(4, "The step from the smallest places to the next is the largest (share of mechanisms)",
          _first_is_largest, at_least(1)),
    _said(4, "Rank correlations rise from each stratum to the next (share of steps)", _rank_growth, at_least(1)),
    _said(5, "Smooth Laplace has the smallest error of the three in every setting (share of settings)",
          _best_share, at_least(1)),
    _said(5, "Neither Log-Laplace nor Smooth Gamma is always better (share of settings where Log-Laplace is)",
          _log_before_gamma, ("between 0 and 1", lambda value: 0 < value < 1)),
    _said(SUMMARY, "For marginals of workplaces all three perform well at ε 2 and α 0.1 (the worst ratio)",
          _all_three(1), at_most(3)),
    _said(SUMMARY, "For single queries with workers all three perform well at ε 2 and α 0.1 (the worst ratio)",
          _all_three(2), at_most(3)),
    _said(SUMMARY, "For marginals with workers Smooth Laplace performs well from ε 4 on (α 0.1)",
          lambda r: r.ratio(3, LAPLACE, FOUR, TENTH), at_most(10)),
    _said(SUMMARY, "All three do better in larger places: smallest against largest stratum (share of mechanisms)",
          _all_better_in_large_places, at_least(1)),
    _said(SUMMARY, "A small failure probability buys a significant reduction (Smooth Laplace over the better other)",
          _failure_buys, at_most(0.5)),
    _said(SUMMARY, "Counts rank with high accuracy from ε 1 on (the lowest of the three, ranking 1, all places)",
          lambda r: least([r.rank(1, mechanism, epsilon, TENTH) for mechanism in (LOG, GAMMA, LAPLACE)
                           for epsilon in r.epsilons() if epsilon >= 1]), at_least(CLOSE)),
)  # fmt: skip
