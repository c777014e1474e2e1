"""Tables of one file that count different rows are made up of common parts, which the primary rules judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.baselines.suppression.test_baseline import PEOPLE, people_by
from workbench.baselines.suppression.across import Approved, approved, suppress_next
from workbench.baselines.suppression.row_sets import ROWS, Counted, Divided, divided
from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.microdata.table import Texts

PLACES = ["a"] * 30 + ["b"] * 30 + ["c"] * 30
AGES = [40] * 29 + [10] + [40] * 30 + [40] * 26 + [10] * 4  # one child in a, none in b, four in c


def counting(words: str, rows: list[int]) -> Counted:
    """People by place, of these rows."""

    def table(of: list[int]) -> Tabulated:
        made = people_by([PLACES[row] for row in of], tables=[(0,)], names=["place"], numbers=of)
        return replace(made, of_rows=True)

    def part(places: Integers) -> Tabulated:
        return table([rows[place] for place in places.tolist()])

    return Counted(table=table(rows), rows=Confidential(np.array(rows)), words=words, part=part)


ALL = counting("", list(range(90)))
GROWN = counting("age >= 16", [row for row in range(90) if AGES[row] >= 16])
YOUNG = counting("age < 16", [row for row in range(90) if AGES[row] < 16])


def values(table: Tabulated) -> dict[tuple[str | None, ...], float]:
    return dict(zip(table.keys, table.values.reveal().tolist(), strict=True))


def made(found: list[Divided | None]) -> list[Divided]:
    assert None not in found
    return [each for each in found if each is not None]


def test_that_tables_of_the_same_rows_need_no_parts() -> None:
    """The rows stay in the name, so that cells of another version of the file are known again."""
    found = made(divided([ALL, ALL]))
    assert all(each.table is ALL.table and each.parts is None and each.of_rows is None for each in found)
    found = made(divided([GROWN, replace(GROWN, words="age > 15")]))
    assert all(each.of_rows == (f"{ROWS}: age >= 16", "age >= 16") and each.parts is None for each in found)
    assert found[0].table.keys == found[1].table.keys


def test_that_every_cell_is_the_sum_of_its_parts() -> None:
    everybody, grown = made(divided([ALL, GROWN]))
    assert everybody.parts is not None and grown.parts is not None
    assert values(everybody.parts) == {
        ("a", "age >= 16"): 29, ("b", "age >= 16"): 30, ("c", "age >= 16"): 26,
        ("a", "not age >= 16"): 1, ("c", "not age >= 16"): 4,
    }  # fmt: skip
    assert values(grown.parts) == {("a", "age >= 16"): 29, ("b", "age >= 16"): 30, ("c", "age >= 16"): 26}
    assert everybody.of_rows is None and everybody.table.keys == ALL.table.keys
    assert values(grown.table) == {(place, "age >= 16"): n for place, n in (("a", 29), ("b", 30), ("c", 26))}
    child = everybody.parts.contributions.reveal()
    (cell,) = [place for place, key in enumerate(everybody.parts.keys) if key == ("a", "not age >= 16")]
    assert child.holder[child.cell == cell].tolist() == [29]


def test_that_the_difference_of_two_tables_keeps_its_level() -> None:
    """All people of a, then those of 16 and over: 30 and 29 tell the one child, so the second is withheld."""
    found = beside(ALL, GROWN)
    words = {found.task.system.lattice.words(cell): cell for cell in range(found.task.system.cells)}
    child, listed = words["a · not age >= 16"], words["a · age >= 16"]
    assert found.task.primary[child] and found.suppressed[listed]
    assert found.high[child] >= 1 + found.task.upper[child] and not found.unreachable
    _, alone = suppress_next(GROWN.table, [], PEOPLE, QUIET)
    assert not alone.suppressed.any()  # nothing of it is small


def test_that_two_tables_that_make_up_a_third_tell_no_part() -> None:
    """Those of 16 and over and those under 16, then all: what one withholds must not follow from the others."""
    found = beside(GROWN, YOUNG, ALL)
    words = {found.task.system.lattice.words(cell): cell for cell in range(found.task.system.cells)}
    child = words["a · age < 16"]
    assert found.suppressed[child] and found.high[child] >= 1 + found.task.upper[child]
    assert not found.unreachable


def beside(*tables: Counted) -> Suppressed:
    each = made(divided(tables))
    earlier = [Approved(table=one.parts, printed={}) for one in each if one.parts is not None]
    for one in each:
        joint, found = suppress_next(one.table, earlier, PEOPLE, QUIET)
        earlier.append(approved(one.table, joint, found))
    return found


def test_that_a_table_that_is_not_the_sum_of_its_parts_has_none() -> None:
    """One row of a person decides where all of it counts: tables of some rows say something else."""

    def part(places: Integers) -> Tabulated:
        return people_by(["a"] * len(places), tables=[(0,)], names=["place"])

    everybody, grown = divided([ALL, replace(GROWN, part=part)])
    assert grown is None
    assert everybody is not None and everybody.parts is None and everybody.table is ALL.table
    assert divided([ALL, replace(GROWN, part=lambda _: None)])[1] is None


def test_that_two_sets_of_rows_under_one_name_are_told_apart() -> None:
    """The same rule about a column that two plans recode in different ways."""
    found = made(divided([ALL, replace(GROWN, words="age = 1"), replace(YOUNG, words="age = 1")]))
    assert [each.of_rows and each.of_rows[1] for each in found] == [None, "age = 1", "age = 1 (2)"]


@pytest.mark.parametrize("many", [tuple, np.array], ids=["few", "many"])
def test_that_contributors_with_names_keep_them_in_every_part(many: Callable[[list[str]], Texts]) -> None:
    """The names of a few are a tuple, and those of many whatever is compact."""

    def named(one: Counted, rows: list[int]) -> Counted:
        def table(of: list[int]) -> Tabulated:
            made = people_by([PLACES[row] for row in of], tables=[(0,)], names=["place"])
            return replace(made, names=Confidential(many([f"P{row}" for row in of])))

        return replace(one, table=table(rows), part=lambda places: table([rows[at] for at in places.tolist()]))

    everybody, grown = made(divided([named(ALL, list(range(90))), named(GROWN, GROWN.rows.reveal().tolist())]))
    assert everybody.parts is not None and everybody.parts.names is not None and grown.parts is not None
    given = everybody.parts.contributions.reveal()
    (cell,) = [place for place, key in enumerate(everybody.parts.keys) if key == ("a", "not age >= 16")]
    names = everybody.parts.names.reveal()
    assert [names[holder] for holder in given.holder[given.cell == cell].tolist()] == ["P29"]
