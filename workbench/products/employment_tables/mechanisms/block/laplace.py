"""Block noise with Laplace tails: the strong guarantee at (ε, δ) for tables with worker attributes.

Formula: published = n + κ·S·z rounded to integers, z a vector of d independent Laplace variates (density ∝ e^(−‖z‖₁)),
S = max(α·x, 1), x the total size of the workplace cell's largest establishment.
Guarantee: strong (α, ε) employer-employee privacy with δ, for the whole table at once: the d worker cells of a
workplace move together by at most S in L1, and the scale by a factor of at most 1 + α, whose cost is a Gamma(d) tail
(`block_laplace_delta`). κ is the smallest factor whose proved ceiling on δ is the δ asked for; the exact audit shows
the δ actually spent, about half of it.
Rounding: to the nearest integer, which is post-processing; the sampler is exact (`block_sampler`). Negative values are
kept, or `post_processing` makes something else of the drawn values (`block_post`), at no cost.
Expected error per cell: 1/(2·sinh(1/(2σ))), σ = κ·S, exact with rounding; σ for large σ.
Compared with block-gamma it pays off only where δ may be large (about 0.01 at d = 8, ε = 2, α = 0.1).
Source: Haney et al. (2017), section 8 (Smooth Laplace), carried from one count to a vector.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.claims import Claim
from workbench.core.errors import Problem, UserProblem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Alpha, Delta, Epsilon, show
from workbench.mechanisms.contract import Calibration, ExactLoss
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.noise.epsilon_bounds import too_small
from workbench.noise.rounded_error import rounded_laplace
from workbench.products.employment_tables.mechanisms.block import laplace_delta as block_laplace_delta
from workbench.products.employment_tables.mechanisms.block import steps as block_steps
from workbench.products.employment_tables.mechanisms.block.components import Covariance
from workbench.products.employment_tables.mechanisms.block.mechanism import (
    BlockMechanism,
    BlockNoise,
    calibration_notes,
    claim_of,
    epsilon_param,
    scale_of,
)
from workbench.products.employment_tables.mechanisms.block.post import (
    PostProcessing,
    SplitEpsilon,
    post_processing_param,
)
from workbench.products.employment_tables.mechanisms.block.scale_meter import asked
from workbench.products.employment_tables.mechanisms.block.steps import distinct, moved_block, steps_of
from workbench.products.employment_tables.mechanisms.case import BlockCase
from workbench.products.employment_tables.mechanisms.cell.claims import alpha_param, worker_cells_param
from workbench.products.employment_tables.mechanisms.error_law import LAPLACE, half_width_note
from workbench.products.employment_tables.mechanisms.large_establishments import (
    LargeEstablishmentsParams,
    large_establishments_group,
)
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState
from workbench.products.employment_tables.tabulation.cells import Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLaplaceParams(SplitEpsilon):
    epsilon: Epsilon = epsilon_param()
    delta: Delta = param(
        Delta("0.001"),
        "Added probability δ",
        "Beyond the factor of ε, for each establishment. This noise needs a large one.",
        gt=0,
        lt=1,
    )
    alpha: Alpha = alpha_param(" and δ")
    worker_cells: int = worker_cells_param()
    post_processing: PostProcessing = post_processing_param()
    large_establishments: LargeEstablishmentsParams = large_establishments_group()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon) or infeasible(self, max(self.worker_cells, 1))


def infeasible(params: BlockLaplaceParams, cells: int) -> tuple[Problem, ...]:
    """Why no noise of this kind reaches (ε, δ), with the nearest δ that can be reached."""
    least = block_laplace_delta.least_delta(params.noise_epsilon, float(params.alpha), cells)
    if float(params.delta) > least:
        return ()
    return (
        Problem(
            f"δ must exceed {show(least)} for Laplace block noise over {cells} worker "
            f"{'cell' if cells == 1 else 'cells'} at ε {show(params.epsilon)} and α {show(params.alpha)}",
            "delta",
            f"Use δ above {show(least)}, a larger ε, a smaller α, or block-gamma, which needs no δ",
        ),
    )


@dataclass(frozen=True, slots=True)
class BlockLaplace(BlockMechanism[BlockLaplaceParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "block-laplace"
    version: int = 1
    title: str = "Block noise, Laplace tail"
    summary: str = (
        "Laplace noise of one scale for all worker cells of a workplace: protects employers' sizes and workers at "
        "ε and δ, without dividing ε among worker attributes."
    )
    params: type[BlockLaplaceParams] = BlockLaplaceParams
    case: type[BlockCase] = BlockCase
    traits: Traits = PLAIN

    def infeasible(self, params: BlockLaplaceParams, cells: int) -> tuple[Problem, ...]:
        return infeasible(params, cells)

    def noise(self, params: BlockLaplaceParams, cells: int) -> BlockNoise:
        kappa = kappa_of(params, cells)
        return BlockNoise(
            kappa=kappa, radius=None, covariance=Covariance(2.0 * kappa**2), mean=rounded_laplace, coordinate=LAPLACE
        )

    def table_claim(self, prepared: Cells | None, params: BlockLaplaceParams) -> Claim:
        return claim_of(prepared, params, delta=Decimal(params.delta))

    def exact_loss(self, prepared: Cells, params: BlockLaplaceParams, context: Context) -> ExactLoss:
        """The exact δ at the claimed ε of the worst strong step on these data.

        δ grows with the shift and with the change of scale, so only steps that no other one exceeds in both count.
        """
        context.step(0.0, "exact δ of block noise")
        cells = prepared.domain.worker_combinations
        kappa = kappa_of(params, cells)
        sizes, where = distinct(prepared.workplace_largest.reveal())
        steps = steps_of(sizes, params.alpha)
        shift, ratio = steps.shift(kappa), steps.ratio
        front = _not_exceeded(shift.ravel(), ratio.ravel())
        found = []
        for number, step in enumerate(front):
            context.step(0.1 + 0.9 * number / len(front), "exact δ of the worst steps")
            pair = float(shift.ravel()[step]), float(ratio.ravel()[step])
            found.append(block_laplace_delta.exact(params.noise_epsilon, shift=pair[0], ratio=pair[1], cells=cells))
        worst = int(np.argmax(found))
        kind, size = np.unravel_index(front[worst], shift.shape)
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=found[worst],
            worst_cell=int(np.argmax(where == size)) * cells,
            worst_pair=block_steps.WORDS[kind],
        )

    def loss_between(self, params: BlockLaplaceParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """The smallest ε whose proved ceiling on δ is at most the δ claimed: s + (what the change of scale needs).

        The exact δ is known for workers of one kind only, and about half the ceiling; this holds for every pair.
        """
        cells = len(before.counts)
        workers, ratio = moved_block(before, after, params.alpha)
        shift = workers / kappa_of(params, cells)
        own = shift + block_laplace_delta.epsilon_of_scale(float(params.delta), ratio, cells)
        return max(0.0, own) + asked(ratio, float(params.alpha), params.scale_epsilon)

    def calibrate(self, params: BlockLaplaceParams, case: BlockCase) -> Calibration:
        """The noise of a workplace cell follows its largest establishment, not the count."""
        cells = max(params.worker_cells, 1)
        kappa = kappa_of(params, cells)
        scale = scale_of(kappa, params.alpha, np.array([round(case.largest or 0)], dtype=np.int64))
        ends, noise, shift = (1.0, 1.0 + float(params.alpha)), params.noise_epsilon, 1.0 / kappa
        exact = (block_laplace_delta.exact(noise, shift=shift, ratio=end, cells=cells) for end in ends)
        return Calibration(
            scale=float(scale[0]),
            expected_absolute_error=float(rounded_laplace(scale)[0]),
            spent_epsilon=float(params.epsilon),
            spent_delta=max(exact),
            notes=(
                *calibration_notes(cells, f"κ = {show(kappa)}", params.post_processing),
                "The δ spent is exact for workers of one kind gained or lost; the noise is set by a proved ceiling.",
                half_width_note(float(scale[0]), LAPLACE),
            ),
        )


def kappa_of(params: BlockLaplaceParams, cells: int) -> float:
    """κ for so many worker cells, rounded upward."""
    kappa = block_laplace_delta.kappa_for(params.noise_epsilon, float(params.delta), float(params.alpha), cells)
    if kappa is None:
        raise UserProblem.of(infeasible(params, cells))
    return kappa


def _not_exceeded(shift: Floats, ratio: Floats) -> list[int]:
    """Positions of the pairs that no other pair exceeds in both: from the largest shift on, each larger ratio."""
    kept: list[int] = []
    most = -math.inf
    for position in np.lexsort((-ratio, -shift)).tolist():
        if ratio[position] > most:
            kept.append(position)
            most = float(ratio[position])
    return kept


SPEC = BlockLaplace()
