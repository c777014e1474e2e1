"""What several sums together say of a cell: exact by elimination, or the interval a linear programme leaves.

The unknown cells of each connected part of the system satisfy A x = b, with x at least 0 (counts and amounts) and
rounded cells within their rounding. A cell is derivable exactly where its unit vector lies in the row space of A: its
coefficients are found by least squares, made rational, and checked in exact arithmetic. Otherwise HiGHS gives the
smallest and the largest value any consistent table can have there. Whole numbers are rounded inwards.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.audit.differencing.algebra import Solved
from workbench.audit.differencing.equations import System
from workbench.core.errors import Defect
from workbench.core.progress import Context

_LARGEST_PART = 3_000  # unknown cells in one part up to which programmes are solved
_DENSE_PART = 500  # up to which elimination is tried as well
_MOST_TARGETS = 300


@dataclass(frozen=True, slots=True)
class Interval:
    """Between which values a cell must lie, in units of the published value."""

    low: float
    high: float
    weights: dict[int, Fraction] | None = None  # cell → coefficient, where elimination shows it exactly

    @property
    def exact(self) -> bool:
        return self.high - self.low < 1e-6 * max(1.0, abs(self.high))


@dataclass(frozen=True, slots=True)
class _Part:
    """One connected part: its unknown cells, its sums, and what their known cells add up to."""

    cells: list[int]
    sums: list[int]
    matrix: Any  # sparse, sums × cells
    right: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bounded:
    intervals: dict[int, Interval]
    skipped: int  # targets in parts too large for a programme, or beyond the number looked at
    contradicting: int  # parts that no table satisfies


def bound(system: System, solved: Solved, targets: Iterable[int], context: Context) -> Bounded:
    """An interval for each target that subtraction alone did not give."""
    wanted = [cell for cell in targets if cell not in solved.values]
    parts = _parts(system, solved, wanted[:_MOST_TARGETS])
    found: dict[int, Interval] = {}
    skipped = max(0, len(wanted) - _MOST_TARGETS)
    contradicting = done = 0
    for part, inside in parts:
        if part is None:
            skipped += len(inside)
            continue
        limits = _limits(system, part)
        for cell in inside:
            context.step(done / max(1, len(wanted)), "bounding cells that are not published")
            done += 1
            interval = _interval(system, solved, part, limits, cell)
            if interval is None:
                contradicting += 1
                break
            found[cell] = interval
    return Bounded(found, skipped, contradicting)


def _parts(system: System, solved: Solved, wanted: list[int]) -> list[tuple[_Part | None, list[int]]]:
    """The connected parts that hold the wanted cells; None where a part is too large."""
    touching: dict[int, list[int]] = defaultdict(list)
    unknowns: list[list[int]] = []
    for number, each in enumerate(system.sums):
        left = [cell for cell, _ in each.terms() if cell not in solved.values]
        unknowns.append(left)
        for cell in left:
            touching[cell].append(number)
    parts: list[tuple[_Part | None, list[int]]] = []
    home: dict[int, int] = {}
    for cell in wanted:
        if cell not in home:
            cells, sums = _reach(cell, touching, unknowns)
            home |= dict.fromkeys(cells, len(parts))
            made = _part(system, solved, cells, sums) if len(cells) <= _LARGEST_PART else None
            parts.append((made, []))
        parts[home[cell]][1].append(cell)
    return parts


def _reach(start: int, touching: dict[int, list[int]], unknowns: list[list[int]]) -> tuple[list[int], list[int]]:
    cells: dict[int, None] = {start: None}
    sums: dict[int, None] = {}
    waiting = [start]
    while waiting:
        for number in touching.get(waiting.pop(), ()):
            if number in sums:
                continue
            sums[number] = None
            fresh = [cell for cell in unknowns[number] if cell not in cells]
            cells |= dict.fromkeys(fresh)
            waiting.extend(fresh)
    return list(cells), list(sums)


def _part(system: System, solved: Solved, cells: list[int], sums: list[int]) -> _Part:
    from scipy.sparse import csr_array

    place = {cell: number for number, cell in enumerate(cells)}
    entries: list[tuple[int, int, int]] = []
    right = [0] * len(sums)
    for row, number in enumerate(sums):
        for cell, sign in system.sums[number].terms():
            if cell in place:
                entries.append((row, place[cell], sign))
            else:
                right[row] -= sign * solved.values[cell]
    rows, columns, signs = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    matrix = csr_array((signs.astype(float), (rows, columns)), shape=(len(sums), len(cells)))
    return _Part(cells, sums, matrix, np.array([number / 10**system.space.decimals for number in right]))


def _limits(system: System, part: _Part) -> list[tuple[float | None, float | None]]:
    negative = any(value < 0 for value in system.known.values())
    lowest = None if negative else 0.0
    unit = 10**system.space.decimals
    limits: list[tuple[float | None, float | None]] = []
    for cell in part.cells:
        around = [source for source in system.space.sources.get(cell, ()) if source.value is not None and source.slack]
        lows = [(source.value - source.slack / 2) / unit for source in around if source.value is not None]
        highs = [(source.value + source.slack / 2) / unit for source in around if source.value is not None]
        low, high = max(lows, default=-math.inf), min(highs, default=math.inf)
        start = low if lowest is None else max(low, lowest)
        limits.append((None if start == -math.inf else start, None if high == math.inf else high))
    return limits


def _interval(
    system: System,
    solved: Solved,
    part: _Part,
    limits: list[tuple[float | None, float | None]],
    cell: int,
) -> Interval | None:
    """The tightest interval; None where no table satisfies all sums."""
    weights = _eliminated(system, solved, part, cell) if len(part.cells) <= _DENSE_PART else None
    if weights is not None:
        total = sum(factor * solved.values[other] for other, factor in weights.items())
        value = float(total / 10**system.space.decimals)
        return Interval(value, value, weights)
    ends = [_extreme(part, limits, cell, sign) for sign in (1, -1)]
    if ends[0] is None or ends[1] is None:
        return None
    low, high = ends[0], -ends[1]
    if system.space.decimals == 0:
        low = math.ceil(low - 1e-6) if math.isfinite(low) else low
        high = math.floor(high + 1e-6) if math.isfinite(high) else high
    return Interval(low, max(low, high))


def _extreme(
    part: _Part, limits: list[tuple[float | None, float | None]], cell: int, sign: int
) -> float | None:  # fmt: skip
    from scipy import optimize

    solve: Any = optimize.linprog
    goal = np.zeros(len(part.cells))
    goal[part.cells.index(cell)] = sign
    equal = {"A_eq": part.matrix, "b_eq": part.right} if part.sums else {}
    found = solve(goal, bounds=limits, method="highs", **equal)
    if found.status == 0:
        return float(found.fun)
    if found.status == 3:
        return -math.inf
    if found.status in (2, 4):  # infeasible, or so ill-conditioned that HiGHS cannot tell
        return None
    raise Defect("a linear programme of the differencing check did not finish")


def _eliminated(system: System, solved: Solved, part: _Part, cell: int) -> dict[int, Fraction] | None:
    """Coefficients on published or derived cells that give the cell exactly, verified in whole numbers; else None."""
    if not part.sums:
        return None
    unit = np.zeros(len(part.cells))
    unit[part.cells.index(cell)] = 1.0
    dense = part.matrix.toarray().T
    multipliers, *_ = np.linalg.lstsq(dense, unit, rcond=None)
    if np.abs(dense @ multipliers - unit).max() > 1e-8:
        return None
    exact = [Fraction(float(each)).limit_denominator(720) for each in multipliers]
    total: dict[int, Fraction] = defaultdict(Fraction)
    for number, factor in zip(part.sums, exact, strict=True):
        if factor:
            for other, sign in system.sums[number].terms():
                total[other] += factor * sign
    if total.pop(cell, Fraction(0)) != 1 or any(weight and each not in solved.values for each, weight in total.items()):
        return None
    return {each: -weight for each, weight in total.items() if weight}
