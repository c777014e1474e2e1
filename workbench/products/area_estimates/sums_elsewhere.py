"""Sums of every cell asked for at the door, where single people stay with the engine that reads them.

The sums that get noise are the very integers that single people would add up to. The exact lines of a cell, which only
reviewers see, follow from integer sums too: they agree with those from single people to the last few bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context, Part
from workbench.products.area_estimates.estimators.contract import Sides
from workbench.products.area_estimates.fractional_sums import GRID
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.people import FINE
from workbench.products.area_estimates.power_sums import PowerSums
from workbench.tabulation.aggregates import HALF, Aggregate, Count, Half, Product, Sum
from workbench.tabulation.answers import Answer
from workbench.tabulation.contract import Rows
from workbench.tabulation.keys import Bins, Dimension, Key, Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Columns of numbers, one step wider than their bounds: predictor and outcomes; the weight, where rows have one;
    and the columns of 0 and 1 that an effect compares. Any beyond 0 … its upper bound leaves its row out."""

    of_line: tuple[Scale, ...]
    weight: Scale | None = None
    comparisons: tuple[Scale, ...] = ()
    cutoff: float | None = None  # of the predictor between 0 and 1, where an effect compares both sides of it
    sides: int = 1

    @property
    def all(self) -> tuple[Scale, ...]:
        return (*self.of_line, *((self.weight,) if self.weight is not None else ()), *self.comparisons)

    @property
    def fine(self) -> list[Scale]:
        """Predictor and outcomes in millionths between their bounds."""
        return [replace(s, lower=s.lower + 1, upper=s.upper - 1, steps=FINE) for s in self.of_line]

    @property
    def of_side(self) -> list[Bins]:
        """What tells the side of a row, the first slowest: 0 or 1 of each comparison, or below and above the cutoff."""
        if self.cutoff is not None:
            return [Bins(of=self.fine[0], edges=(first_at(self.cutoff),))]
        return [Bins(of=each, edges=(1,)) for each in self.comparisons]


def first_at(cutoff: float) -> int:
    """The first millionth that is, as a double, at or above the cutoff."""
    near = round(cutoff * FINE)
    return next(each for each in range(near - 1, near + 3) if each / FINE >= cutoff)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SumsElsewhere:
    power: PowerSums
    lines: tuple[Lines, ...]
    sides: tuple[Sides, ...] | None  # one for each outcome, where an effect is estimated
    unlisted: int
    outside: int


def sums_elsewhere(
    rows: Rows, keys: Sequence[Key], measures: Measures, *, leave_out: bool, context: Context
) -> SumsElsewhere:
    """`keys` are the area and the groups."""
    everybody = rows.grouped(keys, {"n": Count(), **{s.column: Sum(s) for s in measures.all}}, Part(context, 0.0, 0.3))
    unlisted, listed = everybody.left_out.reveal(), int(everybody.column("n").sum())
    inside, strict = rows, list(measures.comparisons)
    if leave_out:
        strict += measures.of_line
    for scale in strict:
        inside = inside.between(scale, scale.lower + 1, scale.upper - 1)
    if measures.weight is not None:  # a negative weight is no weight; one that is too large counts as the largest
        inside = inside.between(measures.weight, 0, measures.weight.upper)
    bins = measures.of_side
    found = inside.grouped([*keys, *bins], _asked(measures), Part(context, 0.3, 1.0))
    by_side = {name: _laid(found, name, keys, bins) for name in found.values}
    held = {name: sides.sum(axis=0) for name, sides in by_side.items()}
    if measures.weight is not None:
        held["wn"] = held["w"]
    outcomes = range(len(measures.of_line) - 1)
    kind = "" if measures.weight is None else "w"
    return SumsElsewhere(
        power=PowerSums(
            n=held[f"{kind}n"], x=held[f"{kind}cx"], xx=held[f"{kind}cxx"],
            y=tuple(held[f"{kind}cy{o}"] for o in outcomes), xy=tuple(held[f"{kind}cxy{o}"] for o in outcomes),
            yy=tuple(held[f"{kind}cyy{o}"] for o in outcomes),
        ),
        lines=tuple(_line(held, kind, o) for o in outcomes),
        sides=tuple(
            tuple(_line({n: each[side] for n, each in by_side.items()}, "", o) for side in range(measures.sides))
            for o in outcomes
        )
        if bins
        else None,
        unlisted=unlisted,
        outside=listed - int(held["n"].sum()),
    )  # fmt: skip


