"""Who competes in the findings study: the paper's three mechanisms with its calibrations and with the tight ones.

Workload 3 under the weak definition is d single queries that get ε/d each. Smooth Laplace's noise as published does not
depend on δ, so there it is given a δ that makes every point computable; whether the paper's own rule allows the point
at the δ of the study is told apart (`paper_delta`).
"""

from __future__ import annotations

import math
from decimal import Decimal

from workbench.core.quantities import Delta
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.mechanisms.cell import (
    log_laplace,
    smooth_gamma,
    smooth_laplace,
    smooth_laplace_delta,
)
from workbench.products.employment_tables.mechanisms.cell.log_laplace import LogCalibration, LogLaplaceParams
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma import SmoothCalibration, SmoothGammaParams
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace import SmoothLaplaceParams
from workbench.products.employment_tables.usefulness.contenders import Contender

PAPER, TIGHT = "paper", "tight"
_ANY_DELTA = Delta("0.999")


def contenders(calibration: str, *, delta: Decimal, sharing: int = 1) -> tuple[Contender, ...]:
    """The three mechanisms of the paper; `sharing` queries divide ε, and δ too where the calibration depends on it."""
    smooth = SmoothCalibration(calibration)
    own = Delta(delta / sharing) if sharing == 1 or calibration == TIGHT else _ANY_DELTA
    chosen = (
        (log_laplace.SPEC, LogLaplaceParams(calibration=LogCalibration(calibration))),
        (smooth_gamma.SPEC, SmoothGammaParams(calibration=smooth)),
        (smooth_laplace.SPEC, SmoothLaplaceParams(calibration=smooth, delta=own)),
    )
    return tuple(Contender(name=spec.title, mechanism=spec, params=params, sharing=sharing) for spec, params in chosen)


def block_contender(after: PostProcessing = PostProcessing.NONE) -> Contender:
    """The strong guarantee at pure ε for the whole marginal with worker attributes."""
    spec = block_gamma.SPEC
    return Contender(name=spec.title, mechanism=spec, params=spec.params(post_processing=after))


def paper_delta(epsilon: Decimal, alpha: Decimal, sharing: int) -> float:
    """The smallest δ of all queries together at which the paper's rule allows Smooth Laplace; may exceed 1.

    From 1 + α ≤ e^{ε′/(2·ln(1/δ′))} with ε′ = ε/d: δ′ = e^{−ε′/(2·ln(1+α))}.
    """
    return sharing * math.exp(-float(epsilon) / sharing / (2.0 * math.log1p(float(alpha))))


def exact_delta(epsilon: Decimal, alpha: Decimal, sharing: int) -> float:
    """The δ that the paper's noise really has at ε, all queries together: exact, far below the paper's rule."""
    own = float(epsilon) / sharing
    return sharing * smooth_laplace_delta.worst_delta(2.0 / own, float(alpha), own)
