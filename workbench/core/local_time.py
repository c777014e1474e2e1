"""Times as a person at this computer reads them: local, with the distance from UTC. Files and exports keep UTC."""

from __future__ import annotations

from datetime import UTC, datetime

_MINUTE = "%Y-%m-%d %H:%M"


def local_minute(moment: datetime | str) -> str:
    """'2026-11-16 09:03 (UTC+01:00)'. Text is a time as the project file writes it; what is none stays as it stands."""
    try:
        known = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    except ValueError:
        return str(moment)
    here = (known if known.tzinfo is not None else known.replace(tzinfo=UTC)).astimezone()
    return f"{here:{_MINUTE}} ({_zone(here)})"


def _zone(here: datetime) -> str:
    """'UTC' itself, or 'UTC+01:00'."""
    distance = f"{here:%z}"
    return "UTC" if distance in ("+0000", "-0000") else f"UTC{distance[:3]}:{distance[3:5]}"
