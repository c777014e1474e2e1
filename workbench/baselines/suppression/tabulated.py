"""What a product hands over to have its table suppressed: rows named by codes, their values, and who is behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from workbench.baselines.suppression.contributions import Contributions, behind, gathered
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.lattice import Key, Lattice, spanned
from workbench.baselines.suppression.meaning import Meaning
from workbench.baselines.suppression.system import System, additive, signed
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect
from workbench.microdata.table import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabulated:
    """The finest rows of one or several tables of the same data.

    A row is named by a code for each dimension; None where its table does not break down by it. `contributions` name
    the row as their cell. Amounts are at least 0; `counts` says that they are whole numbers.

    Where more than these amounts is published, `statistics` holds every value of every published row, `place` is the
    column of the amounts, and `cell` the row here that each published row belongs to: one pattern serves all of them.

    Tables of the same file have the same numbers for the same holders, unless `own_numbers` says that numbers mean
    something in this table only. `names` are who the numbers are, so that holders are known again in another file;
    `of_rows` says that they are the rows that were tabulated. `chosen` are the values of columns that a row must have
    to count at all; where more than that decides, `counted` are the rows that count, in their order, and `which` says
    so in words.
    """

    dimensions: tuple[Dimension, ...]
    keys: tuple[Key, ...]
    values: Confidential[Floats]
    contributions: Confidential[Contributions]
    counts: bool = True
    unit: str = "units"
    holder: str = "contributor"
    statistics: Confidential[Floats] | None = None
    place: int = 0
    cell: Integers | None = None
    own_numbers: bool = False
    names: Confidential[Texts] | None = None
    of_rows: bool = False
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counted: Confidential[Integers] | None = None
    which: str = ""

    def has(self, cell: Meaning) -> bool:
        """Whether a cell of this name, its margins included, is of this table: of its columns and of its rows."""
        names = {name for name, _ in cell}
        needed = {dimension.name for dimension in self.dimensions if not dimension.summed}
        return needed <= names <= {dimension.name for dimension in self.dimensions}


class Suppressible(Protocol):
    """Prepared data of any product that offers cell suppression as a baseline."""

    def suppressible(self) -> Tabulated: ...


class SometimesSuppressible(Protocol):
    """Prepared data that suppression across releases may take. None where nobody can say who is behind each cell."""

    def suppressible(self) -> Tabulated | None: ...


def system_of(given: Tabulated, *, margins: bool, kept: int = 2) -> System:
    """The rows with all their margins and equations.

    Without margins the rows of a single table have no equations. Rows of several tables do: their sums over what they
    do not share must agree, so that their margins are cells which nobody lists.
    """
    tied = margins or len({tuple(code is None for code in key) for key in given.keys}) > 1
    lattice = spanned(given.dimensions, given.keys, margins=tied)
    if len(lattice.keys) < len(given.keys) or len({*given.keys}) < len(given.keys):
        raise Defect("a row of a table to be suppressed is listed twice")
    rows = membership(lattice, given.keys)
    values = np.asarray(rows @ given.values.reveal(), dtype=np.float64)
    contributions = gathered(rows, given.contributions.reveal())
    facts = behind(contributions, values, kept=kept)
    if not tied:
        nothing = signed((), len(values))
        return System(
            lattice=lattice,
            lines=(),
            matrix=nothing,
            by_cell=nothing.tocsc(),
            values=values,
            behind=facts,
            contributions=contributions,
            counts=given.counts,
        )
    made = additive(
        given.dimensions, lattice.keys, values, behind=facts, contributions=contributions, counts=given.counts
    )
    return made if margins else replace(made, unlisted=made.cells - len(given.keys))


def membership(lattice: Lattice, rows: Sequence[Key]) -> Any:
    """Which rows make up each cell, sparsely. A margin that several tables share is made up of one table's rows."""
    from scipy.sparse import csr_array

    home: dict[int, tuple[bool, ...]] = {}
    cells: list[int] = []
    parts: list[int] = []
    for row, key in enumerate(rows):
        table = tuple(code is not None for code in key)
        for above in lattice.ancestors(key):
            cell = lattice.numbers.get(above)
            if cell is None or (cell < len(rows) and cell != row):
                continue
            if home.setdefault(cell, table) == table:
                cells.append(cell)
                parts.append(row)
    ones = np.ones(len(cells))
    return csr_array((ones, (np.array(cells), np.array(parts))), shape=(len(lattice.keys), len(rows)))
