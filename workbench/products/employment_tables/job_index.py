"""The index of the data set at hand, kept, so that choosing other attributes does not encode the jobs again."""

from __future__ import annotations

import threading

from workbench.core.progress import QUIET, Context
from workbench.microdata.roles import Roles
from workbench.microdata.table import Microdata
from workbench.products.employment_tables.tabulation.engine import JobIndex, index

_LOCK = threading.Lock()
_LAST: list[tuple[Microdata, dict[str, str], JobIndex]] = []


def index_of(microdata: Microdata, roles: Roles, context: Context = QUIET) -> JobIndex:
    """The index of these data under these roles; made once and kept until other data or other roles are asked for.

    One entry is enough, since one data set is reviewed at a time, and it never holds two large data sets in memory.
    The key is the object itself, not its content: microdata never change.
    """
    wanted = {name: str(role) for name, role in roles.items()}
    with _LOCK:
        for known, roles_then, made in _LAST:
            if known is microdata and roles_then == wanted:
                return made
        made = index(microdata, roles, context)
        _LAST[:] = [(microdata, wanted, made)]
        return made


def forget() -> None:
    """Let the data go, when they are closed."""
    with _LOCK:
        _LAST.clear()
