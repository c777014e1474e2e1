"""What mechanisms that noise one cell at a time share: drawing, studying, refusing and showing neighbours.

A mechanism says where its noise lies on prepared data and what each cell loses by it; the rest follows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Protocol, TypeVar

from workbench.core.arrays import Integers
from workbench.core.errors import Problem
from workbench.core.progress import Context
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import NeighbourPair
from workbench.noise.declared.contract import PUBLISHED, Declared, Law
from workbench.noise.exact_cdf import draw_for_study, draw_placed
from workbench.noise.placements import Placement
from workbench.products.employment_tables.mechanisms.cell import claims as employer_claims
from workbench.products.employment_tables.mechanisms.cell import neighbours as employer_neighbours
from workbench.products.employment_tables.mechanisms.cell.steps import CellLosses, Window
from workbench.products.employment_tables.mechanisms.table_mechanism import DrawnTable, TableMechanism
from workbench.products.employment_tables.tabulation.cells import Cells


class CellParams(employer_claims.Shared, Protocol):
    @property
    def window(self) -> Window: ...


ParamsT = TypeVar("ParamsT", bound=CellParams)


class CellMechanism(TableMechanism[ParamsT]):
    """Subclasses add their params, claim, error, audit and what identifies them."""

    __slots__ = ()

    @abstractmethod
    def obstacles(self, params: ParamsT, cells: int) -> tuple[Problem, ...]:
        """Why it cannot run where `cells` worker cells share ε."""

    @abstractmethod
    def placed(self, prepared: Cells, params: ParamsT) -> Placement:
        """Where the noise of every cell lies."""

    @abstractmethod
    def law(self, exact: Integers, prepared: Cells, params: ParamsT) -> Law:
        """The law of every cell's published value, from the params' own formulas and not from what is drawn."""

    @abstractmethod
    def losses(self, prepared: Cells, params: ParamsT) -> CellLosses:
        """The loss of every cell's worst step."""

    def table_laws(self, prepared: Cells, params: ParamsT) -> Mapping[str, Declared]:
        return {PUBLISHED: Declared(exact=prepared.count, law=lambda exact: self.law(exact, prepared, params))}

    def table_problems(self, prepared: Cells, params: ParamsT) -> tuple[Problem, ...]:
        cells = prepared.domain.worker_combinations
        return (*employer_claims.wrong_width(cells, params.worker_cells), *self.obstacles(params, cells))

    def draw(self, prepared: Cells, params: ParamsT, rng: ReleaseRandom, context: Context) -> DrawnTable:
        return DrawnTable(values=draw_placed(self.placed(prepared, params), rng, context), exact=prepared.count)

    def draw_for_study(self, prepared: Cells, params: ParamsT, rng: StudyRandom, context: Context) -> DrawnTable:
        return DrawnTable(values=draw_for_study(self.placed(prepared, params), rng, context), exact=prepared.count)

    def neighbours(self, prepared: Cells, params: ParamsT, copies: int) -> tuple[NeighbourPair, ...]:
        """The largest establishment of a workplace cell as it is, and grown as far as the definition allows."""
        losses = self.losses(prepared, params).loss
        return employer_neighbours.pairs(prepared, losses, window=params.window, copies=copies)
