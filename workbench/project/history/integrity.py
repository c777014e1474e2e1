"""Before somebody signs, decides or publishes: is the file what was written?

The whole file is checked once for each state of it. A state is known by the journal's head and by SQLite's own count of
what other programs wrote; what this program adds by an action of its own needs no second look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.errors import Problem, Refused

if TYPE_CHECKING:
    from workbench.project.file.session import Session

_MOST_NAMED = 5
_DO = "Nothing is decided or published from it; restore a copy that `dwb verify` finds unchanged"


def refuse_unless_intact(session: Session) -> None:
    """Refuse where anything was changed behind the program's back: rows, journal, head, schema, signatures."""
    with session.snapshot():
        if known_intact(session):
            return
        problems = _problems(session)
        if problems:
            raise Refused.of(
                Problem(f"The project has been altered since it was written: {said}", str(session.path), _DO)
                for said in problems[:_MOST_NAMED]
            )
        remember_intact(session)


def _problems(session: Session) -> tuple[str, ...]:
    from workbench.project.history.verify import examined, text_or_bytes

    connection = session.connection
    factory = connection.text_factory
    connection.text_factory = text_or_bytes
    try:
        return examined(connection).problems
    finally:
        connection.text_factory = factory


def known_intact(session: Session) -> bool:
    """True where this very state of the file was checked."""
    return bool(session.intact) and session.intact == _state(session)


def remember_intact(session: Session) -> None:
    session.intact = _state(session)


def _state(session: Session) -> tuple[object, ...]:
    head = session.rows("SELECT entries, hash FROM head")
    (version,) = session.connection.execute("PRAGMA data_version").fetchone()
    return (version, *(value for row in head for value in row.values()))
