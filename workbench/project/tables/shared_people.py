"""Which data sets share most of their people or other units, and who said that two of them do not.

Sharing is found once, when a data set is stored: by sketches of keyed identifiers, from half of the smaller data set's
units on. Where two data sets have no sketches that can be compared, the same columns and nearly as many rows count as
the same people: one row more or less must not open a fresh budget. A named person can separate two data sets with a
reason; that stays in the file, signed like a vote.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from workbench.core.errors import Refused, UserProblem
from workbench.core.people import could_be_one, known_as
from workbench.core.restore import restore
from workbench.core.states import ReleaseState
from workbench.core.unit_sketch import UnitSketch, common
from workbench.project.file.action import Action
from workbench.project.file.session import Session, reads_stored
from workbench.project.records import ColumnRecord, SeparationRecord, SharingRecord

COLUMNS = "columns"
MOSTLY = Fraction(1, 2)
_FEW = 30  # hashes: of fewer than these one in common is enough, because nobody can tell half from little
_NEARLY = 0.05  # share of rows by which two files may differ and still look like the same data
_DECIDED = (ReleaseState.APPROVED.value, ReleaseState.WITHDRAWN.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What is known of any data set: its columns and its size."""

    id: int
    columns: tuple[ColumnRecord, ...]
    rows: int


def alike(one: Shape, other: Shape) -> bool:
    """Perhaps the same people: the same columns, and nearly as many rows."""
    names, others = ({column.name for column in each.columns} for each in (one, other))
    return len(names) > 1 and names == others and abs(one.rows - other.rows) <= _NEARLY * max(one.rows, other.rows)


def add_sketches(act: Action, dataset: int, sketches: Sequence[UnitSketch]) -> None:
    """Keep the sketches of a data set."""
    for sketch in sketches:
        row: dict[str, Any] = {
            "dataset": dataset, "unit": sketch.unit, "key_mark": sketch.key_mark, "hashes": sketch.hashes,
            "made_at": act.at,
        }  # fmt: skip
        act.insert("sketch", row, f"the sketch of data set {dataset}, {sketch.unit}")


def missing_sketches(session: Session, dataset: int, sketches: Sequence[UnitSketch]) -> tuple[UnitSketch, ...]:
    """Those that the file does not hold yet."""
    rows = session.rows("SELECT unit, key_mark FROM sketch WHERE dataset = ?", (dataset,))
    known = {(row["unit"], row["key_mark"]) for row in rows}
    return tuple(each for each in sketches if (each.unit, each.key_mark) not in known)


def compare(session: Session, act: Action, own: Shape, others: Sequence[Shape]) -> None:
    """Look for people whom a data set shares with the others, and keep what was found."""
    mine = _sketches(session, own.id)
    for other in others:
        for row in _found(own, other, mine, _sketches(session, other.id)):
            known = session.row(
                "SELECT 1 FROM overlap WHERE dataset = ? AND other = ? AND basis = ?",
                (row["dataset"], row["other"], row["basis"]),
            )
            if known is None:
                stored = {**row, "found_at": act.at}
                act.insert("overlap", stored, f"what data sets {row['dataset']} and {row['other']} share")


def _found(
    own: Shape, other: Shape, mine: Sequence[UnitSketch], theirs: Sequence[UnitSketch]
) -> Iterator[dict[str, Any]]:
    """What two data sets were found to share: by each unit where that matters, else by their columns."""
    pair = {"dataset": min(own.id, other.id), "other": max(own.id, other.id)}
    same_shape = alike(own, other)
    met = False
    for one in mine:
        for each in theirs:
            found = common(one, each)
            if found is None:
                continue
            met = True
            if same_shape or _mostly(found.share, found.compared):
                yield {**pair, "basis": one.unit, "share": str(found.share), "compared": found.compared}
    if same_shape and not met:
        yield {**pair, "basis": COLUMNS, "share": "", "compared": 0}


def _mostly(share: Fraction, compared: int) -> bool:
    return share >= MOSTLY or (compared < _FEW and share > 0)


def _sketches(session: Session, dataset: int) -> list[UnitSketch]:
    rows = session.rows("SELECT unit, key_mark, hashes FROM sketch WHERE dataset = ? ORDER BY id", (dataset,))
    return [UnitSketch(unit=row["unit"], key_mark=row["key_mark"], hashes=bytes(row["hashes"])) for row in rows]


@reads_stored
def sharing(session: Session, dataset_id: int) -> tuple[SharingRecord, ...]:
    """The other data sets that share most of their people or other units with one, separated or not."""
    rows = session.rows("SELECT * FROM overlap WHERE ?1 IN (dataset, other) ORDER BY id", (dataset_id,))
    by_other: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        by_other.setdefault(row["other"] if row["dataset"] == dataset_id else row["dataset"], []).append(row)
    separated = {each.other: each for each in separations(session, dataset_id)}
    found = []
    for other, known in by_other.items():
        best = _telling(known)
        if best is None:
            continue
        found.append(
            SharingRecord(
                other=other,
                basis=best["basis"],
                share=float(Fraction(best["share"])) if best["share"] else None,
                separation=separated.get(other),
            )
        )
    return tuple(found)


