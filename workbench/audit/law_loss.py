"""What the declared noise loses on the claim's own neighbours, by the auditor's search, not a mechanism's formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.audit.claim_grid import ClaimGrid, OffersClaimGrid
from workbench.core.arrays import Floats
from workbench.core.claims import Claim, Definition
from workbench.noise.declared.contract import DRAWN, PUBLISHED, Comparable, Declared, DeclaresLaws, Law

_DIVIDED = (Definition.WEAK,)  # ε and δ are divided among the values of a pair, which add up


@dataclass(frozen=True, slots=True, kw_only=True)
class GridLoss:
    """The largest loss and δ over the grid, between which neighbours, and over how many pairs.

    `of_data`: sizes in the data are among those that were tried.
    """

    epsilon: float
    delta: float
    words: str
    pairs: int
    of_data: bool


def grid_of(prepared: Any, claim: Claim, *, of_data: bool = True) -> ClaimGrid | None:
    return prepared.claim_grid(claim, of_data=of_data) if isinstance(prepared, OffersClaimGrid) else None


def law_of(mechanism: Any, prepared: Any, params: Any) -> Law | None:
    """The law of the values themselves, before any post-processing; None where none is declared."""
    if not isinstance(mechanism, DeclaresLaws):
        return None
    declared = mechanism.laws(prepared, params)
    named: Declared | None = declared.get(DRAWN) or declared.get(PUBLISHED)
    return named.law(named.exact.reveal()) if named is not None and named.exact is not None else None


def losses_on(grid: ClaimGrid, mechanism: Any, params: Any, claim: Claim) -> tuple[Floats, Floats] | None:
    """Loss and δ of every pair of the grid, all its values together; None where the laws cannot be compared."""
    first, second = (law_of(mechanism, side.reveal(), params) for side in (grid.before, grid.after))
    if first is None or not isinstance(first, Comparable):
        return None
    parts = grid.width if claim.definition in _DIVIDED else 1
    loss, delta = first.loss(second, float(claim.epsilon) / parts)
    return loss.reshape(len(grid), -1).sum(axis=1), delta.reshape(len(grid), -1).sum(axis=1)


def grid_loss(mechanism: Any, prepared: Any, params: Any, claim: Claim, *, of_data: bool) -> GridLoss | None:
    """The worst pair of the claim's grid under the declared law."""
    grid = grid_of(prepared, claim, of_data=of_data)
    found = losses_on(grid, mechanism, params, claim) if grid is not None and len(grid) else None
    if grid is None or found is None:
        return None
    loss, delta = found
    worst = int(np.argmax(delta if claim.delta else loss))
    return GridLoss(
        epsilon=float(loss.max()),
        delta=float(delta.max()),
        words=grid.words[int(grid.kind[worst])],
        pairs=len(grid),
        of_data=of_data,
    )
