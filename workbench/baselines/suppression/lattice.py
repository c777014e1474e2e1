"""Cells of several tables in one space: named by their codes, with all margins, and which of them add up to which.

A cell is named by one code for each dimension; None is the total. A margin that two tables share is one cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from workbench.baselines.suppression.hierarchy import Dimension
from workbench.core.errors import UserProblem

Key = tuple[str | None, ...]
MOST_CELLS = 400_000


@dataclass(frozen=True, slots=True)
class Line:
    """One equation: the whole is the sum of its parts along a dimension."""

    dimension: int
    whole: int
    parts: tuple[int, ...]


@dataclass(slots=True)
class Lattice:
    """The cells by number, rows of the tables first and in their order."""

    dimensions: tuple[Dimension, ...]
    keys: list[Key] = field(default_factory=list)
    numbers: dict[Key, int] = field(default_factory=dict)

    def number(self, key: Key) -> int:
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.keys)
            if found >= MOST_CELLS:
                raise UserProblem(
                    f"The table with its margins has more than {MOST_CELLS:,} cells",
                    "cell suppression",
                    "Choose fewer attributes, or compare without margins",
                )
            self.keys.append(key)
        return found

    def coarser(self, key: Key, dimension: int) -> Key | None:
        """The key one step up along a dimension; None at the total."""
        code = key[dimension]
        if code is None or not self.dimensions[dimension].summed:
            return None
        return (*key[:dimension], self.dimensions[dimension].parents.get(code), *key[dimension + 1 :])

    def ancestors(self, key: Key) -> Iterable[Key]:
        """The key and every coarser one."""
        return product(*(each.above(code) for each, code in zip(self.dimensions, key, strict=True)))

    def lines(self) -> list[Line]:
        """Every equation of the cells that are here. A line of one part says that both cells are equal."""
        parts: dict[tuple[int, Key], list[int]] = {}
        for number, key in enumerate(self.keys):
            for dimension in range(len(self.dimensions)):
                above = self.coarser(key, dimension)
                if above is not None and above in self.numbers:
                    parts.setdefault((dimension, above), []).append(number)
        return [
            Line(dimension, self.numbers[above], tuple(numbers)) for (dimension, above), numbers in parts.items()
        ]  # fmt: skip

    def words(self, cell: int) -> str:
        """The codes that name a cell, as people read them."""
        named = [code for code in self.keys[cell] if code is not None]
        return " · ".join(named) or "the total"


def spanned(dimensions: Sequence[Dimension], rows: Iterable[Key], *, margins: bool) -> Lattice:
    """The cells of these rows, with every margin where they are published too."""
    lattice = Lattice(tuple(dimensions))
    listed = list(rows)
    for key in listed:
        lattice.number(key)
    if margins:
        for key in listed:
            for above in lattice.ancestors(key):
                lattice.number(above)
    return lattice
