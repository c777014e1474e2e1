"""Tables approved one after another stay protected together; a revised vintage keeps the old pattern."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.baselines.suppression.test_baseline import PEOPLE, people_by
from workbench.baselines.suppression.across import Approved, approved, fixed_before, suppress_next
from workbench.baselines.suppression.intervals import intervals
from workbench.baselines.suppression.params import AttackerParams
from workbench.baselines.suppression.suppress import suppress, task_of
from workbench.baselines.suppression.tabulated import Tabulated, system_of
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET


@pytest.fixture(scope="module")
def columns() -> list[list[str]]:
    rng = np.random.default_rng(8)
    return [[f"{letter}{code}" for code in rng.choice(3, 60, p=[0.6, 0.3, 0.1])] for letter in "abc"]


def test_that_three_linked_tables_approved_in_turn_stay_protected(columns: list[list[str]]) -> None:
    """After each approval every primary cell of every table so far keeps its level in all tables together."""
    tables = [people_by(*columns, tables=[pair]) for pair in ((0, 1), (1, 2), (0, 2))]
    earlier: list[Approved] = []
    for table in tables:
        both, found = suppress_next(table, earlier, PEOPLE, QUIET)
        printed, withheld = fixed_before(found.task.system, earlier)
        assert not np.any(found.suppressed & printed)
        assert np.all(found.suppressed[withheld])
        outsider = [breach for breach in found.unreachable if breach.insider is None]
        values, task = found.task.system.values, found.task
        low, high = intervals(found.task.system, found.suppressed, task.attackers, whole=True)
        kept = task.primary.copy()
        kept[[breach.cell for breach in outsider]] = False
        assert np.all(high[kept] >= values[kept] + task.upper[kept] - 1e-6)
        assert np.all(low[kept] <= values[kept] - task.lower[kept] + 1e-6)
        assert not outsider
        earlier.append(approved(both, found))
    assert np.any(found.suppressed)


def test_that_a_revised_vintage_keeps_the_old_pattern() -> None:
    """1 7 / 8 2 suppressed; the next version has 4 instead of 1 and would print all, which tells the old 1."""
    old = _square([[1, 7, 30], [8, 2, 30], [30, 30, 30]])
    params = replace(PEOPLE, attackers=AttackerParams(holders=False, unions=False))
    system = system_of(old, margins=True)
    first = suppress(task_of(system, params), params, QUIET)
    new = _square([[4, 7, 30], [8, 5, 30], [30, 30, 30]])
    alone = suppress(task_of(system_of(new, margins=True), params), params, QUIET)
    assert not alone.suppressed.any()
    again = system_of(new, margins=True)
    _, withheld = fixed_before(again, [approved(old, first)])
    kept = suppress(task_of(again, params, withheld=withheld), params, QUIET)
    assert np.array_equal(kept.suppressed & first.suppressed, first.suppressed)


def _square(counts: list[list[int]]) -> Tabulated:
    across = [f"a{row}" for row, line in enumerate(counts) for many in line for _ in range(many)]
    down = [f"b{column}" for line in counts for column, many in enumerate(line) for _ in range(many)]
    return people_by(across, down, tables=[(0, 1)])


def test_that_one_pattern_serves_all_statistics_of_a_cell() -> None:
    """A printed count beside a withheld total would name singletons: the pattern has one reason for a whole row."""
    from workbench.baselines.alternatives import SuppressionPattern

    values = np.array([[1.0, 30.0], [np.nan, np.nan]])
    bounds = Confidential(np.array([[1.0, 30.0], [0.0, 0.0]])), Confidential(np.array([[1.0, 30.0], [5.0, 90.0]]))
    reason = Confidential(np.array([0, 1], dtype=np.int8))
    made = SuppressionPattern(values=Confidential(values), reason=reason, reasons=("few",), low=bounds[0],
                              high=bounds[1], attacker="sums")  # fmt: skip
    assert made.suppressed.reveal().tolist() == [False, True]
    from workbench.core.errors import Defect

    with pytest.raises(Defect, match="shows a cell that it suppresses"):
        SuppressionPattern(values=Confidential(np.array([[1.0, 30.0], [2.0, np.nan]])), reason=reason,
                           reasons=("few",), low=bounds[0], high=bounds[1], attacker="sums")  # fmt: skip
