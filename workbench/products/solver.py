"""What a product's solver is: from an accuracy target in words to the smallest ε of every mechanism.

The ε of each mechanism is found on the data at hand, so it is confidential: for the reviewer, not for publication.
Which mechanism is taken must not depend on those data, or the choice itself would tell something about them that no
budget covers. So it is made on public facts only: the strength of the guarantee, whether it needs a δ, and the ε that
each mechanism needs on a synthetic twin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.progress import Context
from workbench.core.words import Words
from workbench.mechanisms.contract import AnyMechanism

_STRENGTH = {
    Definition.STRONG: 0,
    Definition.NODE: 0,
    Definition.HISTORY: 0,  # before one row of one year, which costs less because it promises less
    Definition.WEAK: 1,
    Definition.EDGE: 2,
}


class Target(Protocol):
    def sentence(self, words: Words) -> str:
        """The target as understood, in the product's words, so that a person sees a misreading at once."""


TargetT = TypeVar("TargetT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one mechanism asks for: its promise, the ε on these data and the ε on the public twin."""

    mechanism: AnyMechanism
    claim: Claim
    epsilon: Decimal | None
    on_twin: Decimal | None
    why: str = ""  # why no ε was found
    by_draws: bool = False  # decided by draws, not by a closed form
    public: bool = False  # found on public planning values alone: `epsilon` is no secret

    @property
    def reached(self) -> bool:
        return self.epsilon is not None

    def order(self) -> tuple[bool, int, bool, Decimal]:
        """Public facts only; the smallest is best. What is not a formal guarantee comes last."""
        strength = _STRENGTH.get(self.claim.definition, 3)
        on_twin = self.on_twin if self.on_twin is not None else Decimal("Infinity")
        return not self.claim.formal, strength, self.claim.delta > 0, on_twin


def best_of(offers: tuple[Offer, ...]) -> Offer:
    """The best on public facts among those the twin can reach."""
    reachable = [offer for offer in offers if offer.on_twin is not None]
    return min(reachable or offers, key=Offer.order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is solved for: prepared data, the settings the plan has, and today's values where they are asked for."""

    prepared: Any
    mechanisms: tuple[tuple[AnyMechanism, Any], ...]  # each with the params it starts from
    baseline_params: Any  # of the first baseline; None where the product has none
    baseline: Callable[[Context], Confidential[NDArray[np.float64]]]
    seed: int


class Solver(Protocol[TargetT]):
    def target(self, words: str) -> TargetT:
        """Read a target; raises UserProblem with examples where it cannot be understood."""

    def offers(self, target: TargetT, case: Case, context: Context) -> tuple[Offer, ...]:
        """One offer for each mechanism of the case, in their order."""


AnySolver = Solver[Any]
