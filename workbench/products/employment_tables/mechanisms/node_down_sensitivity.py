"""Noise scaled by the down sensitivity: shown because even this, which is not private, is too much noise.

Formula: published = n + σ·z rounded to integers, z Laplace with scale 1, σ = max(x, 1)/ε, x the total size of the
largest establishment of the workplace cell: the down sensitivity of its counts, the most that they can lose when one
establishment is taken out.
Guarantee: none. If σ were public, taking out one establishment would change the log odds by at most x/σ = ε, worker
attributes included. But σ follows from the largest establishment: take that one out and σ falls to the next largest
(or to 1/ε), and the loss has no bound, for the two Laplace tails have different scales. The source calls it a lower
bound on the noise that node differential privacy needs.
Rounding: to the nearest integer; the sampler is exact (`block_sampler`).
Expected error per cell: 1/(2·sinh(1/(2σ))), about σ. In half of the cells of the source one establishment has more
than 65 % of the count, so the error is that large a share of the count or more: Figure 2.
Source: Haney et al. (2017), section 6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.noise.declared.contract import PUBLISHED, Declared
from workbench.noise.declared.radial import LaplaceBlocks
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.rounded_error import rounded_laplace
from workbench.products.employment_tables.mechanisms.block import release as block_release
from workbench.products.employment_tables.mechanisms.block.intervals import Words
from workbench.products.employment_tables.mechanisms.block.steps import (
    moved_block,
    repeated_block,
    vector_of,
    watched_workplaces,
)
from workbench.products.employment_tables.mechanisms.case import BlockCase
from workbench.products.employment_tables.mechanisms.drawn import drawn_values
from workbench.products.employment_tables.mechanisms.error_law import LAPLACE, half_width_note
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState
from workbench.products.employment_tables.tabulation.cells import Cells

_WHOLE = Decimal(1)  # σ = κ·max(1·x, 1): the whole size of the largest establishment


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDownSensitivityParams:
    epsilon: Epsilon = param(
        Epsilon("2"),
        "Nominal loss ε",
        "What the loss would be if the noise's scale gave nothing away. It does, so this is not a guarantee.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class NodeDownSensitivity:
    """See the module's docstring for formula, what it does not guarantee, and rounding."""

    id: str = "node-down-sensitivity"
    version: int = 1
    title: str = "Down-sensitivity noise, establishment level"
    summary: str = (
        "Laplace noise as large as the largest establishment of the cell, over ε. Not private, and already too much "
        "noise; here for comparison."
    )
    params: type[NodeDownSensitivityParams] = NodeDownSensitivityParams
    case: type[BlockCase] = BlockCase
    traits: Traits = PLAIN

    def problems(self, prepared: Cells, params: NodeDownSensitivityParams) -> tuple[Problem, ...]:  # noqa: ARG002 - it runs on any table
        return ()

    def claim(self, prepared: Cells | None, params: NodeDownSensitivityParams) -> Claim:  # noqa: ARG002 - nothing of the data matters
        return Claim(
            definition=Definition.CONDITIONAL,
            unit="one establishment with all its workers, as if the noise's scale were public",
            epsilon=Decimal(params.epsilon),
            formal=False,
            condition="the size of the largest establishment of every workplace cell",
            remedy="Use node-truncation, whose noise does not depend on the data.",
            sentence=(
                "This is no guarantee: the noise is as large as the largest establishment, so its size can be inferred "
                "from the spread of the published values, and when that establishment is the one in question the odds "
                "can change without bound. Use it only to see how much noise hiding whole establishments would take."
            ),
            assumptions=(
                "The size of the largest establishment of every workplace cell is treated as public, though it is not.",
                "The list of cells and the values of every attribute are public, not taken from the data.",
            ),
            composition="None: without a guarantee there is nothing to add up.",
        )

    def release(
        self, prepared: Cells, params: NodeDownSensitivityParams, rng: ReleaseRandom, context: Context
    ) -> Release:
        return Release.of(drawn_values(_values(prepared, params, rng.words, context)), self, rng)

    def laws(self, prepared: Cells, params: NodeDownSensitivityParams) -> Mapping[str, Declared]:
        scale, cells = _scale(params, prepared.workplace_largest.reveal()), prepared.domain.worker_combinations
        return {PUBLISHED: Declared(exact=prepared.count, law=lambda exact: LaplaceBlocks.of(exact, scale, cells))}

    def study(
        self, prepared: Cells, params: NodeDownSensitivityParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(drawn_values(_values(prepared, params, block_release.study_words(rng), context)))

    def expected_error(self, prepared: Cells, params: NodeDownSensitivityParams) -> Confidential[Floats]:
        """E|published − true| = 1/(2·sinh(1/(2σ)))."""
        return Confidential(block_release.by_size(prepared, lambda sizes: rounded_laplace(_scale(params, sizes))))

    def exact_loss(self, prepared: Cells, params: NodeDownSensitivityParams, context: Context) -> ExactLoss:  # noqa: ARG002 - the same on all data
        """x/σ: the loss if the scale stays. If it does not, there is no bound, and the claim says so."""
        context.step(0.0, "nominal loss of down-sensitivity noise")
        return ExactLoss(
            epsilon=1.0 / _kappa(params),
            delta=0.0,
            worst_cell=None,
            worst_pair=(
                "an establishment as large as the largest one of its workplace cell, present or absent while the other "
                "keeps the scale; when the largest one itself is taken out the scale falls and the loss has no bound"
            ),
            data_free=True,
        )

    def neighbours(self, prepared: Cells, params: NodeDownSensitivityParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - sizes do not depend on ε
        """A second establishment as large as the largest opens, all its workers of one kind: the scale stays."""
        return tuple(_pair(prepared, watched, copies) for watched in watched_workplaces(prepared))

    def loss_between(self, params: NodeDownSensitivityParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """Σ|n − n′|/σ while the largest establishment keeps its size; else no bound, for the tails differ."""
        workers, ratio = moved_block(before, after, _WHOLE)
        return workers / _kappa(params) if ratio == 1.0 else math.inf

    def calibrate(self, params: NodeDownSensitivityParams, case: BlockCase) -> Calibration:
        scale = _scale(params, np.array([float(case.largest or 0)]))
        return Calibration(
            scale=float(scale[0]),
            expected_absolute_error=float(rounded_laplace(scale)[0]),
            spent_epsilon=1.0 / _kappa(params),
            notes=(
                "Not a guarantee: the loss holds only as long as the largest establishment stays.",
                "“largest” is the total size of the largest establishment of the workplace cell.",
                half_width_note(float(scale[0]), LAPLACE),
            ),
        )


def _kappa(params: NodeDownSensitivityParams) -> float:
    """1/ε as a double, upward."""
    return math.nextafter(1.0 / float(params.epsilon), math.inf)


def _values(prepared: Cells, params: NodeDownSensitivityParams, words: Words, context: Context) -> NDArray[np.int64]:
    return block_release.published(
        prepared, kappa=_kappa(params), alpha=_WHOLE, radius=None, words=words, context=context
    )


def _scale(params: NodeDownSensitivityParams, sizes: NDArray[np.int64] | Floats) -> Floats:
    found: Floats = _kappa(params) * np.maximum(sizes, 1.0)
    return found


def _pair(prepared: Cells, watched: tuple[str, int], copies: int) -> NeighbourPair:
    words, workplace = watched
    vector, largest = vector_of(prepared, workplace)
    size = max(largest, 1)
    more = vector.copy()
    more[0] += size
    return NeighbourPair(
        description=f"{words}: a second establishment of that size, present or absent",
        first=repeated_block(more, size, prepared.domain, copies=copies),
        second=repeated_block(vector, size, prepared.domain, copies=copies),
        copies=copies,
        outputs=len(vector),
    )


SPEC = NodeDownSensitivity()
