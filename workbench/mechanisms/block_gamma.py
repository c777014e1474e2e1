"""Block noise with a heavy tail: the strong guarantee at pure ε for tables with worker attributes.

Formula: within one workplace cell all d worker cells get one vector of noise, published = n + κ·S·z rounded to
integers, z with density ∝ (1 + ‖z‖₁^m)^(−g/m), S = max(α·x, 1), x the total size of the workplace cell's largest
establishment. m and g are the sharpness and tail exponent with the smallest expected error, κ the smallest factor whose
largest loss is ε; all follow from ε, α and d alone (`block_tail` derives them).
Guarantee: strong (α, ε) employer-employee privacy for the whole table at once. A step of one establishment moves the d
counts together by at most S in L1, so ε is not divided by d; workplace cells hold different establishments, so
they do not add up either. Theorem 7.5 of the source is not used: it is false as stated (100 workers of whom 10 are men,
α = 0.1: ten more men are one step, but move the men's own cell by 4.25 ε).
Rounding: to the nearest integer, which is post-processing; the sampler is exact (`block_sampler`). Negative values are
kept unless `non_negative` sets them to zero, which is post-processing too.
Expected error per cell: κ·S·E t/d before rounding, t = ‖z‖₁ (`block_rounding` adds the rounding).
Source: Haney et al. (2017), definitions 7.1–7.2 and section 8, carried from one count to a vector.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Alpha, Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms import block_release, block_steps
from workbench.mechanisms.block_exact import Radius, Words
from workbench.mechanisms.block_rounding import mean_rounded
from workbench.mechanisms.block_steps import Steps, distinct, growth_pair, moved_block, steps_of, watched_workplaces
from workbench.mechanisms.block_tail import Floats, Tail, best_tail, least_epsilon, loss_along_ray, spent
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.pair_loss import WorkplaceState
from workbench.tabulation.cells import Cells

_CURVE = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockGammaParams:
    epsilon: Epsilon = param(
        Epsilon("2"),
        "Privacy loss ε",
        "Spent once for the whole table, however many worker attributes it has.",
        gt=0,
        le=50,
    )
    alpha: Alpha = param(
        Alpha("0.1"),
        "Size window α",
        "Sizes of an establishment within this share of each other stay indistinguishable up to ε.",
        gt=0,
        lt=1,
    )
    worker_cells: int = param(
        0,
        "Worker cells",
        "How many combinations of worker attributes a workplace cell has (sex × education: 8). 0 takes it from the "
        "table; give it to plan without data.",
        ge=0,
        le=500,
        advanced=True,
    )
    non_negative: bool = param(
        False,
        "Set negative values to zero",
        "Post-processing: costs no privacy, but makes small cells too large on average.",
        advanced=True,
    )

    def check(self) -> tuple[Problem, ...]:
        return infeasible(self.epsilon, self.alpha, max(self.worker_cells, 1))


def infeasible(epsilon: Decimal, alpha: Decimal, cells: int) -> tuple[Problem, ...]:
    """Why no noise of this kind reaches ε, with the nearest values that can be reached."""
    if best_tail(float(epsilon), float(alpha), cells) is not None:
        return ()
    least = least_epsilon(float(alpha), cells)
    narrow = float(np.expm1(float(epsilon) / cells))
    return (
        Problem(
            f"ε must exceed {cells}·ln(1+α) = {show(least)} for block noise over {cells} worker "
            f"{'cell' if cells == 1 else 'cells'}",
            "epsilon",
            f"Use ε above {show(least)}, α below {show(narrow)}, or fewer worker attributes",
        ),
    )


@dataclass(frozen=True, slots=True)
class BlockGamma:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "block-gamma"
    version: int = 1
    title: str = "Block noise, heavy tail"
    summary: str = (
        "One vector of noise for all worker cells of a workplace: protects employers' sizes and workers at pure ε, "
        "without dividing ε among worker attributes."
    )
    params: type[BlockGammaParams] = BlockGammaParams

    def problems(self, prepared: Cells, params: BlockGammaParams) -> tuple[Problem, ...]:
        cells = prepared.domain.worker_combinations
        return (*wrong_width(cells, params.worker_cells), *infeasible(params.epsilon, params.alpha, cells))

    def claim(self, prepared: Cells | None, params: BlockGammaParams) -> Claim:
        return Claim(
            formal=prepared is None or not prepared.domain.from_data,
            definition=Definition.STRONG,
            unit=block_release.UNIT,
            epsilon=Decimal(params.epsilon),
            alpha=Decimal(params.alpha),
            sentence=block_release.sentence(params.epsilon, params.alpha, ""),
            assumptions=block_release.assumptions(prepared),
        )

    def release(self, prepared: Cells, params: BlockGammaParams, rng: ReleaseRandom, context: Context) -> Release:
        values = self._values(prepared, params, rng.words, context)
        return Release(values=values, mechanism=self.id, version=self.version)

    def study(
        self, prepared: Cells, params: BlockGammaParams, rng: StudyRandom, context: Context
    ) -> Confidential[NDArray[np.int64]]:
        return Confidential(self._values(prepared, params, block_release.study_words(rng), context))

    def _values(self, prepared: Cells, params: BlockGammaParams, words: Words, context: Context) -> NDArray[np.int64]:
        tail = tail_for(params, prepared.domain.worker_combinations)
        radius = Radius(cells=tail.cells, core=tail.core, far=tail.far)
        noisy = block_release.published(
            prepared, kappa=tail.kappa, alpha=params.alpha, radius=radius, words=words, context=context
        )
        return np.maximum(noisy, 0) if params.non_negative else noisy

    def expected_error(self, prepared: Cells, params: BlockGammaParams) -> Confidential[Floats] | None:
        """E|published − true| with rounding; NaN where ε is infeasible, None where negative values are set to zero."""
        cells = prepared.domain.worker_combinations
        tail = best_tail(float(params.epsilon), float(params.alpha), cells)
        if params.non_negative:
            return None
        if tail is None:
            return Confidential(np.full(prepared.domain.cells, np.nan))
        return Confidential(
            block_release.by_size(prepared, lambda sizes: mean_rounded(_scale(tail, params, sizes), tail))
        )

    def exact_loss(self, prepared: Cells, params: BlockGammaParams, context: Context) -> ExactLoss:
        """The largest loss of any strong step from or to each workplace cell as it is, all outputs considered."""
        context.step(0.0, "exact loss of block noise")
        tail = tail_for(params, prepared.domain.worker_combinations)
        sizes, where = distinct(prepared.workplace_largest.reveal())
        steps = steps_of(sizes, params.alpha)
        losses = spent(steps.shift(tail.kappa), steps.ratio, tail)
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

    def neighbours(self, prepared: Cells, params: BlockGammaParams, copies: int) -> tuple[NeighbourPair, ...]:
        """The largest establishment of a workplace cell as it is, and grown as far as the definition allows."""
        return tuple(
            growth_pair(prepared, watched, alpha=params.alpha, copies=copies)
            for watched in watched_workplaces(prepared)
        )

    def loss_between(self, params: BlockGammaParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """The closed form for the whole block: how far the counts move together, and how far the one scale moves."""
        tail = tail_for(params, len(before.counts))
        workers, ratio = moved_block(before, after, params.alpha)
        if workers == 0.0:
            return max(tail.exponent - tail.cells, tail.cells) * math.log(ratio)
        return _block_loss(workers / tail.kappa, ratio, tail)

    def calibrate(self, params: BlockGammaParams, count: float | None, largest: float | None) -> Calibration:  # noqa: ARG002 - the noise does not depend on the count
        """For a workplace cell whose largest establishment has `largest` jobs in all."""
        tail = tail_for(params, max(params.worker_cells, 1))
        sizes = np.array([round(largest or 0)], dtype=np.int64)
        scale = _scale(tail, params, sizes)
        ends = np.array([1.0, 1.0 + float(params.alpha)])
        worst = spent(np.full(2, 1.0 / tail.kappa), ends, tail)
        return Calibration(
            scale=float(scale[0]),
            expected_absolute_error=float(mean_rounded(scale, tail)[0]),
            spent_epsilon=float(worst.max()),
            notes=(
                f"For {tail.cells} worker {'cell' if tail.cells == 1 else 'cells'} per workplace cell: tail exponent "
                f"g = {show(tail.exponent)}, sharpness m = {show(tail.sharpness)}, κ = {show(tail.kappa)}.",
                "“largest” is the total size of the largest establishment of the workplace cell.",
                *(("Setting negative values to zero makes the error smaller in small cells.",) * params.non_negative),
            ),
        )


@lru_cache(maxsize=16_384)
def _block_loss(shift: float, ratio: float, tail: Tail) -> float:
    """Made-up states that differ in their worker cells only have the same loss, and each takes a search."""
    return float(spent(np.array([shift]), np.array([ratio]), tail)[0])


def wrong_width(cells: int, said: int) -> tuple[Problem, ...]:
    """A plan made for another table would draw the wrong noise."""
    if said in (0, cells):
        return ()
    do = f"Set it to {cells}, or to 0 to take it from the table"
    return (Problem(f"The table has {cells} worker cells per workplace cell, not {said}", "worker_cells", do),)


def tail_for(params: BlockGammaParams, cells: int) -> Tail:
    tail = best_tail(float(params.epsilon), float(params.alpha), cells)
    if tail is None:
        raise UserProblem.of(infeasible(params.epsilon, params.alpha, cells))
    return tail


def _scale(tail: Tail, params: BlockGammaParams, sizes: NDArray[np.int64]) -> Floats:
    found: Floats = tail.kappa * np.maximum(float(Fraction(params.alpha)) * sizes, 1.0)
    return found


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
