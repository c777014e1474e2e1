"""How ε is divided over years where the noise of years is independent, and who pays how much.

From a public planning profile n_t: ε_t ∝ n_t^(−1/2) gives the smallest mean percentage error, ε_t ∝ 1/n_t the same one
in every year. With the history norm years do not compete. Never from the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats

MEAN, EQUAL = "mean", "equal"


def over_years(planned: Sequence[float], epsilon: float, rule: str) -> Floats:
    """ε of each year, adding up to ε."""
    size = np.asarray(planned, dtype=np.float64)
    weight = size**-0.5 if rule == MEAN else size**-1.0
    shares: Floats = epsilon * weight / weight.sum()
    return shares


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """What one person's rows cost, in multiples of the ε claimed for a history of one row a year in one cell."""

    rows_in_one_year: int
    cells_in_one_year: int
    cells_over_years: int
    institutions: int
    independent: float  # noise drawn for every cell and year by itself, equal ε over years
    history: int | None  # history noise with one cell a block; None where a year has several rows


Row = tuple[str, str, int, int]  # institution, title, sector, year


def payment(rows: Iterable[Row], years: int) -> Payment:
    """Of all rows of one person."""
    known = list(rows)
    by_year: dict[int, list[Row]] = {}
    for row in known:
        by_year.setdefault(row[3], []).append(row)
    most = max((len(found) for found in by_year.values()), default=0)
    cells = {row[:3] for row in known}
    return Payment(
        rows_in_one_year=most,
        cells_in_one_year=max((len({row[:3] for row in found}) for found in by_year.values()), default=0),
        cells_over_years=len(cells),
        institutions=len({row[0] for row in known}),
        independent=len(known) / years,
        history=len(cells) if most <= 1 else None,
    )
