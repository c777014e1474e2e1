"""What follows from published tables: exactly by subtraction, or within bounds that brute force confirms."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest

from tests.audit.differencing.tables import table
from workbench.audit.differencing.findings import in_words
from workbench.audit.differencing.search import Derived, Result, search
from workbench.audit.differencing.tables import Hierarchy, Protection, PublishedTable
from workbench.core.progress import QUIET


def found(*tables: PublishedTable, hierarchies: tuple[Hierarchy, ...] = ()) -> Result:
    return search(tables, hierarchies, QUIET)


def exact(result: Result) -> dict[str, float]:
    return {each.group.words(): each.low for each in result.withheld if each.exact}


def only(derived: tuple[Derived, ...]) -> Derived:
    assert len(derived) == 1
    return derived[0]


LONE = """place,sex,jobs
A,f,11
A,m,x
A,total,14
B,f,8
B,m,9
B,total,17
total,f,19
total,m,x
total,total,31"""


def test_that_a_lone_suppressed_cell_is_its_total_minus_the_rest() -> None:
    result = found(table("t", LONE))
    assert exact(result) == {"A · m": 3, "m": 12}
    words = next(in_words(each.terms) for each in result.withheld if each.group.words() == "A · m")
    assert words == "+ A (t) − A · f (t)"


def test_that_a_cell_suppressed_in_one_table_and_printed_in_another_is_found() -> None:
    first = table("first", "place,jobs\nA,x\nB,8\ntotal,x")
    second = table("second", "PLACE,jobs\nA,3")
    assert exact(found(first, second)) == {"A": 3, "the total": 11}


def test_that_tables_meet_in_the_margins_they_share() -> None:
    """Neither table alone gives it: the place total comes from the other one's parts."""
    by_sex = table("by sex", "place,sex,jobs\nA,f,4\nA,m,6\nB,f,7\nB,m,8")
    by_sector = table("by sector", "place,sector,jobs\nA,mining,x\nA,retail,9\nB,mining,5\nB,retail,10")
    assert exact(found(by_sector)) == {}
    result = found(by_sector, by_sex)
    assert exact(result) == {"A · mining": 1}
    derived = only(tuple(each for each in result.withheld if each.exact))
    assert {term.table for term in derived.terms} == {"by sex", "by sector"}


def test_that_what_follows_only_from_several_sums_at_once_is_found_with_its_combination() -> None:
    """Each row and column hides two cells; the sum of the hidden block is known twice, which leaves one cell open."""
    text = """r,c,n
a,1,x
a,2,x
a,3,5
a,total,15
b,1,x
b,2,x
b,3,x
b,total,27
c,1,4
c,2,6
c,3,x
c,total,17
total,1,13
total,2,20
total,3,26
total,total,59"""
    result = found(table("t", text))
    found_exactly = exact(result)
    assert found_exactly["c · 3"] == 7
    assert found_exactly["b · 3"] == 14
    assert "a · 1" not in found_exactly
    crossed = found(table("t", _crossed()))
    assert exact(crossed) == {"a · 3": 3}
    derived = only(tuple(each for each in crossed.withheld if each.exact))
    assert sum(abs(term.factor) for term in derived.terms) > 3, "several sums take part"


def _crossed() -> str:
    """Rows a, b minus columns 1, 2: the block cancels and leaves the cell a · 3 alone."""
    return """r,c,n
a,1,x
a,2,x
a,3,x
a,total,12
b,1,x
b,2,x
b,3,8
b,total,19
c,1,2
c,2,4
c,3,x
c,total,x
d,1,3
d,2,1
d,3,x
d,total,x
total,1,14
total,2,16
total,3,x
total,total,x"""


