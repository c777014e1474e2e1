"""What left the project as a file: name and SHA-256, in the journal alone. An export changes no row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.project.file.session import Session, reads_stored
from workbench.project.tables.releases import release_row

EXPORT = "export"
FAILED = "export not finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRecord:
    at: str
    actor: str
    files: dict[str, str]  # file name → SHA-256; of a file inside a bundle, "bundle.zip: name"
    entry: int  # of the journal


def record_export(
    session: Session, release_id: str, files: Mapping[str, str], *, actor: str = "", public: bool = False
) -> None:  # fmt: skip
    """Note which files are about to be written for a release, and what is in them; before, so that none is missed."""
    row = release_row(session, release_id)
    with session.act(EXPORT, subject=row["code"], actor=actor, guarded=public) as act:
        act.note = {"files": dict(files)}


def record_failed_export(session: Session, release_id: str, files: Iterable[str], *, actor: str = "") -> None:
    """Note that files of the latest export could not be written."""
    row = release_row(session, release_id)
    with session.act(FAILED, subject=row["code"], actor=actor) as act:
        act.note = {"not written": list(files)}


@reads_stored
def exports(session: Session, release_id: str) -> tuple[ExportRecord, ...]:
    """Every export of a release, the oldest first."""
    rows = session.rows(
        "SELECT seq, at, actor, payload FROM journal WHERE action = ? AND subject = ? ORDER BY seq",
        (EXPORT, release_id),
    )
    return tuple(
        ExportRecord(
            at=row["at"],
            actor=row["actor"],
            files=json.loads(row["payload"])["note"].get("files", {}),
            entry=row["seq"],
        )
        for row in rows
    )
