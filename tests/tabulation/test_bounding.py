"""One row for each unit, chosen by a total order: the same in any order of rows, and the same as SQL's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tabulation.frames import Frame, microdata, on_grid, people, shuffled, sql
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.table import CodedColumn, Column, Fingerprint, Microdata, NumericColumn
from workbench.tabulation.aggregates import Aggregate, Count, Sum
from workbench.tabulation.contract import First, Highest, Keep, Summed
from workbench.tabulation.grid import BLOCK
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


@pytest.mark.parametrize("keep", [Highest(PAY), Summed(PAY), First(("title",))], ids=["highest", "summed", "first"])
@pytest.mark.parametrize("institutions", [3, 400], ids=["few possible units", "more possible units than numbers"])
def test_that_kept_rows_are_those_of_a_plain_loop_over_units(keep: Keep, institutions: int) -> None:
    """More rows than a block, with duplicates, ties, gaps in units and in pay; row by row, in the file's order."""
    rng = np.random.default_rng(institutions)
    rows = BLOCK + 7_777
    numbers = {"person": rng.integers(0, rows // 2, rows), "institution": rng.integers(0, institutions, rows),
               "year": rng.integers(0, 4, rows), "title": rng.integers(0, 3, rows)}  # fmt: skip
    frame: Frame = {
        name: [None if gap else f"{name}{each:05}" for each, gap in zip(codes, rng.random(rows) < 0.01, strict=True)]
        for name, codes in numbers.items()
    }
    pay = zip(rng.integers(-2, 12, rows), rng.random(rows) < 0.02, strict=True)
    frame["pay"] = [None if gap else float(each) for each, gap in pay]
    for name in ("person", "institution", "year", "title", "pay"):  # a tenth of the rows repeat the row before
        again = np.flatnonzero(np.random.default_rng(9).random(rows) < 0.1)[1:]
        for row in again.tolist():
            frame[name][row] = frame[name][row - 1]
    kept = Memory(microdata(frame)).bounded(UNIT, keep, QUIET)
    keys = [Key.listed(name, _values(frame, name), Beyond.OWN) for name in (*UNIT, "title")]
    told = kept.records(keys, (PAY,), QUIET).reveal()
    columns = [told.positions[key.column].tolist() for key in keys]
    found = list(zip(*columns, told.numbers["pay"].tolist(), strict=True))
    assert len(found) > rows // 2
    assert sorted(found) == sorted(_by_hand(frame, keep))


def _values(frame: Frame, name: str) -> list[str]:
    return sorted({text for text in frame[name] if text is not None})


def _by_hand(frame: Frame, keep: Keep) -> list[tuple[int, ...]]:
    place = {name: {text: code for code, text in enumerate(_values(frame, name))} for name in (*UNIT, "title")}
    units: dict[tuple[str, ...], list[int]] = {}
    for row, unit in enumerate(zip(*(frame[name] for name in UNIT), strict=True)):
        if None not in unit and (isinstance(keep, First) or frame["pay"][row] is not None):
            units.setdefault(unit, []).append(row)
    made = []
    for unit, held in units.items():
        cents = {row: _cents(frame["pay"][row]) for row in held}
        titles = {row: place["title"].get(frame["title"][row], -1) for row in held}
        raw = {row: -np.inf if frame["pay"][row] is None else frame["pay"][row] for row in held}
        by_title = [(titles[row], raw[row]) for row in held]
        by_pay = [(-cents[row], raw[row], titles[row]) for row in held]
        order = by_title if isinstance(keep, First) else by_pay
        best = held[min(range(len(held)), key=order.__getitem__)]
        if isinstance(keep, First) and frame["pay"][best] is None:
            continue  # records without pay are left out below the rule
        pay = min(sum(cents.values()), 1_000) if isinstance(keep, Summed) else cents[best]
        made.append((*(place[name][text] for name, text in zip(UNIT, unit, strict=True)), titles[best], pay))
    return made


def _cents(pay: float | None) -> int:
    return 0 if pay is None else min(max(int(pay * 100), 0), 1_000)


@pytest.mark.parametrize("many", [2, 255, 256, 257, 512, 65_537])
def test_that_a_unit_with_any_number_of_rows_keeps_one_of_them(many: int) -> None:
    """Rows are counted in bytes first: a byte that starts anew must not make a unit seem to have one row, or none."""
    columns = {"person": np.concatenate([np.zeros(many, np.int32), np.array([1, 2, 2], np.int32)])}
    rows = Memory(_coded(columns)).bounded(("person",), First(()), QUIET)
    assert rows.records([Key.met("person")], (), QUIET).reveal().positions["person"].tolist() == [0, 1, 2]


def test_that_rows_of_many_parts_are_bounded_and_read_as_by_one_sort() -> None:
    """More rows than one thread takes at once; rows chosen from rows that were chosen before."""
    rng = np.random.default_rng(3)
    rows = 20 * BLOCK + 4_321
    person, year, title = rng.integers(-1, rows // 3, rows), rng.integers(-1, 4, rows), rng.integers(0, 2, rows)
    pay = rng.permutation(rows).astype(np.float64)  # no ties
    pay[rng.random(rows) < 0.01] = np.nan
    data = _coded({"person": person, "year": year, "title": title}, pay)
    of = Scale(column="pay", lower=0, upper=rows, beyond=Beyond.LEAVE_OUT)
    settled = Memory(data).settled(("person",), ("title",), Highest(of), QUIET)
    kept = settled.bounded(("person", "year"), Highest(of), QUIET)
    keys = [Key.listed("year", ("00000000", "00000002"), Beyond.LEAVE_OUT), Key.met("person"), Key.met("title")]
    told = kept.records(keys, (of,), QUIET).reveal()
    order = np.argsort(-np.nan_to_num(pay, nan=-1.0), kind="stable")
    order = order[np.isfinite(pay[order]) & (person[order] >= 0)]
    chosen = np.full(rows, -1)
    first = np.unique(person[order], return_index=True)[1]
    chosen[person[order][first]] = title[order][first]  # the title of a person is that of the best paid row
    order = order[(chosen[person[order]] == title[order]) & (year[order] >= 0)]
    unit = person[order] * 4 + year[order]
    expected = np.sort(order[np.unique(unit, return_index=True)[1]])
    assert kept.count.reveal() == len(expected)
    expected = expected[np.isin(year[expected], (0, 2))]
    assert told.numbers["pay"].tolist() == pay[expected].astype(int).tolist()
    assert told.positions["year"].tolist() == (year[expected] // 2).tolist()
    assert told.positions["title"].tolist() == title[expected].tolist()
    assert told.left_out == kept.count.reveal() - len(expected)


def _coded(codes: dict[str, Integers], pay: Floats | None = None) -> Microdata:
    columns: dict[str, Column] = {
        name: CodedColumn(
            name=name,
            codes=Confidential(each.astype(np.int32)),
            values=np.array([f"{value:08}" for value in range(each.max() + 1)]),
            labels={},
        )
        for name, each in codes.items()
    }
    if pay is not None:
        columns["pay"] = NumericColumn(name="pay", numbers=Confidential(pay))
    rows = len(next(iter(codes.values())))
    return Microdata(name="t", rows=rows, columns=columns, fingerprint=Fingerprint(file="", content=""))
