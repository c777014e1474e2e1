"""Aggregates of groups: the same digits as DuckDB, in whatever order the rows stand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tabulation.frames import REGIONS, Frame, microdata, on_grid, people, shuffled, sql
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled, UserProblem
from workbench.core.progress import QUIET
from workbench.tabulation import groups as groups_module
from workbench.tabulation.aggregates import Count, Distinct, Distorted, Largest, Product, Sum, TotalOfLargest
from workbench.tabulation.answers import Answer
from workbench.tabulation.contributing import _largest
from workbench.tabulation.factors import Factors, Shape
from workbench.tabulation.keys import Beyond, Bins, Key, Scale
from workbench.tabulation.memory import Memory

X = Scale(column="x", lower=-4_000, upper=6_000, decimals=2)
Y = Scale(column="y", lower=0, upper=150, decimals=1)
PAY = Scale(column="pay", lower=0, upper=1_200, decimals=2, beyond=Beyond.LEAVE_OUT)
PAY_OR_NOTHING = Scale(column="pay", lower=0, upper=1_200, decimals=2, beyond=Beyond.OWN)
REGION = Key.listed("region", REGIONS, Beyond.LEAVE_OUT)
PAY_SQL = on_grid("pay", 0, 1_200, 2)


def rows_of(answer: Answer) -> list[tuple[int, ...]]:
    keys = answer.keys.reveal()
    columns = [answer.column(name) for name in answer.values]
    return [(*map(int, key), *(int(column[n]) for column in columns)) for n, key in enumerate(keys)]


def regions(rows: list[tuple[Any, ...]], place: int = 0) -> list[tuple[int, ...]]:
    """Rows of SQL with the name of a region replaced by its position, in the order of positions."""
    return sorted((*row[:place], REGIONS.index(row[place]), *row[place + 1 :]) for row in rows)


@pytest.fixture(params=["histogram", "sorted"])
def route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "sorted":
        monkeypatch.setattr(groups_module, "_DENSE", 0)
        monkeypatch.setattr(groups_module, "_BINS_PER_ROW", 0)
    return str(request.param)


@pytest.fixture(scope="module")
def frame() -> Frame:
    return people(2_000, 1)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_that_counts_sums_and_products_are_those_of_sql(frame: Frame, order: int, route: str) -> None:
    answer = Memory(microdata(shuffled(frame, order))).grouped(
        [REGION, Key.met("title")],
        {"rows": Count(), "x": Sum(X), "xx": Product(X, X), "xy": Product(X, Y), "years": Distinct("year")},
        QUIET,
    )
    x, y = on_grid("x", -4_000, 6_000, 2), on_grid("y", 0, 150, 1)
    expected = sql(
        frame,
        f"""SELECT region, substr(title, 2)::INT, count(*), sum({x}), sum({x} * {x}), sum({x} * {y}),
                   count(DISTINCT year)
            FROM t WHERE region IN ('N', 'E', 'S', 'W') GROUP BY ALL""",
    )
    assert rows_of(answer) == regions(expected)
    assert answer.left_out.reveal() == sql(frame, "SELECT count(*) FROM t WHERE coalesce(region, '?') = '?'")[0][0]


@pytest.mark.parametrize("order", [0, 1])
def test_that_the_largest_person_and_its_total_are_those_of_sql(frame: Frame, order: int, route: str) -> None:
    answer = Memory(microdata(shuffled(frame, order))).grouped(
        [REGION],
        {
            "persons": Distinct("person"), "most": Largest("person"), "total": TotalOfLargest("person"),
            "most_pay": Largest("person", PAY_OR_NOTHING), "total_pay": TotalOfLargest("person", PAY_OR_NOTHING),
        },
        QUIET,
    )  # fmt: skip
    expected = sql(
        frame,
        f"""WITH held AS (SELECT region, person, count(*) AS n, sum(coalesce({PAY_SQL}, 0)) AS pay
                          FROM t WHERE region IN ('N', 'E', 'S', 'W') GROUP BY ALL),
                 whole AS (SELECT person, count(*) AS n, sum(coalesce({PAY_SQL}, 0)) AS pay FROM t GROUP BY ALL)
            SELECT region, count(*), max(struct_pack(a := held.n, b := whole.n)).a,
                   max(struct_pack(a := held.n, b := whole.n)).b,
                   max(struct_pack(a := held.pay, b := whole.pay)).a, max(struct_pack(a := held.pay, b := whole.pay)).b
            FROM held JOIN whole USING (person) GROUP BY region""",
    )
    assert rows_of(answer) == regions(expected)


def test_that_a_number_without_value_leaves_its_row_out_where_the_grid_says_so(frame: Frame) -> None:
    answer = Memory(microdata(frame)).grouped([], {"rows": Count(), "pay": Sum(PAY)}, QUIET)
    assert rows_of(answer) == sql(frame, f"SELECT count(*), sum({PAY_SQL}) FROM t WHERE pay IS NOT NULL")
    kept = Memory(microdata(frame)).grouped([], {"rows": Count(), "pay": Sum(PAY_OR_NOTHING)}, QUIET)
    assert rows_of(kept) == sql(frame, f"SELECT count(*), sum({PAY_SQL}) FROM t")


@pytest.mark.parametrize("order", [0, 1])
def test_that_a_histogram_by_edges_is_that_of_sql(frame: Frame, order: int, route: str) -> None:
    edges = (-2_000, 0, 1, 2_500, 6_000)
    answer = Memory(microdata(shuffled(frame, order))).grouped(
        [Key.met("institution"), Bins(of=X, edges=edges)], {"rows": Count()}, QUIET
    )
    bins = " + ".join(f"({on_grid('x', -4_000, 6_000, 2)} >= {edge})::INT" for edge in edges)
    expected = sql(frame, f"SELECT substr(institution, 2)::INT, {bins} AS bin, count(*) FROM t GROUP BY ALL")
    assert rows_of(answer) == sorted(expected)


def test_that_a_sorted_file_gives_the_same_answer(frame: Frame, route: str) -> None:
    order = sorted(range(2_000), key=lambda row: (frame["title"][row], frame["person"][row]))
    arranged = {name: [column[row] for row in order] for name, column in frame.items()}
    answers = [
        Memory(microdata(rows)).grouped(
            [Key.met("title"), Key.met("person")], {"rows": Count(), "x": Sum(X), "years": Distinct("year")}, QUIET
        )
        for rows in (frame, arranged)
    ]
    assert rows_of(answers[0]) == rows_of(answers[1])


def test_that_missing_and_unlisted_rows_can_be_a_group_of_their_own(frame: Frame, route: str) -> None:
    answer = Memory(microdata(frame)).grouped([Key.listed("region", REGIONS, Beyond.OWN)], {"rows": Count()}, QUIET)
    found = dict(rows_of(answer))
    assert found[-1] == sql(frame, "SELECT count(*) FROM t WHERE coalesce(region, '?') = '?'")[0][0]
    assert sum(found.values()) == 2_000


def test_that_several_texts_can_count_under_one_position(frame: Frame) -> None:
    half = Key.coarser("region", REGIONS, np.array([0, 1, 0, 1], np.int32), size=2, beyond=Beyond.LEAVE_OUT)
    answer = Memory(microdata(frame)).grouped([half], {"rows": Count()}, QUIET)
    expected = sql(frame, "SELECT (region IN ('E', 'W'))::INT, count(*) FROM t WHERE region <> '?' GROUP BY ALL")
    assert rows_of(answer) == sorted(expected)


def test_that_refused_cells_are_named_by_column_and_never_by_value(frame: Frame) -> None:
    with pytest.raises(UserProblem) as caught:
        Memory(microdata(frame)).grouped(
            [Key.listed("region", REGIONS), Key.met("title")],
            {"pay": Sum(Scale(column="pay", lower=0, upper=9))},
            QUIET,
        )
    assert [problem.where for problem in caught.value.problems] == ["rows.csv, column “region”"] * 2
    assert "?" not in str(caught.value)
    with pytest.raises(UserProblem, match=r"“pay”.*no number"):
        Memory(microdata(frame)).grouped([], {"pay": Sum(Scale(column="pay", lower=0, upper=9))}, QUIET)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.integers(-(2**61) // 100, 2**61 // 100), min_size=1, max_size=60),
    groups=st.integers(1, 4),
    seed=st.integers(0, 5),
)
def test_that_sums_beyond_the_reach_of_doubles_are_exact(values: list[int], groups: int, seed: int) -> None:
    from workbench.tabulation.sums import sums

    order = np.random.default_rng(seed).permutation(len(values))
    group = np.arange(len(values)) % groups
    found = sums(group[order], np.array(values, dtype=np.int64)[order], groups, most=2**61 // 100)
    assert found.tolist() == [sum(values[start::groups]) for start in range(groups)]


def test_that_a_sum_which_could_overflow_is_refused_by_its_bounds() -> None:
    wide = Scale(column="x", lower=0, upper=2**61)
    with pytest.raises(UserProblem, match="too large to be exact"):
        Memory(microdata(people(10, 1))).grouped([], {"x": Sum(wide)}, QUIET)
    with pytest.raises(UserProblem, match="too large to be exact"):
        Memory(microdata(people(10, 1))).grouped([], {"xx": Product(wide, wide)}, QUIET)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_that_distorted_counts_are_integers_free_of_order(frame: Frame, order: int, route: str) -> None:
    factors = Factors(key=Confidential(b"k" * 32), least=0.05, most=0.15, shape=Shape.RAMP)
    rows = Memory(microdata(shuffled(frame, order)))
    answer = rows.grouped([REGION], {"distorted": Distorted("person", factors)}, QUIET)
    persons = sorted(set(frame["person"]))
    factor = dict(zip(persons, factors.of(persons, QUIET).tolist(), strict=True))
    by_hand = [0] * len(REGIONS)
    for person, region in zip(frame["person"], frame["region"], strict=True):
        if region in REGIONS:
            by_hand[REGIONS.index(region)] += factor[person]
    assert answer.over((len(REGIONS),), "distorted").tolist() == by_hand
    assert all(
        850_000_000 <= value <= 950_000_000 or 1_050_000_000 <= value <= 1_150_000_000 for value in factor.values()
    )


def test_that_keys_beyond_64_bits_still_tell_groups_apart() -> None:
    rng = np.random.default_rng(3)
    frame: Frame = {f"c{n}": [f"{value:04}" for value in rng.integers(0, 900, 500)] for n in range(8)}
    answer = Memory(microdata(frame)).grouped([Key.met(name) for name in frame], {"rows": Count()}, QUIET)
    keys = answer.keys.reveal()
    texts = [tuple(answer.met[name].reveal()[code] for name, code in zip(frame, key, strict=True)) for key in keys]
    assert texts == sorted(set(zip(*frame.values(), strict=True)))
    assert int(answer.column("rows").sum()) == 500


def test_that_an_answer_over_all_positions_has_zeros_where_nobody_is(frame: Frame) -> None:
    listed = Key.listed("region", (*REGIONS, "nobody"), Beyond.LEAVE_OUT)
    answer = Memory(microdata(frame)).grouped([listed, Key.met("title")], {"rows": Count()}, QUIET)
    table = answer.over((5, 4), "rows")
    assert table.shape == (5, 4)
    assert not table[4].any()
    assert int(table.sum()) + answer.left_out.reveal() == 2_000


def test_that_no_rows_give_no_groups(frame: Frame) -> None:
    empty = {name: column[:0] for name, column in frame.items()}
    answer = Memory(microdata(empty)).grouped(
        [REGION], {"rows": Count(), "x": Sum(X), "persons": Distinct("person"), "most": Largest("person")}, QUIET
    )
    assert rows_of(answer) == []


def test_that_neither_question_nor_answer_prints_what_it_holds(frame: Frame) -> None:
    rows = Memory(microdata(frame))
    factors = Factors(key=Confidential(b"secret-key" * 4), least=0.05, most=0.15)
    answer = rows.grouped([Key.met("person")], {"d": Distorted("person", factors)}, QUIET)
    assert "secret" not in repr(Distorted("person", factors)) + repr(answer) + repr(rows)
    assert "p000" not in repr(answer)


class _Stop:
    def step(self, fraction: float, sentence: str) -> None:
        if fraction > 0:
            raise Cancelled


def test_that_a_question_can_be_cancelled(frame: Frame) -> None:
    with pytest.raises(Cancelled):
        Memory(microdata(frame)).grouped([REGION], {"rows": Count(), "x": Sum(X)}, _Stop())


@pytest.mark.parametrize("scale", [1, 1 << 55])
def test_that_the_largest_of_equals_has_the_larger_total_also_where_both_do_not_fit_one_integer(scale: int) -> None:
    rng = np.random.default_rng(5)
    held, total = rng.integers(-2, 3, 200) * scale, rng.integers(0, 30, 200) * scale
    start = np.array([0, 1, 50, 51, 120])
    totals, rank = np.unique(total, return_inverse=True)
    most, with_it = _largest(held, rank.astype(np.int64), totals, start)
    runs = [list(zip(held[a:b].tolist(), total[a:b].tolist(), strict=True)) for a, b in pairwise([*start, 200])]
    assert list(zip(most.tolist(), with_it.tolist(), strict=True)) == [max(run) for run in runs]
