"""Is the file still what was written? Walks the journal's chain and compares every row with its recorded digest.

What this shows: a row or a journal entry that was changed, removed, inserted or moved; a cut-off tail (the head
counts entries apart from the journal); a changed schema or a dropped trigger; damage to the file itself.

A signed vote or decision also signs the journal before it: rewriting rows, journal and head together then needs the
reviewer's private key. Named are a vote signed by a stranger, a signature that does not fit, one that is missing where
one is expected, and a history that is not the one that was signed.

What it cannot show: what came after the last signature can be rewritten as a whole, an older copy of the whole file
can be put in place, and a file whose keys were all exchanged is consistent in itself. Against that, keep the head's
hash (`VerifyResult.head`) and the keys' fingerprints outside the file, in a report or a letter, and compare them.
Nor does it show that the names and times that were entered are true.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.core.passphrase import Passphrase
from workbench.project.file.failures import OPERATIONAL, UNBELIEVABLE, UNREADABLE, explained
from workbench.project.file.files import check, check_version, connect, version_of
from workbench.project.file.inspection import broken_pages, damage, schema_changes, traps, write_ahead
from workbench.project.file.migrations import MIGRATIONS, Migration
from workbench.project.history.chain import Chain, walk
from workbench.project.history.journal import row_digest
from workbench.project.history.recount import inconsistencies
from workbench.project.history.seals import At, Row, protected_tables, row_at
from workbench.project.signing.signing_verify import Signatures, signature_problems
from workbench.project.tables.values import COLUMNS, values_hold

Step = tuple[str, Callable[[], Iterable[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyResult:
    """`ok` where there is no problem; warnings (a clock that went back) do not count against it.

    `signed` and `unsigned` count votes, decisions and exceptions. `exchanged` are fingerprints of keys that others put
    in place of somebody's: nothing in the file can show that the owner knows, so each reader asks and says so.
    """

    ok: bool
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    entries: int
    head: str
    signed: int = 0
    unsigned: int = 0
    exchanged: tuple[str, ...] = ()


def verify(
    path: Path, migrations: Sequence[Migration] = MIGRATIONS, *, passphrase: Passphrase | None = None
) -> VerifyResult:  # fmt: skip
    """Check the whole file. Raises UserProblem only where it is not a project file of this or an earlier version."""
    path = Path(path).resolve()
    check(path)
    with _reading(path, passphrase) as connection:
        if connection is None:
            return _unreadable()
        before: tuple[Step, ...] = (
            ("the file", lambda: damage(connection, path)),
            ("the file", lambda: write_ahead(connection, path)),
        )
        wrong = list(_version_problem(connection, migrations, path))
        return examined(connection, migrations, before=before) if not wrong else _result(wrong, Chain(), Signatures())


def examined(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS, *, before: Sequence[Step] = ()
) -> VerifyResult:  # fmt: skip
    """Check what an open connection sees: schema, journal, rows, signatures, and what follows from what."""
    chain, signatures = Chain(), Signatures()
    first = before or (("the file", lambda: broken_pages(connection)),)
    problems = [problem for what, step in first for problem in _readable(what, step)]
    problems += _readable("the schema", lambda: schema_changes(connection, migrations))
    if list(traps(connection)):  # a view in place of a table could keep every query busy for ever
        return _result(problems, chain, signatures)
    steps: tuple[Step, ...] = (
        ("the journal", lambda: _walked(connection, chain)),
        ("the rows", lambda: _row_changes(connection, chain)),
        ("the signatures", lambda: signature_problems(connection, chain, signatures)),
    )
    problems += [problem for what, step in steps for problem in _readable(what, step)]
    problems = problems or list(_readable("the ledger", lambda: inconsistencies(connection)))
    return _result(problems, chain, signatures)


def _result(problems: Iterable[str], chain: Chain, signatures: Signatures) -> VerifyResult:
    found = tuple(dict.fromkeys(problems))
    return VerifyResult(
        ok=not found, problems=found, warnings=(*chain.warnings, *signatures.warnings), entries=chain.entries,
        head=chain.head, signed=signatures.signed, unsigned=signatures.unsigned,
        exchanged=tuple(signatures.exchanged),
    )  # fmt: skip


def _unreadable() -> VerifyResult:
    said = ("the file is damaged: not even its list of tables can be read",)
    return VerifyResult(ok=False, problems=said, warnings=(), entries=0, head="")


def _version_problem(
    connection: sqlite3.Connection, migrations: Sequence[Migration], path: Path
) -> Iterator[str]:  # fmt: skip
    try:
        check_version(version_of(connection), len(migrations), path)
    except UNREADABLE:
        yield "the file's header cannot be read: the file is damaged"


def _readable(what: str, step: Callable[[], Iterable[str]]) -> Iterator[str]:
    """What a step has to say; where the file is too damaged for it, that, and the other steps still run."""
    try:
        yield from step()
    except (*UNREADABLE, *UNBELIEVABLE):
        yield f"{what} cannot be read to the end: the file is damaged"


@contextmanager
def _reading(path: Path, passphrase: Passphrase | None) -> Iterator[sqlite3.Connection | None]:
    """A snapshot to read, or None where nothing can be read. A cut-off action is undone first, by writing once."""
    cut_off = path.with_name(path.name + "-journal").exists()
    try:
        connection = connect(path, writable=cut_off, passphrase=passphrase)
    except OPERATIONAL as error:  # not allowed, busy, full: somebody can see to that
        raise explained(error, path) from error
    except UNREADABLE:
        yield None
        return
    try:
        connection.text_factory = text_or_bytes
        connection.execute("BEGIN")
        yield connection
    finally:
        connection.close()


def text_or_bytes(raw: bytes) -> str | bytes:
    """Text whose bytes are no longer UTF-8 is handed on as bytes: it then cannot match any digest."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _walked(connection: sqlite3.Connection, chain: Chain) -> Iterator[str]:
    try:
        walk(connection, chain)
    finally:
        yield from chain.problems


def _row_changes(connection: sqlite3.Connection, chain: Chain) -> Iterator[str]:
    tables = protected_tables(connection)
    for at, (seal, entry) in chain.seals.items():
        fate = _fate(connection, at, seal.digest) if at[0] in tables else "was removed"
        if fate:
            yield f"{seal.label} (journal entry {entry}) {fate}"
    for table in tables:
        for key in _keys(connection, table):
            if not isinstance(key, int):  # what stands there now may be anybody's data: it is not repeated
                yield f"a row of “{table}” has lost its number: the file is damaged"
            elif (table, key) not in chain.seals:
                yield f"a row of “{table}” (number {key}) is in no journal entry: it was put in"


def _fate(connection: sqlite3.Connection, at: At, sealed: str) -> str:
    """What happened to a row, in words; empty where it is as it was written."""
    try:
        row = row_at(connection, at)
    except UNREADABLE:
        return "cannot be read: the file is damaged"
    if row is None:
        return "was removed"
    if row_digest(at[0], row) != sealed or (at[0] == "published" and not _values_hold(connection, row)):
        return "was changed"
    return ""


def _values_hold(connection: sqlite3.Connection, row: Row) -> bool:
    """True where the stored values still give the SHA-256 that the release is known by."""

    def columns(key: int) -> list[dict[str, object]]:
        cursor = connection.execute(COLUMNS, (key,))
        names = [name[0] for name in cursor.description]
        return [dict(zip(names, values, strict=True)) for values in cursor]

    return values_hold(row, columns)


def _keys(connection: sqlite3.Connection, table: str) -> list[object]:
    return [key for (key,) in connection.execute(f'SELECT id FROM "{table}" ORDER BY id')]
