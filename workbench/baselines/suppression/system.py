"""Cells with their true values and all equations between them, as attackers and optimisers see a set of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.baselines.suppression.contributions import Behind, Contributions
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.lattice import Key, Lattice, Line, spanned
from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.quantities import show

_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class System:
    """`matrix` (sparse, lines × cells) holds +1 for the whole and −1 for each part, so that matrix · values = 0.

    `counts` says that values are whole numbers, which an attacker can use. The last `unlisted` cells are in no table
    that is to be published now: differences of others, margins that are not printed, cells of an earlier version.
    """

    lattice: Lattice
    lines: tuple[Line, ...]
    matrix: Any
    by_cell: Any  # the same matrix, sparse by columns
    values: Floats
    behind: Behind | None = None
    contributions: Contributions | None = None
    counts: bool = False
    unlisted: int = 0

    @property
    def cells(self) -> int:
        return len(self.values)

    @property
    def listed(self) -> int:
        """How many cells are in a table that is to be published; the others come last."""
        return self.cells - self.unlisted

    def cells_of(self, line: int) -> Integers:
        """The whole and the parts of a line."""
        inside: Integers = self.matrix.indices[self.matrix.indptr[line] : self.matrix.indptr[line + 1]]
        return inside

    def lines_of(self, cell: int) -> Integers:
        """The lines that a cell is in."""
        by_cell = self.by_cell
        inside: Integers = by_cell.indices[by_cell.indptr[cell] : by_cell.indptr[cell + 1]]
        return inside


def additive(
    dimensions: Sequence[Dimension],
    keys: Sequence[Key],
    values: Floats,
    *,
    behind: Behind | None = None,
    contributions: Contributions | None = None,
    counts: bool = False,
) -> System:
    """A system of tables that are given with their margins. Refuses what cannot be a table of amounts."""
    raise_if(_value_problems(keys, values))
    lattice = spanned(dimensions, keys, margins=False)
    if len(lattice.keys) < len(keys):
        raise UserProblem("A cell is listed twice", "table", "List every combination of codes once")
    lines = lattice.lines()
    matrix = signed(lines, len(keys))
    raise_if(_sum_problems(lattice, lines, matrix, values))
    if not any(len(line.parts) > 1 for line in lines):
        raise UserProblem(
            "The table has a single row: nothing in it adds up, so a suppressed cell cannot be hidden among others",
            "table",
            "Choose an attribute with at least two values, or compare without margins",
        )
    return System(
        lattice=lattice,
        lines=tuple(lines),
        matrix=matrix,
        by_cell=matrix.tocsc(),
        values=values,
        behind=behind,
        contributions=contributions,
        counts=counts,
    )


def signed(lines: Sequence[Line], cells: int) -> Any:
    """The equations as a sparse matrix."""
    from scipy.sparse import csr_array

    sizes = np.fromiter((len(line.parts) for line in lines), dtype=np.int64, count=len(lines))
    rows = np.concatenate([np.arange(len(lines)), np.repeat(np.arange(len(lines)), sizes)])
    wholes = [line.whole for line in lines]
    parts = [part for line in lines for part in line.parts]
    signs = np.concatenate([np.ones(len(lines)), -np.ones(len(parts))])
    columns = np.array(wholes + parts, dtype=np.int64)
    return csr_array((signs, (rows, columns)), shape=(len(lines), cells))


def _value_problems(keys: Sequence[Key], values: Floats) -> tuple[Problem, ...]:
    wrong = np.flatnonzero(~np.isfinite(values) | (values < 0))[:_MOST_SHOWN]
    return tuple(
        Problem(
            "The cell is negative or not a number, and suppression protects amounts of at least 0",
            " · ".join(code for code in keys[cell] if code is not None) or "the total",
            "Correct the value, or split it into what was added and what was taken away",
        )
        for cell in wrong
    )


def _sum_problems(lattice: Lattice, lines: Sequence[Line], matrix: Any, values: Floats) -> tuple[Problem, ...]:
    """Every total that is not the sum of its parts, up to the rounding that was left in the values."""
    gap = matrix @ values
    size = abs(matrix) @ np.abs(values)
    wrong = np.flatnonzero(np.abs(gap) > 1e-9 * size + 1e-9)
    return tuple(
        Problem(
            f"The published total differs from the sum of its {len(lines[line].parts)} parts by {show(abs(gap[line]))}",
            f"{lattice.words(lines[line].whole)}, by {lattice.dimensions[lines[line].dimension].name}",
            "Add the missing parts, or correct the total",
        )
        for line in wrong[:_MOST_SHOWN]
    )
