"""Which engine answers for a data set: the one in memory, or the one that reads the rows where they are."""

from __future__ import annotations

from workbench.microdata.table import Microdata
from workbench.tabulation.contract import Rows
from workbench.tabulation.memory import Memory
from workbench.tabulation.units.arrangement import SORTED_COPY_LIMIT
from workbench.tabulation.watched import watched


def rows_of(microdata: Microdata, *, sorted_copy_limit: int = SORTED_COPY_LIMIT) -> Rows:
    """The door to the rows of loaded microdata. Nothing is kept: the rows live as long as the microdata.

    Where a copy of the rows arranged by unit would take more bytes than the limit, they are counted in place.
    """
    rows: Rows = Memory(microdata, sorted_copy_limit=sorted_copy_limit)
    if microdata.elsewhere is not None:
        rows = microdata.elsewhere.door
    return watched(rows, microdata.kept)
