"""What left the project as a file: name and SHA-256, in the journal alone. An export changes no row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.project.file.session import Session
from workbench.project.tables.releases import release_row

EXPORT = "export"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRecord:
    at: str
    actor: str
    files: dict[str, str]  # file name → SHA-256


def record_export(session: Session, release_id: str, files: Mapping[str, str], *, actor: str = "") -> None:
    """Note which files were written for a release, and what was in them."""
    row = release_row(session, release_id)
    with session.act(EXPORT, subject=row["code"], actor=actor) as act:
        act.note = {"files": dict(files)}


def exports(session: Session, release_id: str) -> tuple[ExportRecord, ...]:
    """Every export of a release, the oldest first."""
    rows = session.rows(
        "SELECT at, actor, payload FROM journal WHERE action = ? AND subject = ? ORDER BY seq", (EXPORT, release_id)
    )
    return tuple(
        ExportRecord(at=row["at"], actor=row["actor"], files=json.loads(row["payload"])["note"].get("files", {}))
        for row in rows
    )
