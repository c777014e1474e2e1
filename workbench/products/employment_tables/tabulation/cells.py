"""What a tabulation gives: one row per cell of the public domain, empty cells included."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.audit.claim_grid import ClaimGrid
from workbench.baselines.suppression.contributions import summed
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Refused
from workbench.core.progress import Context
from workbench.mechanisms.contract import Release
from workbench.microdata.table import Texts
from workbench.tabulation.factors import Factors
from workbench.tabulation.grid import Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One dimension of a table: its name, its values in the table's order, and words for them."""

    name: str
    values: tuple[str, ...]
    labels: tuple[str, ...] = ()
    title: str = ""
    populations: tuple[int, ...] = ()  # public, one per value, where the data dictionary gives them (places)


class Listing(StrEnum):
    """By which rule workplace cells come onto the list: never judged by how the list happens to look."""

    EVERYTHING = "every combination of values"
    PUBLIC_FILE = "a public file"
    JOBS = "the jobs in the data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """An attribute of which only some values are counted."""

    name: str
    values: tuple[str, ...]
    worker: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The public cells: every listed workplace cell × every combination of worker-attribute values.

    `workplace_cells` holds, for each listed workplace cell, the position of its value in each workplace attribute
    (shape: cells × attributes). Worker combinations are the full product, the last attribute fastest. Cell number
    = workplace cell × worker_combinations + worker combination. `from_data` names the attributes whose values were
    taken from the data because no dictionary declares them: a leak the audit warns of. `listed_inside` names those
    whose values are declared inside the data file itself: nobody can tell whether that list was made from the data.
    `listing` is the rule, and `register` the name of the public file where there is one. `declared_public`: the list
    was taken from the jobs, and a person says that it is public; nothing was read that would show it. `selected` are
    the attributes of which the table counts some values only.
    """

    workplace: tuple[Attribute, ...]
    worker: tuple[Attribute, ...]
    workplace_cells: NDArray[np.int32]
    from_data: tuple[str, ...] = ()
    listed_inside: tuple[str, ...] = ()
    listing: Listing = Listing.EVERYTHING
    register: str = ""
    declared_public: bool = False
    selected: tuple[Selected, ...] = ()

    @property
    def leaves_out_workers(self) -> bool:
        """Whether some workers of an establishment are in no cell, because only some kinds are counted."""
        return any(one.worker for one in self.selected)

    @property
    def by_worker(self) -> bool:
        """Whether a cell can hold a part of an establishment's workforce: what a strong claim cell by cell excludes."""
        return self.worker_combinations > 1 or self.leaves_out_workers

    @property
    def lists_everything(self) -> bool:
        """Whether, by rule, every combination of values of a dictionary of its own is listed."""
        return self.listing is Listing.EVERYTHING and self.values_are_public

    @property
    def is_public(self) -> bool:
        """Whether, by rule, the list is the same for all data: a list that happens to be complete is not."""
        return self.listing is not Listing.JOBS and self.values_are_public

    @property
    def values_are_public(self) -> bool:
        """Whether a dictionary of its own, not the data file, declares the values of every attribute."""
        return not self.from_data and not self.listed_inside

    @property
    def worker_combinations(self) -> int:
        return int(np.prod([len(attribute.values) for attribute in self.worker], dtype=np.int64)) if self.worker else 1

    @property
    def possible_workplace_cells(self) -> int:
        """How many combinations of workplace values there are, listed or not."""
        return math.prod(len(attribute.values) for attribute in self.workplace)

    @property
    def cells(self) -> int:
        return len(self.workplace_cells) * self.worker_combinations

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in (*self.workplace, *self.worker))

    def grid(self, everything: bool = False) -> Grid:
        """The list as the rows are asked for it; `everything` says that all combinations are listed, in order."""
        return Grid(
            listed=tuple(attribute.name for attribute in self.workplace),
            listed_sizes=tuple(len(attribute.values) for attribute in self.workplace),
            crossed=tuple(attribute.name for attribute in self.worker),
            crossed_sizes=tuple(len(attribute.values) for attribute in self.worker),
            combinations=None if everything else self.workplace_cells,
        )

    def codes(self, cells: NDArray[np.int64]) -> NDArray[np.int32]:
        """For the given cell numbers, the position of each attribute's value (shape: cells × attributes)."""
        place, person = np.divmod(cells, self.worker_combinations)
        columns = [self.workplace_cells[place, i] for i in range(len(self.workplace))]
        sizes = [len(attribute.values) for attribute in self.worker]
        if sizes:
            columns.extend(np.unravel_index(person, sizes))
        return np.stack(columns, axis=1).astype(np.int32) if columns else np.zeros((len(cells), 0), np.int32)

    def keys(self, cells: Sequence[int]) -> list[tuple[str, ...]]:
        """The values that name each of the given cells."""
        attributes = (*self.workplace, *self.worker)
        rows = self.codes(np.asarray(cells, dtype=np.int64))
        return [tuple(a.values[code] for a, code in zip(attributes, row, strict=True)) for row in rows.tolist()]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Contributions:
    """Who is in which cell, sparsely: one entry per establishment and cell with at least one job."""

    cell: Integers
    establishment: NDArray[np.int32]  # position in `identifiers`
    jobs: Integers
    identifiers: Texts


