"""The walk along the journal: each entry's hash, its predecessor, its place, its clock, and where the chain ends."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import Any

from workbench.project.history.journal import BEGINNING, Seal, entry_hash, seals_in
from workbench.project.history.seals import At, rows_of

MOVING = ("release",)  # rows of this table change: a draft becomes an approved release


@dataclass(slots=True)
class Chain:
    """What a walk found: the latest seal of every row with the entry that made it, and what is wrong."""

    seals: dict[At, tuple[Seal, int]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    entries: int = 0
    head: str = BEGINNING
    last: int = 0
    _clock: str = ""

    def follow(self, row: dict[str, Any]) -> None:
        """Take the next entry in."""
        seq = row["seq"]
        if not isinstance(seq, int) or any(not isinstance(row[name], str) for name in row if name != "seq"):
            self.problems.append(f"journal entry {seq} was changed")
            return
        self._check_place(row, seq)
        self._check_clock(row, seq)
        self._take_seals(row, seq)
        self.entries, self.head, self.last = self.entries + 1, row["hash"], seq

    def _check_place(self, row: dict[str, Any], seq: int) -> None:
        if seq != self.last + 1:
            gap = range(self.last + 1, seq)
            self.problems.append(
                f"{_entries(gap)} missing from the journal" if gap else f"journal entry {seq} was moved"
            )
        elif row["previous"] != self.head:
            self.problems.append(
                f"journal entry {seq} does not follow entry {seq - 1}: one of them was put in or moved"
            )
        if entry_hash(row) != row["hash"]:
            self.problems.append(f"journal entry {seq} was changed")

    def _check_clock(self, row: dict[str, Any], seq: int) -> None:
        if row["at"] < self._clock:
            self.warnings.append(f"the clock was set back before journal entry {seq}")
        self._clock = row["at"]

    def _take_seals(self, row: dict[str, Any], seq: int) -> None:
        try:
            for seal in seals_in(row["payload"]):
                self._take(seal, seq, migrating=row["action"] == "migrate")
        except (ValueError, TypeError, KeyError):
            self.problems.append(f"journal entry {seq} was changed")

    def _take(self, seal: Seal, seq: int, *, migrating: bool) -> None:
        at = (seal.table, seal.key)
        if not seal.new and seal.table not in MOVING and not migrating:
            self.problems.append(f"{seal.label} was changed by journal entry {seq}, and such rows never change")
        if seal.new and at in self.seals:
            earlier, entry = self.seals[at]
            self.problems.append(f"{earlier.label} (journal entry {entry}) was removed and its number given away")
        self.seals[at] = (seal, seq)


def walk(connection: sqlite3.Connection, chain: Chain) -> None:
    """Follow the whole journal, then hold its end against the head, which counts entries apart from it."""
    for row in rows_of(connection, "journal"):
        chain.follow(row)
    heads = list(rows_of(connection, "head"))
    if len(heads) != 1:
        chain.problems.append("the journal's head was removed or doubled")
        return
    written, end = heads[0]["entries"], heads[0]["hash"]
    if isinstance(written, int) and written > chain.last:
        chain.problems.append(f"{_entries(range(chain.last + 1, written + 1))} missing at the journal's end")
    elif written != chain.last or end != chain.head:
        chain.problems.append("the journal does not end where its head says")


def _entries(numbers: range) -> str:
    if len(numbers) == 1:
        return f"journal entry {numbers[0]} is"
    return f"journal entries {numbers[0]} to {numbers[-1]} are"
