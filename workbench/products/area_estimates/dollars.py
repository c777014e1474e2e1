"""Ranks in dollars: a public table says what each rank of the outcome earns; estimates and intervals are converted.

Between two ranks of the table the value is interpolated, beyond its ends it is that of the end. The conversion rises
with the rank, so that an interval in ranks becomes one in dollars that holds as often. It is arithmetic on published
values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Problem, UserProblem
from workbench.core.published import MISSING
from workbench.microdata.inputs import Inputs
from workbench.microdata.table import numbers_of
from workbench.products.area_estimates.params import AreaEstimatesParams

DOLLARS = "dollars"
ENDS = ("", "_low", "_high")


@dataclass(frozen=True, slots=True, kw_only=True)
class DollarTable:
    """Ranks that rise, and dollars that do not fall with them; both public."""

    ranks: Floats
    dollars: Floats

    def converted(self, estimate: Integers, margin: Integers, decimals: int) -> dict[str, Integers]:
        """Estimate and both ends of its interval in whole dollars; empty where there is no estimate or margin."""
        unit = 10.0**decimals
        without = estimate == MISSING
        no_margin = without | (margin == MISSING)
        width = np.where(no_margin, 0, margin)
        made = {}
        for end, moved, gone in zip(ENDS, (0, -1, 1), (without, no_margin, no_margin), strict=True):
            ranks = (np.where(without, 0, estimate) + moved * width) / unit
            whole = np.rint(np.interp(ranks, self.ranks, self.dollars)).astype(np.int64)
            made[end] = np.where(gone, MISSING, whole)
        return made


def dollar_problems(inputs: Inputs, params: AreaEstimatesParams) -> tuple[Problem, ...]:
    file = inputs.companions.get(DOLLARS)
    if file is None:
        return ()
    return tuple(
        Problem(f"The dollar table has no column “{name}”", file.name, f"Its columns: {', '.join(file.columns)}")
        for name in (params.rank_column, params.dollar_column)
        if name not in file.columns
    )


def dollars_of(inputs: Inputs, params: AreaEstimatesParams) -> DollarTable | None:
    """The public table, in the order of ranks; None where there is none."""
    file = inputs.companions.get(DOLLARS)
    if file is None:
        return None
    ranks, dollars = (numbers_of(file.columns[name]) for name in (params.rank_column, params.dollar_column))
    order = np.argsort(ranks, kind="stable")
    ranks, dollars = ranks[order], dollars[order]
    if len(ranks) < 2 or not (np.isfinite(ranks).all() and np.isfinite(dollars).all()):
        raise UserProblem(
            "The dollar table has a row without a number, or fewer than two rows", file.name, "Complete it"
        )
    if (np.diff(ranks) <= 0.0).any() or (np.diff(dollars) < 0.0).any():
        raise UserProblem(
            "Dollars fall somewhere as ranks rise, or a rank stands twice", file.name, "Write each rank once, in order"
        )
    return DollarTable(ranks=ranks, dollars=dollars)