def _asked(measures: Measures) -> dict[str, Aggregate]:
    """Counts, sums and products in thousandths (c) for the table, in millionths (f) for lines; weighted ones as w."""
    fine, weight = measures.fine, measures.weight
    coarse = [replace(each, coarser=FINE // GRID) for each in fine]
    asked: dict[str, Aggregate] = {"n": Count()}
    if weight is None:
        asked |= _powers("c", coarse, None, apart=False)
    else:
        weight = replace(weight, lower=0)
        asked |= {"w": Sum(weight), **_powers("wc", coarse, weight, apart=False)}
        asked |= _powers("wf", fine, weight, apart=True)
    if weight is None or measures.of_side:
        asked |= _powers("f", fine, None, apart=True)
    return asked


def _powers(kind: str, scales: Sequence[Scale], weight: Scale | None, *, apart: bool) -> dict[str, Aggregate]:
    """`apart`: products as sums of their halves, which cannot leave 64 bits."""
    x, *ys = scales
    pairs = {"xx": (x, x)}
    for number, y in enumerate(ys):
        pairs |= {f"xy{number}": (x, y), f"yy{number}": (y, y)}
    single = {"x": x, **{f"y{number}": y for number, y in enumerate(ys)}}
    asked: dict[str, Aggregate] = {
        f"{kind}{name}": Sum(of) if weight is None else Product(of, weight) for name, of in single.items()
    }
    for name, (first, second) in pairs.items():
        if apart:
            asked[f"{kind}{name}"] = Product(first, second, weight, half=Half.LOWER)
            asked[f"{kind}{name} high"] = Product(first, second, weight, half=Half.UPPER)
        else:
            asked[f"{kind}{name}"] = Product(first, second, weight)
    return asked


def _laid(found: Answer, name: str, keys: Sequence[Key], bins: Sequence[Dimension]) -> Integers:
    """Sides × (groups × areas, the group slowest); the area is the first key."""
    full = found.over(tuple(key.size for key in (*keys, *bins)), name)
    sides = math.prod(key.size for key in bins)
    areas_last = np.moveaxis(full.reshape(*(key.size for key in keys), sides), (-1, 0), (0, -1))
    laid: Integers = areas_last.reshape(sides, -1)
    return laid


def _line(held: Mapping[str, Integers], kind: str, outcome: int) -> Lines:
    """Weights count relative to the cell's mean: with shares n·w/Σw instead of w, Σ of all shares is n."""
    n, w = held["n"], held[f"{kind}n"]
    x, y = held[f"{kind}fx"], held[f"{kind}fy{outcome}"]
    safe = np.maximum(w, 1)

    def centred(name: str, first: Integers, second: Integers) -> Floats:
        low, high = (held[f"{kind}f{name}{half}"].astype(object) for half in ("", " high"))
        return _centred(n, w, low + HALF * high, first, second)

    return Lines(
        size=n,
        x_mean=x / safe / FINE,
        y_mean=y / safe / FINE,
        x_spread=centred("xx", x, x),
        product=centred(f"xy{outcome}", x, y),
        y_spread=centred(f"yy{outcome}", y, y),
    )


def _centred(n: Integers, w: Integers, both: Integers, first: Integers, second: Integers) -> Floats:
    """n/W·(Σw·a·b − Σw·a·Σw·b/W), by whole numbers of any length so that nothing cancels."""
    counts, weights, *sums = (each.astype(object) for each in (n, np.maximum(w, 1), both, first, second))
    whole = counts * (weights * sums[0] - sums[1] * sums[2])
    below = weights * weights * FINE**2
    return np.array([top / under for top, under in zip(whole, below, strict=True)], dtype=np.float64)
