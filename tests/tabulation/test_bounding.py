"""One row for each unit, chosen by a total order: the same in any order of rows, and the same as SQL's."""

from __future__ import annotations

import pytest

from tests.tabulation.frames import Frame, microdata, on_grid, people, shuffled, sql
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.tabulation.aggregates import Aggregate, Count, Sum
from workbench.tabulation.contract import First, Highest, Keep, Summed
from workbench.tabulation.keys import Beyond, Key, Scale
from workbench.tabulation.memory import Memory

UNIT = ("person", "institution", "year")
PAY = Scale(column="pay", lower=0, upper=1_000, decimals=2, beyond=Beyond.LEAVE_OUT)
X = Scale(column="x", lower=-9_999, upper=9_999, decimals=2)
PAY_SQL = on_grid("pay", 0, 1_000, 2)
OTHERS = "institution, pay NULLS FIRST, person, region NULLS FIRST, title, x, y, year"


def told(frame: Frame, keep: Keep) -> list[tuple[int, ...]]:
    rows = Memory(microdata(frame)).bounded(UNIT, keep, QUIET)
    wanted: dict[str, Aggregate] = {"rows": Count(), "pay": Sum(PAY), "x": Sum(X)}
    answer = rows.grouped([Key.met("institution"), Key.met("title")], wanted, QUIET)
    columns = [answer.column(name).tolist() for name in wanted]
    return [
        tuple(map(int, (*key, *row))) for key, row in zip(answer.keys.reveal(), zip(*columns, strict=True), strict=True)
    ]


def asked(frame: Frame, order: str, pay: str = PAY_SQL) -> list[tuple[int, ...]]:
    x = on_grid("x", -9_999, 9_999, 2)
    total = f"least(sum({PAY_SQL}) OVER (PARTITION BY person, institution, year), 1000)"
    return sorted(
        sql(
            frame,
            f"""SELECT substr(institution, 2)::INT, substr(title, 2)::INT, count(*), sum({pay}), sum({x})
                FROM (SELECT *, {total} AS total, row_number() OVER (
                          PARTITION BY person, institution, year ORDER BY {order}) AS place
                      FROM t WHERE pay IS NOT NULL) WHERE place = 1 GROUP BY ALL""",
        )
    )


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", [1, 2])
def test_that_the_row_with_the_highest_pay_is_kept_in_any_order(order: int, seed: int) -> None:
    frame = people(1_500, seed)
    frame["x"] = [float(n % 7) for n in range(1_500)]  # ties in everything that is added up
    assert told(shuffled(frame, order), Highest(PAY)) == asked(frame, f"{PAY_SQL} DESC, {OTHERS}")


@pytest.mark.parametrize("order", [0, 1])
def test_that_the_first_row_by_a_column_is_kept_in_any_order(order: int) -> None:
    frame = people(1_500, 4)
    frame["pay"] = [0.0 if value is None else value for value in frame["pay"]]
    assert told(shuffled(frame, order), First(("title",))) == asked(frame, f"title, {OTHERS}")


@pytest.mark.parametrize("order", [0, 1])
def test_that_a_summed_row_has_the_sum_of_its_unit_cut_off_at_the_bound(order: int) -> None:
    frame = people(1_500, 5)
    assert told(shuffled(frame, order), Summed(PAY)) == asked(frame, f"{PAY_SQL} DESC, {OTHERS}", "total")


def test_that_each_unit_has_one_row_and_rows_without_a_unit_none() -> None:
    frame = people(900, 6)
    frame["year"][3] = None
    rows = Memory(microdata(frame)).bounded(UNIT, First(()), QUIET)
    found = rows.count.reveal()
    distinct = "SELECT count(*) FROM (SELECT DISTINCT person, institution, year FROM t WHERE year IS NOT NULL)"
    assert found == sql(frame, distinct)[0][0]
    assert rows.repeated(UNIT, QUIET).reveal() == 0


def test_that_a_rule_whose_number_is_missing_refuses_or_leaves_out_as_declared() -> None:
    with pytest.raises(UserProblem, match="“pay”"):
        Memory(microdata(people(300, 1))).bounded(UNIT, Highest(Scale(column="pay", lower=0, upper=9)), QUIET)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("columns", [("title",), ("institution", "title")])
def test_that_a_settled_unit_has_the_values_of_its_chosen_row(order: int, columns: tuple[str, ...]) -> None:
    frame = people(1_500, 8)
    rows = Memory(microdata(shuffled(frame, order))).settled(("person",), columns, Highest(PAY), QUIET)
    told = rows.grouped([Key.met("institution"), Key.met("title")], {"rows": Count()}, QUIET).column("rows").tolist()
    names = ", ".join(columns)
    several = f"SELECT person FROM t GROUP BY person HAVING count(DISTINCT ({names})) > 1"
    asked_for = sql(
        frame,
        f"""SELECT institution, title, count(*) FROM t JOIN (
                SELECT person, {", ".join(f"{name} AS chosen_{name}" for name in columns)} FROM (
                    SELECT *, row_number() OVER (PARTITION BY person ORDER BY {PAY_SQL} DESC, {OTHERS}) AS place
                    FROM t WHERE pay IS NOT NULL OR person NOT IN ({several})) WHERE place = 1) USING (person)
            WHERE {" AND ".join(f"{name} = chosen_{name}" for name in columns)} GROUP BY ALL ORDER BY ALL""",
    )
    assert told == [row[2] for row in asked_for]
