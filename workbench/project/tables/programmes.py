"""Programmes: which releases somebody said would be made, before the first of them was drawn."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from workbench.accounting.programme import MOST_ITEMS, Pair, Programme, items_from, items_text
from workbench.accounting.totals import TRUE_PAIRS
from workbench.core.claims import Definition
from workbench.core.errors import Problem, Refused, raise_if
from workbench.core.quantities import counted
from workbench.project.file.session import Session, reads_stored
from workbench.project.records import ProgrammeRecord
from workbench.project.tables.datasets import dataset
from workbench.project.tables.shared_people import together_with


def register_programme(
    session: Session, dataset_id: int, *, definition: Definition, items: Sequence[Pair], actor: str, reason: str
) -> ProgrammeRecord:
    """Put on record which (ε, δ) will be spent on a data set, before anything is drawn from its people.

    One list for each definition: several of them as alternatives would be chosen among after looking.
    """
    about = dataset(session, dataset_id)
    raise_if(_problems(definition, items, actor, reason))
    with session.act("register programme", subject=f"dataset {about.content[:12]}", actor=actor, guarded=True) as act:
        drawn = _drawn(session, dataset_id)
        if drawn:
            said = f"{counted(drawn, 'release')} from these data or the same people was drawn before"
            raise Refused(said, do="A programme is registered before the first draw; the ledger's filter still applies")
        if any(each.definition is definition for each in programmes(session, dataset_id)):
            said = f"A programme under {definition.value} is registered already for these people"
            raise Refused(said, do="Several lists would be alternatives to choose among; one must do")
        row = {
            "dataset": about.id, "definition": definition.value, "items": items_text(items), "reason": reason.strip(),
            "set_by": actor, "set_at": act.at,
        }  # fmt: skip
        act.note = {"releases": len(items)}
        act.insert("programme", row, f"the programme of data set {about.content[:12]}")
    return programmes(session, dataset_id)[-1]


def _problems(definition: Definition, items: Sequence[Pair], actor: str, reason: str) -> list[Problem]:
    found = []
    if not actor.strip():
        found.append(Problem("The name of the person who registers the programme is missing", "actor", "Say who does"))
    if not reason.strip():
        found.append(Problem("Registering a programme needs a reason", "reason", "Say what it is for"))
    if definition not in TRUE_PAIRS:
        found.append(Problem(f"Releases under {definition.value} have no optimal composition", "definition"))
    if not 1 <= len(items) <= MOST_ITEMS:
        found.append(Problem(f"A programme has 1 to {MOST_ITEMS} releases", "items", "Name ε of each, as 80x0.2"))
    if any(not (e.is_finite() and e > 0 and Decimal(0) <= d < 1) for e, d in items):
        found.append(Problem("Every ε must be above 0, and every δ from 0 to below 1", "items"))
    return found


def _drawn(session: Session, dataset_id: int) -> int:
    group = together_with(session, dataset_id)
    marks = ", ".join("?" * len(group))
    row = session.row(f"SELECT count(DISTINCT release) AS n FROM run WHERE dataset IN ({marks})", group)
    return int(row["n"]) if row else 0


@reads_stored
def programmes(session: Session, dataset_id: int) -> tuple[ProgrammeRecord, ...]:
    """What was registered for a data set and for those that share its people."""
    group = together_with(session, dataset_id)
    marks = ", ".join("?" * len(group))
    rows = session.rows(f"SELECT * FROM programme WHERE dataset IN ({marks}) ORDER BY id", group)
    return tuple(
        ProgrammeRecord(
            dataset_id=row["dataset"], definition=Definition(row["definition"]), items=items_from(row["items"]),
            reason=row["reason"], set_by=row["set_by"], set_at=row["set_at"],
        )
        for row in rows
    )  # fmt: skip


def in_force(session: Session, dataset_id: int) -> tuple[Programme, ...]:
    """The programmes as the ledger counts them. Lists of data sets found to share people later are one list."""
    items: dict[Definition, tuple[Pair, ...]] = {}
    for record in programmes(session, dataset_id):
        items[record.definition] = (*items.get(record.definition, ()), *record.items)
    return tuple(Programme(definition=definition, items=listed) for definition, listed in items.items())
