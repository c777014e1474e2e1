"""Events that are fixed before anything is drawn, and the hits of all pairs of neighbours added up.

For each pair the event is: the declared law, with noise c times as large, makes the value likelier under one neighbour
by more than e^ε; c = 0.97, 0.9, 0.75, in both directions, six tests at most. The neighbour with more noise comes first
in every pair, for telling values lie on its side: turned at random, pairs would be added up of which some tell nothing.
The claim implies p ≤ e^ε·q + δ for every pair and every event, so also for the sums, whatever the losses of single
pairs are. Nothing is spent on choosing events. Where few hits are seen the bounds of Clopper and Pearson take the place
of the normal law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.audit.claim_grid import ClaimGrid
from workbench.audit.confidence import lower_bound, upper_bound
from workbench.audit.law_loss import law_of, losses_on
from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.noise.declared.contract import Law

SUSPECTED = (0.97, 0.9, 0.75)
DIRECTIONS = ("first over second", "second over first")
TESTS = [(direction, suspected) for direction in DIRECTIONS for suspected in SUSPECTED]
PAIRS = 4
_NEAR_WORST = 0.98
_LIKED_COUNT = 300  # large enough for rounding not to matter, small enough for quick sums
_LEAST_COUNT = 50  # below, rounding hides a part of the loss from anybody who sees integers
_FEW = 50
_MOST_LOSS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class WatchedPair:
    """One pair of the claim's grid, its two sides repeated, and the laws they are declared to have."""

    description: str
    first: Confidential[Any]
    second: Confidential[Any]
    laws: tuple[Law, Law]
    copies: int


def watched_pairs(grid: ClaimGrid, mechanism: Any, params: Any, claim: Claim, copies: int) -> tuple[WatchedPair, ...]:
    """The pairs on which the declared law loses most, of different kinds and sizes; none where it declares no law."""
    found = losses_on(grid, mechanism, params, claim)
    if found is None:
        return ()
    made = []
    for place in _worst(grid, found[1] if claim.delta else found[0]):
        before, after = grid.chosen(np.array([place]), copies)
        laws = [law_of(mechanism, side.reveal(), params) for side in (after, before)]
        if laws[0] is None or laws[1] is None:
            return ()
        sides, both = (after, before), (laws[0], laws[1])
        if _width(both[1]) > _width(both[0]):
            sides, both = sides[::-1], both[::-1]
        words = grid.words[int(grid.kind[place])]
        made.append(WatchedPair(description=words, first=sides[0], second=sides[1], laws=both, copies=copies))
    return tuple(made)


def _width(law: Any) -> float:
    """How much noise there is in all; laws without a scale have as much beside either neighbour."""
    return float(np.sum(getattr(law, "scale", 0.0)))


def _worst(grid: ClaimGrid, loss: Floats) -> list[int]:
    """Four places: each kind's worst pair that comes near the worst of all, then others like them."""
    every = grid.before.reveal().count.reveal().reshape(len(grid), -1).sum(axis=1)
    near = np.flatnonzero(loss >= _NEAR_WORST * loss.max())
    wide = near[every[near] >= _LEAST_COUNT]
    near = wide if len(wide) else near
    count = every[near]
    order = near[np.lexsort((np.abs(np.log((count + 1) / _LIKED_COUNT)), -np.round(loss[near], 4)))]
    chosen: list[int] = []
    for place in order:
        if grid.kind[place] not in grid.kind[chosen]:
            chosen.append(int(place))
    for place in order:
        if len(chosen) < PAIRS and grid.size[place] not in grid.size[chosen]:
            chosen.append(int(place))
    return chosen[:PAIRS]


def log_ratio(pair: WatchedPair, drawn: Integers, factor: float) -> Floats:
    """The log ratio of each draw under the declared laws with noise `factor` times as large."""
    first, second = (law.log_density(drawn, factor) for law in pair.laws)
    together: Floats = (first - second).reshape(pair.copies, -1).sum(axis=1)
    return together


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Of one of the six tests: how often the event was met under either neighbour, over all pairs."""

    direction: str
    suspected: float
    likely: int
    unlikely: int
    draws: int

    def z(self, epsilon: float, delta: float) -> float:
        """(X − e^ε·Y − Nδ)/√(N·(p(1−p) + e^{2ε}·q(1−q))), p = e^ε·q estimated under the claim."""
        odds = math.exp(epsilon)
        q = (self.likely + odds * self.unlikely) / (2.0 * odds * self.draws)
        p = min(odds * q, 1.0)
        spread = self.draws * (p * (1.0 - p) + odds * odds * q * (1.0 - q))
        return (self.likely - odds * self.unlikely - self.draws * delta) / math.sqrt(max(spread, 1e-300))

    def lower(self, delta: float, risk: float) -> float:
        """The largest ε that these hits refute, wrong with probability at most `risk`."""
        if min(self.likely, self.unlikely) < _FEW:
            return self._exact_lower(delta, risk)
        limit = critical(risk)
        low, high = 0.0, _MOST_LOSS
        if self.z(low, delta) <= limit:
            return 0.0
        while high - low > 1e-6:
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.z(middle, delta) > limit else (low, middle)
        return low

    def _exact_lower(self, delta: float, risk: float) -> float:
        p = float(lower_bound(np.array([self.likely]), self.draws, risk / 2.0)[0]) - delta
        q = float(upper_bound(np.array([self.unlikely]), self.draws, risk / 2.0)[0])
        return max(math.log(p / q), 0.0) if p > 0.0 else 0.0


def critical(risk: float) -> float:
    """The normal quantile that is passed with probability `risk`."""
    from scipy.special import ndtri

    return float(-ndtri(risk))


def met(pair: WatchedPair, drawn: Integers, test: tuple[str, float], epsilon: float) -> int:
    """How many draws meet the event of this test."""
    direction, suspected = test
    ratio = log_ratio(pair, drawn, suspected)
    return int(np.count_nonzero((ratio if direction == DIRECTIONS[0] else -ratio) > epsilon))
