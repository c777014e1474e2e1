"""The posterior-ratio audit: an attacker who knows all rows but one looks at the synthetic workers.

Transition matrix, one draw: P[y = c | the unknown row lives in i] = (α_c + b_c + [c = i])/Σ(α + b + e_i), for every
candidate residence i, with b the known rows. The audit is the largest log ratio over outcomes and pairs of candidates:
one draw costs max_i ln(1 + 1/(α_i + b_i)), all m draws together max_i ln(1 + m/(α_i + b_i)) (see `pure`). Both are
conditional on the known rows; `pure_epsilon` is the worst case over all data sets. Exact but for double rounding.
Source: OnTheMap (2008), "Privacy audit"; its example prior (.1, .1, .1), known (9, 0, 0) gives ln 11 for one draw
and ln 101 for the ten that are published.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.commuting_flows.dirichlet.inputs import (
    checked_counts,
    checked_draws,
    checked_prior,
    same_length,
    together,
)
from workbench.products.commuting_flows.dirichlet.pure import log_ratios, pure_epsilon


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstRatio:
    """Where the ratio is largest: all `draws` fall into `outcome`, which is far likelier if the row lives there
    (`row_a`) than if it lives in `row_b`. Cells are counted from 0."""

    draws: int
    log_ratio: float
    outcome: int
    row_a: int
    row_b: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TransitionAudit:
    """One population against one attacker. The weights are confidential, so they are not part of the repr."""

    weights: Floats = field(repr=False)
    one_draw: WorstRatio
    all_draws: WorstRatio
    pure_epsilon: float
    pure_epsilon_one_draw: float
    without_weight: tuple[int, ...]
    without_prior: tuple[int, ...]

    @property
    def max_log_ratio(self) -> float:
        """Over all the draws that were asked for."""
        return self.all_draws.log_ratio

    @property
    def matrix(self) -> Floats:
        """P[y | the unknown row lives in i] for one draw: row i, column y; each row adds up to 1."""
        cells = len(self.weights)
        return np.asarray((self.weights + np.eye(cells)) / (self.weights.sum() + 1.0))


def transition(known: Any, prior: Any, draws: int = 1) -> TransitionAudit:
    """Audit one population: `known` rows of the attacker by cell, `prior` by cell, `draws` synthetic workers."""
    counts, alpha, m = together(
        lambda: checked_counts(known, "known"), lambda: checked_prior(prior, "prior"), lambda: checked_draws(draws)
    )
    same_length(counts, "known", alpha, "prior")
    weights = alpha + counts
    return TransitionAudit(
        weights=weights,
        one_draw=_worst(weights, 1),
        all_draws=_worst(weights, m),
        pure_epsilon=pure_epsilon(alpha, m),
        pure_epsilon_one_draw=pure_epsilon(alpha, 1),
        without_weight=tuple(int(cell) for cell in np.flatnonzero(weights <= 0.0)),
        without_prior=tuple(int(cell) for cell in np.flatnonzero(alpha <= 0.0)),
    )


def _worst(weights: Floats, draws: int) -> WorstRatio:
    """The cell of least weight against the next; a single cell has nobody to be told apart from."""
    if len(weights) < 2:
        return WorstRatio(draws=draws, log_ratio=0.0, outcome=0, row_a=0, row_b=0)
    first, second = (int(cell) for cell in np.argsort(weights, kind="stable")[:2])
    loss = float(log_ratios(weights[first], draws))
    return WorstRatio(draws=draws, log_ratio=loss, outcome=first, row_a=first, row_b=second)
