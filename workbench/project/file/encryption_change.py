"""Encrypt, decrypt, or give a project another passphrase: the whole file is written anew and then takes the name.

Killed at any instant, the name stands for the old file or for the new one, never for half of either.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

from workbench.core.errors import Defect, UserProblem
from workbench.core.files import create_private
from workbench.core.passphrase import Passphrase
from workbench.project.file import encryption
from workbench.project.file.decryption import decrypted, put_in_place
from workbench.project.file.encryption import cipher, fresh_salt, is_encrypted, set_key
from workbench.project.file.failures import FAILURES, explained
from workbench.project.file.files import APPLICATION_ID, check, connect, same_readers
from workbench.project.file.leftovers import leftovers
from workbench.project.file.opening import open_session
from workbench.project.file.session import Session
from workbench.project.history.verify import verify


def encrypt(path: Path, passphrase: Passphrase, *, person: str = "") -> tuple[Path, ...]:
    """Encrypt a plain project. Returns unencrypted copies that still lie beside it (backups of earlier formats)."""
    path = Path(path).resolve()
    check(path)
    if is_encrypted(path):
        raise UserProblem(
            "The project is encrypted already", str(path), "`dwb encrypt --change` gives a new passphrase"
        )
    _rewrite(path, old=None, new=passphrase.long_enough(), person=person, action="encrypt")
    return clear_copies(path)


def decrypt(path: Path, passphrase: Passphrase | None, *, person: str = "") -> None:
    """Decrypt an encrypted project."""
    path = Path(path).resolve()
    check(path)
    if not is_encrypted(path):
        raise UserProblem("The project is not encrypted", str(path), "There is nothing to do")
    _rewrite(path, old=passphrase, new=None, person=person, action="decrypt")


def change_passphrase(path: Path, old: Passphrase | None, new: Passphrase, *, person: str = "") -> None:
    """Write an encrypted project anew under another passphrase and another salt."""
    path = Path(path).resolve()
    check(path)
    if not is_encrypted(path):
        raise UserProblem("The project is not encrypted", str(path), "Encrypt it first: `dwb encrypt`")
    _rewrite(path, old=old, new=new.long_enough(), person=person, action="change passphrase")


def clear_copies(path: Path) -> tuple[Path, ...]:
    """Backups and unfinished copies beside the file that anybody can read."""
    backups = re.compile(re.escape(path.name) + r"\.backup-v\d+(-\d+)?")
    found = sorted(each for each in path.parent.iterdir() if backups.fullmatch(each.name))
    return tuple(copy for copy in (*found, *leftovers(path)) if not is_encrypted(copy))


def _rewrite(
    path: Path, *, old: Passphrase | None, new: Passphrase | None, person: str, action: str
) -> None:  # fmt: skip
    with_lock = open_session(path, person, passphrase=old)  # brings an older file up to date, and keeps others out
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        if with_lock.why_read_only:
            raise UserProblem(f"The project is read-only: {with_lock.why_read_only}", str(path))
        if new is None:
            written = decrypted(with_lock, action)
            with_lock.connection.close()  # Windows replaces no file that is open; the lock stays until the end
            put_in_place(written, unfinished, path)
            return
        create_private(unfinished)
        _copy(path, unfinished, old=old, new=new)
        _journal(unfinished, new, person=with_lock.person, action=action)
        if not verify(unfinished, passphrase=new).ok and verify(path, passphrase=old).ok:
            raise Defect("a project was not the same after it was written anew")
        _on_disk(unfinished)
        with_lock.connection.close()
        same_readers(unfinished, as_of=path)
        unfinished.replace(path)
    except FAILURES as error:
        raise explained(error, path) from error
    finally:
        with_lock.close()
        for leftover in (unfinished, unfinished.with_name(unfinished.name + "-journal")):
            with contextlib.suppress(OSError):  # on a drive that cannot be written there is none to be removed
                leftover.unlink(missing_ok=True)


def _copy(source: Path, target: Path, *, old: Passphrase | None, new: Passphrase | None) -> None:
    """All tables, then all triggers, by SQLCipher's own export; keys go as bound values, never as SQL text."""
    connection = cipher().connect(source.as_uri() + "?mode=ro", uri=True, isolation_level=None)
    try:
        if old is not None:
            set_key(connection, old)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        key = "" if new is None else new.reveal()
        connection.execute("ATTACH DATABASE ? AS target KEY ?", (str(target), key))
        if new is not None:
            connection.execute("PRAGMA target.cipher_compatibility = 4")
            connection.execute(f"PRAGMA target.kdf_iter = {encryption.ROUNDS}")
            connection.execute(f"PRAGMA target.cipher_salt = \"x'{fresh_salt().hex()}'\"")
        connection.execute(f"PRAGMA target.application_id = {APPLICATION_ID}")
        connection.execute("SELECT sqlcipher_export('target')")
        connection.execute(f"PRAGMA target.user_version = {int(version)}")
    finally:
        connection.close()


def _journal(path: Path, passphrase: Passphrase | None, *, person: str, action: str) -> None:
    connection = connect(path, writable=True, passphrase=passphrase)
    session = Session(path=path, connection=connection, person=person)
    try:
        with session.act(action, subject="project"):
            pass
    finally:
        session.close()


def _on_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
