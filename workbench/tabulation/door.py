"""Which engine answers for a data set: today always the one in memory."""

from __future__ import annotations

from workbench.microdata.table import Microdata
from workbench.tabulation.contract import Rows
from workbench.tabulation.memory import Memory
from workbench.tabulation.units.arrangement import SORTED_COPY_LIMIT


def rows_of(microdata: Microdata, *, sorted_copy_limit: int = SORTED_COPY_LIMIT) -> Rows:
    """The door to the rows of loaded microdata. Nothing is kept: the rows live as long as the microdata.

    Where a copy of the rows arranged by unit would take more bytes than the limit, they are counted in place.
    """
    return Memory(microdata, sorted_copy_limit=sorted_copy_limit)
