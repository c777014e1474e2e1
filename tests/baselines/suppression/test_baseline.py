"""Suppression as products offer it: margins, linked tables, what is said of the pattern, and what is not published."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.contract.contexts import CancelAt, Listener
from workbench.baselines.alternatives import SuppressionPattern
from workbench.baselines.suppression.baseline import SPEC, pattern_of
from workbench.baselines.suppression.contributions import summed
from workbench.baselines.suppression.findings import findings_of
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.lost_beside import lost_beside
from workbench.baselines.suppression.params import AttackerParams, SuppressionParams
from workbench.baselines.suppression.suppress import forget, suppress, task_of
from workbench.baselines.suppression.tabulated import Tabulated, system_of
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled
from workbench.core.findings import Audience, Status
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom

PEOPLE = SuppressionParams(p=Decimal(0))


@dataclass(frozen=True)
class Prepared:
    table: Tabulated

    def suppressible(self) -> Tabulated:
        return self.table


def people_by(
    *columns: list[str],
    tables: list[tuple[int, ...]],
    names: list[str] | None = None,
    numbers: list[int] | None = None,
) -> Tabulated:
    """Everybody with a code in each column, counted in each of the tables, a table being some of the columns."""
    keys: list[tuple[str | None, ...]] = []
    rows, who = [], []
    codes = [sorted(set(column)) for column in columns]
    for table in tables:
        wanted = product(*[codes[place] if place in table else [None] for place in range(len(columns))])
        first = len(keys)
        listed = list(wanted)
        keys.extend(listed)
        for person, own in enumerate(zip(*columns, strict=True)):
            mine = tuple(code if place in table else None for place, code in enumerate(own))
            rows.append(first + listed.index(mine))
            who.append(numbers[person] if numbers else person)
    given = summed(np.array(rows), np.array(who), np.ones(len(rows)), cells=len(keys))
    values = np.bincount(rows, minlength=len(keys)).astype(np.float64)
    named = names or [f"column {place}" for place in range(len(columns))]
    dimensions = tuple(Dimension(name=name) for name in named)
    return Tabulated(dimensions=dimensions, keys=tuple(keys), values=Confidential(values),
                     contributions=Confidential(given), unit="people", holder="person")  # fmt: skip


@pytest.fixture(scope="module")
def linked() -> Tabulated:
    rng = np.random.default_rng(4)
    columns = [[f"{letter}{code}" for code in rng.choice(4, 70, p=[0.5, 0.3, 0.15, 0.05])] for letter in "abc"]
    return people_by(*columns, tables=[(0, 1), (1, 2)])


def test_that_linked_tables_are_one_system(linked: Tabulated) -> None:
    """The margin of the shared column is one cell: a pattern safe in each table alone could be open in both."""
    system = system_of(linked, margins=True)
    shared = [cell for cell, key in enumerate(system.lattice.keys) if key[0] is None and key[1] and key[2] is None]
    assert len(shared) == 4
    assert np.allclose(system.matrix @ system.values, 0)
    found = suppress(task_of(system, PEOPLE), PEOPLE, QUIET)
    assert found.suppressed.any() and not found.suppressed.all()
    primary = found.task.primary
    assert np.all(found.high[primary] >= 3)
    assert np.all(found.low <= system.values) and np.all(system.values <= found.high)


def test_that_without_margins_only_primary_cells_of_a_single_table_are_withheld(linked: Tabulated) -> None:
    """Two tables that share a column have sums in common, margins or not: there, other cells must cover."""
    without = replace(PEOPLE, margins=False)
    rows = [place for place, key in enumerate(linked.keys) if key[2] is None]
    shares = linked.contributions.reveal()
    own = shares.cell < len(rows)
    one = replace(
        linked,
        keys=linked.keys[: len(rows)],
        values=Confidential(linked.values.reveal()[rows]),
        contributions=Confidential(summed(shares.cell[own], shares.holder[own], shares.amount[own], cells=len(rows))),
    )
    for table, more in ((one, False), (linked, True)):
        given = SPEC.protect(Prepared(table), without, StudyRandom(1), QUIET)
        counts, hidden = table.values.reveal(), given.suppressed.reveal()
        primary = (counts > 0) & (counts < 3)
        assert np.all(hidden[primary]) and (hidden.sum() > primary.sum()) is np.bool_(more)
        assert more or np.all(np.isinf(given.high.reveal()[hidden]))
        assert given.remarks[0].values["withheld_with_margins"] == hidden.sum()


def test_that_what_is_said_is_internal_and_counts_what_is_withheld(linked: Tabulated) -> None:
    given = SPEC.protect(Prepared(linked), PEOPLE, StudyRandom(1), QUIET)
    loss, kept = given.remarks
    assert {finding.audience for finding in given.remarks} == {Audience.INTERNAL}
    assert kept.status is Status.PASS and kept.does_not_prove
    assert "do not replay the rule" in kept.does_not_prove and "37 %" in kept.does_not_prove
    assert loss.values["withheld_with_margins"] >= loss.values["primary_cells"]
    assert sum(row[3] for row in loss.tables[0].rows) == loss.values["withheld_with_margins"]
    marked = sum(len(series.x) for series in loss.figures[0].series)
    assert 0 < marked <= loss.values["withheld_with_margins"]
    (drawn,) = kept.figures[0].series
    assert all(low <= value <= high for low, value, high in zip(drawn.low, drawn.y, drawn.high, strict=True))
    assert list(drawn.y) == [row[1] for row in kept.tables[0].rows]


def test_that_an_interval_below_its_level_fails(linked: Tabulated) -> None:
    """The same pattern with one more cell published: what was hidden becomes exact, and the finding fails."""
    system = system_of(linked, margins=True)
    found = suppress(task_of(system, PEOPLE), PEOPLE, QUIET)
    exposed = replace(found, high=found.low)
    assert findings_of(linked, exposed, plain_cells=None)[1].status is Status.FAIL
    assert findings_of(linked, found, plain_cells=None)[1].status is Status.PASS


def test_that_a_level_out_of_reach_names_cell_line_and_what_can_be_reached(linked: Tabulated) -> None:
    system = system_of(linked, margins=True)
    margins = np.array([sum(code is not None for code in key) < 2 for key in system.lattice.keys])
    params = replace(PEOPLE, threshold=9, attackers=AttackerParams(holders=False, unions=False))
    asked = task_of(system, params, published=margins)
    found = suppress(asked, params, QUIET)
    kept = findings_of(linked, found, plain_cells=None)[1]
    assert found.unreachable and kept.status is Status.FAIL
    assert "in the line of" in kept.sentence and "can be reached" in kept.sentence


def test_that_a_sum_that_tells_too_much_fails_and_is_named(linked: Tabulated) -> None:
    """Rows and columns were printed before: nothing else of a line can keep the sum of its suppressed cells company."""
    system = system_of(linked, margins=True)
    found = suppress(task_of(system, PEOPLE), PEOPLE, QUIET)
    told = findings_of(linked, replace(found, telling=(0,)), plain_cells=None)[1]
    assert told.status is Status.FAIL and told.values["sums_failing"] == 1
    assert f"in the line of {system.lattice.words(system.lines[0].whole)};" in told.sentence


def test_that_a_published_table_shows_one_mark_for_all_suppressed_cells(linked: Tabulated) -> None:
    """Values are missing alike; who reads them finds no reason, level, weight or gap."""
    system = system_of(linked, margins=True)
    given = pattern_of(linked, suppress(task_of(system, PEOPLE), PEOPLE, QUIET))
    assert isinstance(given, SuppressionPattern)
    values, reason = given.values.reveal(), given.reason.reveal()
    assert {1, 2} <= set(reason.tolist())
    assert np.all(np.isnan(values[reason > 0])) and not np.any(np.isnan(values[reason == 0]))


def test_that_count_and_mean_of_a_cell_are_withheld_together(linked: Tabulated) -> None:
    """Mean × count is the total, and a printed count of 1 would name who is alone. Two published rows for each cell."""
    counts = linked.values.reveal()
    rows = np.tile(np.arange(len(counts)), 2)
    statistics = Confidential(np.stack([counts[rows], 10.0 * counts[rows]], axis=1))
    table = replace(linked, statistics=statistics, cell=rows)
    given = SPEC.protect(Prepared(table), PEOPLE, StudyRandom(1), QUIET)
    hidden, values = given.suppressed.reveal(), given.values.reveal()
    assert hidden.any() and np.array_equal(hidden[: len(counts)], hidden[len(counts) :])
    assert np.isnan(values[hidden]).all() and not np.isnan(values[~hidden]).any()
    assert np.isinf(given.high.reveal()[hidden, 1]).all()  # nothing bounds the mean


def test_that_cancel_is_obeyed_and_progress_only_grows(linked: Tabulated) -> None:
    listener = Listener()
    forget()
    SPEC.protect(Prepared(linked), PEOPLE, StudyRandom(1), listener)
    assert listener.fractions == sorted(listener.fractions)
    for step in (2, len(listener.fractions) // 2):
        forget()  # what was suppressed lately is done in fewer steps
        with pytest.raises(Cancelled):
            SPEC.protect(Prepared(linked), PEOPLE, StudyRandom(1), CancelAt(step))


def test_that_the_heuristic_takes_over_above_its_size(linked: Tabulated) -> None:
    given: Any = SPEC.protect(Prepared(linked), replace(PEOPLE, exact_cells=0), StudyRandom(1), QUIET)
    assert given.remarks[0].values["optimality_gap"] is None
    assert "heuristic chose" in given.remarks[0].sentence


def test_that_a_release_loses_by_the_same_numbers_beside_suppression(linked: Tabulated) -> None:
    """Two cells far off, one withheld, counted by hand: the rows, each margin and the total."""
    system = system_of(linked, margins=True)
    found = suppress(task_of(system, PEOPLE), PEOPLE, QUIET)
    true = linked.values.reveal()
    empty, large = int(np.flatnonzero(true == 0)[0]), int(np.argmax(true))
    released = true.copy()
    released[empty], released[large] = 1.0, true[large] * 1.2
    told = lost_beside(linked, found, released)
    hidden = found.suppressed[: len(true)]
    assert told.audience is Audience.INTERNAL
    assert told.values["suppressed_share"] == pytest.approx(hidden.mean())
    assert told.values["release_far_share"] == pytest.approx(2 / len(true))
    assert told.values["release_far_value_share"] == pytest.approx(true[large] / true.sum())
    assert told.values["release_withheld_share"] == 0
    by = {str(row[0]): row for row in told.tables[0].rows}
    assert sum(int(str(row[1])) for row in by.values()) == system.listed
    assert by["total"][2:4] == (0.0, 0.0)
    released[large] = np.nan
    gone = lost_beside(linked, found, released)
    assert gone.values["release_withheld_share"] == pytest.approx(1 / len(true))
    assert {row[list(by).index("total")][3] for row in (each.rows for each in gone.tables)} <= {0.0, 100.0}
