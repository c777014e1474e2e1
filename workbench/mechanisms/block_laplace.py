"""Block noise with Laplace tails: the strong guarantee at (ε, δ) for tables with worker attributes.

Formula: published = n + κ·S·z rounded to integers, z a vector of d independent Laplace variates (density ∝ e^(−‖z‖₁)),
S = max(α·x, 1), x the total size of the workplace cell's largest establishment.
Guarantee: strong (α, ε) employer-employee privacy with δ, for the whole table at once: the d worker cells of a
workplace move together by at most S in L1, and the scale by a factor of at most 1 + α, whose cost is a Gamma(d) tail
(`block_laplace_delta`). κ is the smallest factor whose proved ceiling on δ is the δ asked for; the exact audit shows
the δ actually spent, about half of it.
Rounding: to the nearest integer, which is post-processing; the sampler is exact (`block_sampler`). Negative values are
kept unless `non_negative` sets them to zero.
Expected error per cell: 1/(2·sinh(1/(2σ))), σ = κ·S, exact with rounding; σ for large σ.
Compared with block-gamma it pays off only where δ may be large (about 0.01 at d = 8, ε = 2, α = 0.1).
Source: Haney et al. (2017), section 8 (Smooth Laplace), carried from one count to a vector.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Alpha, Delta, Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms import block_laplace_delta, block_release, block_steps
from workbench.mechanisms.block_exact import Words
from workbench.mechanisms.block_gamma import wrong_width
from workbench.mechanisms.block_steps import distinct, growth_pair, moved_block, steps_of, watched_workplaces
from workbench.mechanisms.block_tail import Floats
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.pair_loss import WorkplaceState
from workbench.tabulation.cells import Cells, Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLaplaceParams:
    epsilon: Epsilon = param(
        Epsilon("2"),
        "Privacy loss ε",
        "Spent once for the whole table, however many worker attributes it has.",
        gt=0,
        le=50,
    )
    delta: Delta = param(
        Delta("0.001"),
        "Failure probability δ",
        "How likely the protection may be worse than ε, for each establishment. This noise needs a large one.",
        gt=0,
        lt=1,
    )
    alpha: Alpha = param(
        Alpha("0.1"),
        "Size window α",
        "Sizes of an establishment within this share of each other stay indistinguishable up to ε and δ.",
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
        return infeasible(self, max(self.worker_cells, 1))


def infeasible(params: BlockLaplaceParams, cells: int) -> tuple[Problem, ...]:
    """Why no noise of this kind reaches (ε, δ), with the nearest δ that can be reached."""
    least = block_laplace_delta.least_delta(float(params.epsilon), float(params.alpha), cells)
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
class BlockLaplace:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "block-laplace"
    version: int = 1
    title: str = "Block noise, Laplace tail"
    summary: str = (
        "Laplace noise of one scale for all worker cells of a workplace: protects employers' sizes and workers at "
        "ε and δ, without dividing ε among worker attributes."
    )
    params: type[BlockLaplaceParams] = BlockLaplaceParams

    def problems(self, prepared: Cells, params: BlockLaplaceParams) -> tuple[Problem, ...]:
        cells = prepared.domain.worker_combinations
        return (*wrong_width(cells, params.worker_cells), *infeasible(params, cells))

    def claim(self, prepared: Cells | None, params: BlockLaplaceParams) -> Claim:
        beyond = f", except with a probability that δ = {show(params.delta)} bounds"
        return Claim(
            formal=prepared is None or not prepared.domain.from_data,
            definition=Definition.STRONG,
            unit=block_release.UNIT,
            epsilon=Decimal(params.epsilon),
            delta=Decimal(params.delta),
            alpha=Decimal(params.alpha),
            sentence=block_release.sentence(params.epsilon, params.alpha, beyond),
            assumptions=block_release.assumptions(prepared),
            composition="Sequential: ε and δ add up over every release from the same data.",
        )

    def release(self, prepared: Cells, params: BlockLaplaceParams, rng: ReleaseRandom, context: Context) -> Release:
        values = self._values(prepared, params, rng.words, context)
        return Release(values=values, mechanism=self.id, version=self.version)

    def study(
        self, prepared: Cells, params: BlockLaplaceParams, rng: StudyRandom, context: Context
    ) -> Confidential[NDArray[np.int64]]:
        return Confidential(self._values(prepared, params, block_release.study_words(rng), context))

    def _values(self, prepared: Cells, params: BlockLaplaceParams, words: Words, context: Context) -> NDArray[np.int64]:
        kappa = _kappa(params, prepared.domain.worker_combinations)
        noisy = block_release.published(
            prepared, kappa=kappa, alpha=params.alpha, radius=None, words=words, context=context
        )
        return np.maximum(noisy, 0) if params.non_negative else noisy

    def expected_error(self, prepared: Cells, params: BlockLaplaceParams) -> Confidential[Floats] | None:
        """E|published − true| with rounding; NaN where (ε, δ) is infeasible, None where negatives are set to zero."""
        cells = prepared.domain.worker_combinations
        if params.non_negative:
            return None
        if infeasible(params, cells):
            return Confidential(np.full(prepared.domain.cells, np.nan))
        kappa = _kappa(params, cells)
        return Confidential(block_release.by_size(prepared, lambda sizes: _error(_scale(kappa, params, sizes))))

    def exact_loss(self, prepared: Cells, params: BlockLaplaceParams, context: Context) -> ExactLoss:
        """The exact δ at the claimed ε of the worst strong step on these data.

        δ grows with the shift and with the change of scale, so only steps that no other one exceeds in both count.
        """
        context.step(0.0, "exact δ of block noise")
        cells = prepared.domain.worker_combinations
        kappa = _kappa(params, cells)
        sizes, where = distinct(prepared.workplace_largest.reveal())
        steps = steps_of(sizes, params.alpha)
        shift, ratio = steps.shift(kappa), steps.ratio
        front = _not_exceeded(shift.ravel(), ratio.ravel())
        found = []
        for number, step in enumerate(front):
            context.step(0.1 + 0.9 * number / len(front), "exact δ of the worst steps")
            pair = float(shift.ravel()[step]), float(ratio.ravel()[step])
            found.append(block_laplace_delta.exact(float(params.epsilon), shift=pair[0], ratio=pair[1], cells=cells))
        worst = int(np.argmax(found))
        kind, size = np.unravel_index(front[worst], shift.shape)
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=found[worst],
            worst_cell=int(np.argmax(where == size)) * cells,
            worst_pair=block_steps.WORDS[kind],
        )

    def neighbours(self, prepared: Cells, params: BlockLaplaceParams, copies: int) -> tuple[NeighbourPair, ...]:
        """The largest establishment of a workplace cell as it is, and grown as far as the definition allows."""
        return tuple(
            growth_pair(prepared, watched, alpha=params.alpha, copies=copies)
            for watched in watched_workplaces(prepared)
        )

    def loss_between(self, params: BlockLaplaceParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """The smallest ε whose proved ceiling on δ is at most the δ claimed: s + (what the change of scale needs).

        The exact δ is known for workers of one kind only, and about half the ceiling; this holds for every pair.
        """
        cells = len(before.counts)
        workers, ratio = moved_block(before, after, params.alpha)
        shift = workers / _kappa(params, cells)
        return max(0.0, shift + block_laplace_delta.epsilon_of_scale(float(params.delta), ratio, cells))

    def calibrate(self, params: BlockLaplaceParams, count: float | None, largest: float | None) -> Calibration:  # noqa: ARG002 - the noise does not depend on the count
        """For a workplace cell whose largest establishment has `largest` jobs in all."""
        cells = max(params.worker_cells, 1)
        kappa = _kappa(params, cells)
        scale = _scale(kappa, params, np.array([round(largest or 0)], dtype=np.int64))
        epsilon, ends = float(params.epsilon), (1.0, 1.0 + float(params.alpha))
        exact = (block_laplace_delta.exact(epsilon, shift=1.0 / kappa, ratio=end, cells=cells) for end in ends)
        return Calibration(
            scale=float(scale[0]),
            expected_absolute_error=float(_error(scale)[0]),
            spent_epsilon=epsilon,
            spent_delta=max(exact),
            notes=(
                f"For {cells} worker {'cell' if cells == 1 else 'cells'} per workplace cell: κ = {show(kappa)}.",
                "“largest” is the total size of the largest establishment of the workplace cell.",
                "The δ spent is exact for workers of one kind gained or lost; the noise is set by a proved ceiling.",
            ),
        )


def _kappa(params: BlockLaplaceParams, cells: int) -> float:
    kappa = block_laplace_delta.kappa_for(float(params.epsilon), float(params.delta), float(params.alpha), cells)
    if kappa is None:
        raise UserProblem.of(infeasible(params, cells))
    return kappa


def _scale(kappa: float, params: BlockLaplaceParams, sizes: Counts) -> Floats:
    found: Floats = kappa * np.maximum(float(params.alpha) * sizes, 1.0)
    return found


def _error(scale: Floats) -> Floats:
    """E|round(σz)| = Σ_{k≥1} e^(−(k − ½)/σ) = 1/(2·sinh(1/(2σ)))."""
    found: Floats = 0.5 / np.sinh(0.5 / scale)
    return found


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
