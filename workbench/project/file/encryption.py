"""Encrypted project files: SQLCipher under the same tables.

Page encryption is AES-256-CBC with a fresh IV per write and HMAC-SHA-512 over each page; the key comes from the
passphrase by PBKDF2-HMAC-SHA-512 with 256,000 rounds and the file's salt (SQLCipher 4's settings, so any SQLCipher 4
tool opens the file). The salt is the file's first 16 bytes and the only unencrypted ones: 4 that mark the file as ours,
12 from the operating system. See docs/adr/0010-encrypted-projects.md.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any, cast

from workbench.core.errors import UserProblem
from workbench.core.passphrase import Passphrase, PassphraseNeeded, WrongPassphrase

MARK = b"DWBE"
ROUNDS = 256_000  # SQLCipher 4's own number; about a fifth of a second per passphrase tried
_NOT_A_DATABASE = 26


def is_encrypted(path: Path) -> bool:
    """True where the file begins like an encrypted project; False where it cannot be read at all."""
    try:
        if not path.is_file():  # a pipe would be waited for without end
            return False
        with path.open("rb") as file:
            return file.read(len(MARK)) == MARK
    except (OSError, ValueError):
        return False


def cipher() -> Any:
    """SQLCipher's driver, or a sentence where this installation has none."""
    try:
        from sqlcipher3 import dbapi2
    except ImportError:
        raise UserProblem(
            "This installation cannot open encrypted projects", "sqlcipher3", "Install the package sqlcipher3"
        ) from None
    return dbapi2


def new_database(path: Path | str, passphrase: Passphrase | None) -> sqlite3.Connection:
    """An empty database, encrypted where a passphrase is given. ':memory:' is never written anywhere."""
    if passphrase is None:
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection = cipher().connect(str(path), isolation_level=None, check_same_thread=False)
    set_key(connection, passphrase)
    connection.execute(f"PRAGMA cipher_salt = \"x'{fresh_salt().hex()}'\"")
    return cast(sqlite3.Connection, connection)


def fresh_salt() -> bytes:
    return MARK + os.urandom(16 - len(MARK))


def set_key(connection: Any, passphrase: Passphrase) -> None:
    """Hand the key over outside any SQL text, with the settings pinned; SQLCipher's own log would go to stderr."""
    connection.execute("PRAGMA cipher_log_level = NONE")
    connection.set_key(passphrase.reveal())
    connection.execute("PRAGMA cipher_compatibility = 4")
    connection.execute(f"PRAGMA kdf_iter = {ROUNDS}")
    connection.execute("PRAGMA temp_store = MEMORY")  # nothing spills unencrypted to a temporary file


def unlocked(uri: str, path: Path, *, passphrase: Passphrase | None, timeout: float) -> sqlite3.Connection:
    """Open an encrypted file, or raise PassphraseNeeded or WrongPassphrase."""
    if passphrase is None:
        raise PassphraseNeeded(path)
    driver = cipher()
    connection = driver.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=timeout)
    try:
        set_key(connection, passphrase)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except driver.DatabaseError as error:
        connection.close()
        if getattr(error, "sqlite_errorcode", None) == _NOT_A_DATABASE:
            raise WrongPassphrase(path) from None
        raise
    except BaseException:
        connection.close()
        raise
    return cast(sqlite3.Connection, connection)
