"""What a mechanism is. One file per mechanism; `registry.py` lists them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.figures import Figure
from workbench.core.findings import Table
from workbench.core.progress import Context
from workbench.core.published import Columns, Units
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.core.specs import Spec
from workbench.mechanisms.traits import Traits

PreparedT_contra = TypeVar("PreparedT_contra", contravariant=True)
ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)


class Identified(Protocol):
    """What a release remembers of its mechanism."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Answer:
    """One question that a mechanism asked of the data: its name, the exact answer, and the answer that was drawn.

    A release carries every one of them, so that an audit can hold each against the law declared for it. `exact` is
    confidential; `drawn` is what the guarantee covers, whether it is published or only used on the way.
    """

    name: str
    exact: Confidential[Integers]
    drawn: Integers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Release(Columns):
    """Columns drawn once with ReleaseRandom: the only thing that may ever be published, after approval.

    Its rows line up with the prepared ones and need no key columns, unless the rows are themselves drawn: then columns
    of codes say which row each is. The codes have no texts yet; the product adds them. A study draw has the same
    columns but is not a Release, so that it cannot be published by mistake.
    """

    mechanism: str
    version: int
    answers: tuple[Answer, ...] = field(default=(), repr=False)  # empty: the published values are the only answer

    @staticmethod
    def of(drawn: Columns, by: Identified, rng: UniformWords, answers: tuple[Answer, ...] = ()) -> Release:
        """What was drawn with this randomness, as a release of the mechanism that drew it.

        Only `ReleaseRandom` makes a release. Words that somebody chose tell the truth behind every value, so what is
        drawn with them comes back as a `Rehearsal`, which has no columns that anybody could store, export or show.
        """
        made = Release(
            columns=drawn.columns,
            records=drawn.records,
            beside=drawn.beside,
            mechanism=by.id,
            version=by.version,
            answers=answers,
        )
        return made if type(rng) is ReleaseRandom else cast(Release, Rehearsal(made))


class Rehearsal(Confidential[Release]):
    """What `release` gives an audit that chose the random words: confidential, and neither a release nor columns."""

    __slots__ = ()


def one_value(integers: Integers) -> Columns:
    """One whole number for each prepared row, in their order."""
    return Columns(columns=(Units(name="value", integers=integers),))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRule:
    """What the rows of a draw must add up to, where the draw itself decides how many there are: is it so, in words."""

    kept: bool
    said: str  # what is so, as half a sentence: "those of each of 12 populations add up to its published size"
    broken: str  # what may be wrong where it is not kept, as a whole sentence


