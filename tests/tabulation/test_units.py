"""Rows arranged by unit give what the general question gives, on every route, and refuse what they must."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tabulation.frames import Frame, microdata, shuffled, sql
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.tabulation.aggregates import Count, Distinct, Largest, TotalOfLargest
from workbench.tabulation.contract import Units
from workbench.tabulation.door import rows_of
from workbench.tabulation.grid import Grid
from workbench.tabulation.keys import Key
from workbench.tabulation.memory import Memory
from workbench.tabulation.units.arrangement import Arrangement, Route, Unit

SCHOOL = Unit(column="school", one="school", many="schools")
PLACES, KINDS, GRADES = ("p0", "p1", "p2"), ("k0", "k1"), ("g0", "g1", "g2", "g3")


def pupils(rows: int = 1_500, seed: int = 1) -> Frame:
    """Schools in one place and of one kind each, with pupils by grade; the largest school is much the largest."""
    rng = np.random.default_rng(seed)
    school = np.minimum(rng.geometric(0.05, rows) - 1, 59)
    return {
        "school": [f"s{n:02}" for n in school],
        "place": [PLACES[n % 3] for n in school],
        "kind": [KINDS[n % 7 % 2] for n in school],
        "grade": [GRADES[n] for n in rng.integers(0, 4, rows)],
    }


def arranged(frame: Frame) -> Arrangement:
    of_unit = [Key.listed("place", PLACES), Key.listed("kind", KINDS)]
    return Memory(microdata(frame)).arranged(
        SCHOOL, of_unit=of_unit, of_row=[Key.listed("grade", GRADES)], context=QUIET
    )


GRID = Grid(
    listed=("kind", "place"), listed_sizes=(2, 3), crossed=("grade",), crossed_sizes=(4,), combinations=None
)  # fmt: skip


@pytest.mark.parametrize("route", list(Route))
@pytest.mark.parametrize("order", [0, 1])
def test_that_cells_of_units_are_those_of_the_general_question(route: Route, order: int) -> None:
    frame = pupils()
    cells = arranged(shuffled(frame, order)).cells(GRID, context=QUIET, contributions=True, route=route)
    keys = [Key.listed("kind", KINDS), Key.listed("place", PLACES), Key.listed("grade", GRADES)]
    wanted = {
        "count": Count(), "units": Distinct("school"), "largest": Largest("school"),
        "largest_total": TotalOfLargest("school"),
    }  # fmt: skip
    answer = rows_of(microdata(frame)).grouped(keys, wanted, QUIET)
    for name in wanted:
        assert np.array_equal(getattr(cells, name).reveal(), answer.over((2, 3, 4), name).ravel())
    assert cells.contributions is not None
    who = cells.contributions.reveal()
    pairs = rows_of(microdata(frame)).grouped([*keys, Key.met("school")], {"rows": Count()}, QUIET)
    place = np.ravel_multi_index(tuple(pairs.keys.reveal()[:, :3].T), (2, 3, 4))
    expected = zip(place.tolist(), pairs.keys.reveal()[:, 3].tolist(), pairs.column("rows").tolist(), strict=True)
    assert sorted(zip(who.cell.tolist(), who.unit.tolist(), who.rows.tolist(), strict=True)) == sorted(expected)


def test_that_a_list_of_combinations_may_come_in_any_order_and_hold_empty_ones() -> None:
    units: Units = arranged(pupils())
    full = units.cells(GRID, context=QUIET)
    order = np.array([5, 0, 3, 1, 4, 2])
    every = np.array([(kind, place) for kind in range(2) for place in range(3)], dtype=np.int32)
    listed = Grid(
        listed=GRID.listed, listed_sizes=GRID.listed_sizes, crossed=("grade",), crossed_sizes=(4,),
        combinations=every[order],
    )  # fmt: skip
    cells = units.cells(listed, context=QUIET)
    assert np.array_equal(cells.count.reveal().reshape(6, 4), full.count.reveal().reshape(6, 4)[order])
    assert np.array_equal(cells.listed_largest.reveal(), full.listed_largest.reveal()[order])


def test_that_units_outside_a_list_are_a_problem_and_never_dropped_in_silence() -> None:
    short = Grid(
        listed=("place",), listed_sizes=(3,), crossed=(), crossed_sizes=(),
        combinations=np.array([[0], [2]], dtype=np.int32),
    )  # fmt: skip
    with pytest.raises(UserProblem, match=r"Some schools belong to a combination that is not listed"):
        arranged(pupils()).cells(short, context=QUIET)


def test_that_an_attribute_that_varies_within_a_unit_is_refused_with_the_units_own_word() -> None:
    frame = pupils()
    frame["place"][0] = PLACES[(PLACES.index(frame["place"][0]) + 1) % 3]
    with pytest.raises(UserProblem, match=r"Some schools have more than one value of “place”") as caught:
        arranged(frame)
    assert frame["school"][0] not in str(caught.value)


def test_that_units_by_size_are_those_of_sql_and_none_where_the_attribute_varies() -> None:
    frame = pupils()
    units = arranged(frame)
    table = units.sizes_by("place")
    assert table is not None
    found = table.reveal()
    expected = sql(
        frame,
        """SELECT n, place, count(*) FROM (SELECT count(*) AS n, substr(any_value(place), 2)::INT AS place
           FROM t GROUP BY school) GROUP BY ALL ORDER BY ALL""",
    )
    assert list(zip(found.size.tolist(), found.position.tolist(), found.units.tolist(), strict=True)) == expected
    assert units.sizes_by("grade") is None


def test_that_occupied_combinations_come_in_order() -> None:
    frame = pupils(200)
    units = arranged(frame)
    expected = sorted({(KINDS.index(k), PLACES.index(p)) for k, p in zip(frame["kind"], frame["place"], strict=True)})
    assert [tuple(row) for row in units.combinations(("kind", "place")).reveal().tolist()] == expected
    assert units.count_combinations(("kind", "place")).reveal() == len(expected)