def jobs_of_each(establishment: NDArray[np.integer], jobs: Integers, establishments: int) -> Integers:
    """Sums of jobs by establishment, exact."""
    found = np.zeros(establishments, dtype=np.int64)
    np.add.at(found, establishment, jobs)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Per cell: jobs, establishments, the largest establishment's contribution and that establishment's total size.

    `workplace_largest` (one per workplace cell) is the largest total size of any establishment in it: what a block
    mechanism scales by. Everything but the domain is confidential.
    """

    domain: Domain
    count: Confidential[Integers]
    establishments: Confidential[Integers]
    largest: Confidential[Integers]
    largest_total: Confidential[Integers]
    workplace_largest: Confidential[Integers]
    jobs: int = field(repr=False)
    establishments_total: int = field(repr=False)
    most_jobs_of_a_worker: int | None = field(default=None, repr=False)  # None where no column identifies workers
    contributions: Confidential[Contributions] | None = None  # only where tabulate() was asked for them
    distort: Callable[[Factors, Context], Confidential[Integers]] | None = field(
        default=None, repr=False, compare=False
    )  # Σ of keyed factors per cell, in billionths, from whoever reads the rows
    sizes: Confidential[Integers] | None = field(default=None, repr=False)  # of each establishment here, all its jobs
    margins: tuple[tuple[str, ...], ...] = ()  # coarser tables that are published as sums of this one

    @property
    def rows(self) -> int:
        return self.domain.cells

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return (("establishments", self.establishments_total),)

    def row_rule(self, release: Release) -> None:
        """None: there is a row for every cell of the domain."""

    def claim_grid(self, claim: Claim, *, of_data: bool = True) -> ClaimGrid | None:
        """Made-up neighbouring workplace cells by the claim's definition, with the sizes of this table or without."""
        from workbench.products.employment_tables.audit.claim_cells import claim_grid

        return claim_grid(self, claim, of_data=of_data)

    def suppressible(self) -> Tabulated:
        """The cells in their order, and the jobs that each establishment has in them.

        Values that a selection adds up have one code in every cell: they say which jobs count, and divide nothing.
        """
        if self.contributions is None:
            raise Refused(
                "Cell suppression needs each establishment's jobs by cell, which stay where the rows are read",
                "[baseline]",
                'Leave it out, or use kind = "memory" under [engine]',
            )
        given, cells = self.contributions.reveal(), self.domain.cells
        chosen = {one.name: one.values for one in self.domain.selected}
        attributes = (*self.domain.workplace, *self.domain.worker)
        shown = [place for place, each in enumerate(attributes) if each.name not in chosen or len(each.values) > 1]
        behind = summed(
            given.cell.astype(np.int64),
            given.establishment.astype(np.int64),
            given.jobs.astype(np.float64),
            cells=cells,
        )
        return Tabulated(
            dimensions=tuple(Dimension(name=attributes[place].name) for place in shown),
            keys=tuple(tuple(key[place] for place in shown) for key in self.domain.keys(range(cells))),
            values=Confidential(self.count.reveal().astype(np.float64)),
            contributions=Confidential(behind),
            unit="jobs",
            holder="establishment",
            names=Confidential(given.identifiers),
            chosen=chosen,
        )