def brute_force(
    rows: list[int], columns: list[int], shown: dict[tuple[int, int], int]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Smallest and largest value of each hidden cell over all tables of whole numbers with these totals."""
    hidden = [cell for cell in itertools.product(range(len(rows)), range(len(columns))) if cell not in shown]
    seen: dict[tuple[int, int], set[int]] = {cell: set() for cell in hidden}
    ranges = [range(min(rows[r], columns[c]) + 1) for r, c in hidden]
    for values in itertools.product(*ranges):
        whole = {**shown, **dict(zip(hidden, values, strict=True))}
        if all(sum(whole[r, c] for c in range(len(columns))) == rows[r] for r in range(len(rows))) and all(
            sum(whole[r, c] for r in range(len(rows))) == columns[c] for c in range(len(columns))
        ):
            for cell, value in zip(hidden, values, strict=True):
                seen[cell].add(value)
    return {cell: (min(values), max(values)) for cell, values in seen.items()}


@pytest.mark.parametrize("seed", range(12))
def test_that_bounds_are_those_of_every_table_that_fits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=(3, 3))
    hidden = {(int(k) // 3, int(k) % 3) for k in rng.choice(9, size=4 + seed % 2, replace=False)}
    lines = ["r,c,n"]
    for r, c in itertools.product(range(3), range(3)):
        lines.append(f"r{r},c{c},{'x' if (r, c) in hidden else values[r, c]}")
    lines += [f"r{r},total,{values[r].sum()}" for r in range(3)]
    lines += [f"total,c{c},{values[:, c].sum()}" for c in range(3)] + [f"total,total,{values.sum()}"]
    shown = {cell: int(values[cell]) for cell in itertools.product(range(3), range(3)) if cell not in hidden}
    expected = brute_force(values.sum(axis=1).tolist(), values.sum(axis=0).tolist(), shown)
    result = found(table("t", "\n".join(lines)))
    got = {each.group.words(): (each.low, each.high) for each in result.withheld}
    assert got == {f"r{r} · c{c}": ends for (r, c), ends in expected.items()}


def test_that_rounded_cells_are_bounded_by_their_rounding_and_pinned_by_a_total() -> None:
    rounded = table("rounded", "place,jobs\nA,5\nB,10", protection=Protection.ROUNDED, base=5)
    alone = {each.group.words(): (each.low, each.high) for each in found(rounded).withheld}
    assert alone == {"A": (3, 7), "B": (8, 12)}
    total = table("total", "place,jobs\ntotal,19")
    pinned = found(rounded, total)
    assert exact(pinned) == {"A": 7, "B": 12}


def test_that_a_subset_and_the_whole_give_the_complement() -> None:
    """Nobody publishes the rest, but it is the whole minus the subset."""
    whole = table("all jobs", "place,jobs\nA,120\nB,45")
    subset = table("private sector", "place,owner,jobs\nA,private,118\nB,private,45")
    result = found(whole, subset)
    left = {each.group.words(): each.low for each in result.unlisted if each.low}
    assert left["A · every owner other than private"] == 2
    smallest = next(each for each in result.unlisted if each.group.words().startswith("A"))
    assert in_words(smallest.terms) == "+ A (all jobs) − A · private (private sector)"


def test_that_rows_left_out_of_a_table_are_missed_in_its_total() -> None:
    dropped = table("t", "place,sex,jobs\nA,f,11\nA,total,14\nB,f,8\nB,m,9\nB,total,17")
    result = found(dropped)
    assert {each.group.words(): each.low for each in result.unlisted if each.low} == {
        "A · every sex other than f": 3
    }  # fmt: skip


def test_that_nested_codes_add_up_across_tables() -> None:
    levels = Hierarchy(
        dimension="area", parents={"A1": "A", "A2": "A", "B1": "B", "B2": "B"}, columns=("county", "town")
    )
    counties = table("counties", "county,jobs\nA,30\nB,12")
    towns = table("towns", "town,jobs\nA1,27\nA2,x\nB1,7\nB2,x")
    assert exact(found(counties, towns)) == {}
    result = found(counties, towns, hierarchies=(levels,))
    assert exact(result) == {"A2": 3, "B2": 5}


def test_that_totals_which_cannot_be_sums_are_reported_not_believed() -> None:
    result = found(table("t", "place,sex,jobs\nA,f,11\nA,m,9\nA,total,14"))
    assert result.contradictions == 1
    assert result.withheld == ()


def test_that_decimal_amounts_are_derived_to_the_last_digit() -> None:
    cents = PublishedTable(
        name="t", columns=("place",), keys=(("A", "B", "total"),), value_name="turnover", decimals=2,
        values=np.array([1050, 0, 9_999_999_999_99]), suppressed=np.array([False, True, False]),
        protection=Protection.EXACT,
    )  # fmt: skip
    assert exact(found(cents)) == {"B": 9_999_999_989.49}


def _ssb(path: Path, hide: str) -> PublishedTable:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return PublishedTable(
        name="z1", columns=("region", "hovedint"), value_name="ant", protection=Protection.EXACT,
        keys=tuple(tuple(row[name] for row in rows) for name in ("region", "hovedint")),
        values=np.array([int(row["ant"]) for row in rows]), suppressed=np.array([row[hide] == "TRUE" for row in rows]),
    )  # fmt: skip


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_that_primary_suppression_alone_falls_and_complementary_suppression_holds(
    shared_data: Path, limit: int
) -> None:  # fmt: skip
    """Statistics Norway's teaching table: their suppression survives, the primary cells alone do not."""
    path = shared_data / "suppression_tables" / "expected" / f"z1_smallcounts_maxN{limit}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        truth = {f"{row['region']} · {row['hovedint']}": int(row["ant"]) for row in csv.DictReader(file)
                 if row["primary"] == "TRUE"}  # fmt: skip
    assert exact(found(_ssb(path, "primary"))) == truth
    guarded = found(_ssb(path, "suppressed"))
    assert exact(guarded) == {}
    assert len(guarded.withheld) == guarded.looked_at > 0
    for each in guarded.withheld:
        assert each.low <= truth.get(each.group.words(), each.low) <= each.high


def test_that_linked_tables_of_a_statistical_office_give_away_what_each_hides_alone(shared_data: Path) -> None:
    """Insee's turnover tables by activity × size and activity × legal form share the margin by activity."""
    folder = shared_data / "suppression_tables"
    sizes = _insee(folder / "rtauargus_turnover_act_size.csv", "SIZE", hide=("AZ", "tr2"))
    forms = _insee(folder / "rtauargus_turnover_act_cj.csv", "CJ", hide=("AZ", "Total"))
    activity = Hierarchy(dimension="activity", parents=_levels(folder / "rtauargus_activity_corr_table.csv"))
    result = found(sizes, forms, hierarchies=(activity,))
    assert exact(result)["AZ · tr2"] == 6
    assert exact(result)["AZ"] == 405
    assert result.contradictions == 0


def _insee(path: Path, column: str, hide: tuple[str, str]) -> PublishedTable:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = tuple(tuple(row[name] for row in rows) for name in ("ACTIVITY", column))
    return PublishedTable(
        name=path.stem, columns=("ACTIVITY", column), keys=keys, value_name="N_OBS", protection=Protection.EXACT,
        values=np.array([int(row["N_OBS"]) for row in rows]),
        suppressed=np.array([pair == hide for pair in zip(*keys, strict=True)]),
    )  # fmt: skip


def _levels(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["A21"]: row["A10"] for row in rows} | {
        row["A88"]: row["A21"] for row in rows if row["A88"] != row["A21"]
    }
