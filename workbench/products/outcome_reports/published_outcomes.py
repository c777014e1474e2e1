"""A report as it is published: the same columns for every method, in whole people and dollars.

count, mean_earnings, p25_earnings, p50_earnings, p75_earnings, margin_of_error (of the count),
mean_margin_of_error, p25_margin_of_error, p50_margin_of_error, p75_margin_of_error. Values that a method does not
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
MARGINS = (
    "margin_of_error",
    "mean_margin_of_error",
    "p25_margin_of_error",
    "p50_margin_of_error",
    "p75_margin_of_error",
)
_LARGEST = 2.0**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Row by row; not-a-number where there is none. Standard deviations are of noise, and of what bins leave open."""

    count: Floats
    mean: Floats | None = None
    percentiles: Floats | None = None  # rows × 3
    count_sd: Floats | float | None = None
    mean_sd: Floats | None = None
    percentile_sd: Floats | None = None  # rows × 3


def published(prepared: Outcomes, estimates: Estimates) -> Columns:
    rows = len(estimates.count)
    gone = np.full(rows, np.nan)
    mean = gone if estimates.mean is None else estimates.mean
    percentiles = np.full((rows, 3), np.nan) if estimates.percentiles is None else estimates.percentiles
    counts = gone if estimates.count_sd is None else np.broadcast_to(LEVEL * np.asarray(estimates.count_sd), (rows,))
    means = gone if estimates.mean_sd is None else LEVEL * estimates.mean_sd
    spread = np.full((rows, 3), np.nan) if estimates.percentile_sd is None else LEVEL * estimates.percentile_sd
    if prepared.largest_margin:
        limit = float(prepared.largest_margin)
        mean, means = _kept(means, mean, limit)
        central, _ = _kept(spread[:, 1], percentiles[:, 1], limit)  # one status for all three, as PSEO has it
        percentiles = np.where(np.isnan(central)[:, None], np.nan, percentiles)
        spread = np.where(np.isnan(central)[:, None], np.nan, spread)
    values = (estimates.count, mean, *percentiles.T, counts, means, *spread.T)
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


def _kept(margin: Floats, value: Floats, limit: float) -> tuple[Floats, Floats]:
    """Value and margin where the margin is at most that share of the value, by noisy values alone."""
    with np.errstate(invalid="ignore"):
        good = margin <= limit * value
    return np.where(good, value, np.nan), np.where(good, margin, np.nan)


def _whole(values: Floats) -> Integers:
    known = ~np.isnan(values)
    whole = np.full(len(values), MISSING, dtype=np.int64)
    whole[known] = np.floor(np.clip(values[known], -_LARGEST, _LARGEST) + 0.5).astype(np.int64)
    return whole