class Prepared(Protocol):
    """What everybody may ask of prepared data, whatever the product."""

    @property
    def rows(self) -> int | None:
        """How many rows are published. None where the mechanism or the draw decides."""

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        """What the report counts beside the records, such as (("institutions", 120),). Internal."""

    def row_rule(self, release: Release) -> RowRule | None:
        """What a reader can check about drawn rows. None where the rows are the prepared ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCase:
    """Nothing to describe: what the mechanism does is the same in every case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What a mechanism would do to one cell: what `dwb calibrate` and the form show while ε moves.

    `scale` and `expected_absolute_error` are in the unit of the published value; `spent_epsilon` is the exact loss
    over all neighbours, which may be below the claimed ε. Where `expected_absolute_error` is the formula of continuous
    noise, `rounded_absolute_error` is what remains of it after rounding to integers.
    """

    scale: float
    expected_absolute_error: float
    spent_epsilon: float
    spent_delta: float = 0.0
    notes: tuple[str, ...] = ()
    rounded_absolute_error: float | None = None
    any_table: bool = True  # False where the loss is that of the one cell or population asked about


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactLoss:
    """The exact audit of a mechanism on prepared data: the supremum over all outputs and all neighbours.

    `epsilon` is the largest log ratio; for (ε, δ) mechanisms `delta` is the exact δ at the claimed ε. `worst_cell`
    is a cell number (or None where every cell is alike), `worst_pair` says which neighbours in words that hold no
    confidential number, `curve` is the loss over outputs for that pair. `data_free` is true where every part of it
    follows from the params alone, so that anybody may read it; only a mechanism can know that. `smallest_noise` is the
    share of the present noise that would still satisfy the claim on every data set (None where that is not known).

    `condition` names what is held fixed although it is computed from the data: the loss is that of neighbours that
    agree on it, and says nothing of others. `bound`: the numbers are an upper bound by accounting, not the supremum.
    """

    epsilon: float
    delta: float
    worst_cell: int | None
    worst_pair: str
    curve: Figure | None = None
    per_cell: Confidential[NDArray[np.float64]] | None = None
    data_free: bool = False
    smallest_noise: float | None = None
    condition: str = ""
    bound: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourPair:
    """Two neighbouring prepared data sets, small and repeated, on which a black box can be watched.

    Each holds `copies` independent copies of the same few cells, or of the same record: running the mechanism once
    gives `copies` draws of `outputs` values each, copy by copy; a record's values in the order of its columns.
    `description` names the neighbours in words without a confidential number.
    """

    description: str
    first: Confidential[Any]
    second: Confidential[Any]
    copies: int
    outputs: int = 1


@runtime_checkable
class HasSettingsTable(Protocol):
    """A mechanism that can tell, whatever the data, which of its settings are possible together."""

    def settings_table(self) -> Table:
        """Public: a function of settings alone."""


class Mechanism(Spec, Protocol[PreparedT_contra, ParamsT_contra]):
    """From prepared data to a release, with a claim that can be audited.

    Docstrings state the formula, the guarantee and the rounding, with the source's section. The field
    that governs ε is declared with `effect="dial"` (see `dial.py`). A mechanism whose expected error
    follows from its params alone says so in `error_is_public(params)`; of all others it is taken to be confidential.
    What sets it apart from noise on the cells of a table it declares in `traits`.
    """

    @property
    def traits(self) -> Traits: ...
    @property
    def case(self) -> type[Any]:
        """Params that describe, in made-up numbers, what a calibration is asked about; every field has a default."""

    def problems(self, prepared: PreparedT_contra, params: ParamsT_contra) -> tuple[Problem, ...]:
        """Why this mechanism cannot run on this data with these params (beyond what the params check alone)."""

    def claim(self, prepared: PreparedT_contra | None, params: ParamsT_contra) -> Claim:
        """What is promised. Must not depend on confidential values; `prepared` serves public facts only."""

    def release(
        self, prepared: PreparedT_contra, params: ParamsT_contra, rng: ReleaseRandom, context: Context
    ) -> Release:
        """Draw the values to publish: integers, exact sampler, operating-system entropy."""

    def study(
        self, prepared: PreparedT_contra, params: ParamsT_contra, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        """One draw of the same columns and distribution from seeded randomness, to explore. Never publishable."""

    def expected_error(
        self, prepared: PreparedT_contra, params: ParamsT_contra
    ) -> Confidential[NDArray[np.float64]] | None:
        """E|published − true| for every row in closed form, or None where there is none.

        In the unit that is published. Where there are several columns of numbers: rows × columns, and not-a-number
        throughout a column whose error has no closed form. Records, and fits whose error is known by drawing only,
        have none at all (`no_closed_form`).
        """

    def exact_loss(self, prepared: PreparedT_contra, params: ParamsT_contra, context: Context) -> ExactLoss:
        """The largest log ratio over outputs and neighbours actually reached on this data."""

    def neighbours(self, prepared: PreparedT_contra, params: ParamsT_contra, copies: int) -> tuple[NeighbourPair, ...]:
        """Pairs at distance one under the claim's definition, built from this data; the worst ones known, first.

        `copies` is a wish: each copy must be a draw of its own, so that a fit, which uses all its data at once, gives
        pairs of one copy, and whoever wants more draws runs it again.
        """

    def calibrate(self, params: ParamsT_contra, case: Any) -> Calibration:
        """Scale, expected error and loss for one made-up cell, person or fit, as described by a value of `case`."""


AnyMechanism = Mechanism[Any, Any]
