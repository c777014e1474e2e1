"""Primary rules: which cells tell too much about somebody behind them, and how far their values must stay uncertain.

With contributions x₁ ≥ x₂ ≥ … to a cell X, summed per holder, and rest = X − x₁ − x₂:

- threshold: fewer than t contributors, and at least one;
- (n, k): the n largest hold more than k % of X; level above: 100/k·(x₁ + … + xₙ) − X;
- p %: rest < p/100·x₁, so that the second largest knows x₁ within p %; level above: p/100·x₁ − rest;
- pq: q/100·rest < p/100·x₁, where others know each contribution within q % beforehand; level above: p/q·x₁ − rest.

p % is pq with q = 100. A cell whose largest contribution is 0 is not flagged by (n, k), p % and pq: where a published 0
is itself sensitive, the threshold must flag it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.suppression.contributions import Behind, Contributions
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.task import Sensitive
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The primary rules with their parameters; 0 turns a rule off.

    `least` and `share` are the level of every primary cell in units of the value and as a share of its largest
    contribution, above and below; a rule's own level counts where it is larger.
    """

    threshold: int = 3
    dominant: int = 1
    dominance: float = 0.0  # k, as a share of one
    p: float = 0.0  # in percent
    q: float = 100.0
    least: float = 1.0
    share: float = 0.0

    def problems(self) -> tuple[Problem, ...]:
        found = []
        if not (self.threshold or self.dominance or self.p):
            found.append(
                Problem("No primary rule is turned on", "threshold", "Set a threshold, a dominance share or p")
            )
        if self.least <= 0 and self.share <= 0:
            found.append(
                Problem(
                    "Primary cells would have no protection level: both the least level and the share are 0",
                    "least",
                    "Use a level above 0, for example 1",
                )
            )
        if self.p and self.q < self.p:
            found.append(
                Problem(
                    f"The prior knowledge q = {self.q:g} is below p = {self.p:g}: others would know more before than "
                    "the rule allows afterwards",
                    "q",
                    f"Use a value of at least {self.p:g}",
                )
            )
        return tuple(found)

    @property
    def kept(self) -> int:
        """How many of the largest contributions the rules ask for."""
        return max(2, self.dominant)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Flagged:
    """Which cells are primary, and the level of each above and below its value."""

    primary: Bools
    upper: Floats
    lower: Floats


def flagged(rules: Rules, behind: Behind, *, counts: bool = False) -> Flagged:
    """Every cell judged. In a count of units that count one each, a small cell must be able to reach the threshold."""
    x1 = behind.largest[:, 0]
    second = behind.largest[:, 1] if behind.largest.shape[1] > 1 else np.zeros(len(x1))
    rest = behind.total - x1 - second
    few = (behind.contributors > 0) & (behind.contributors < rules.threshold)
    upper = np.zeros(len(x1))
    if counts:
        ones = few & (x1 <= 1)
        upper[ones] = rules.threshold - behind.total[ones]
    primary = few
    if rules.dominance:
        top = behind.top(rules.dominant)
        dominated = (x1 > 0) & (top > rules.dominance * behind.total)
        upper[dominated] = np.maximum(upper, top / rules.dominance - behind.total)[dominated]
        primary = primary | dominated
    if rules.p:
        close = (x1 > 0) & (rules.q * rest < rules.p * x1)
        upper[close] = np.maximum(upper, rules.p / rules.q * x1 - rest)[close]
        primary = primary | close
    least = np.maximum(rules.least, rules.share * x1)
    return Flagged(
        primary=primary,
        upper=np.where(primary, np.maximum(upper, least), 0.0),
        lower=np.where(primary, np.minimum(least, behind.total), 0.0),
    )


def union_rule(rules: Rules, system: System) -> Sensitive:
    """Whether the sum of several cells would itself be primary, with contributions summed per holder across them.

    Where contributors are not named, those of different cells are taken to be different.
    """
    known: dict[bytes, bool] = {}
    starts = None if system.contributions is None else system.contributions.starts()

    def judge(cells: Integers) -> bool:
        name = np.sort(cells).tobytes()
        if name not in known:
            union = (
                _union_of(system.contributions, starts, cells, rules.kept)
                if system.contributions is not None and starts is not None
                else _unnamed_union(system, cells)
            )
            known[name] = bool(flagged(rules, union).primary[0])
        return known[name]

    return judge


def _union_of(given: Contributions, starts: Integers, cells: Integers, kept: int) -> Behind:
    inside = np.concatenate([np.arange(starts[cell], starts[cell + 1]) for cell in cells])
    _, place = np.unique(given.holder[inside], return_inverse=True)
    shares = np.sort(np.bincount(place, weights=given.amount[inside]))[::-1] if len(inside) else np.zeros(0)
    largest = np.zeros((1, kept))
    largest[0, : min(kept, len(shares))] = shares[:kept]
    return Behind(total=np.array([shares.sum()]), contributors=np.array([len(shares)]), largest=largest)


def _unnamed_union(system: System, cells: Integers) -> Behind:
    total = np.array([system.values[cells].sum()])
    if system.behind is None:
        return Behind(total=total, contributors=total.astype(np.int64), largest=np.array([[1.0, 1.0]]))
    shares = np.sort(system.behind.largest[cells].ravel())[::-1]
    largest = np.zeros((1, max(2, len(shares))))
    largest[0, : len(shares)] = shares
    return Behind(total=total, contributors=np.array([system.behind.contributors[cells].sum()]), largest=largest)
