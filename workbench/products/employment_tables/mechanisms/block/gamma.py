"""Block noise with a heavy tail: the strong guarantee at pure ε for tables with worker attributes.

Formula: within one workplace cell all d worker cells get one vector of noise, published = n + κ·S·z rounded to
integers, z with density ∝ (1 + ‖z‖₁^m)^(−g/m), S = max(α·x, 1), x the total size of the workplace cell's largest
establishment. m and g are the sharpness and tail exponent with the smallest expected error, κ the smallest factor whose
largest loss is ε; all follow from ε, α and d alone (`block_tail` derives them). With `total_weight` b the norm is
(1 − b)‖z‖₁ + b|Σz| instead of ‖z‖₁: the same κ, m, g and loss, less noise in totals and more in cells (`block_norm`).
Guarantee: strong (α, ε) employer-employee privacy for the whole table at once. A step of one establishment moves the d
counts together by at most S in L1, so ε is not divided by d; workplace cells hold different establishments, so
they do not add up either. Theorem 7.5 of the source is not used: it is false as stated (100 workers of whom 10 are men,
α = 0.1: ten more men are one step, but move the men's own cell by 4.25 ε).
Rounding: to the nearest integer, which is post-processing; the sampler is exact (`block_sampler`). Negative values are
kept, or `post_processing` makes something else of the drawn values (`block_post`), at no cost.
Expected error per cell: κ·S·E t/d before rounding, t = ‖z‖₁ (`block_rounding` adds the rounding).
Source: Haney et al. (2017), definitions 7.1–7.2 and section 8, carried from one count to a vector.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Alpha, Epsilon, show
from workbench.mechanisms.contract import Calibration, ExactLoss
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.noise.epsilon_bounds import too_small
from workbench.products.employment_tables.mechanisms.block import steps as block_steps
from workbench.products.employment_tables.mechanisms.block.components import Covariance
from workbench.products.employment_tables.mechanisms.block.coordinate_law import coordinate_law
from workbench.products.employment_tables.mechanisms.block.exact import Radius
from workbench.products.employment_tables.mechanisms.block.mechanism import (
    BlockMechanism,
    BlockNoise,
    calibration_notes,
    claim_of,
    epsilon_param,
    scale_of,
)
from workbench.products.employment_tables.mechanisms.block.norm import MOST
from workbench.products.employment_tables.mechanisms.block.post import (
    PostProcessing,
    SplitEpsilon,
    post_processing_param,
)
from workbench.products.employment_tables.mechanisms.block.rounding import mean_rounded
from workbench.products.employment_tables.mechanisms.block.scale_meter import asked
from workbench.products.employment_tables.mechanisms.block.steps import Steps, distinct, moved_block, steps_of
from workbench.products.employment_tables.mechanisms.block.tail import (
    Tail,
    best_tail,
    least_epsilon,
    loss_along_ray,
    spent,
)
from workbench.products.employment_tables.mechanisms.case import BlockCase
from workbench.products.employment_tables.mechanisms.cell.claims import alpha_param, worker_cells_param
from workbench.products.employment_tables.mechanisms.error_law import half_width_note
from workbench.products.employment_tables.mechanisms.large_establishments import (
    LargeEstablishmentsParams,
    large_establishments_group,
)
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState
from workbench.products.employment_tables.tabulation.cells import Cells

_CURVE = 6.0
_CLEAR = 1.001  # times the least ε there certainly is a tail; nearer, one has to look


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockGammaParams(SplitEpsilon):
    epsilon: Epsilon = epsilon_param()
    alpha: Alpha = alpha_param()
    worker_cells: int = worker_cells_param()
    post_processing: PostProcessing = post_processing_param()
    total_weight: Decimal = param(
        Decimal(0),
        "Weight on workplace totals",
        "Above 0, workplace totals get less noise and worker cells more, at the same ε. Choose it before you see the "
        "data.",
        ge=0,
        le=float(MOST),
        later=True,
        advanced=True,
    )
    large_establishments: LargeEstablishmentsParams = large_establishments_group()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon) or infeasible(self, max(self.worker_cells, 1))


def infeasible(params: BlockGammaParams, cells: int) -> tuple[Problem, ...]:
    """Why no noise of this kind reaches ε, with the nearest values that can be reached."""
    epsilon, alpha = params.noise_epsilon, float(params.alpha)
    least = least_epsilon(alpha, cells)
    if epsilon > _CLEAR * least or best_tail(epsilon, alpha, cells) is not None:
        return ()
    least *= float(params.epsilon) / epsilon
    narrow = float(np.expm1(epsilon / cells))
    return (
        Problem(
            f"ε must exceed {cells}·ln(1+α) = {show(least)} for block noise over {cells} worker "
            f"{'cell' if cells == 1 else 'cells'}",
            "epsilon",
            f"Use ε above {show(least)}, α below {show(narrow)}, or fewer worker attributes",
        ),
    )


@dataclass(frozen=True, slots=True)
class BlockGamma(BlockMechanism[BlockGammaParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "block-gamma"
    version: int = 1
    title: str = "Block noise, heavy tail"
    summary: str = (
        "One vector of noise for all worker cells of a workplace: protects employers' sizes and workers at pure ε, "
        "without dividing ε among worker attributes."
    )
    params: type[BlockGammaParams] = BlockGammaParams
    case: type[BlockCase] = BlockCase
    traits: Traits = PLAIN

    def infeasible(self, params: BlockGammaParams, cells: int) -> tuple[Problem, ...]:
        return infeasible(params, cells)

    def noise(self, params: BlockGammaParams, cells: int) -> BlockNoise:
        tail = tail_for(params, cells)
        return BlockNoise(
            kappa=tail.kappa,
            radius=Radius(cells=tail.cells, core=tail.core, far=tail.far, totals=tail.totals),
            covariance=covariance_of(tail),
            mean=lambda scale: mean_rounded(scale, tail),
            coordinate=coordinate_law(tail),
        )

    def table_claim(self, prepared: Cells | None, params: BlockGammaParams) -> Claim:
        return claim_of(prepared, params)

    def exact_loss(self, prepared: Cells, params: BlockGammaParams, context: Context) -> ExactLoss:
        """The largest loss of any strong step from or to each workplace cell as it is, all outputs considered.

        Where a part of ε asks for the size of the noise, all of that part is added.
        """
        context.step(0.0, "exact loss of block noise")
        tail = tail_for(params, prepared.domain.worker_combinations)
        sizes, where = distinct(prepared.workplace_largest.reveal())
        steps = steps_of(sizes, params.alpha)
        losses = spent(steps.shift(tail.kappa), steps.ratio, tail) + params.scale_epsilon
        context.step(0.9, "loss known for every size")
        kind, size = np.unravel_index(int(np.argmax(losses)), losses.shape)
        return ExactLoss(
            epsilon=float(losses[kind, size]),
            delta=0.0,
            worst_cell=int(np.argmax(where == size)) * tail.cells,
            worst_pair=block_steps.WORDS[kind],
            curve=_loss_curve(steps, (int(kind), int(size)), tail, params),
            per_cell=Confidential(np.repeat(losses.max(axis=0)[where], tail.cells)),
        )

    def loss_between(self, params: BlockGammaParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """The closed form for the whole block: how far the counts move together, and how far the one scale moves.

        What asking for the size of the noise tells comes on top, where it is asked.
        """
        tail = tail_for(params, len(before.counts))
        workers, ratio = moved_block(before, after, params.alpha, tail.totals)
        more = asked(ratio, float(params.alpha), params.scale_epsilon)
        if workers == 0.0:
            return max(tail.exponent - tail.cells, tail.cells) * math.log(ratio) + more
        return _block_loss(workers / tail.kappa, ratio, tail) + more

    def calibrate(self, params: BlockGammaParams, case: BlockCase) -> Calibration:
        """The noise of a workplace cell follows its largest establishment, not the count."""
        tail = tail_for(params, max(params.worker_cells, 1))
        scale = scale_of(tail.kappa, params.alpha, np.array([round(case.largest or 0)], dtype=np.int64))
        ends = np.array([1.0, 1.0 + float(params.alpha)])
        worst = spent(np.full(2, 1.0 / tail.kappa), ends, tail)
        law = f"tail exponent g = {show(tail.exponent)}, sharpness m = {show(tail.sharpness)}, κ = {show(tail.kappa)}"
        return Calibration(
            scale=float(scale[0]),
            expected_absolute_error=float(mean_rounded(scale, tail)[0]),
            spent_epsilon=float(worst.max()) + params.scale_epsilon,
            notes=(
                *calibration_notes(tail.cells, law, params.post_processing),
                *_of_totals(float(scale[0]) / tail.kappa, tail),
                # Takes milliseconds, which the loss that follows a dragged ε does not have.
                *((half_width_note(float(scale[0]), coordinate_law(tail)),) if case.largest else ()),
            ),
        )


def _of_totals(scale: float, tail: Tail) -> tuple[str, ...]:
    """What the weight on totals buys, where there is one."""
    if not tail.totals:
        return ()
    plain, error = replace(tail, totals=Fraction(0)), tail.total_error_per_scale * scale
    return (
        f"Weight {show(Decimal(tail.totals.numerator) / tail.totals.denominator)} on workplace totals: their expected "
        f"error is {show(error, 3)} jobs instead of {show(plain.total_error_per_scale * scale, 3)}, that of a worker "
        f"cell {show(tail.error_per_scale * scale, 3)} instead of {show(plain.error_per_scale * scale, 3)}.",
    )


@lru_cache(maxsize=16_384)
def _block_loss(shift: float, ratio: float, tail: Tail) -> float:
    """Made-up states that differ in their worker cells only have the same loss, and each takes a search."""
    return float(spent(np.array([shift]), np.array([ratio]), tail)[0])


def tail_for(params: BlockGammaParams, cells: int) -> Tail:
    tail = best_tail(params.noise_epsilon, float(params.alpha), cells)
    if tail is None:
        raise UserProblem.of(infeasible(params, cells))
    weight = Fraction(params.total_weight)
    return replace(tail, totals=weight) if weight and cells > 1 else tail  # one cell is its own total


def covariance_of(tail: Tail) -> Covariance:
    """Of the coordinates per S²: two of them differ in sign more often than not where the total has a weight."""
    square = tail.deviation_per_scale**2
    return Covariance(own=square * (1.0 - tail.correlation), shared=square * tail.correlation)


def _loss_curve(steps: Steps, worst: tuple[int, int], tail: Tail, params: BlockGammaParams) -> Figure:
    shift, ratio = float(steps.shift(tail.kappa)[worst]), float(steps.ratio[worst])
    distance = np.linspace(0.0, _CURVE, 121)
    up, down = loss_along_ray(distance, shift=shift, ratio=ratio, tail=tail)
    x = tuple(float(value) for value in distance)
    return Figure(
        kind=Kind.LINES,
        title="What each published block tells about one establishment",
        subtitle="Log of the odds on the worst ray: all the noise points the way the establishment changed",
        x=Axis(label="Distance of the published counts from the true ones, over the noise scale"),
        y=Axis(label="Privacy loss", unit="log odds"),
        series=(
            Series(name="larger against smaller", x=x, y=tuple(float(value) for value in up)),
            Series(name="smaller against larger", x=x, y=tuple(float(value) for value in down)),
        ),
        marks=(Mark(name="claimed ε", value=float(params.epsilon)),),
    )


SPEC = BlockGamma()
