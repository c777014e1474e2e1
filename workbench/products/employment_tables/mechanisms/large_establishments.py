"""How many establishments have more than so many jobs: one private number beside the table, for a fact in public.

Formula: published = number + X, X discrete Laplace with scale 1/ε, ε that of the number alone. Counted are the
establishments of the table's workplaces by all their jobs in the data, of kinds of workers that the table leaves out
too.
Guarantee: pure ε node differential privacy of the number: one establishment with all its jobs, there or not, changes it
by 1. A strong or weak step, which changes one establishment, can carry it over the size: also 1, so ε. A worker with k
jobs can do so at k establishments: k, so k·ε. The table beside it has its own promise; one step can move both, so under
the table's definition the two ε are added.
Rounding: none. Number and noise are integers; the sampler is exact (`noise/geometric`), the scale is rounded upward.
Source: Dwork et al. (2006); Ghosh et al. (2009); node differential privacy as in Haney et al. (2017), section 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import READ_AS, Claim, ClaimPart, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, Problem
from workbench.core.params import group, param
from workbench.core.progress import QUIET, Context
from workbench.core.published import Columns
from workbench.core.quantities import counted, factor, odds_factor, show
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.beside import Beside
from workbench.mechanisms.contract import (
    Answer,
    Calibration,
    ExactLoss,
    NeighbourPair,
    NoCase,
    Release,
    RowRule,
    one_value,
)
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.noise import discrete_laplace
from workbench.noise.declared.contract import PUBLISHED, Declared
from workbench.noise.declared.discrete import DiscreteLaplace
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.geometric import add_laplace
from workbench.products.employment_tables.mechanisms.error_law import discrete_half_width, width_note
from workbench.products.employment_tables.tabulation.cells import Cells

UNIT = "one establishment with all its jobs"
_ALL = "Whatever is published"  # how the claim of every table begins


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeEstablishmentsParams:
    epsilon: Decimal = param(
        Decimal(0),
        "Privacy loss ε of the number",
        "0 publishes no number. Otherwise this ε is spent in addition to that of the table.",
        named={0: "no number is published"},
        ge=0,
        le=MOST_EPSILON,
    )
    above: int = param(
        1000,
        "Size threshold",
        "Establishments with more jobs than this are counted. Choose it before you see the data.",
        ge=1,
        le=1_000_000_000,
        unit="jobs",
    )

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon) if self.asked else ()

    @property
    def asked(self) -> bool:
        return self.epsilon > 0

    @property
    def name(self) -> str:
        """What the number counts, as answers, claims and files call it."""
        return f"establishments with more than {counted(self.above, 'job')}"

    @property
    def scale(self) -> float:
        return discrete_laplace.scale_for(1, Fraction(self.epsilon))

    @property
    def half_width(self) -> int:
        return discrete_half_width(self.scale)


def large_establishments_group() -> Any:
    return group(
        LargeEstablishmentsParams,
        "Number of large establishments",
        "Publishes how many establishments have more than so many jobs, with noise and an ε of its own.",
        advanced=True,
        later=True,
    )


def obstacles(prepared: Cells, asked: LargeEstablishmentsParams) -> tuple[Problem, ...]:
    """Who has how many jobs is known where rows are loaded; nothing here depends on them."""
    if not asked.asked or prepared.sizes is not None:
        return ()
    return (
        Problem(
            "The number of large establishments needs the size of each, which data read in place do not tell",
            "large_establishments",
            "Read the data into memory, or set its ε to 0",
        ),
    )


def exact_number(sizes: Confidential[Integers], asked: LargeEstablishmentsParams) -> Confidential[Integers]:
    return Confidential(np.array([np.count_nonzero(sizes.reveal() > asked.above)], dtype=np.int64))


def with_number(claim: Claim, asked: LargeEstablishmentsParams, *, jobs: int = 1) -> Claim:
    """The claim of the table and the number together. `jobs`: how far one step of the table's definition moves it."""
    if not asked.asked:
        return claim
    own, epsilon = jobs * asked.epsilon, asked.epsilon
    node = claim.definition is Definition.NODE
    parts = [
        ClaimPart(name="table", epsilon=claim.epsilon, delta=claim.delta),
        ClaimPart(name=asked.name, epsilon=own, beside=True, unit=UNIT if node else ""),
    ]
    if not node:
        parts.append(
            ClaimPart(
                name=f"{asked.name}{READ_AS}{Definition.NODE.value}",
                epsilon=epsilon,
                definition=Definition.NODE,
                unit=UNIT,
                formal=True,
                beside=True,
            )
        )
    return replace(
        claim,
        epsilon=claim.epsilon + own,
        parts=tuple(parts),
        sentence=f"{_of_the_table(claim.sentence)} {_sentence(claim, asked, own)}",
        assumptions=(
            *claim.assumptions,
            f"{show(asked.above)} jobs, the size above which establishments are counted, was not chosen by looking at "
            "the data.",
        ),
        workings=" ".join(filter(None, (claim.workings, f"ε = {show(claim.epsilon)} for the table, {show(own)} for the "
                                        f"number of {asked.name}."))),
    )  # fmt: skip


