"""Microdata in memory: compact integer codes with dictionaries. The rows never leave this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem

if TYPE_CHECKING:
    from workbench.microdata.elsewhere import Elsewhere

Codes: TypeAlias = NDArray[np.int8] | NDArray[np.int16] | NDArray[np.int32]
Texts: TypeAlias = Sequence[str] | NDArray[np.str_]  # a tuple where they are few, else whatever is compact
MISSING = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedColumn:
    """A column of codes 0 … len(values)-1 into `values` (text, sorted); MISSING where the cell is empty.

    `values` are the values met in the data and so confidential in principle; `labels` (value → words) come from a
    data dictionary and are public. `public_values` is the public domain where a dictionary declares one.
    """

    name: str
    codes: Confidential[Codes]
    values: Texts = field(repr=False)
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    populations: Mapping[str, int] = field(
        default_factory=dict, repr=False
    )  # public sizes of places, from the dictionary
    title: str = ""
    missing: int = field(default=0, repr=False)
    labels_inside: bool = False  # the labels came with the data, not from a dictionary of their own

    @property
    def public_values(self) -> tuple[str, ...]:
        """The public domain: what the data dictionary lists, sorted; empty where there is no dictionary."""
        return tuple(sorted(self.labels))

    @property
    def declared_values(self) -> tuple[str, ...]:
        """The same where a dictionary of its own declares it; empty where the list came with the data."""
        return () if self.labels_inside else self.public_values


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericColumn:
    """A column of numbers (weight, outcome); not-a-number where the cell is empty."""

    name: str
    numbers: Confidential[NDArray[np.float64]]
    title: str = ""
    missing: int = field(default=0, repr=False)


Column: TypeAlias = CodedColumn | NumericColumn


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """`file` is the SHA-256 of the bytes; `content` does not depend on row order, column order or file format."""

    file: str
    content: str


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class Microdata:
    """A loaded data set: its columns by name, its size, its fingerprint.

    The fingerprint is confidential like the data: whoever knows all records but one can try the last until it fits.
    `unread` are the names of the columns that the file has besides, `guessed` the options of reading that its rows
    suggested. `stayed` are the rows of the file that shaping left, where it left some out; `seen` says where rows that
    a question chose stand among those loaded.
    """

    name: str
    rows: int = field(repr=False)
    columns: Mapping[str, Column]
    fingerprint: Fingerprint = field(repr=False)
    unread: tuple[str, ...] = ()
    names_guessed: bool = False  # nobody said that the first line names the columns: messages must not quote it
    guessed: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Elsewhere | None = field(default=None, repr=False)  # who answers where the rows are not in memory
    stayed: Confidential[NDArray[np.int64]] | None = field(default=None, repr=False, compare=False)
    seen: Confidential[NDArray[Any]] | None = field(default=None, repr=False, compare=False)
    kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What a product worked out of the rows and may ask again: as confidential as they are, and gone with them."""

    def coded(self, name: str) -> CodedColumn:
        """The coded column of that name, or a problem that says what is wrong with asking for it."""
        column = self.columns.get(name)
        if column is None:
            raise UserProblem(f"There is no column “{name}”", self.name, f"Columns: {', '.join(self.columns)}")
        if isinstance(column, NumericColumn):
            raise UserProblem(f"“{name}” holds numbers, not codes", self.name, "Give it another role")
        return column


IN_NUMBERS = "0123456789+-.eE"  # what a number among codes is written with


def numbers_of(column: Column) -> NDArray[np.float64]:
    """The column as numbers, one per row; not-a-number where it is empty or no number."""
    if isinstance(column, NumericColumn):
        return column.numbers.reveal()
    table = np.full(len(column.values) + 1, np.nan)
    for position, text in enumerate(column.values):
        table[position] = _number(str(text))
    return np.take(table, column.codes.reveal(), mode="wrap")


def _number(text: str) -> float:
    """The same on every engine: plain digits, a sign, a point, a power of ten; blanks around it do not matter."""
    bare = text.strip(" ")
    try:
        return float(bare) if set(bare) <= set(IN_NUMBERS) else float("nan")
    except ValueError:
        return float("nan")
