"""The index of the data set at hand, kept, so that choosing other attributes does not encode the jobs again."""

from __future__ import annotations

import threading

from workbench.core.progress import QUIET, Context
from workbench.microdata.roles import Roles
from workbench.microdata.table import Microdata
from workbench.products.employment_tables.tabulation.engine import JobIndex, index

_LOCK = threading.Lock()
_KEPT = "employment_tables index"


def index_of(microdata: Microdata, roles: Roles, context: Context = QUIET) -> JobIndex:
    """The index of these data under these roles; made once and kept until other roles are asked for.

    It is kept with the data themselves: whoever lets them go lets it go, and nobody else holds it.
    """
    wanted = {name: str(role) for name, role in roles.items()}
    with _LOCK:
        kept: tuple[dict[str, str], JobIndex] | None = microdata.kept.get(_KEPT)
        if kept is not None and kept[0] == wanted:
            return kept[1]
        microdata.kept.pop(_KEPT, None)  # never two large indexes in memory
        made = index(microdata, roles, context)
        microdata.kept[_KEPT] = (wanted, made)
        return made
