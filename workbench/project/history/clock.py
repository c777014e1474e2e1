"""The clock of whoever acts, against the journal's last entry. Times are for readers; order is told by entries alone.

A clock that is minutes behind is an ordinary computer's. One that is hours behind would write times that readers of a
decision take for the order of events: the action is refused until the clock is right. Where it was the earlier entry's
clock that was wrong, a named person notes that, with a reason, and the next action is compared with the note.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from workbench.core.errors import Refused, UserProblem
from workbench.project.file.failures import damaged

if TYPE_CHECKING:
    from workbench.project.file.session import Session

NOTE = "note the clock"
SLOW = datetime.timedelta(minutes=5)


def refuse_slow_clock(session: Session, action: str, at: str) -> None:
    """Refuse an action whose time is before the last entry's by more than a few minutes."""
    last = session.row("SELECT seq, at FROM journal ORDER BY seq DESC LIMIT 1")
    if last is None or action == NOTE:
        return
    try:
        behind = _moment(str(last["at"])) - _moment(at)
    except ValueError:
        raise damaged(session.path) from None
    if behind > SLOW:
        raise Refused(
            f"This computer's clock says {_shown(at)}, but the last entry of the journal ({last['seq']}) was made at "
            f"{_shown(str(last['at']))}",
            "clock",
            "Set the clock; if that entry's time is wrong, note it: `dwb clock P.dwb --reason TEXT`",
        )


def note_clock(session: Session, *, actor: str = "", reason: str) -> None:
    """Put on record that the last entry's time is wrong and this computer's is right."""
    if not reason.strip():
        raise UserProblem("Noting the clock needs a reason", "reason", "Say which clock was wrong, and why")
    with session.act(NOTE, subject="project", actor=actor) as act:
        act.note = {"reason": reason}


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.UTC)


def _shown(text: str) -> str:
    return f"{text[:16].replace('T', ' ')} UTC"
