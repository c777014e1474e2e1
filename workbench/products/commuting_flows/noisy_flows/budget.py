"""How ε is divided, and the scales of discrete Laplace noise that follow: exact fractions, never above ε.

Job: ε_S on sizes, ε_R = ε − ε_S on homes, one job moves every histogram by Δ = 1. Home: ε_R = ε, a move changes two
cells, Δ = 2. A small population spends e = ε_R/Δ on its cells; a larger one e_T = s·ε_R/Δ on tract flows and
e_P = (1 − s)·ε_R/Δ on its cells. So a job costs ε_S + max(e_T + e_P, e) = ε and a move Δ-fold the rest.
Rounding: each scale is the smallest float that spends no more than its share (`scale_for`).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from workbench.noise.discrete_laplace import scale_for, spent
from workbench.products.commuting_flows.noisy_flows.params import AUTOMATIC, NoisyFlowsParams, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Scales in workers. `sizes` is None where sizes are public; `small_limit` is n*."""

    sizes: float | None
    tract_flows: float
    cells_of_larger: float
    cells_of_small: float
    small_limit: int
    size_epsilon: Fraction  # ε_S
    home_epsilon: Fraction  # ε_R

    def presence(self, *, small: bool) -> Fraction:
        """What one job, there or not, costs in a small or larger population, from the scales as they are."""
        sizes = spent(1, self.sizes) if self.sizes is not None else Fraction(0)
        return sizes + self._homes(1, small=small)

    def moved_home(self, *, small: bool) -> Fraction:
        """What one worker's move costs: two cells change at every level, sizes stay."""
        return self._homes(2, small=small)

    def _homes(self, cells: int, *, small: bool) -> Fraction:
        if small:
            return spent(cells, self.cells_of_small)
        return spent(cells, self.tract_flows) + spent(cells, self.cells_of_larger)


def budget_of(params: NoisyFlowsParams) -> Budget:
    job = params.unit is Unit.JOB
    moved = 1 if job else 2
    sizes = Fraction(size_share(params)) * Fraction(params.epsilon) if job else Fraction(0)
    homes = Fraction(params.epsilon) - sizes
    share = Fraction(tract_share(params))
    return Budget(
        sizes=scale_for(1, sizes) if job else None,
        tract_flows=scale_for(moved, homes * share),
        cells_of_larger=scale_for(moved, homes * (1 - share)),
        cells_of_small=scale_for(moved, homes),
        small_limit=small_limit(params),
        size_epsilon=sizes,
        home_epsilon=homes,
    )


def size_share(params: NoisyFlowsParams) -> Decimal:
    """ε_S/ε: .2 from ε 4 on, .25 from 3, .3 below, unless the plan says otherwise."""
    if params.size_share:
        return params.size_share
    return Decimal("0.2") if params.epsilon >= 4 else Decimal("0.25") if params.epsilon >= 3 else Decimal("0.3")


def tract_share(params: NoisyFlowsParams) -> Decimal:
    """s: .3 for a job from ε 3 on, .4 for a job from 2 and a home from 4 on, .5 below."""
    if params.tract_share:
        return params.tract_share
    job = params.unit is Unit.JOB
    if job and params.epsilon >= 3:
        return Decimal("0.3")
    return Decimal("0.4") if params.epsilon >= (2 if job else 4) else Decimal("0.5")


def small_limit(params: NoisyFlowsParams) -> int:
    """n*: 9 from ε 3 on, 5 (job) or 2 (home) from 2 on, 0 below."""
    if params.small_limit != AUTOMATIC:
        return params.small_limit
    if params.epsilon >= 3:
        return 9
    return (5 if params.unit is Unit.JOB else 2) if params.epsilon >= 2 else 0
