"""What reports are made from: bounded rows of people by public cell, sorted by pay within each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

import numpy as np

from workbench.baselines.suppression.contributions import summed
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import Release
from workbench.microdata.elsewhere import WithheldRows
from workbench.microdata.table import Texts
from workbench.products.outcome_reports.asked import PayElsewhere
from workbench.products.outcome_reports.layout import Layout

SHARES = (0.25, 0.5, 0.75)
VALUES = 5  # count, mean and three percentiles; margins of error follow
COLUMNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounding:
    """What was left out of the rows and why, in rows. For reviewers only: each number is one about people."""

    read: int
    unnamed: int  # no person, institution, year or number
    elsewhere: int  # another institution or title of the same person
    repeated: int  # further rows of a year
    unlisted: int  # a year, title or sector that is not listed, or a rule about pay
    negative: int
    above: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Persons:
    """The cell and the person of every row that counts; `names` are who the persons are, where the rows are at hand.

    `rows` says where these rows stand among those that were loaded.
    """

    cell: Integers
    person: Integers
    names: Texts | None = None
    rows: Integers | None = None


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """`pay` holds the rows of all cells, one cell after the other, the smallest pay first.

    `planned` are public planning sizes of a cell of each block, where a file gives them; None where it does not say.
    `profile` are public shares of the planned size, one for each year; empty where the plan gives none.
    `held` are the data from which observed sensitivity takes χ and N, where an audit holds them fixed. `who` reads the
    cell and the person of every row once more, for whoever asks who is behind a cell.
    """

    layout: Layout
    cap: int
    count: Confidential[Integers]
    pay: Confidential[Integers]
    one_institution: bool = True
    largest_margin: Decimal = Decimal(0)
    planned: tuple[int | None, ...] | None = None
    profile: tuple[float, ...] = ()
    bounding: Confidential[Bounding] | None = None
    held: Confidential[Outcomes] | None = None
    who: Callable[[], Persons] | None = field(default=None, repr=False, compare=False)
    elsewhere: Confidential[PayElsewhere] | None = None  # who tells of pay where single rows stay with their engine

    @property
    def rows(self) -> int:
        return self.layout.rows

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return (("institutions", self.layout.institutions),) if self.layout.institution is not None else ()

    def row_rule(self, release: Release) -> None:
        """None: there is a row for every listed cell."""

    @property
    def behind(self) -> Confidential[PayElsewhere] | None:
        """Who tells of pay, where nothing else does. Pay that an audit puts in its place counts instead."""
        return self.elsewhere if isinstance(self.pay, WithheldRows) else None

    @cached_property
    def ends(self) -> Confidential[Integers]:
        """Where each cell's rows end in `pay`."""
        return Confidential(np.cumsum(self.count.reveal()))

    @cached_property
    def total(self) -> Confidential[Integers]:
        """Σ pay of each cell."""
        if self.behind is not None:
            return Confidential(self.behind.reveal().total)
        running = np.concatenate([[0], np.cumsum(self.pay.reveal())])
        ends = self.ends.reveal()
        return Confidential(running[ends] - running[ends - self.count.reveal()])

    @cached_property
    def truth(self) -> Confidential[Integers]:
        """Rows × published columns: count, mean, three percentiles and no margin; zeros where a cell is empty."""
        count, total = self.count.reveal(), self.total.reveal()
        values = np.zeros((len(count), COLUMNS), dtype=np.int64)
        values[:, 0] = count
        values[:, 1] = (2 * total + count) // np.maximum(2 * count, 1)
        values[:, 2:VALUES] = self.percentiles()
        return Confidential(values)

    def percentiles(self) -> Integers:
        """Rows × shares: the smallest pay that so many of the cell do not exceed; 0 where it is empty."""
        if self.behind is not None:
            return self.behind.reveal().percentiles
        count, ends, pay = self.count.reveal(), self.ends.reveal(), self.pay.reveal()
        found = np.zeros((len(count), len(SHARES)), dtype=np.int64)
        filled = count > 0
        for place, share in enumerate(SHARES):
            rank = np.ceil(share * count[filled]).astype(np.int64) - 1
            found[filled, place] = pay[(ends - count)[filled] + np.maximum(rank, 0)]
        return found

    def cells_of_rows(self) -> Integers:
        """The cell of every entry of `pay`."""
        return np.repeat(np.arange(self.rows), self.count.reveal())

    def histogram(self, edges: Floats) -> Integers:
        """Rows × bins: people with edges[i] ≤ pay < edges[i + 1]; the last bin takes the cap."""
        if self.behind is not None:
            return self.behind.reveal().histogram(edges)
        place = np.searchsorted(edges[1:-1], self.pay.reveal(), side="right")
        bins = len(edges) - 1
        return np.bincount(self.cells_of_rows() * bins + place, minlength=self.rows * bins).reshape(self.rows, bins)

    def suppressible(self) -> Tabulated:
        """The counts of people: somebody with rows in several years is one holder, as far as the rows are at hand."""
        cell = self.cells_of_rows()
        behind = Persons(cell=cell, person=np.arange(len(cell))) if self.who is None else self.who()
        given = summed(behind.cell, behind.person, np.ones(len(behind.cell)), cells=self.rows)
        return Tabulated(
            dimensions=tuple(Dimension(name=key.name) for key in self.layout.keys),
            keys=tuple(zip(*(column.texts() for column in self.layout.columns()), strict=True)),
            values=Confidential(self.count.reveal().astype(np.float64)),
            contributions=Confidential(given),
            unit="people",
            holder="person",
            statistics=Confidential(self.truth.reveal().astype(np.float64)),
            own_numbers=self.who is None,
            names=Confidential(behind.names) if behind.names is not None else None,
            counted=Confidential(np.sort(behind.rows)) if behind.rows is not None else None,
            chosen={key.name: key.values for key in self.layout.keys},
            which=f"pay up to {self.cap}",
        )
