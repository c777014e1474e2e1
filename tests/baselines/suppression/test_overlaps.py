"""Sets of rows that overlap without being nested: what two have in common, and what each has alone, is judged."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from tests.baselines.suppression.test_baseline import PEOPLE, people_by
from workbench.baselines.suppression.across import Approved, approved, suppress_next
from workbench.baselines.suppression.meaning import Meaning
from workbench.baselines.suppression.row_sets import ROWS, Counted, Divided, divided
from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET

# place, first, second, third; every combination has rows of many firms, but in one place the first without the second
CELLS = [(place, one, two, three) for place in "abc" for one in (0, 1) for two in (0, 1) for three in (0, 1)]
ROWS_OF = [cell for cell in CELLS for _ in range(2 if cell[:3] == ("a", 1, 0) else 12)]
FIRMS = [100 + row for row in range(len(ROWS_OF))]
for row, cell in enumerate(ROWS_OF):
    if cell[:3] == ("a", 1, 0):
        FIRMS[row] = row % 2  # two firms in both of its parts
SETS = {
    "third": [row for row, cell in enumerate(ROWS_OF) if cell[3]],
    "first": [row for row, cell in enumerate(ROWS_OF) if cell[1]],
    "second": [row for row, cell in enumerate(ROWS_OF) if cell[2]],
    "one of both": [row for row, cell in enumerate(ROWS_OF) if cell[1] != cell[2]],
}


def counting(words: str) -> Counted:
    """Rows by place, each firm one contributor."""
    rows = SETS[words]

    def table(of: list[int]) -> Tabulated:
        return people_by([ROWS_OF[row][0] for row in of], tables=[(0,)], names=["place"],
                         numbers=[FIRMS[row] for row in of])  # fmt: skip

    def part(places: Integers) -> Tabulated:
        return table([rows[place] for place in places.tolist()])

    return Counted(table=table(rows), rows=Confidential(np.array(rows)), words=words, part=part)


def one_after_another() -> tuple[list[Approved], Suppressed]:
    each = [one for one in divided([counting(words) for words in SETS]) if one is not None]
    assert len(each) == len(SETS)
    known = [Approved(table=parts, printed={}) for parts in map(parts_of, each)]
    marks = []
    for one in each:
        joint, found = suppress_next(one.table, known, PEOPLE, QUIET)
        marks.append(approved(one.table, joint, found))
        known.append(marks[-1])
    return marks, found


def parts_of(each: Divided) -> Tabulated:
    assert each.parts is not None
    return each.parts


def test_that_what_one_table_counts_and_another_does_not_keeps_its_level() -> None:
    """Of the first and not the second, a has four rows of two firms, two of them in the third set.

    First + one of both − second is twice those four. Both parts are uncertain where their sum is known.
    """
    marks, found = one_after_another()
    assert not found.unreachable
    low, high = known_of_sum(marks)
    assert low <= 3 and high >= 5
    words = {found.task.system.lattice.words(cell): cell for cell in range(found.task.system.cells)}
    assert found.task.primary[words["a · first and not second"]]


def test_that_a_sum_that_is_safe_is_no_cell() -> None:
    _, found = one_after_another()
    words = [found.task.system.lattice.words(cell) for cell in range(found.task.system.cells)]
    assert not [each for each in words if each.startswith(("b · ", "c · ")) and " and " in each]


def known_of_sum(marks: list[Approved]) -> tuple[float, float]:
    """What readers of all four tables can say of those rows, by a programme over the cross of all sets."""
    equal, exact, more, least = [], [], [], []
    for words, table in zip(SETS, marks, strict=True):
        for name, printed in table.printed.items():
            rows = [row for row in SETS[words] if _counts(row, name)]
            inside = [float(cell in {ROWS_OF[row] for row in rows}) for cell in CELLS]
            (equal if printed else more).append(inside)
            (exact if printed else least).append(len(rows) if printed else -1.0)
    wanted = np.array([float(cell[:3] == ("a", 1, 0)) for cell in CELLS])
    ends = [
        linprog(sign * wanted, A_ub=-np.array(more) if more else None, b_ub=least or None, A_eq=equal, b_eq=exact)
        for sign in (1, -1)
    ]
    assert all(end.status in (0, 3) for end in ends)
    return ends[0].fun, -ends[1].fun if ends[1].status == 0 else np.inf


def _counts(row: int, name: Meaning) -> bool:
    return all(dimension.startswith(ROWS) or code == ROWS_OF[row][0] for dimension, code in name)
