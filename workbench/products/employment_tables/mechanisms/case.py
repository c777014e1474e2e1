"""The cell that a calibration is asked about, described in numbers that anybody may make up."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.quantities import counted, show

_MOST_JOBS = 10**12
_IN_ALL = "All jobs of the largest establishment of its workplace cell, also those that the cell itself does not count."


@dataclass(frozen=True, slots=True, kw_only=True)
class CellCase:
    """A cell of the table and the largest establishment in it."""

    count: Decimal | None = param(None, "Jobs in the cell", "The true count.", ge=0, le=_MOST_JOBS)
    largest: Decimal | None = param(
        None, "Jobs of its largest establishment", "Those that the cell counts.", ge=0, le=_MOST_JOBS
    )

    def check(self) -> tuple[Problem, ...]:
        if self.count is None or self.largest is None or self.largest <= self.count:
            return ()
        size = counted(int(self.largest), "job") if self.largest == int(self.largest) else f"{show(self.largest)} jobs"
        what = f"The largest establishment has {size} but its cell only {show(self.count)}"
        return (Problem(what, "largest", f"Give at most {show(self.count)}, or a larger count"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockCase:
    """A cell, and the whole of the largest establishment of its workplace cell: a cell of women may be smaller."""

    count: Decimal | None = param(None, "Jobs in the cell", "The true count.", ge=0, le=_MOST_JOBS)
    largest: Decimal | None = param(None, "Jobs of the largest establishment", _IN_ALL, ge=0, le=_MOST_JOBS)
