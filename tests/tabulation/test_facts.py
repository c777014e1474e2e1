"""Facts about rows, two-way tables, samples and records: the same as SQL's, in any order of rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.tabulation.frames import REGIONS, Frame, microdata, people, shuffled, sql
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.tabulation.contract import Rows
from workbench.tabulation.factors import hashes_of
from workbench.tabulation.keys import Beyond, Bins, Key, Scale
from workbench.tabulation.memory import Memory

KEY = Confidential(b"a key of the test")


@pytest.fixture(scope="module")
def frame() -> Frame:
    return people(1_200, 9)


@pytest.fixture(params=[0, 1, 2])
def rows(frame: Frame, request: pytest.FixtureRequest) -> Rows:
    return Memory(microdata(shuffled(frame, request.param)))


def test_that_missing_cells_and_codes_outside_a_dictionary_are_counted(frame: Frame, rows: Rows) -> None:
    facts = rows.column(Key.listed("region", REGIONS), QUIET)
    found = (facts.missing, facts.distinct, facts.codes_outside, facts.rows_outside)
    query = """SELECT count(*) - count(region), count(DISTINCT region),
                      count(DISTINCT region) FILTER (region = '?'), count(*) FILTER (region = '?') FROM t"""
    assert [tuple(fact.reveal() for fact in found)] == sql(frame, query)


def test_that_attributes_which_vary_within_a_unit_are_counted_by_unit(frame: Frame, rows: Rows) -> None:
    facts = rows.units("person", ("year", "region"), QUIET)
    query = """SELECT count(*), max(n), count(*) FILTER (years > 1), count(*) FILTER (regions > 1),
                      count(*) FILTER (years > 1 OR regions > 1)
               FROM (SELECT count(*) AS n, count(DISTINCT year) AS years, count(DISTINCT coalesce(region, ''))
                     AS regions FROM t GROUP BY person)"""
    found = (facts.units, facts.most_rows, facts.varying["year"], facts.varying["region"], facts.varying_at_all)
    assert [tuple(fact.reveal() for fact in found)] == sql(frame, query)


@pytest.mark.parametrize("columns", [("person",), ("person", "institution"), ("region", "person", "year", "title")])
def test_that_repeated_rows_are_counted(frame: Frame, rows: Rows, columns: tuple[str, ...]) -> None:
    names = ", ".join(columns)
    known = " AND ".join(f"{name} IS NOT NULL" for name in columns)
    query = f"SELECT sum(n - 1)::BIGINT FROM (SELECT count(*) AS n FROM t WHERE {known} GROUP BY {names})"
    assert rows.repeated(columns, QUIET).reveal() == sql(frame, query)[0][0]


def test_that_repeated_rows_are_counted_where_combinations_exceed_64_bits() -> None:
    rng = np.random.default_rng(1)
    frame: Frame = {f"c{n}": [f"{value:04}" for value in rng.integers(0, 900, 600)] for n in range(8)}
    frame = {name: [*column, *column[:40]] for name, column in frame.items()}
    assert Memory(microdata(frame)).repeated(tuple(frame), QUIET).reveal() == 40


def test_that_odd_numbers_are_counted_by_what_is_odd(frame: Frame, rows: Rows) -> None:
    facts = rows.numbers("pay", most=10, context=QUIET)
    query = """SELECT count(*) FILTER (pay IS NULL), count(*) FILTER (pay < 0), count(*) FILTER (pay <> floor(pay)),
                      count(*) FILTER (pay > 10) FROM t"""
    found = (facts.missing, facts.negative, facts.fractional, facts.above)
    assert [tuple(fact.reveal() for fact in found)] == sql(frame, query)


def test_that_all_two_way_tables_are_those_of_sql(frame: Frame, rows: Rows) -> None:
    region = Key.listed("region", REGIONS, Beyond.LEAVE_OUT)
    bins = Bins(of=Scale(column="x", lower=-100, upper=100), edges=(-20, 0, 20))
    found = rows.two_way([Key.met("institution"), region, Key.met("year"), bins], QUIET)
    texts = {
        0: "substr(institution, 2)::INT",
        1: "list_position(['N', 'E', 'S', 'W'], region) - 1",
        2: "year::INT - 2020",
        3: " + ".join(f"(greatest(least(round_even(x, 0), 100), -100) >= {edge})::INT" for edge in (-20, 0, 20)),
    }
    assert set(found.tables) == set(itertools.combinations(range(4), 2))
    for (i, j), table in found.tables.items():
        expected = np.zeros((found.sizes[i], found.sizes[j]), dtype=np.int64)
        for a, b, n in sql(frame, f"SELECT {texts[i]}, {texts[j]}, count(*) FROM t WHERE region <> '?' GROUP BY ALL"):
            expected[a, b] = n
        assert np.array_equal(table.reveal(), expected)
    assert found.left_out.reveal() == sql(frame, "SELECT count(*) FROM t WHERE coalesce(region, '?') = '?'")[0][0]


def test_that_two_way_tables_can_hold_missing_cells_as_their_first_position(frame: Frame, rows: Rows) -> None:
    found = rows.two_way([Key.met("year"), Key.listed("region", REGIONS, Beyond.OWN)], QUIET)
    assert found.sizes == (3, 5)
    assert int(found.tables[0, 1].reveal().sum()) == 1_200
    outside = sql(frame, "SELECT count(*) FROM t WHERE coalesce(region, '?') = '?'")[0][0]
    assert int(found.tables[0, 1].reveal()[:, 0].sum()) == outside


def test_that_a_sample_holds_all_rows_of_the_same_units_in_any_order(frame: Frame, rows: Rows) -> None:
    sampled = rows.sample("person", 25, KEY, QUIET)
    persons = sorted(set(frame["person"]))
    hashes = dict(zip(persons, hashes_of(persons, KEY.reveal(), QUIET).tolist(), strict=True))
    chosen = sorted(persons, key=lambda person: hashes[person])[:25]
    assert sampled.units("person", (), QUIET).units.reveal() == 25
    assert sampled.count.reveal() == sum(frame["person"].count(person) for person in chosen)
    assert rows.sketch("person", 25, KEY, QUIET).reveal().tolist() == sorted(hashes.values())[:25]
    assert rows.sample("person", 10**6, KEY, QUIET).count.reveal() == 1_200


def test_that_another_key_gives_another_sample(rows: Rows) -> None:
    other = rows.sketch("person", 25, Confidential(b"another"), QUIET).reveal()
    assert not set(other.tolist()) & set(rows.sketch("person", 25, KEY, QUIET).reveal().tolist())


def test_that_records_are_positions_and_integers_of_every_row_that_has_them(frame: Frame) -> None:
    region = Key.listed("region", REGIONS, Beyond.LEAVE_OUT)
    scale = Scale(column="pay", lower=0, upper=1_000, decimals=2, beyond=Beyond.LEAVE_OUT)
    records = Memory(microdata(frame)).records([region, Key.met("title")], [scale], QUIET).reveal()
    both = zip(frame["region"], frame["title"], frame["pay"], strict=True)
    expected = [
        (REGIONS.index(place), int(title[1:]), int(min(max(pay * 100, 0), 1_000)))
        for place, title, pay in both
        if place in REGIONS and pay is not None
    ]
    columns = (records.positions["region"], records.positions["title"], records.numbers["pay"])
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert records.left_out == 1_200 - len(expected)
