"""Signing keys for tests, and forgers: people who can write the file and know the program."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.project.samples import ready
from workbench.core.confidential import Confidential
from workbench.project.history.journal import BEGINNING, entry_hash, row_digest
from workbench.project.history.seals import row_at
from workbench.project.signing.keys import Signer
from workbench.project.store import Project, create, open_project


def signer(name: str) -> Signer:
    private = Ed25519PrivateKey.generate()
    return Signer(name, private.public_key().public_bytes_raw().hex(), Confidential(private))


def signed_vote(project: Project, who: Signer, release_id: str = "R-0001", *, vote: str = "approve") -> None:
    project.sign_as(who)
    project.vote(release_id, vote=vote, reviewer=who.name, comment="signed and seen")


def signed_project(path: Path, vera: Signer, rita: Signer) -> Path:
    """A vote by Vera and an approval by Rita, both signed."""
    with create(path, person="Ann") as project:
        release_id = ready(project)
        signed_vote(project, vera, release_id)
        project.sign_as(rita)
        project.decide(release_id, decision="approve", reviewer="Rita", comment="approved with care")
    return path


def opened_as(path: Path, who: Signer) -> Project:
    project = open_project(path, person="Ann")
    project.sign_as(who)
    return project


def tampered(path: Path, change: Callable[[sqlite3.Connection], Any]) -> None:
    """Change rows behind the triggers' back, put the triggers back, and make journal and head fit again."""
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f'DROP TRIGGER "{name}"')
    change(connection)
    rewrite_chain(connection)
    for _, sql in triggers:
        connection.execute(sql)
    connection.close()


def rewrite_chain(connection: sqlite3.Connection) -> None:
    """What somebody does who knows how the journal works: every digest, every hash and the head are made anew."""
    previous, last = BEGINNING, 0
    rows = connection.execute("SELECT seq, at, actor, action, subject, payload FROM journal ORDER BY seq").fetchall()
    latest: dict[tuple[str, int], int] = {}
    for seq, *_, payload in rows:
        for table, key, *_rest in json.loads(payload)["rows"]:
            latest[table, key] = seq
    for number, (seq, at, actor, action, subject, payload) in enumerate(rows, start=1):
        said = json.loads(payload)
        kept = []
        for table, key, digest, label, new in said["rows"]:
            row = row_at(connection, (table, key))
            if row is not None:
                now = row_digest(table, row) if latest[table, key] == seq else digest
                kept.append([table, key, now, label, new])
        said["rows"] = kept
        entry = {"seq": number, "at": at, "actor": actor, "action": action, "subject": subject}
        entry |= {"payload": json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)}
        entry |= {"previous": previous}
        previous, last = entry_hash(entry), number
        connection.execute(
            "UPDATE journal SET seq = ?, payload = ?, previous = ?, hash = ? WHERE seq = ?",
            (number, entry["payload"], entry["previous"], previous, seq),
        )
    connection.execute("UPDATE head SET entries = ?, hash = ?", (last, previous))