def _telling(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """What says that two data sets share most of their people; None where nothing does.

    Where identifiers could be compared they decide, not the columns.
    """
    units = [row for row in rows if row["basis"] != COLUMNS]
    mostly = [row for row in units if _mostly(Fraction(row["share"]), row["compared"])]
    if units:
        return max(mostly, key=lambda row: Fraction(row["share"]), default=None)
    return rows[0] if rows else None


@reads_stored
def would_share(session: Session, own: Shape, sketches: Sequence[UnitSketch]) -> tuple[int, ...]:
    """The stored data sets that data which are not stored yet would share a budget with."""
    known = shapes(session)
    return tuple(
        other.id for other in known if _telling([*_found(own, other, sketches, _sketches(session, other.id))])
    )  # fmt: skip


def shapes(session: Session) -> list[Shape]:
    """Every stored data set by its columns and size."""
    rows = session.rows("SELECT id, schema, records FROM dataset ORDER BY id")
    return [Shape(id=row["id"], columns=columns_from(row["schema"]), rows=row["records"]) for row in rows]


def columns_from(schema: str) -> tuple[ColumnRecord, ...]:
    return tuple(restore(ColumnRecord, column) for column in json.loads(schema))


def together_with(session: Session, dataset_id: int) -> tuple[int, ...]:
    """The data set, and all that count as the same people: they have one ledger, one draw count, one differencing."""
    return (dataset_id, *(each.other for each in sharing(session, dataset_id) if each.separation is None))


@reads_stored
def separations(session: Session, dataset_id: int) -> tuple[SeparationRecord, ...]:
    """What was said against sharing, the first first; `other` is the data set on the other side."""
    rows = session.rows("SELECT * FROM separation WHERE ?1 IN (dataset, other) ORDER BY id", (dataset_id,))
    return tuple(
        SeparationRecord(
            other=row["other"] if row["dataset"] == dataset_id else row["dataset"],
            reason=row["reason"], set_by=row["set_by"], set_at=row["set_at"],
        )
        for row in rows
    )  # fmt: skip


def separate(session: Session, dataset_id: int, other: int, *, actor: str, reason: str) -> None:
    """Say that two data sets do not hold the same people: from now on each has a budget of its own."""
    if not known_as(actor):
        raise UserProblem("The name of the person who separates the data sets is missing", "actor", "Say who does")
    if not reason.strip():
        raise UserProblem("Separating two data sets needs a reason", "reason", "Say why they hold other people")
    found = {each.other: each for each in sharing(session, dataset_id)}
    if other not in found:
        raise UserProblem(
            "These data sets do not share a budget, so there is nothing to separate", do="See `dwb ledger`"
        )
    if found[other].separation is not None:
        return
    for row in session.rows(
        "SELECT DISTINCT code, preparer, run_by FROM release JOIN run ON run.release = release.id "
        "WHERE dataset IN (?, ?) AND state NOT IN (?, ?) ORDER BY code",
        (dataset_id, other, *_DECIDED),
    ):
        if any(could_be_one(actor, str(row[name])) for name in ("preparer", "run_by")):
            said = f"{actor} had a hand in {row['code']}, which is not decided yet, and cannot give it a fresh budget"
            raise Refused(said, do="Ask somebody else")
    with session.act(
        "separate data sets", subject=f"data sets {dataset_id} and {other}", actor=actor, guarded=True
    ) as act:
        said_by: dict[str, Any] = {
            "dataset": min(dataset_id, other), "other": max(dataset_id, other), "reason": reason.strip(),
            "set_by": actor, "set_at": act.at,
        }  # fmt: skip
        act.note = {"reason": reason.strip()}
        act.insert("separation", said_by, f"the separation of data sets {dataset_id} and {other}")
        for each in (dataset_id, other):
            _keep_cap(session, act, each, actor)


def _keep_cap(session: Session, act: Action, dataset: int, actor: str) -> None:
    """A data set that lived under the other's budget keeps its number: being separated lifts no cap."""
    own = session.row("SELECT 1 FROM cap WHERE dataset = ?", (dataset,))
    partner = session.row(
        "SELECT epsilon FROM cap WHERE dataset IN (SELECT CASE dataset WHEN ?1 THEN other ELSE dataset END "
        "FROM separation WHERE ?1 IN (dataset, other)) ORDER BY id DESC LIMIT 1",
        (dataset,),
    )
    if own is None and partner is not None:
        kept: dict[str, Any] = {
            "dataset": dataset, "epsilon": partner["epsilon"], "reason": "kept when the data sets were separated",
            "set_by": actor, "set_at": act.at,
        }  # fmt: skip
        act.insert("cap", kept, f"the cap of data set {dataset}")
