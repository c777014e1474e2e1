"""What mechanisms of tables share: the table by their own noise, and beside it one private number if the plan asks.

A mechanism draws, declares and promises its table alone. Here the number joins it, in one place for all of them: in
the draw, in the laws, among the problems, in what an audit looks at, and last in the claim, so that no promise of the
table can stand beside a number that it leaves out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from workbench.core.arrays import Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.beside import Beside
from workbench.mechanisms.contract import Answer, Release
from workbench.noise.declared.contract import PUBLISHED, Declared
from workbench.products.employment_tables.mechanisms import large_establishments as number_beside
from workbench.products.employment_tables.mechanisms.drawn import NO_MARGIN, MarginOfError, drawn_values
from workbench.products.employment_tables.mechanisms.large_establishments import LargeEstablishmentsParams
from workbench.products.employment_tables.tabulation.cells import Cells


class TableParams(Protocol):
    @property
    def large_establishments(self) -> LargeEstablishmentsParams: ...


ParamsT = TypeVar("ParamsT", bound=TableParams)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DrawnTable:
    """One draw of the table's cells.

    `noisy` are the cells before post-processing, where there was any. `answers` are what was asked of the data on the
    way; empty where the published values are the only answer, and then `exact` is what they answer.
    """

    values: Integers
    exact: Confidential[Integers]
    noisy: Integers | None = None
    answers: tuple[Answer, ...] = ()


class TableMechanism(ABC, Generic[ParamsT]):
    """Subclasses add their params, the noise of their table, its error, its audit and what identifies them."""

    __slots__ = ()
    id: str
    version: int

    @abstractmethod
    def table_problems(self, prepared: Cells, params: ParamsT) -> tuple[Problem, ...]:
        """Why the table cannot be drawn."""

    @abstractmethod
    def table_claim(self, prepared: Cells | None, params: ParamsT) -> Claim:
        """What is promised of the table alone."""

    @abstractmethod
    def table_laws(self, prepared: Cells, params: ParamsT) -> Mapping[str, Declared]:
        """The law of each answer that the table's draw asks for."""

    @abstractmethod
    def draw(self, prepared: Cells, params: ParamsT, rng: ReleaseRandom, context: Context) -> DrawnTable:
        """The table, exactly."""

    @abstractmethod
    def draw_for_study(self, prepared: Cells, params: ParamsT, rng: StudyRandom, context: Context) -> DrawnTable:
        """The table by the same law, for a study."""

    def margin(self, params: ParamsT, cells: int) -> MarginOfError:  # noqa: ARG002 - most noise follows sizes
        """What readers may be told of the error of each row."""
        return NO_MARGIN

    def jobs(self, params: ParamsT) -> int:  # noqa: ARG002 - an establishment is one
        """How far one step of the table's definition moves the number beside it."""
        return 1

    def problems(self, prepared: Cells, params: ParamsT) -> tuple[Problem, ...]:
        number = number_beside.obstacles(prepared, params.large_establishments)
        return (*self.table_problems(prepared, params), *number)

    def claim(self, prepared: Cells | None, params: ParamsT) -> Claim:
        table = self.table_claim(prepared, params)
        return number_beside.with_number(table, params.large_establishments, jobs=self.jobs(params))

    def laws(self, prepared: Cells, params: ParamsT) -> Mapping[str, Declared]:
        return number_beside.with_law(self.table_laws(prepared, params), params.large_establishments)

    def besides(self, prepared: Cells, params: ParamsT) -> tuple[Beside, ...]:
        return number_beside.besides(prepared, params.large_establishments, jobs=self.jobs(params))

    def release(self, prepared: Cells, params: ParamsT, rng: ReleaseRandom, context: Context) -> Release:
        table = self.draw(prepared, params, rng, context)
        number = number_beside.drawn_number(prepared, params.large_establishments, rng)
        return Release.of(self._columns(prepared, params, table, number), self, rng, _transcript(table, number))

    def study(self, prepared: Cells, params: ParamsT, rng: StudyRandom, context: Context) -> Confidential[Columns]:
        table = self.draw_for_study(prepared, params, rng, context)
        number = number_beside.studied_number(prepared, params.large_establishments, rng)
        return Confidential(self._columns(prepared, params, table, number))

    def _columns(
        self, prepared: Cells, params: ParamsT, table: DrawnTable, number: tuple[Answer, int] | None
    ) -> Columns:  # fmt: skip
        margin = self.margin(params, prepared.domain.worker_combinations)
        return drawn_values(table.values, table.noisy, margin=margin, large=number)


def _transcript(table: DrawnTable, number: tuple[Answer, int] | None) -> tuple[Answer, ...]:
    """What was asked and answered: with a number beside them the published values are no longer the only answer."""
    if number is None:
        return table.answers
    return (*(table.answers or (Answer(name=PUBLISHED, exact=table.exact, drawn=table.values),)), number[0])
