"""What every reader gives: the columns of a file, what the file says of them, and its rows batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from workbench.core.errors import Place, Problem, UserProblem
from workbench.microdata.dictionary import DataDictionary
from workbench.microdata.files import Kind
from workbench.microdata.numbers import Notation


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows: one Arrow array per column, and the share of the file that has been read with them."""

    arrays: Mapping[str, Any]
    rows: int
    fraction: float


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A column that has no plain values: what it holds instead, and what to do about it."""

    holds: str
    do: str


class SeveralTables(UserProblem):
    """A file of which several parts hold rows: tables of a database, or sheets. A person says which."""

    def __init__(self, what: str, file: str, do: str, tables: Sequence[str]) -> None:
        self.tables = tuple(tables)
        super().__init__(problems=[Problem(what, file, do, Place("data", "sheet"))])


Batches: TypeAlias = Callable[[tuple[str, ...]], Iterator[Batch]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An opened file. `batches(columns)` reads only the columns asked for."""

    kind: Kind
    columns: tuple[str, ...]
    found: tuple[str, ...]
    batches: Batches
    notation: Notation = field(default_factory=Notation)
    dictionary: DataDictionary = field(default_factory=DataDictionary)
    unreadable: Mapping[str, Unreadable] = field(default_factory=dict)  # no obstacle unless they get a role
    guessed: Mapping[str, str] = field(default_factory=dict)  # options that the rows suggested, unlike plain text's
    names_guessed: bool = False  # nobody said that the first line names the columns: messages must not quote it


def without_plain_values(names: Iterable[str], kinds: Iterable[Any], *, verb: str = "Export") -> dict[str, Unreadable]:
    """The columns whose Arrow types have no plain text: lists, records, and types that only other programs know."""
    found = {}
    for name, kind in zip(names, kinds, strict=True):
        holds = _no_plain_value(kind)
        if holds:
            found[name] = Unreadable(holds, f"{verb} one plain value per cell, or give it the role ignore")
    return found


def _no_plain_value(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _no_plain_value(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return f"values of the special type {kind.extension_name}"
    return "lists or records" if pa.types.is_nested(kind) else ""
