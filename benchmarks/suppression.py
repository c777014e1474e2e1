"""Cell suppression: known answers, what informed attackers cost, warm intervals, and tables of 10,000 cells.

`python -m benchmarks.suppression`. Times are processor seconds; ratios are of one run. Tables with known answers are
looked for beside the project and left out where they are absent.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

from tests.baselines.suppression.known_tables import (
    LINKED,
    counts_task,
    small_counts,
    turnover,
    turnover_task,
)
from tests.baselines.suppression.small_tables import table
from workbench.baselines.suppression.attackers import informed, plain
from workbench.baselines.suppression.check import Checker
from workbench.baselines.suppression.exact import optimum
from workbench.baselines.suppression.heuristic import filled, heuristic
from workbench.baselines.suppression.intervals import intervals
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.task import Task
from workbench.core.progress import QUIET

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_missed: list[str] = []


def line(name: str, value: float, limit: float, unit: str = "") -> None:
    met = value <= limit
    print(f"{name:66s} {value:10.3f} {unit:8s} limit {limit:g} {'' if met else 'MISSED'}".rstrip())
    if not met:
        _missed.append(name)


def known(name: str, asked: Task, beside: Task, cells: int) -> None:
    """The proven optimum without knowledge, the heuristic beside it, and what the default attackers cost."""
    started = time.process_time()
    found = optimum(asked, seconds=60, context=QUIET)
    took = time.process_time() - started
    filled_cells, _ = heuristic(asked)
    line(f"{name}: cells of the proven optimum", float(found.suppressed.sum()), cells)
    line(f"{name}: not proven", float(not found.proven), 0)
    line(f"{name}: heuristic / optimum", asked.weight(filled_cells) / found.weight, 1.35)
    informed_cells, out_of_reach = heuristic(beside)
    line(f"{name}: levels missed by default attackers", float(len(list(Checker(beside).breaches(informed_cells)))),
         float(len(out_of_reach)))  # fmt: skip
    dearer = 100 * (informed_cells.sum() / found.suppressed.sum() - 1)
    print(f"{name}: {int(found.suppressed.sum())} cells plain in {took:.2f} s")
    print(f"{name}: {int(informed_cells.sum())} cells with default attackers, {dearer:+.0f} %")


def cold(system: System, suppressed: Any) -> float:
    """Seconds of one plain solve from scratch of the programme over all cells."""
    from scipy import optimize

    values = system.values
    bounds = np.stack([np.where(suppressed, 0, values), np.where(suppressed, np.inf, values)], axis=1)
    goal = np.zeros(system.cells)
    goal[np.flatnonzero(suppressed)[0]] = 1.0
    times = []
    for _ in range(3):
        started = time.process_time()
        optimize.linprog(goal, A_eq=system.matrix, b_eq=np.zeros(len(system.lines)), bounds=bounds, method="highs")
        times.append(time.process_time() - started)
    return min(times)


def linked_tables() -> None:
    system = turnover(DATA, LINKED)
    asked = turnover_task(system, plain(system))
    pattern = asked.primary
    once = cold(system, pattern)
    started = time.process_time()
    intervals(system, pattern, plain(system))
    took = time.process_time() - started
    print(f"four linked tables: {system.cells} cells, {len(system.lines)} equations, {int(pattern.sum())} primary")
    line("all intervals of its primary cells / one solve from scratch", took / once, 20)
    started = time.process_time()
    cells, _ = heuristic(asked)
    print(f"heuristic and sparing: {int(cells.sum())} cells, weight {asked.weight(cells):.1f}, "
          f"{time.process_time() - started:.1f} s")  # fmt: skip


def hundred(rng: np.random.Generator, mean: float) -> System:
    return table(rng.poisson(rng.lognormal(mean, 1, (100, 100))))


def large() -> None:
    system = hundred(np.random.default_rng(1), 3.0)
    asked = counts_task(system, plain(system), at_most=2)
    started = time.process_time()
    found = optimum(asked, seconds=60, context=QUIET)
    line("100 × 100 with margins, proven in", time.process_time() - started, 60, "s")
    line("100 × 100 with margins: not proven", float(not found.proven), 0)
    beside = counts_task(system, informed(system), at_most=2)
    pattern, _ = filled(beside, Checker(beside), QUIET)
    started = time.process_time()
    intervals(system, pattern, beside.attackers)
    line(f"10,201 cells attacked: {int(pattern.sum())} intervals in", time.process_time() - started, 30, "s")
    best = optimum(beside, seconds=60, context=QUIET)
    print(f"10,201 cells, default attackers: {int(best.suppressed.sum())} cells beside {int(found.suppressed.sum())} "
          f"plain, {100 * best.gap:.2f} % from the proven bound after a minute")  # fmt: skip


def larger() -> None:
    """Beyond the exact scheme: a pattern against the default attackers, filled and spared."""
    rng = np.random.default_rng(2)
    system = table(rng.poisson(rng.lognormal(3.0, 1, (150, 150))))
    started = time.process_time()
    pattern, _ = heuristic(counts_task(system, informed(system), at_most=2))
    took = time.process_time() - started
    line(f"{system.cells:,} cells, default attackers: {int(pattern.sum())} cells by heuristic in", took, 150, "s")


def memory() -> None:
    """Peak memory of the programme over cells with all margins: it follows the non-zeros, not cells × equations."""
    peaks = []
    for size in (40, 80):
        system = table(np.full((size, size), 5))
        hidden = np.ones(system.cells, dtype=bool)
        tracemalloc.start()
        intervals_of_one(system, hidden)
        peaks.append((tracemalloc.get_traced_memory()[1], system.matrix.nnz))
        tracemalloc.stop()
    line("memory growth / growth of non-zeros", (peaks[1][0] / peaks[0][0]) / (peaks[1][1] / peaks[0][1]), 1.5)


def intervals_of_one(system: System, hidden: Any) -> None:
    from workbench.baselines.suppression.programme import Programme

    cells = np.flatnonzero(hidden)
    Programme(system.matrix, cells, -system.values, np.full(system.cells, np.inf)).farthest(0, 1)


def main() -> int:
    if (DATA / "suppression_tables").is_dir():
        for at_most, cells in ((1, 4), (3, 6), (5, 10)):
            system = small_counts(DATA, "z1")
            known(f"z1 up to {at_most}", counts_task(system, plain(system), at_most=at_most),
                  counts_task(system, informed(system), at_most=at_most), cells)  # fmt: skip
        system = small_counts(DATA, "charities")
        beside = counts_task(system, informed(system), at_most=9)
        known("charities", counts_task(system, plain(system), at_most=9), beside, 12)
        for name, cells in (("turnover_act_size", 133), ("turnover_nuts_size", 141)):
            system = turnover(DATA, [name])
            known(name, turnover_task(system, plain(system)), turnover_task(system, informed(system)), cells)
        linked_tables()
    else:
        print("the tables with known answers are not here; left out")
    large()
    larger()
    memory()
    print(f"missed: {', '.join(_missed)}" if _missed else "every target met")
    return 1 if _missed else 0


if __name__ == "__main__":
    sys.exit(main())
