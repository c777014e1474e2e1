"""A table of settings: one params value for each named row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

R = TypeVar("R")


class Rows(Mapping[str, R]):
    """An immutable mapping from a row's name to its settings.

    The order is kept for showing and means nothing: two tables with the same rows are equal, and have the same digest.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: Mapping[str, R] | Iterable[tuple[str, R]] = ()) -> None:
        self._rows: dict[str, R] = dict(rows)

    def __getitem__(self, name: str) -> R:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __hash__(self) -> int:
        return hash(frozenset(self._rows.items()))

    def __repr__(self) -> str:
        return f"Rows({self._rows!r})"

    def having(self, name: str, settings: R) -> Rows[R]:
        """The same table with one row set, at its place or at the end."""
        return Rows({**self._rows, name: settings})

    def without(self, *names: str) -> Rows[R]:
        return Rows({name: settings for name, settings in self._rows.items() if name not in names})