def _of_the_table(sentence: str) -> str:
    """The table's own promise said of the table: both are published, and together they spend more."""
    if not sentence.startswith(_ALL):
        raise Defect("a claim of a table does not say what it speaks of")
    return f"Whatever the table alone shows{sentence.removeprefix(_ALL)}"


def _sentence(claim: Claim, asked: LargeEstablishmentsParams, own: Decimal) -> str:
    whose = (
        f"Beside the table stands the number of {asked.name}, with ε = {show(asked.epsilon)} of its own under node "
        "differential privacy: one establishment more or less, with all its jobs, changes the odds of this number by a "
        f"factor of at most {odds_factor(asked.epsilon)}."
    )
    both = (
        f"Table and number together change the {'probability' if claim.delta else 'odds'} that the table's claim "
        f"speaks of by {factor(claim.epsilon + own, claim.delta)} (ε = {show(claim.epsilon + own)})."
    )
    if claim.definition is Definition.NODE:
        return f"{whose} {both}"
    exists = "The table itself does not hide that an establishment exists."
    if claim.definition is Definition.EDGE:
        each = "one worker" if own == asked.epsilon else "one worker with as many jobs as the claim covers"
        return f"{whose} For {each} it costs ε = {show(own)}. {both} {exists}"
    return (
        f"{whose} The step of an establishment that the table's claim covers, and one job more or less, change the "
        f"number by 1 at most as well, at the same ε. {both} {exists}"
    )


def with_law(laws: Mapping[str, Declared], asked: LargeEstablishmentsParams) -> Mapping[str, Declared]:
    if not asked.asked:
        return laws
    return {**laws, asked.name: Declared(law=lambda exact: DiscreteLaplace(exact, np.full(len(exact), asked.scale)))}


def drawn_number(
    prepared: Cells, asked: LargeEstablishmentsParams, rng: ReleaseRandom
) -> tuple[Answer, int] | None:  # fmt: skip
    """Drawn exactly with the release's own words; None where the plan asks for no number, or copies have no sizes."""
    if not asked.asked or prepared.sizes is None:
        return None
    exact = exact_number(prepared.sizes, asked)
    noisy = _noisy(exact, asked, rng, QUIET)
    return Answer(name=asked.name, exact=exact, drawn=noisy), asked.half_width


def _noisy(
    exact: Confidential[Integers], asked: LargeEstablishmentsParams, rng: ReleaseRandom, context: Context
) -> Integers:
    """The one place where a number is drawn to be published: what an audit watches is what leaves."""
    return add_laplace(exact.reveal(), sensitivity=1, epsilon=Fraction(asked.epsilon), rng=rng, context=context)


def studied_number(
    prepared: Cells, asked: LargeEstablishmentsParams, rng: StudyRandom
) -> tuple[Answer, int] | None:  # fmt: skip
    """The same law for a study."""
    if not asked.asked or prepared.sizes is None:
        return None
    exact = exact_number(prepared.sizes, asked)
    noisy = exact.reveal() + discrete_laplace.draw_for_study(1, asked.scale, rng)
    return Answer(name=asked.name, exact=exact, drawn=noisy), asked.half_width


