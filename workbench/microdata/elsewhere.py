"""Data sets whose rows stay where they are: columns known by name and by counts, and who answers about the rows.

Whoever asks such a column for its rows is told in a sentence which engine can give them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from workbench.core.confidential import Confidential
from workbench.core.errors import Refused
from workbench.core.findings import Finding
from workbench.core.progress import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Varying:
    """For each column how many units have more than one value of it, and how many units vary in any."""

    of_column: dict[str, int]
    at_all: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """Rows by what is odd about a number."""

    negative: int
    zero: int
    fractional: int


class Elsewhere(Protocol):
    """What checks of a data set ask of its rows, wherever they are. `door` is for `tabulation` alone."""

    @property
    def title(self) -> str:
        """What the engine is called in sentences."""

    @property
    def door(self) -> Any: ...

    @property
    def shaped(self) -> tuple[Finding, ...]:
        """What was found while the rows were linked, recoded and chosen where they lie."""

    @property
    def units_may_come_here(self) -> bool:
        """Whether identifiers may come into this process, for sketches of them."""

    def rows_outside(self, column: str, listed: Sequence[str], context: Context) -> tuple[int, int]:
        """How many values, and how many rows, are not in a public list."""

    def padded(self, column: str, context: Context) -> tuple[int, int]:
        """How many values have blanks around them, and by how many the values shrink without them."""

    def most_rows(self, unit: str, context: Context) -> int: ...

    def varying(self, unit: str, columns: Sequence[str], context: Context) -> Varying: ...

    def repeated(self, columns: Sequence[str], context: Context) -> int: ...

    def odd(self, column: str, context: Context) -> Odd: ...

    def parts_off(self, total: str, parts: Sequence[str], *, partial: bool, context: Context) -> int:
        """Rows in which parts do not add up to their total, or exceed it where they may fall short."""


class WithheldRows(Confidential[Any]):
    """Stands where the codes or numbers of a column would be."""

    __slots__ = ("_where",)

    def __init__(self, where: str) -> None:
        super().__init__(None)
        self._where = where

    def reveal(self) -> NoReturn:
        _refuse(self._where)


class WithheldTexts(Sequence[str]):
    """The values of a column that identifies units: how many there are is known, which they are stays there."""

    def __init__(self, different: int, where: str) -> None:
        self._different, self._where = different, where

    def __len__(self) -> int:
        return self._different

    def __getitem__(self, place: Any) -> NoReturn:
        _refuse(self._where)

    def __iter__(self) -> Iterator[str]:
        _refuse(self._where)

    def __repr__(self) -> str:
        return "<values withheld>"


def _refuse(where: str) -> NoReturn:
    do = 'Leave this step out, or use kind = "memory" under [engine] where the rows fit into memory'
    raise Refused(f"This step needs the single rows, which stay with {where}", "[engine]", do)
