"""What the block mechanisms share: params, the words of their claims, and everything that follows from one noise law.

A mechanism says which noise serves its params on so many worker cells; drawing, post-processing, expected error and
neighbours are the same for all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import Epsilon, factor, show
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Answer, NeighbourPair
from workbench.noise.declared.contract import DRAWN, PUBLISHED, Declared, Law
from workbench.noise.declared.discrete import DiscreteLaplace
from workbench.noise.declared.radial import LaplaceBlocks, Radial
from workbench.noise.declared.radial import Radius as DeclaredRadius
from workbench.noise.discrete_laplace import scale_for
from workbench.noise.epsilon_bounds import MOST_EPSILON
from workbench.products.employment_tables.mechanisms.block import release as block_release
from workbench.products.employment_tables.mechanisms.block import scale_meter as block_scale_meter
from workbench.products.employment_tables.mechanisms.block import steps as block_steps
from workbench.products.employment_tables.mechanisms.block.components import Covariance
from workbench.products.employment_tables.mechanisms.block.exact import Radius
from workbench.products.employment_tables.mechanisms.block.intervals import Words
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing, for_scale, processed, sentence
from workbench.products.employment_tables.mechanisms.cell.claims import Shared, wrong_width
from workbench.products.employment_tables.mechanisms.error_law import Driver, Scaled, StandardLaw
from workbench.products.employment_tables.mechanisms.listed_cells import (
    assumption,
    condition,
    proved,
    provided,
    proviso,
    remedy,
)
from workbench.products.employment_tables.mechanisms.table_mechanism import DrawnTable, TableMechanism
from workbench.products.employment_tables.mechanisms.witness import witness
from workbench.products.employment_tables.tabulation.cells import Cells

UNIT = "one establishment's workforce, sizes within α"
_DRAWN = 0.9  # the share of the time that drawing takes where post-processing follows


class BlockParams(Shared, Protocol):
    @property
    def post_processing(self) -> PostProcessing: ...


ParamsT = TypeVar("ParamsT", bound=BlockParams)


def epsilon_param() -> Any:
    return param(
        Epsilon("2"),
        "Privacy loss ε",
        "Spent once for the whole table, however many worker attributes it has.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )


def scale_of(kappa: float, alpha: Decimal, sizes: Integers) -> Floats:
    """κ·S for workplace cells whose largest establishment has so many jobs in all."""
    found: Floats = kappa * np.maximum(float(alpha) * sizes, 1.0)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockNoise:
    """One calibrated law: factor κ on S, the radius (None for vector Laplace), and two means of one coordinate."""

    kappa: float
    radius: Radius | None
    covariance: Covariance  # of the coordinates per unit of S²
    mean: Callable[[Floats], Floats]  # E|rounded noise| for each scale κ·S
    coordinate: StandardLaw  # of one coordinate per unit of κ·S


class BlockMechanism(TableMechanism[ParamsT]):
    """Subclasses add their params, their noise, their audit and what identifies them."""

    __slots__ = ()

    @abstractmethod
    def infeasible(self, params: ParamsT, cells: int) -> tuple[Problem, ...]:
        """Why no noise of this kind keeps the claim over so many worker cells."""

    @abstractmethod
    def noise(self, params: ParamsT, cells: int) -> BlockNoise:
        """The noise for so many worker cells; raises UserProblem where it is infeasible."""

    def table_problems(self, prepared: Cells, params: ParamsT) -> tuple[Problem, ...]:
        cells = prepared.domain.worker_combinations
        return (*wrong_width(cells, params.worker_cells), *self.infeasible(params, cells))

    def draw(self, prepared: Cells, params: ParamsT, rng: ReleaseRandom, context: Context) -> DrawnTable:
        asked: list[Answer] = []
        sums = block_scale_meter.noted(block_scale_meter.exactly(rng), asked)
        values, noisy = self._values(prepared, params, rng.words, sums, context=context, asked=asked)
        return DrawnTable(values=values, exact=prepared.count, noisy=noisy, answers=tuple(asked))

    def draw_for_study(self, prepared: Cells, params: ParamsT, rng: StudyRandom, context: Context) -> DrawnTable:
        words, sums = block_release.study_words(rng), block_scale_meter.seeded(rng)
        values, noisy = self._values(prepared, params, words, sums, context=context)
        return DrawnTable(values=values, exact=prepared.count, noisy=noisy)

    def table_laws(self, prepared: Cells, params: ParamsT) -> Mapping[str, Declared]:
        """The table by the law of its blocks; the question how large the noise is by discrete Laplace noise."""
        noise, kind = self.noise(params, prepared.domain.worker_combinations), params.post_processing
        cells = prepared.domain.worker_combinations
        scale = scale_of(noise.kappa, params.alpha, prepared.workplace_largest.reveal())
        table = Declared(
            exact=prepared.count,
            law=lambda exact: block_law(noise, exact, scale, cells),
            rejects=noise.radius is not None and bool(noise.radius.totals),
        )
        if kind is PostProcessing.NONE:
            return {PUBLISHED: table}
        most, epsilon = block_scale_meter.most_units(float(params.alpha)), for_scale(params.epsilon, kind)
        if not epsilon:
            return {DRAWN: table}
        width = scale_for(most, epsilon)
        meter = Declared(law=lambda exact: DiscreteLaplace(exact, np.full(len(exact), width)))
        return {DRAWN: table, block_scale_meter.NAME: meter}

    def _values(
        self,
        prepared: Cells,
        params: ParamsT,
        words: Words,
        sums: block_scale_meter.Noisy,
        *,
        context: Context,
        asked: list[Answer] | None = None,
    ) -> tuple[Integers, Integers]:
        """The values to publish, and those that were drawn."""
        noise, kind = self.noise(params, prepared.domain.worker_combinations), params.post_processing
        noisy = block_release.published(
            prepared,
            kappa=noise.kappa,
            alpha=params.alpha,
            radius=noise.radius,
            words=words,
            context=context if kind is PostProcessing.NONE else Part(context, 0.0, _DRAWN),
        )
        if asked is not None and kind is not PostProcessing.NONE:
            asked.append(Answer(name=DRAWN, exact=prepared.count, drawn=noisy))
        meter = block_scale_meter.ScaleMeter(
            largest=prepared.workplace_largest,
            alpha=params.alpha,
            epsilon=for_scale(params.epsilon, kind),
            noisy=sums,
        )
        after = Part(context, _DRAWN, 1.0)
        return processed(noisy, prepared, kind, noise=noise.covariance, meter=meter, context=after), noisy

    def expected_error(self, prepared: Cells, params: ParamsT) -> Confidential[Floats] | None:
        """E|published − true| with rounding; NaN where infeasible, None where values are post-processed."""
        cells = prepared.domain.worker_combinations
        if params.post_processing is not PostProcessing.NONE:
            return None
        if self.infeasible(params, cells):
            return Confidential(np.full(prepared.domain.cells, np.nan))
        noise = self.noise(params, cells)
        return Confidential(
            block_release.by_size(prepared, lambda sizes: noise.mean(scale_of(noise.kappa, params.alpha, sizes)))
        )

    def error_law(self, params: ParamsT, worker_cells: int) -> Scaled | None:
        """Post-processed values have another law, which nobody knows."""
        if params.post_processing is not PostProcessing.NONE:
            return None
        noise, share = self.noise(params, worker_cells), float(Fraction(params.alpha))
        return Scaled(
            driver=Driver.WORKPLACE,
            shape=f"block {params.alpha}",
            kappa=noise.kappa,
            base=lambda sizes: np.maximum(share * sizes, 1.0),
            standard=noise.coordinate,
            rounded=noise.mean,
        )

    def neighbours(self, prepared: Cells, params: ParamsT, copies: int) -> tuple[NeighbourPair, ...]:
        """The largest establishment of a workplace cell as it is, and grown as far as the definition allows."""
        return block_steps.growth_pairs(prepared, params.alpha, copies)


def block_law(noise: BlockNoise, exact: Integers, scale: Floats, cells: int) -> Law:
    """The law that blocks of worker cells are declared to have, one scale for each workplace cell."""
    if noise.radius is None:
        return LaplaceBlocks.of(exact, scale, cells)
    shape = noise.radius
    return Radial(exact, scale, DeclaredRadius(cells, float(shape.core), float(shape.far), float(shape.totals)))


def claim_of(prepared: Cells | None, params: BlockParams, *, delta: Decimal = Decimal(0)) -> Claim:
    """The promise of the whole table; it does not depend on how many worker cells there are."""
    between, change = ("its probability under", "differs") if delta else ("the odds between", "change")
    made = Claim(
        formal=proved(prepared),
        condition=condition(prepared),
        provided=provided(prepared),
        remedy=remedy(prepared),
        definition=Definition.STRONG,
        unit=UNIT,
        epsilon=Decimal(params.epsilon),
        delta=Decimal(delta),
        alpha=Decimal(params.alpha),
        sentence=(
            f"Whatever is published, {between} two sizes of an establishment that lie within "
            f"{show(100 * Decimal(params.alpha))} % of each other (or one worker apart), with any attributes of the "
            f"workers in between, {change} by {factor(params.epsilon, delta)}. The whole table counts "
            "once: it does not cost more for every worker attribute."
            f"{sentence(params.post_processing)}{proviso(prepared)}"
        ),
        assumptions=_assumptions(prepared),
        coverage=witness(prepared),
    )
    both = "Sequential: ε and δ add up over every release from the same data."
    return replace(made, composition=both) if delta else made


def _assumptions(prepared: Cells | None) -> tuple[str, ...]:
    fixed = (
        "Which establishments exist, and their workplace attributes, are public.",
        assumption(prepared),
        "The values of every attribute are public, not taken from the data.",
        "Each establishment is in one workplace cell of the table.",
        "Neighbouring data sets differ by one establishment's workforce: E within E′, |E′| ≤ max((1 + α)|E|, |E| + 1); "
        "a worker who moves from one establishment to another is two such steps and may change the odds twice as much.",
    )
    if prepared is not None and prepared.domain.from_data:
        return (*fixed, "The values of some attributes were taken from the data, which this claim does not cover.")
    return fixed


def calibration_notes(cells: int, law: str, kind: PostProcessing) -> tuple[str, ...]:
    """What a person should know beside the numbers of one workplace cell."""
    after = ("The error is that of the noise alone; post-processing makes it smaller.",)
    return (
        f"For {cells} worker {'cell' if cells == 1 else 'cells'} per workplace cell: {law}.",
        "“largest” is the total size of the largest establishment of the workplace cell.",
        *(after if kind is not PostProcessing.NONE else ()),
    )