def besides(prepared: Cells, asked: LargeEstablishmentsParams, *, jobs: int = 1) -> tuple[Beside, ...]:
    """The number as an audit looks at it: a mechanism of its own."""
    if not asked.asked or prepared.sizes is None:
        return ()
    numbers = Numbers(count=exact_number(prepared.sizes, asked))
    return (Beside(name=asked.name, mechanism=SPEC, params=asked, prepared=numbers, times=jobs),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """One number, or as many copies of it as an audit wants to see drawn."""

    count: Confidential[Integers]

    @property
    def rows(self) -> int:
        return len(self.count.reveal())

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return ()

    def row_rule(self, release: Release) -> RowRule | None:
        """None: there is one row for each number."""


@dataclass(frozen=True, slots=True)
class LargeEstablishments:
    """See the module's docstring. No plan names it: it is a group of settings of the mechanisms of tables."""

    id: str = "large-establishments"
    version: int = 1
    title: str = "Number of large establishments"
    summary: str = "One number with integer Laplace noise: establishments with more than so many jobs."
    params: type[LargeEstablishmentsParams] = LargeEstablishmentsParams
    case: type[NoCase] = NoCase
    traits: Traits = PLAIN

    def problems(self, prepared: Numbers, params: LargeEstablishmentsParams) -> tuple[Problem, ...]:  # noqa: ARG002 - there are none
        return ()

    def claim(self, prepared: Numbers | None, params: LargeEstablishmentsParams) -> Claim:  # noqa: ARG002 - nothing of the data matters
        return Claim(
            definition=Definition.NODE,
            unit=UNIT,
            epsilon=params.epsilon,
            sentence=f"Whether one establishment is there changes the odds of the number of {params.name} by a factor "
            f"of at most {odds_factor(params.epsilon)}.",
        )

    def release(
        self, prepared: Numbers, params: LargeEstablishmentsParams, rng: ReleaseRandom, context: Context
    ) -> Release:
        return Release.of(one_value(_noisy(prepared.count, params, rng, context)), self, rng)

    def laws(self, prepared: Numbers, params: LargeEstablishmentsParams) -> Mapping[str, Declared]:
        law = Declared(
            exact=prepared.count, law=lambda exact: DiscreteLaplace(exact, np.full(len(exact), params.scale))
        )
        return {PUBLISHED: law}

    def study(
        self, prepared: Numbers, params: LargeEstablishmentsParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        context.step(0.0, "drawing the number")
        exact = prepared.count.reveal()
        return Confidential(one_value(exact + discrete_laplace.draw_for_study(len(exact), params.scale, rng)))

    def expected_error(self, prepared: Numbers, params: LargeEstablishmentsParams) -> Confidential[Floats]:
        return Confidential(np.full(prepared.rows, discrete_laplace.mean_absolute(params.scale)))

    def error_is_public(self, params: LargeEstablishmentsParams) -> bool:  # noqa: ARG002 - the noise is the same whatever the number
        return True

    def exact_loss(self, prepared: Numbers, params: LargeEstablishmentsParams, context: Context) -> ExactLoss:  # noqa: ARG002 - the same on all data
        """1/scale, reached by every output beyond both numbers."""
        context.step(0.0, "exact loss of discrete Laplace noise")
        return ExactLoss(
            epsilon=float(discrete_laplace.spent(1, params.scale)),
            delta=0.0,
            worst_cell=None,
            worst_pair="one establishment above the size, with all its jobs, present or absent; or one carried over it",
            data_free=True,
        )

    def neighbours(
        self, prepared: Numbers, params: LargeEstablishmentsParams, copies: int  # noqa: ARG002 - the same for every size
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        """One establishment above the size more."""
        number = int(prepared.count.reveal()[0])
        sides = (Numbers(count=Confidential(np.full(copies, number + more, dtype=np.int64))) for more in (1, 0))
        first, second = (Confidential(side) for side in sides)
        return (
            NeighbourPair(
                description="one establishment above the size, with all its jobs, present or absent",
                first=first,
                second=second,
                copies=copies,
            ),
        )

    def calibrate(self, params: LargeEstablishmentsParams, case: NoCase) -> Calibration:  # noqa: ARG002 - every number is alike
        return Calibration(
            scale=params.scale,
            expected_absolute_error=discrete_laplace.mean_absolute(params.scale),
            spent_epsilon=float(discrete_laplace.spent(1, params.scale)),
            notes=(width_note(params.half_width),),
        )


SPEC = LargeEstablishments()
