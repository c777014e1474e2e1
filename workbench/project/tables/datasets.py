"""Data sets by fingerprint, the names their files went by, and the cap on what may be spent on them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.plain import canonical
from workbench.core.restore import stored_number
from workbench.project.file.session import Session, reads_stored
from workbench.project.history.journal import Stored
from workbench.project.records import AliasRecord, DatasetRecord
from workbench.project.tables.shared_people import (
    Shape,
    add_sketches,
    columns_from,
    compare,
    missing_sketches,
    shapes,
    together_with,
    would_share,
)


def save_dataset(session: Session, record: DatasetRecord) -> int:
    """Remember a data set; the same content gives the same id, whatever the file was called this time.

    The same file gives the same id too, even where other columns of it were read: the content fingerprint covers the
    columns that were loaded, and ignoring one must not open a fresh budget.
    """
    with session.alone():
        known = known_dataset(session, content=record.content, file=record.file)
        if known is None:
            return _add(session, record)
        _remember_name(session, known, record)
        _remember_sketches(session, known, record)
        return known


def known_dataset(session: Session, *, content: str, file: str) -> int | None:
    """The data set that a loaded file would count as, by its content or else by its bytes; None for new data."""
    known = session.row("SELECT id FROM dataset WHERE content = ?", (content,)) or session.row(
        "SELECT id FROM dataset WHERE file = ?1 UNION SELECT dataset FROM dataset_alias WHERE file = ?1 ORDER BY 1",
        (file,),
    )
    return None if known is None else int(known["id"])


def _add(session: Session, record: DatasetRecord) -> int:
    with session.act("save dataset", subject=f"dataset {record.content[:12]}") as act:
        row: dict[str, Stored] = {
            "content": record.content, "file": record.file, "name": record.name, "records": record.rows,
            "schema": canonical(record.columns).decode("utf-8"), "saved_at": act.at,
        }  # fmt: skip
        others = shapes(session)
        key = act.insert("dataset", row, f"data set {record.content[:12]}")
        add_sketches(act, key, record.sketches)
        compare(session, act, Shape(id=key, columns=record.columns, rows=record.rows), others)
        return key


def _remember_sketches(session: Session, dataset: int, record: DatasetRecord) -> None:
    """A data set of an earlier version, or one seen under another key, gets its sketches when it is met again."""
    new = missing_sketches(session, dataset, record.sketches)
    if not new:
        return
    with session.act("sketch dataset", subject=f"dataset {record.content[:12]}") as act:
        add_sketches(act, dataset, new)
        known = shapes(session)
        (own,) = (each for each in known if each.id == dataset)
        compare(session, act, own, [each for each in known if each.id != dataset])


def same_people(session: Session, record: DatasetRecord) -> tuple[int, ...]:
    """The stored data sets that count as the same people as this one, stored or not; itself first where it is."""
    known = known_dataset(session, content=record.content, file=record.file)
    if known is not None:
        return together_with(session, known)
    return would_share(session, Shape(id=0, columns=record.columns, rows=record.rows), record.sketches)


def sketched(session: Session, record: DatasetRecord, key_mark: str) -> bool:
    """Whether the sketches of a data set under a key are in the file already."""
    known = known_dataset(session, content=record.content, file=record.file)
    row = session.row("SELECT 1 FROM sketch WHERE dataset = ? AND key_mark = ?", (known or 0, key_mark))
    return row is not None


def _remember_name(session: Session, dataset: int, record: DatasetRecord) -> None:
    first = session.row("SELECT file, name FROM dataset WHERE id = ?", (dataset,))
    others = session.rows("SELECT file, name FROM dataset_alias WHERE dataset = ?", (dataset,))
    if {"file": record.file, "name": record.name} in [first, *others]:
        return
    with session.act("remember file name", subject=f"dataset {record.content[:12]}") as act:
        row: dict[str, Stored] = {"dataset": dataset, "file": record.file, "name": record.name, "saved_at": act.at}
        act.insert("dataset_alias", row, f"another file name of data set {record.content[:12]}")


@reads_stored
def datasets(session: Session) -> tuple[DatasetRecord, ...]:
    return tuple(_record(session, row) for row in session.rows("SELECT * FROM dataset ORDER BY id"))


@reads_stored
def dataset(session: Session, which: int | str) -> DatasetRecord:
    """By id, or by content fingerprint."""
    column = "id" if isinstance(which, int) else "content"
    row = session.row(f"SELECT * FROM dataset WHERE {column} = ?", (which,))
    if row is None:
        raise UserProblem("The project holds no such data set", str(session.path), "Load the data first")
    return _record(session, row)


def _record(session: Session, row: dict[str, Any]) -> DatasetRecord:
    others = session.rows("SELECT name, file, saved_at FROM dataset_alias WHERE dataset = ? ORDER BY id", (row["id"],))
    return DatasetRecord(
        id=row["id"], name=row["name"], content=row["content"], file=row["file"], rows=row["records"],
        units=_counted(row["establishments"]), saved_at=row["saved_at"], cap=cap(session, row["id"]),
        columns=columns_from(row["schema"]),
        aliases=tuple(AliasRecord(**other) for other in others),
    )  # fmt: skip


def _counted(establishments: int | None) -> tuple[tuple[str, int], ...]:
    """Files before version 6 counted establishments with the data; since then a run counts what its product has."""
    return () if establishments is None else (("establishments", establishments),)


@reads_stored
def cap(session: Session, dataset_id: int) -> Decimal | None:
    """The largest total ε, per definition, that may be spent on a data set; None where no cap was set.

    Data sets that share people have one budget: the cap that was set last for any of them.
    """
    group = together_with(session, dataset_id)
    marks = ", ".join("?" * len(group))
    row = session.row(f"SELECT epsilon FROM cap WHERE dataset IN ({marks}) ORDER BY id DESC LIMIT 1", group)
    return stored_number(row["epsilon"]) if row is not None and row["epsilon"] else None


def set_cap(session: Session, dataset_id: int, epsilon: Decimal | None, *, actor: str = "", reason: str = "") -> None:
    """Set, change or lift the cap. Earlier caps stay in the file: a cap that moved is part of the story."""
    about = dataset(session, dataset_id)
    if epsilon is not None and not (epsilon.is_finite() and epsilon > 0):
        raise UserProblem("The cap on ε must be a number above 0", do="Give for example 10, or lift the cap")
    if about.cap == epsilon:
        return
    with session.act("set cap", subject=f"dataset {about.content[:12]}", actor=actor, guarded=True) as act:
        row: dict[str, Stored] = {
            "dataset": about.id, "epsilon": "" if epsilon is None else str(epsilon), "reason": reason,
            "set_by": actor or session.person, "set_at": act.at,
        }  # fmt: skip
        act.insert("cap", row, f"the cap of data set {about.content[:12]}")
