"""Groupings of one column meet in their common atoms, and every atom is under the primary rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from tests.baselines.suppression.test_baseline import PEOPLE, people_by
from workbench.baselines.suppression.across import Approved, approved, suppress_next
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.progress import QUIET

STATES = {"A1": "A", "A2": "A", "B1": "B", "B2": "B"}


def in_classes(years: list[int], edges: list[int]) -> list[str]:
    low, *between = [0, *edges]
    words = [f"{one}-{other - 1}" for one, other in zip([low, *between], edges, strict=False)]
    return [[*words, f"{edges[-1]} and over"][int(np.searchsorted(edges, year, side="right"))] for year in years]


def both(one: Tabulated, other: Tabulated) -> Suppressed:
    joint, first = suppress_next(one, [], PEOPLE, QUIET)
    return suppress_next(other, [approved(one, joint, first)], PEOPLE, QUIET)[1]


def cells(found: Suppressed) -> dict[str, int]:
    system = found.task.system
    assert np.abs(system.matrix @ system.values).max() < 1e-9
    return {system.lattice.words(cell): cell for cell in range(system.cells)}


def test_that_a_class_of_one_grouping_is_the_sum_of_classes_of_the_other() -> None:
    """0-17 hides behind 40 and over, which the next table must not print as 40-49 and 50 and over."""
    years = [4, 12] + [25] * 3 + [35] * 9 + [45] * 4 + [60] * 5
    found = both(
        people_by(in_classes(years, [18, 40]), tables=[(0,)], names=["age"]),
        people_by(in_classes(years, [18, 30, 40, 50]), tables=[(0,)], names=["age"]),
    )
    named = cells(found)
    assert found.suppressed[named["0-17"]] and found.suppressed[named["40 and over"]]
    shown = [cell for cell in range(found.task.system.listed) if not found.suppressed[cell]]
    assert _known(found, shown, named, years, (0, 17))[1] >= 3


def test_that_an_atom_between_classes_that_overlap_without_being_nested_is_tested() -> None:
    """0-17, 18-64, 65 and over; then 0-15, 16-24, 25 and over: what 18-24 has in common is a single person."""
    years = [10] * 20 + [17] * 9 + [20] + [40] * 30 + [70] * 20
    one, other = (people_by(in_classes(years, edges), tables=[(0,)], names=["age"]) for edges in ([18, 65], [16, 25]))
    found = both(one, other)
    named = cells(found)
    assert found.task.system.values[named["18-24"]] == 1
    assert found.task.primary[named["18-24"]] and found.high[named["18-24"]] >= 3
    assert not found.unreachable
    shown = [cell for cell in range(found.task.system.listed) if not found.suppressed[cell]]
    assert _known(found, shown, named, years, (18, 24))[1] >= 3


def _known(
    found: Suppressed, shown: list[int], named: dict[str, int], years: list[int], ages: tuple[int, int]
) -> tuple[float, float]:
    """Between which values people of these ages lie by all printed classes: a programme over single years."""
    words = {cell: name for name, cell in named.items()}
    rows, right = [], []
    for cell in shown:
        rows.append([float(_holds(words[cell], year)) for year in range(100)])
        right.append(found.task.system.values[cell])
        assert right[-1] == sum(_holds(words[cell], year) for year in years)
    goal = np.array([float(ages[0] <= year <= ages[1]) for year in range(100)])
    ends: list[Any] = [optimize.linprog(sign * goal, A_eq=rows, b_eq=right) for sign in (1.0, -1.0)]
    return ends[0].fun, np.inf if ends[1].status == 3 else -ends[1].fun


def _holds(code: str, year: int) -> bool:
    if code == "the total":
        return True
    low, _, high = code.partition("-")
    return int(low) <= year <= int(high) if high else year >= int(code.removesuffix(" and over"))


def _counties() -> tuple[Tabulated, Tabulated]:
    rng = np.random.default_rng(3)
    counties = rng.choice(list(STATES), 90, p=[0.5, 0.03, 0.3, 0.17]).tolist()
    sexes = rng.choice(["f", "m"], 90).tolist()
    one = people_by([STATES[county] for county in counties], sexes, tables=[(0, 1)], names=["state", "sex"])
    other = people_by(counties, sexes, tables=[(0, 1)], names=["county", "sex"])
    return one, other


@pytest.mark.parametrize("how", ["prefix", "extents"])
def test_that_a_coarser_column_is_the_sum_of_the_finer_one(how: str) -> None:
    """States by sex are printed. A small county is then its state less the other county, which must be withheld too."""
    one, other = _counties()
    parts = {state: frozenset(county for county, own in STATES.items() if own == state) for state in "AB"}
    state = (
        Dimension(name="state", column="county", prefix=1)
        if how == "prefix"
        else Dimension(name="state", column="county", extents=parts)
    )
    found = both(replace(one, dimensions=(state, one.dimensions[1])), other)
    named = cells(found)
    small = [name for name in named if name.startswith("A2") and found.task.primary[named[name]]]
    assert small
    for name in small:
        assert not found.suppressed[named[name.replace("A2", "A")]]
        assert found.suppressed[named[name.replace("A2", "A1")]]
        assert found.high[named[name]] >= 3
    apart = both(one, other)  # nobody says that counties are parts of states
    assert not all(apart.suppressed[cells(apart)[name.replace("A2", "A1")]] for name in small)


def test_that_a_table_of_some_codes_does_not_say_what_the_others_stand_for() -> None:
    """An earlier table of state B knows nothing of state A: what a later one says of it counts."""
    one, other = _counties()
    parts = {state: frozenset(county for county, own in STATES.items() if own == state) for state in "AB"}
    whole = replace(one, dimensions=(Dimension(name="state", column="county", extents=parts), one.dimensions[1]))
    some = Dimension(name="state", column="county", extents={"B": frozenset({"B1"})})
    earlier = Approved(table=replace(whole, dimensions=(some, one.dimensions[1])), printed={})
    joint, first = suppress_next(whole, [earlier], PEOPLE, QUIET)
    found = suppress_next(other, [earlier, approved(whole, joint, first)], PEOPLE, QUIET)[1]
    named = cells(found)
    small = [name for name in named if name.startswith("A2") and found.task.primary[named[name]]]
    assert small
    assert all(found.suppressed[named[name.replace("A2", "A1")]] for name in small)


def test_that_what_finer_codes_leave_of_a_coarser_one_is_a_cell() -> None:
    """The second table lists one county of state A: the state less that county is the other, which has two people."""
    people = ["A1"] * 20 + ["A2"] * 2 + ["B1"] * 9
    one = people_by([STATES[county] for county in people], tables=[(0,)], names=["state"])
    other = people_by(["A1"] * 20 + ["B1"] * 9, tables=[(0,)], names=["county"], numbers=[*range(20), *range(22, 31)])
    parts = {state: frozenset(county for county, own in STATES.items() if own == state) for state in "AB"}
    found = both(replace(one, dimensions=(Dimension(name="state", column="county", extents=parts),)), other)
    named = cells(found)
    rest = named["A without A1"]
    assert found.task.primary[rest] and found.task.system.values[rest] == 2
    assert found.suppressed[named["A1"]] and found.high[rest] >= 3
