"""Losses of the paper's mechanisms, written down a second time straight from the formulas, for tests only."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tests.contract.twins import Twin
from workbench.core.claims import Claim, Definition
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState, added_up

CellLoss = Callable[[int, int, int, int], float]


class Reference(Twin):
    """Claims what a test wants and loses what a formula says, cell by cell."""

    def __init__(self, loss: CellLoss, *, definition: Definition, epsilon: float, alpha: float) -> None:
        super().__init__(laplace.SPEC)
        self.loss = loss
        self.made = Claim(
            definition=definition,
            unit="an establishment",
            epsilon=Decimal(str(epsilon)),
            alpha=Decimal(str(alpha)),
            sentence="As the test says.",
        )

    def claim(self, prepared: object, params: Any) -> Claim:
        return self.made

    def loss_between(self, params: Any, before: WorkplaceState, after: WorkplaceState) -> float:
        return added_up(self.loss, before, after)


def log_laplace(*, scale: float, gamma: float) -> CellLoss:
    """|ln((n' + γ)/(n + γ))|/λ."""
    return lambda count, _, moved, __: abs(math.log((moved + gamma) / (count + gamma))) / scale


def smooth_gamma(*, kappa: float, size: Callable[[int], float]) -> CellLoss:
    """The pair loss of noise κ·S(x)·Z, Z ∝ 1/(1 + z⁴), for a shift and a change of scale."""

    def loss(count: int, largest: int, moved: int, largest_moved: int) -> float:
        first, second = kappa * size(largest), kappa * size(largest_moved)
        if count == moved and first == second:
            return 0.0
        low, high = sorted((first, second))
        return pair_loss(abs(moved - count) / low, high / low)

    return loss


def pair_loss(shift: float, ratio: float) -> float:
    """The larger root e of (e^{e/3} − r)³(r − e^{−e}) = d⁴ and (r·e^{e/3} − 1)³(1 − r·e^{−e}) = d⁴."""
    from scipy.optimize import brentq

    least = 3.0 * math.log(ratio)

    def narrow(e: float) -> float:
        return (math.exp(e / 3) - ratio) ** 3 * (ratio - math.exp(-e)) - shift**4

    def wide(e: float) -> float:
        return (ratio * math.exp(e / 3) - 1) ** 3 * (1 - ratio * math.exp(-e)) - shift**4

    found = [float(brentq(narrow, least, 60.0, xtol=1e-14, rtol=1e-14))]
    if wide(math.log(ratio)) < 0:
        found.append(float(brentq(wide, math.log(ratio), 60.0, xtol=1e-14, rtol=1e-14)))
    return max(found)


def kappa_tight(epsilon: float, alpha: float) -> float:
    return max(((math.exp(epsilon / 3) - r) ** 3 * (r - math.exp(-epsilon))) ** -0.25 for r in (1.0, 1.0 + alpha))
