"""Sums of every cell asked for at the door, where single people stay with the engine that reads them.

The sums that get noise are the very integers that single people would add up to. The exact line of a cell, which only
reviewers see, follows from integer sums too: it agrees with the one from single people to the last few bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context, Part
from workbench.products.area_estimates.fractional_sums import GRID
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.people import FINE
from workbench.products.area_estimates.power_sums import PowerSums
from workbench.tabulation.aggregates import Aggregate, Count, Product, Sum
from workbench.tabulation.answers import Answer
from workbench.tabulation.contract import Rows
from workbench.tabulation.keys import Key, Scale


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SumsElsewhere:
    power: PowerSums
    lines: tuple[Lines, ...]
    unlisted: int
    outside: int


def sums_elsewhere(
    rows: Rows, keys: Sequence[Key], scales: Sequence[Scale], *, leave_out: bool, context: Context
) -> SumsElsewhere:
    """`keys` are the area and the groups, `scales` predictor and outcomes, one step wider than their bounds."""
    inside, listed = rows, 0
    everybody = rows.grouped(keys, {"n": Count(), **{s.column: Sum(s) for s in scales}}, Part(context, 0.0, 0.3))
    unlisted = everybody.left_out.reveal()
    if leave_out:
        for scale in scales:
            inside = inside.between(scale, scale.lower + 1, scale.upper - 1)
        listed = int(everybody.column("n").sum())
    fine = [replace(s, lower=s.lower + 1, upper=s.upper - 1, steps=FINE) for s in scales]
    coarse = [replace(each, coarser=FINE // GRID) for each in fine]
    asked: dict[str, Aggregate] = {"n": Count()}
    for kind, (x, *ys) in (("f", fine), ("c", coarse)):
        asked |= {f"{kind}x": Sum(x), f"{kind}xx": Product(x, x)}
        for number, y in enumerate(ys):
            asked |= {
                f"{kind}y{number}": Sum(y),
                f"{kind}xy{number}": Product(x, y),
                f"{kind}yy{number}": Product(y, y),
            }
    found = inside.grouped(keys, asked, Part(context, 0.3, 1.0))
    held = {name: _laid(found, name, keys) for name in asked}
    outcomes = range(len(scales) - 1)
    return SumsElsewhere(
        power=PowerSums(
            n=held["n"], x=held["cx"], xx=held["cxx"], y=tuple(held[f"cy{o}"] for o in outcomes),
            xy=tuple(held[f"cxy{o}"] for o in outcomes), yy=tuple(held[f"cyy{o}"] for o in outcomes),
        ),
        lines=tuple(
            _line(held["n"], held["fx"], held[f"fy{o}"], held["fxx"], held[f"fxy{o}"], held[f"fyy{o}"])
            for o in outcomes
        ),
        unlisted=unlisted,
        outside=listed - int(held["n"].sum()) if leave_out else 0,
    )  # fmt: skip


def _laid(found: Answer, name: str, keys: Sequence[Key]) -> Integers:
    """Groups × areas, the group slowest; the area is the first key."""
    full = found.over(tuple(key.size for key in keys), name)
    laid: Integers = np.moveaxis(full, 0, -1).reshape(-1)
    return laid


def _line(n: Integers, x: Integers, y: Integers, xx: Integers, xy: Integers, yy: Integers) -> Lines:
    safe = np.maximum(n, 1)
    return Lines(
        size=n,
        x_mean=x / safe / FINE,
        y_mean=y / safe / FINE,
        x_spread=_centred(n, xx, x, x),
        product=_centred(n, xy, x, y),
        y_spread=_centred(n, yy, y, y),
    )


def _centred(n: Integers, both: Integers, first: Integers, second: Integers) -> Floats:
    """Σab − ΣaΣb/n, by whole numbers of any length so that nothing cancels."""
    counts, *sums = (each.astype(object) for each in (np.maximum(n, 1), both, first, second))
    whole = counts * sums[0] - sums[1] * sums[2]
    return np.array([top / (below * FINE**2) for top, below in zip(whole, counts, strict=True)], dtype=np.float64)
