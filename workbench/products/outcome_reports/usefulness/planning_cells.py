"""Cells as they are planned: public numbers of people and pay around a public guess, in the cells of the plan's list.

Nothing is read from the confidential file but what the plan and the data dictionary say: years, sectors and the cap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.confidential import Confidential
from workbench.products.outcome_reports.layout import Layout, Listed
from workbench.products.outcome_reports.outcomes import Outcomes

_ROWS = 1_500  # cells whose draws are judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """People of a usual cell and year, the median of their pay and the standard deviation of its logarithm."""

    people: int
    median: int
    spread: float


def planning_cells(layout: Layout, cap: int, planned: Planned) -> Outcomes:
    """Blocks of the plan's sectors and years, each cell with the planned people at the quantiles of the planned pay."""
    blocks = max(math.ceil(_ROWS / (layout.places * layout.years)), 1)
    listed = Layout(
        institution=None,
        titles=(Listed(name="block", values=tuple(map(str, range(blocks)))),),
        sectors=layout.sectors,
        year=layout.year,
    )
    pay = _quantiles(planned, cap)
    return Outcomes(
        layout=listed,
        cap=cap,
        count=Confidential(np.full(listed.rows, planned.people, dtype=np.int64)),
        pay=Confidential(np.tile(np.array(pay, dtype=np.int64), listed.rows)),
    )


def _quantiles(planned: Planned, cap: int) -> Sequence[int]:
    """Log-normal pay at (i − ½)/n, never above the cap."""
    from scipy.special import ndtri

    at = (np.arange(planned.people) + 0.5) / planned.people
    pay = planned.median * np.exp(planned.spread * ndtri(at))
    return [int(value) for value in np.minimum(np.floor(pay + 0.5), cap)]
