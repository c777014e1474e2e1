"""Tables approved one after another stay protected together; a revised vintage keeps the old pattern."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.baselines.suppression.test_baseline import PEOPLE, people_by
from workbench.baselines.suppression.across import Approved, approved, fixed_before, old_vintage, suppress_next
from workbench.baselines.suppression.holders import common_numbers
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
        joint, found = suppress_next(table, earlier, PEOPLE, QUIET)
        printed, withheld = fixed_before(found.task.system, joint, earlier)
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
        earlier.append(approved(table, joint, found))
    assert np.any(found.suppressed)


def test_that_a_revised_vintage_keeps_the_old_pattern() -> None:
    """1 7 / 8 2 suppressed; the next version has 4 instead of 1 and would print all, which tells the old 1."""
    old = _square([[1, 7, 30], [8, 2, 30], [30, 30, 30]])
    params = replace(PEOPLE, attackers=AttackerParams(holders=False, unions=False))
    joint, first = suppress_next(old, [], params, QUIET)
    new = _square([[4, 7, 30], [8, 5, 30], [30, 30, 30]])
    alone = suppress(task_of(system_of(new, margins=True), params), params, QUIET)
    assert not alone.suppressed.any()
    assert first.suppressed.any()
    _, kept = suppress_next(new, [old_vintage(approved(old, joint, first), "R-0001")], params, QUIET)
    same = kept.suppressed[: len(first.suppressed)]
    assert np.array_equal(same & first.suppressed, first.suppressed)
    words = kept.task.system.lattice.words
    told = {words(cell): kept.task.system.values[cell] for cell in range(len(same), kept.task.system.cells)}
    assert told["a0 · b0, as in R-0001"] == 1 and "a0 · b1, as in R-0001" not in told  # 7 was not revised


def test_that_a_version_withholds_what_the_earlier_one_did_under_milder_rules_too() -> None:
    """The 4 and its company were withheld below 5; below 3 nothing is primary, and one of the four was revised."""
    params = replace(PEOPLE, attackers=AttackerParams(holders=False, unions=False))
    old, new = (_square([[4, 7, 30], [corner, 9, 30], [30, 30, 30]]) for corner in (8, 10))
    joint, first = suppress_next(old, [], replace(params, threshold=5), QUIET)
    assert first.suppressed.sum() == 4
    _, kept = suppress_next(new, [old_vintage(approved(old, joint, first), "R-0001")], params, QUIET)
    assert not kept.task.primary.any()
    assert kept.suppressed[np.flatnonzero(first.suppressed)].all()


def test_that_what_an_earlier_version_printed_is_no_cover_in_the_next() -> None:
    """5 became 1, and the 7, 8 and 6 around it did not change: readers have them from the earlier version."""
    params = replace(PEOPLE, attackers=AttackerParams(holders=False, unions=False))
    old, new = (_square([[first, 7, 30], [8, 6, 30], [30, 30, 30]]) for first in (5, 1))
    joint, printed = suppress_next(old, [], params, QUIET)
    assert not printed.suppressed.any()
    _, found = suppress_next(new, [old_vintage(approved(old, joint, printed), "R-0001")], params, QUIET)
    named = {found.task.system.lattice.words(cell): cell for cell in range(found.task.system.cells)}
    one = named["a0 · b0"]
    known = {name for name, cell in named.items() if not found.suppressed[cell]}
    assert {"a0 · b1", "a1 · b0", "a1 · b1"} <= known
    assert found.suppressed[[one, named["a0"], named["b0"], named["the total"]]].all()  # everything that was revised
    assert found.high[one] >= 3 and not found.unreachable
    alone = suppress(task_of(system_of(new, margins=True), params), params, QUIET)
    assert alone.suppressed[[named["a0 · b1"], named["a1 · b0"]]].any()  # by itself it would hide behind them


def test_that_holders_are_known_again_by_name_and_apart_where_nobody_names_them() -> None:
    one, other = people_by(["a", "b"], tables=[(0,)]), people_by(["b", "a"], tables=[(0,)])
    ann_bob, bob_ann = Confidential(("Ann", "Bob")), Confidential(("Bob", "Ann"))
    named = common_numbers([replace(one, names=ann_bob), replace(other, names=bob_ann)], ["", "R-0001"])
    held = [table.contributions.reveal().holder.tolist() for table in named]
    assert held == [[0, 1], [0, 1]]  # Ann is in a, Bob in b, in both
    for tables, files in (([one, other], ["", "R-0001"]), ([replace(one, own_numbers=True), other], ["", ""])):
        numbers = [set(table.contributions.reveal().holder.tolist()) for table in common_numbers(tables, files)]
        assert not numbers[0] & numbers[1]
    joint, _ = suppress_next(one, [Approved(printed={}, table=other, version="R-0001")], PEOPLE, QUIET)
    assert joint.table.keys == one.keys


def test_that_two_tables_without_margins_still_have_sums_in_common() -> None:
    """b is 2 + 9 by a and 4 + 7 by c: with nothing but rows printed, 11 − 9 would tell the 2."""
    rows = [("a0", "b0")] * 2 + [("a1", "b0")] * 9 + [("a0", "b1")] * 8 + [("a1", "b1")] * 8
    codes = [list(column) for column in zip(*rows, strict=True)]
    third = ["c0" if place % 3 else "c1" for place in range(len(rows))]
    params = replace(PEOPLE, margins=False)
    first = people_by(codes[0], codes[1], tables=[(0, 1)], names=["a", "b"])
    second = people_by(codes[1], third, tables=[(0, 1)], names=["b", "c"])
    joint, found = suppress_next(first, [], params, QUIET)
    assert found.suppressed.sum() == 1
    joint, both = suppress_next(second, [approved(first, joint, found)], params, QUIET)
    listed = both.task.system.listed
    assert both.suppressed[:listed].sum() > 1  # a row of the second table goes, too
    named = {both.task.system.lattice.words(cell): cell for cell in range(listed)}
    assert both.high[named["a0 · b0"]] >= 3


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


def test_that_what_an_incomplete_table_leaves_out_is_a_cell_under_the_rules() -> None:
    """Men: 40. Men of 16 and over: 39. The boy is in no table, and everybody can work him out."""
    ages = ["16 and over"] * 39 + ["16 and over"] * 30
    men = people_by(["men"] * 40 + ["women"] * 30, tables=[(0,)], names=["sex"])
    older = people_by(
        ["men"] * 39 + ["women"] * 30, ages, tables=[(0, 1)], names=["sex", "age"], numbers=[*range(39), *range(40, 70)]
    )
    joint, first = suppress_next(men, [], PEOPLE, QUIET)
    assert not first.suppressed.any()
    joint, found = suppress_next(older, [approved(men, joint, first)], PEOPLE, QUIET)
    named = {found.task.system.lattice.words(cell): cell for cell in range(found.task.system.cells)}
    boy = named["men · under 16"]
    assert found.task.primary[boy]
    assert found.task.system.values[boy] == 1
    assert found.suppressed[boy]
    assert not found.suppressed[named["men"]]  # printed before
    assert found.suppressed[named["men · 16 and over"]]  # which would tell the boy


def test_that_groupings_that_overlap_are_tested_in_their_differences() -> None:
    """0-17 and 18 and over; then 0-15 and 16 and over: those of 16 and 17 follow, and there are two of them."""
    years = [10] * 30 + [16] * 2 + [30] * 40
    one = people_by([_of(year, 18) for year in years], tables=[(0,)], names=["age"])
    other = people_by([_of(year, 16) for year in years], tables=[(0,)], names=["age"])
    joint, first = suppress_next(one, [], PEOPLE, QUIET)
    assert not first.suppressed.any()
    joint, found = suppress_next(other, [approved(one, joint, first)], PEOPLE, QUIET)
    system = found.task.system
    named = {system.lattice.words(cell): cell for cell in range(system.cells)}
    assert system.values[named["16-17"]] == 2
    assert found.task.primary[named["16-17"]]
    assert found.suppressed[named["0-15"]] and found.suppressed[named["16 and over"]]
    assert not found.suppressed[named["0-17"]]
    _, printed_all = suppress_next(other, [], PEOPLE, QUIET)
    assert not printed_all.suppressed.any()  # by itself the second table hides nothing


def _of(year: int, limit: int) -> str:
    return f"0-{limit - 1}" if year < limit else f"{limit} and over"


def test_that_a_cell_in_two_tables_has_its_contributors_once() -> None:
    """Two people by sex, and the same two by sex under other numbers: still too few."""
    first = people_by(["a"] * 2 + ["b"] * 9, tables=[(0,)], names=["sex"])
    again = people_by(["a"] * 2 + ["b"] * 9, tables=[(0,)], names=["sex"], numbers=list(range(100, 111)))
    joint, _ = suppress_next(again, [Approved(printed={}, table=first)], PEOPLE, QUIET)
    given = joint.table.contributions.reveal()
    assert np.bincount(given.cell).tolist() == [2, 9]


@pytest.mark.parametrize("seed", range(6))
def test_that_cells_nobody_lists_hold_whom_one_would_count_by_hand(seed: int) -> None:
    """Ages in two random groupings by sex, the second without its youngest: every cell from the people themselves."""
    rng = np.random.default_rng(seed)
    years, sexes = rng.integers(0, 90, 60).tolist(), rng.choice(["f", "m"], 60).tolist()
    cuts = [sorted(rng.choice(np.arange(5, 85), 3, replace=False).tolist()) for _ in range(2)]
    tables = []
    for number, limits in enumerate(cuts):
        kept = [place for place, year in enumerate(years) if not number or year >= limits[0]]
        tables.append(
            people_by(
                [sexes[place] for place in kept],
                [_class_of(years[place], limits) for place in kept],
                tables=[(0, 1)],
                names=["sex", "age"],
                numbers=kept,
            )
        )
    joint, first = suppress_next(tables[0], [], PEOPLE, QUIET)
    joint, found = suppress_next(tables[1], [approved(tables[0], joint, first)], PEOPLE, QUIET)
    system = found.task.system
    assert bool(system.unlisted) == (seed != 5)  # there every class of one grouping is a union of the other's
    assert system.behind is not None
    for cell, key in enumerate(system.lattice.keys):
        inside = [place for place in range(60) if _is_in(years[place], sexes[place], key)]
        assert system.values[cell] == len(inside) == system.behind.contributors[cell]
    assert np.abs(system.matrix @ system.values).max() < 1e-9


def _class_of(year: int, limits: list[int]) -> str:
    bounds = [0, *limits]
    place = sum(year >= limit for limit in limits)
    return f"{bounds[place]} and over" if place == len(limits) else f"{bounds[place]}-{bounds[place + 1] - 1}"


def _is_in(year: int, sex: str, key: tuple[str | None, ...]) -> bool:
    for code in key:
        if code in ("f", "m"):
            if sex != code:
                return False
        elif code is not None:
            whole, _, taken = code.partition(" without ")
            if not _holds(whole, year) or any(_holds(part, year) for part in taken.split(", ") if part):
                return False
    return True


def _holds(code: str, year: int) -> bool:
    if code.startswith("other than "):
        return not any(_holds(part, year) for part in code[11:].split(", "))
    if code.startswith("under "):
        return year < int(code[6:])
    if code.endswith(" and over"):
        return year >= int(code[:-9])
    low, high = code.split("-")
    return int(low) <= year <= int(high)


def test_that_a_level_that_is_lost_to_everybody_is_lost_to_many_contributors_at_once() -> None:
    """The row of the 1 is printed but for it. Of a withheld cell, 420 contributors know shares of 2, 3, 4 and so on."""
    many = [1000 + share for share in range(2, 422) for _ in range(share)]
    rows = [("a0", "b0"), *[("a0", "b1")] * 30, *[("a1", "b0")] * 30, *[("a1", "b1")] * len(many)]
    holders = [*range(61), *many]
    table = people_by(*[list(column) for column in zip(*rows, strict=True)], tables=[(0, 1)], names=["a", "b"],
                      numbers=holders)  # fmt: skip
    known = {("a0", "b1"): True, ("a0",): True, ("a1", "b1"): False}
    printed = {frozenset((code[0], code) for code in cell): shown for cell, shown in known.items()}
    for params in (PEOPLE, replace(PEOPLE, exact_cells=0)):
        _, found = suppress_next(table, [Approved(printed=printed)], params, QUIET)
        lost = [breach for breach in found.unreachable if breach.insider is None]
        assert {found.task.system.lattice.words(breach.cell) for breach in lost} == {"a0 · b0"}
        assert found.high[found.task.system.lattice.numbers["a0", "b0"]] == 1
        assert len(found.unreachable) == len(lost)  # nobody who knows more is told of again
