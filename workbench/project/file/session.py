"""An open project file: the connection, the lock, and the one way to write to it."""

from __future__ import annotations

import functools
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from workbench.core.errors import Defect, UserProblem
from workbench.project.file.action import Action
from workbench.project.file.failures import NOT_OURS, UNREADABLE, damaged, explained
from workbench.project.file.lock import ProjectLock
from workbench.project.file.upgrade import database
from workbench.project.history.clock import refuse_slow_clock
from workbench.project.history.integrity import known_intact, refuse_unless_intact, remember_intact
from workbench.project.history.places import Places
from workbench.project.signing.keys import Signer
from workbench.project.signing.signing import sign_new_rows

if TYPE_CHECKING:
    from sqlite_utils import Database

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Session:
    """Shared by all that reads and writes one project. Safe to use from several threads, one statement at a time."""

    def __init__(
        self, *, path: Path, connection: sqlite3.Connection, person: str, lock: ProjectLock | None = None,
        why_read_only: str = "",
    ) -> None:  # fmt: skip
        self.path = path
        self.person = person
        self.why_read_only = why_read_only
        self.signer: Signer | None = None  # whose votes and decisions are signed; unlocked before it is put here
        self.removed: tuple[Path, ...] = ()  # what a killed program had left beside the file
        self.intact: tuple[object, ...] = ()  # the state of the file that was last checked
        self.places = Places()  # where in the journal rows were put in, as far as anybody asked
        self._connection: sqlite3.Connection | None = connection
        self._lock = lock
        self._guard = threading.RLock()
        self._reading = False  # inside a snapshot
        self._database: Database | None = None

    @property
    def connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise Defect("a project was used after it was closed")
        return self._connection

    def alone(self) -> AbstractContextManager[object]:
        """Keeps others out between looking and writing: other threads, and by a transaction other programs, too.

        The lock file keeps other programs out already, but not on every network drive.
        """
        return self._guard if self.why_read_only else self._transaction()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """What a query gives, by column name."""
        with self._guard:
            try:
                cursor = self.connection.execute(sql, values)
                names = [column[0] for column in cursor.description]
                return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            except UNREADABLE as error:
                raise explained(error, self.path) from error

    def row(self, sql: str, values: Sequence[Any] = ()) -> dict[str, Any] | None:
        """The first row of a query, if any."""
        found = self.rows(sql, values)
        return found[0] if found else None

    @contextmanager
    def act(self, action: str, *, subject: str, actor: str = "", guarded: bool = False) -> Iterator[Action]:
        """One action in one transaction with its journal entry; whatever goes wrong inside leaves the file as it was.

        IMMEDIATE takes the writer's place at once, so that what the action reads first is still true when it writes.
        `guarded`: somebody answers for it with their name, so the file must be what was written.
        """
        if self.why_read_only:
            raise UserProblem(f"The project is open for reading only: {self.why_read_only}", str(self.path))
        with self._transaction():
            if guarded:
                refuse_unless_intact(self)
            known = known_intact(self)
            act = Action(self._db())
            refuse_slow_clock(self, action, act.at)
            yield act
            who = actor or self.person
            sign_new_rows(self, act, action=action, subject=subject, actor=who)
            act.enter(actor=who, action=action, subject=subject)
            if known:  # what was checked, and one entry of our own
                remember_intact(self)

    def together(self) -> AbstractContextManager[None]:
        """Several actions that mean something only together: all of them happen, each with its entry, or none."""
        return self._transaction()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads that see one state of the file. Inside a transaction they do anyway; nothing is written inside."""
        with self._guard:
            connection = self.connection
            if connection.in_transaction:
                yield
                return
            connection.execute("BEGIN")
            self._reading = True
            try:
                yield
            finally:
                self._reading = False
                self._roll_back()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction, or a part of the one that is open. What goes wrong in a part undoes the whole."""
        with self._guard:
            connection = self.connection
            if self._reading:
                raise Defect("something was to be written inside a snapshot")
            outermost = not connection.in_transaction
            try:
                if outermost:
                    connection.execute("BEGIN IMMEDIATE")
                yield
                if outermost:
                    connection.execute("COMMIT")
            except BaseException as wrong:
                self._roll_back()
                if isinstance(wrong, UNREADABLE):
                    raise explained(wrong, self.path) from wrong
                raise

    def _roll_back(self) -> None:
        """SQLite may have ended the transaction itself, as where the disk is full."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def _db(self) -> Database:
        if self._database is None:
            self._database = database(self.connection)
        return self._database

    def close(self) -> None:
        """Close the file, then let others write. A second call does nothing."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if self._lock is not None:
                self._lock.release()
                self._lock = None


def reads_stored(
    function: Callable[Concatenate[Session, Given], Result],
) -> Callable[Concatenate[Session, Given], Result]:
    """For functions that make records of rows: a lost column, or text that is no longer what was written, is damage."""

    @functools.wraps(function)
    def reading(session: Session, /, *given: Given.args, **named: Given.kwargs) -> Result:
        try:
            return function(session, *given, **named)
        except NOT_OURS as error:
            raise damaged(session.path) from error

    return reading
