"""How far a mechanism lets belief move for each requirement: the largest loss over made-up establishments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from workbench.core.progress import Context, Part
from workbench.products.employment_tables.audit.requirement_scenarios import REQUIREMENTS, Pair, Pairs, Reached
from workbench.products.employment_tables.mechanisms.pair_loss import HasTurningSizes, KnowsPairLoss

_SETTLED_JOBS = 100_000
_PAST_A_TURN = 100  # a mechanism that turns at a size has settled at so many times that size
_GROWTH = 1.02
_KEPT = 32  # lists of pairs, of some hundred each
_BATCH = 20  # pairs between two questions whether to go on


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The mechanism with everything its losses depend on."""

    mechanism: KnowsPairLoss
    params: Any
    alpha: Decimal
    cells: int  # kinds of workers, those included that the table leaves out
    hidden: int = 0  # how many of them, the last ones

    @property
    def turns(self) -> tuple[int, ...]:
        return self.mechanism.turning_sizes(self.params) if isinstance(self.mechanism, HasTurningSizes) else ()

    def loss(self, pair: Pair) -> float:
        before, after = (state.without_last(self.hidden) for state in pair)
        return self.mechanism.loss_between(self.params, before, after)


def rows_of(asked: Asked, context: Context) -> tuple[Reached, ...]:
    found: dict[Pairs, Largest] = {}
    known: dict[Pair, float] = {}
    rows = []
    for number, requirement in enumerate(REQUIREMENTS):
        part = Part(context, number / len(REQUIREMENTS), (number + 1) / len(REQUIREMENTS))
        part.step(0.0, f"requirement: {requirement.compared}")
        if requirement.needs_worker_attributes and asked.cells < 2:
            rows.append(Reached(requirement=requirement, loss=0.0, shown=False))
            continue
        if requirement.pairs not in found:
            found[requirement.pairs] = largest_loss(asked, requirement.pairs, part, known)
        largest = found[requirement.pairs]
        loss = requirement.steps * largest.loss
        rows.append(Reached(requirement=requirement, loss=loss, shown=True, grows=largest.grows))
    return tuple(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Largest:
    """The largest loss, and whether it has no bound because it grows with the employer."""

    loss: float
    grows: bool = False


@lru_cache(maxsize=_KEPT)
def _every(pairs: Pairs, alpha: Decimal, cells: int, turns: tuple[int, ...]) -> tuple[Pair, ...]:
    """Made up of α and numbers of cells alone, so that mechanisms can be asked about the same ones."""
    return tuple(pairs(alpha, cells, turns))


def largest_loss(asked: Asked, pairs: Pairs, context: Context, known: dict[Pair, float] | None = None) -> Largest:
    """The largest loss over the pairs; infinite where one is, or where it still grows with the employer at the end.

    A bounded loss has settled long before a hundred thousand jobs; one that is larger beyond has no bound. `known` are
    losses of pairs that other requirements have too.
    """
    settled = beyond = 0.0
    known = {} if known is None else known
    turns = asked.turns
    settles = max(_SETTLED_JOBS, *(_PAST_A_TURN * turn for turn in turns), 0)
    every = _every(pairs, asked.alpha, asked.cells, turns)
    for number, pair in enumerate(every):
        if number % _BATCH == 0:
            context.step(number / len(every), "comparing neighbouring establishments")
        if pair not in known:
            known[pair] = asked.loss(pair)
        loss = known[pair]
        if math.isinf(loss):
            return Largest(loss=math.inf)
        if sum(pair[0].counts) <= settles:
            settled = max(settled, loss)
        else:
            beyond = max(beyond, loss)
    if beyond > _GROWTH * settled:
        return Largest(loss=math.inf, grows=True)
    return Largest(loss=max(settled, beyond))
