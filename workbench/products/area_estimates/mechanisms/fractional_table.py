"""The fractional table: four sums per cell with integer noise; every rank, count and margin follows from them.

Formula: each person adds (1−x)(1−y), (1−x)y, x(1−y), xy to its cell, exactly one in all. Discrete Laplace noise on the
four sums, on a moment of x in each cell and on a moment of y in each pool. Everything else is post-processing of drawn
values: direct estimates by the least-squares score around the pool's line, model-based ones by a model over all cells.
Guarantee: pure ε for one person added or removed, all cells, ranks, counts and margins together; one person touches one
cell and one pool, so that cells compose in parallel. The person at (1, 1) attains ε.
Rounding: x and y on a grid of thousandths of their bounds, sums and noise are integers.
Source: own derivation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import Rows, param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise import discrete_laplace
from workbench.noise.declared.contract import Declared
from workbench.noise.declared.discrete import DiscreteLaplace
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.area_estimates.area_data import AreaData, TableSums
from workbench.products.area_estimates.claims import area_claim, largest_counts, parts_of
from workbench.products.area_estimates.columns import Estimates, names_of, published, together
from workbench.products.area_estimates.decoded import decoded
from workbench.products.area_estimates.effects import lines_only
from workbench.products.area_estimates.mechanisms.case import AreaCase, made_up_error
from workbench.products.area_estimates.neighbours import one_more
from workbench.products.area_estimates.own_epsilon import OwnEpsilon, Share, name_problems, own_epsilons, shares
from workbench.products.area_estimates.table_noise import (
    PARTS,
    TableScales,
    TableShares,
    answers_of,
    drawn_parts,
    drawn_table,
    listed,
    real_table,
    scales_for,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FractionalTableParams:
    epsilon: Epsilon = param(
        Epsilon("2"),
        "Privacy loss ε",
        "What one person's presence may change about the odds of any published table.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )
    sums: Decimal = param(
        Decimal("0.90"), "Share of the sums", "Share of ε for the four sums of every cell.", gt=0, lt=1, advanced=True
    )
    x_moment: Decimal = param(
        Decimal("0.08"), "Share of x²", "Share of ε for the spread of the predictor.", gt=0, lt=1, advanced=True
    )
    y_moment: Decimal = param(
        Decimal("0.02"), "Share of y²", "Share of ε for the spread of the outcome in each pool.", gt=0, lt=1,
        advanced=True,
    )  # fmt: skip

    larger: Rows[OwnEpsilon] = own_epsilons()

    def check(self) -> tuple[Problem, ...]:
        found = list(too_small(self.epsilon))
        if self.sums + self.x_moment + self.y_moment != 1:
            found.append(Problem("The shares of ε do not add up to 1", "sums", "Change them so that they do"))
        return tuple(found)

    @property
    def shares(self) -> TableShares:
        return TableShares(sums=Fraction(self.sums), x_moment=Fraction(self.x_moment), y_moment=Fraction(self.y_moment))


@dataclass(frozen=True, slots=True)
class FractionalTable:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "fractional-table"
    version: int = 2
    title: str = "Fractional table"
    summary: str = "Integer Laplace noise on four sums per cell; every rank, count and margin follows from them."
    params: type[FractionalTableParams] = FractionalTableParams
    case: type[AreaCase] = AreaCase
    traits: Traits = Traits(whole=True, no_closed_form=True)

    def problems(self, prepared: AreaData, params: FractionalTableParams) -> tuple[Problem, ...]:
        return (*lines_only(prepared), *name_problems(prepared, params.larger))

    def claim(self, prepared: AreaData | None, params: FractionalTableParams) -> Claim:
        divided = () if prepared is None else _divided(prepared, params)
        return area_claim(
            prepared,
            epsilon=max(Decimal(epsilon) for epsilon in _epsilons(prepared, params)),
            parts=() if prepared is None else parts_of(prepared, divided),
            workings="" if prepared is None else largest_counts(prepared, divided),
            more=("How ε is divided was decided in the plan, before any result was seen.",),
        )

    def release(
        self, prepared: AreaData, params: FractionalTableParams, rng: ReleaseRandom, context: Context
    ) -> Release:
        asked: list[Answer] = []
        return Release.of(_estimated(prepared, params, rng, context, asked), self, rng, tuple(asked))

    def laws(self, prepared: AreaData, params: FractionalTableParams) -> Mapping[str, Declared]:
        """Discrete Laplace around the sums and the two moments, of every group of larger areas with one ε."""
        found: dict[str, Declared] = {}
        divided = _divided(prepared, params)
        for share in divided:
            scales, table = table_scales(prepared, params, share.epsilon), share.table(prepared.table.reveal())
            for part, exact, scale in zip(PARTS, drawn_parts(table), scales.each(), strict=True):
                law = partial(_declared, scale=scale)
                found[part + _only(share, divided)] = Declared(exact=Confidential(exact), law=law)
        return found

    def study(
        self, prepared: AreaData, params: FractionalTableParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_estimated(prepared, params, rng, context))

    def expected_error(self, prepared: AreaData, params: FractionalTableParams) -> None:
        """None: the error of an estimate depends on the cell and is known by drawing only."""

    def exact_loss(self, prepared: AreaData, params: FractionalTableParams, context: Context) -> ExactLoss:
        context.step(0.0, "exact loss of discrete Laplace noise")
        spent = max(table_scales(prepared, params, epsilon).spent() for epsilon in _epsilons(prepared, params))
        return ExactLoss(
            epsilon=float(spent),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person with predictor and outcomes at their upper bounds, present or absent",
            data_free=True,
        )

    def neighbours(
        self, prepared: AreaData, params: FractionalTableParams, copies: int  # noqa: ARG002 - all cells are estimated together
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return one_more(prepared, len(names_of(prepared)))

    def numbers(self, outcomes: int) -> int:
        return 5 * outcomes + 1

    def watched(
        self,
        table: TableSums,
        prepared: AreaData,
        params: FractionalTableParams,
        rng: UniformWords,
        context: Context,
    ) -> tuple[Integers, ...]:
        return listed(drawn_table(table, table_scales(prepared, params), rng, context))

    def calibrate(self, params: FractionalTableParams, case: AreaCase) -> Calibration:
        scales = scales_for(Fraction(params.epsilon), params.shares, 1, 1)
        return Calibration(
            scale=scales.sums / 10**6,
            expected_absolute_error=made_up_error(case, float(params.epsilon), params.shares),
            spent_epsilon=float(scales.spent()),
            notes=("The error is that of the noise alone, in an area whose predictor is spread evenly.",),
        )


def _declared(exact: Integers, scale: float) -> DiscreteLaplace:
    return DiscreteLaplace(exact, np.full(len(exact), scale))


def table_scales(
    prepared: AreaData, params: FractionalTableParams, epsilon: Epsilon | None = None
) -> TableScales:  # fmt: skip
    own = params.epsilon if epsilon is None else epsilon
    return scales_for(Fraction(own), params.shares, len(prepared.outcomes), prepared.most_weight)


def _epsilons(prepared: AreaData | None, params: FractionalTableParams) -> tuple[Epsilon, ...]:
    """Every ε that is spent on somebody; all that the plan names where the areas are not known yet."""
    if prepared is None:
        return (params.epsilon, *(row.epsilon for row in params.larger.values()))
    return tuple(share.epsilon for share in _divided(prepared, params))


def _divided(prepared: AreaData, params: FractionalTableParams) -> tuple[Share, ...]:
    return shares(prepared.places, params.epsilon, params.larger)


def _estimated(
    prepared: AreaData,
    params: FractionalTableParams,
    rng: UniformWords,
    context: Context,
    asked: list[Answer] | None = None,
) -> Columns:
    context.step(0.0, "drawing the noisy table")
    divided = _divided(prepared, params)
    found: list[list[Estimates]] = [[] for _ in prepared.outcomes]
    for place, share in enumerate(divided):
        part = Part(context, place / len(divided), (place + 1) / len(divided))
        exact = share.table(prepared.table.reveal())
        drawn = drawn_table(exact, table_scales(prepared, params, share.epsilon), rng, Part(part, 0.0, 0.3))
        if asked is not None:
            asked += answers_of(exact, drawn, _only(share, divided))
        for outcome, estimates in enumerate(_of_share(prepared, params, share, drawn, part)):
            found[outcome].append(estimates)
    order = np.argsort(np.concatenate([share.cells for share in divided]), kind="stable")
    return published(prepared, tuple(together(parts, order) for parts in found))


def _only(share: Share, divided: tuple[Share, ...]) -> str:
    """Whose answers they are, where there are others."""
    return f", ε {share.epsilon}" if len(divided) > 1 else ""


def _of_share(
    prepared: AreaData, params: FractionalTableParams, share: Share, drawn: TableSums, context: Context
) -> list[Estimates]:
    """The cells of one ε as a release of their own: no person is in two of them."""
    scales = table_scales(prepared, params, share.epsilon)
    variances = discrete_laplace.variance(scales.sums), discrete_laplace.variance(scales.x_moment)
    found = []
    outcomes = len(prepared.outcomes)
    for place in range(outcomes):
        part = Part(context, 0.3 + 0.7 * place / outcomes, 0.3 + 0.7 * (place + 1) / outcomes)
        noisy = real_table(drawn, place, prepared, variances, share)
        found.append(decoded(noisy, prepared.inner_ranks, part))
    return found


SPEC = FractionalTable()
