"""A report as it is published: the same columns for every method, in whole people and dollars.

count, mean_earnings, p25_earnings, p50_earnings, p75_earnings, margin_of_error (of the count),
earnings_margin_of_error (of the mean, or of the median where a method gives no mean). Values that a method does not
give, or that are too uncertain for the plan, are left out. All of it follows from drawn integers and the plan.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import MISSING, Columns, Units
from workbench.products.outcome_reports.outcomes import Outcomes

LEVEL = 1.96  # a margin covers 95 of 100
NAMES = ("count", "mean_earnings", "p25_earnings", "p50_earnings", "p75_earnings")
MARGINS = ("margin_of_error", "earnings_margin_of_error")
_LARGEST = 2.0**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Row by row; not-a-number where there is none. Standard deviations are those of the noise alone."""

    count: Floats
    mean: Floats | None = None
    percentiles: Floats | None = None  # rows × 3
    count_sd: Floats | float | None = None
    earnings_sd: Floats | None = None


def published(prepared: Outcomes, estimates: Estimates) -> Columns:
    rows = len(estimates.count)
    gone = np.full(rows, np.nan)
    mean = gone if estimates.mean is None else estimates.mean
    percentiles = np.full((rows, 3), np.nan) if estimates.percentiles is None else estimates.percentiles
    counts = gone if estimates.count_sd is None else np.broadcast_to(LEVEL * np.asarray(estimates.count_sd), (rows,))
    earnings = gone if estimates.earnings_sd is None else LEVEL * estimates.earnings_sd
    if prepared.largest_margin:
        central = percentiles[:, 1] if estimates.mean is None else mean
        with np.errstate(invalid="ignore"):
            poor = ~(earnings <= float(prepared.largest_margin) * central)
        mean, earnings = np.where(poor, np.nan, mean), np.where(poor, np.nan, earnings)
        percentiles = np.where(poor[:, None], np.nan, percentiles)
    values = (estimates.count, mean, *percentiles.T, counts, earnings)
    first = Units(name=NAMES[0], integers=_whole(values[0]), unit="people")
    return Columns(
        columns=(
            first,
            *(
                Units(
                    name=name,
                    integers=_whole(column),
                    unit="people" if name == MARGINS[0] else "dollars",
                    additive=False,
                    gaps=True,
                )
                for name, column in zip((*NAMES[1:], *MARGINS), values[1:], strict=True)
            ),
        )
    )


def _whole(values: Floats) -> Integers:
    known = ~np.isnan(values)
    whole = np.full(len(values), MISSING, dtype=np.int64)
    whole[known] = np.floor(np.clip(values[known], -_LARGEST, _LARGEST) + 0.5).astype(np.int64)
    return whole
