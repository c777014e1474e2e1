"""Tables of other programs whose answers are known: met with attackers who know nothing else, and never left open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.baselines.suppression.known_tables import counts_task, small_counts, turnover, turnover_task
from tests.baselines.suppression.small_tables import apart
from workbench.baselines.suppression.attackers import informed, plain
from workbench.baselines.suppression.check import Checker
from workbench.baselines.suppression.exact import optimum
from workbench.baselines.suppression.heuristic import heuristic
from workbench.baselines.suppression.intervals import intervals
from workbench.baselines.suppression.task import Task
from workbench.core.progress import QUIET


@pytest.fixture(scope="module")
def tables(shared_data: Path) -> Path:
    if not (shared_data / "suppression_tables").is_dir():
        pytest.skip("the tables with known answers are not here")
    return shared_data


def task_for(tables: Path, given: dict[str, Any]) -> Task:
    if given["table"].startswith("turnover"):
        system = turnover(tables, [given["table"]])
        return turnover_task(system, plain(system))
    system = small_counts(tables, given["table"])
    return counts_task(system, plain(system), at_most=given["primary_at_most"])


def test_that_the_known_answers_are_met_and_proven(tables: Path, golden: Any) -> None:
    for case in golden("suppression_known_tables")["cases"]:
        asked, expected = task_for(tables, case["inputs"]), case["expected"]
        found = optimum(asked, seconds=60, context=QUIET)
        assert asked.primary.sum() == expected["primary"]
        assert found.proven
        assert found.suppressed.sum() == expected["cells"]
        if "value" in expected:
            assert asked.system.values[found.suppressed].sum() == expected["value"]
        filled, unreachable = heuristic(asked)
        assert not unreachable
        assert filled.sum() <= 1.35 * expected["cells"]
        for pattern in (found.suppressed, filled):
            assert not list(Checker(asked).breaches(pattern))


def test_that_no_charity_count_can_be_recovered(tables: Path) -> None:
    system = small_counts(tables, "charities")
    asked = counts_task(system, plain(system), at_most=9)
    found = optimum(asked, seconds=20, context=QUIET)
    assert found.suppressed.any()
    for cell in np.flatnonzero(found.suppressed):
        low, high = apart(system, found.suppressed, int(cell))
        assert high - low > 1
        ours = intervals(system, found.suppressed, plain(system))
        assert (ours[0][cell], ours[1][cell]) == pytest.approx((low, high))


def test_that_default_attackers_leave_no_interval_below_its_level(tables: Path) -> None:
    """The turnover of activities by size: every interval from a programme over all cells, written apart."""
    system = turnover(tables, ["turnover_act_size"])
    asked = turnover_task(system, informed(system))
    pattern, unreachable = heuristic(asked, spare=False)
    assert not unreachable
    plainly = optimum(turnover_task(system, plain(system)), seconds=30, context=QUIET)
    assert pattern.sum() >= plainly.suppressed.sum()
    rng = np.random.default_rng(1)
    for cell in rng.choice(np.flatnonzero(asked.primary), 12, replace=False):
        low, high = _apart(asked, pattern, int(cell))
        assert high >= system.values[cell] + asked.upper[cell] * (1 - 1e-5)
        assert low <= system.values[cell] - asked.lower[cell] * (1 - 1e-5)


def _apart(asked: Task, pattern: Any, cell: int) -> tuple[float, float]:
    """scipy on the whole table, published cells fixed, in units of the level so that rounding stays small."""
    from scipy import optimize

    system, unit = asked.system, asked.upper[cell]
    values = system.values / unit
    bounds = [(0.0, None) if hidden else (value, value) for hidden, value in zip(pattern, values, strict=True)]
    goal = np.zeros(system.cells)
    ends = []
    for sign in (1.0, -1.0):
        goal[cell] = sign
        found = optimize.linprog(goal, A_eq=system.matrix, b_eq=system.matrix @ values, bounds=bounds, method="highs")
        assert found.status == 0
        ends.append(float(found.x[cell]) * unit)
    return ends[0], ends[1]
