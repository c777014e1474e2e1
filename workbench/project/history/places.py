"""Where in the journal a row was put in. What happened first is told by entries: clocks differ, entries do not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.project.history.journal import BEGINNING, seals_in

if TYPE_CHECKING:
    from workbench.project.file.session import Session


@dataclass(slots=True)
class Places:
    """The journal as far as it was read, so that only what is new has to be read again."""

    of: dict[tuple[str, int], int] = field(default_factory=dict)
    last: int = 0
    hash: str = BEGINNING


def entry_of(session: Session, table: str, key: int) -> int | None:
    """The journal entry that put a row in; None where no entry did, as while its own action is not finished."""
    return places_of(session).get((table, key))


def places_of(session: Session) -> dict[tuple[str, int], int]:
    """Every row's entry, by table and number."""
    known = session.places
    read = session.row("SELECT hash FROM journal WHERE seq = ?", (known.last,))
    if known.last and (read is None or read["hash"] != known.hash):  # what was read was undone since
        known = session.places = Places()
    for row in session.rows("SELECT seq, payload, hash FROM journal WHERE seq > ? ORDER BY seq", (known.last,)):
        seq = int(row["seq"])
        for seal in seals_in(row["payload"]):
            if seal.new:
                known.of.setdefault((seal.table, seal.key), seq)
        known.last, known.hash = seq, str(row["hash"])
    return known.of
