"""What an engine that speaks SQL offers to the questions: it answers, takes public lists, and splits large work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.tabulation.engines.dialect import Dialect
from workbench.tabulation.factors import Factors

Answered: TypeAlias = Any
"""The table of one answer, as Arrow has it."""

ALL = "TRUE"  # the condition of a pass over all rows


@dataclass(frozen=True, slots=True)
class Groups:
    """How many groups a query makes, at least and at most."""

    least: int
    most: int


class SqlEngine(Protocol):
    """One opened data set. Every answer is a table of aggregates; its text never holds a confidential value."""

    @property
    def title(self) -> str:
        """What it is called in sentences."""

    @property
    def dialect(self) -> Dialect: ...

    @property
    def counts(self) -> dict[str, int]:
        """How many rows each query of rows was found to have: the files do not change while they are open."""

    @property
    def gives_records(self) -> bool:
        """Whether single records may be asked for: only where they stay in this process."""

    def listed(self, columns: Mapping[str, Any]) -> str:
        """The name of a table that holds these public columns, for joins."""

    def ask(self, query: str, context: Context, sentence: str) -> Answered:
        """The answer to one query. A cancel interrupts it."""

    def in_passes(
        self,
        query: Callable[[str], str],
        split: Sequence[str],
        context: Context,
        sentence: str,
        groups: Groups | None = None,
    ) -> list[Answered]:
        """The answers to a query over all rows, or over parts of them that share no value of the split columns.

        `query` takes the condition of a pass. Without columns to split by there is one pass. `groups` is how many
        the query makes, where that is known; otherwise as many as rows are reckoned with.
        """

    def factored(self, units: Callable[[str], str], factors: Factors, context: Context) -> Callable[[str], str]:
        """A table of unit and keyed factor in billionths, made where the rows are, for each condition of a pass.

        `units` is the query for the different units of a pass, in a column `unit`.
        """


def integers(answered: Answered, name: str, absent: int = 0) -> Integers:
    """One column of an answer as 64-bit integers, `absent` where it is unknown."""
    import pyarrow.compute as pc

    column = answered.column(name)
    filled = pc.fill_null(column, absent) if column.null_count else column
    return np.asarray(filled.to_numpy(), dtype=np.int64)


def the(answered: Answered, name: str) -> int:
    """The one number of an answer of one row; 0 where it is unknown."""
    return int(integers(answered, name)[0])
