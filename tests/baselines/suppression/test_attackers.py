"""What attackers know: printed zeros, whole numbers, holders of several cells, own shares, the rule itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.baselines.suppression.small_tables import apart, at, mask, people, table
from workbench.baselines.suppression.attackers import informed, plain
from workbench.baselines.suppression.check import Breach, Checker, lost_to_others
from workbench.baselines.suppression.exact import optimum
from workbench.baselines.suppression.heuristic import heuristic
from workbench.baselines.suppression.intervals import intervals
from workbench.baselines.suppression.rules import Rules, flagged, union_rule
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.task import Task, task
from workbench.core.progress import QUIET


def small(system: System, *, holders: bool = True, below: int = 3) -> Task:
    """Cells below a threshold must be able to reach it, against the default attackers."""
    attackers = informed(system, holders=holders)
    primary = (system.values > 0) & (system.values < below)
    lower = np.minimum(1.0, system.values - attackers.low) * primary
    return task(system, primary, lower, (below - system.values) * primary, attackers=attackers)


def found_in(asked: Task, pattern: Any) -> list[Breach]:
    return list(Checker(asked).breaches(pattern))


def test_that_a_rectangle_of_ones_is_not_safe_where_zeros_are_printed() -> None:
    """Suppressed means at least 1: [0, 2] by sums alone, exactly 1 in truth."""
    system = table([[1, 1, 7], [1, 1, 0], [6, 0, 5]])
    rectangle = mask(system, [(0, 0), (0, 1), (1, 0), (1, 1)])
    assert intervals(system, rectangle, plain(system))[1][at(system, 0, 0)] == 2
    low, high = intervals(system, rectangle, informed(system))
    assert low[at(system, 0, 0)] == high[at(system, 0, 0)] == 1
    asked = small(system, holders=False)
    assert found_in(asked, rectangle)
    found = optimum(asked, seconds=10, context=QUIET)
    assert found.proven and not found.unreachable
    for cell in np.flatnonzero(asked.primary):
        assert apart(system, found.suppressed, int(cell), low=np.minimum(1, system.values))[1] >= 3


@pytest.mark.parametrize("way", ["exact", "heuristic"])
def test_that_zeros_stay_printed_where_everybody_knows_that_they_are(way: str) -> None:
    """A suppressed zero would be no cover: who knows that zeros are printed, or that nobody is there, looks past it."""
    rng = np.random.default_rng(17)
    spared = 0
    for _ in range(6):
        system = table(rng.poisson(1.5, (4, 4)))
        asked = small(system, holders=False)
        pattern = (
            optimum(asked, seconds=10, context=QUIET).suppressed if way == "exact" else heuristic(asked)[0]
        )  # fmt: skip
        assert not np.any(pattern & (system.values == 0))
        free = task(system, asked.primary, asked.lower, asked.upper, attackers=plain(system))
        spared += bool(np.any(heuristic(free)[0] & (system.values == 0)))
    assert spared  # whoever knows nothing of zeros does use them


CUBE = np.array(
    [[[5, 9, 5], [5, 5, 9], [9, 5, 5]], [[5, 5, 9], [5, 9, 5], [9, 5, 5]], [[9, 5, 5], [9, 5, 5], [9, 1, 1]]]
)  # fmt: skip


def test_that_whole_numbers_can_leave_a_single_table_where_sums_leave_many() -> None:
    system = table(CUBE)
    hidden = np.array([None not in key for key in system.lattice.keys]) & (system.values < 9)
    one = at(system, 2, 2, 1)
    assert hidden.sum() == 18
    assert intervals(system, hidden, plain(system))[0][one] == pytest.approx(0.0)
    low, high = intervals(system, hidden, plain(system), whole=True)
    assert low[one] == high[one] == 1
    assert apart(system, hidden, one) == pytest.approx((0.0, 2.0))
    assert apart(system, hidden, one, whole=True) == pytest.approx((1.0, 1.0))
    primary = mask(system, [(2, 2, 1), (2, 2, 2)])
    level = primary * 1.0
    assert not found_in(task(system, primary, level, level, attackers=plain(system), whole=False), hidden)
    assert found_in(task(system, primary, level, level, attackers=plain(system), whole=True), hidden)


def test_that_a_level_that_only_whole_numbers_undercut_is_named() -> None:
    """Margins and every 9 were published before: sums leave room in the 18 cells, whole numbers leave none."""
    system = table(CUBE)
    primary = mask(system, [(2, 2, 1), (2, 2, 2)])
    shown = np.array([None in key for key in system.lattice.keys]) | (system.values == 9)
    asked = task(system, primary, primary * 1.0, primary * 1.0, attackers=plain(system), published=shown)
    for unreachable in (optimum(asked, seconds=20, context=QUIET).unreachable, heuristic(asked)[1]):
        assert {(breach.cell, breach.reached) for breach in unreachable} == {
            (at(system, 2, 2, 1), 0.0), (at(system, 2, 2, 2), 0.0)
        }  # fmt: skip
    by_sums = task(system, primary, primary * 1.0, primary * 1.0, attackers=plain(system), published=shown, whole=False)
    assert not optimum(by_sums, seconds=20, context=QUIET).unreachable


def test_that_a_level_that_several_holders_of_the_same_undercut_is_named_and_not_a_contradiction() -> None:
    """Each of three holds a third of the only other cell, so none of them believes that the first can rise by 9."""
    system = table([90, 12], holders={(0,): [(0, 90.0)], (1,): [(1, 4.0), (2, 4.0), (3, 4.0)]})
    primary, total = mask(system, [(0,)]), mask(system, [(None,)])
    asked = task(system, primary, primary * 1.0, primary * 9.0, attackers=informed(system), published=total)
    for unreachable in (optimum(asked, seconds=20, context=QUIET).unreachable, heuristic(asked)[1]):
        assert {(breach.cell, breach.level, breach.reached) for breach in unreachable} == {(at(system, 0), 9.0, 8.0)}


def test_that_a_level_lost_to_what_was_printed_is_told_from_one_that_a_contributor_knows_itself() -> None:
    """With its total unprinted, 90 could be anything; nobody hides 1 of 3 from somebody who knows the other 2."""
    system = table([90, 12], holders={(0,): [(0, 90.0)], (1,): [(1, 4.0), (2, 4.0), (3, 4.0)]})
    primary, total = mask(system, [(0,)]), mask(system, [(None,)])
    asked = task(system, primary, primary * 1.0, primary * 9.0, attackers=informed(system), published=total)
    assert [lost_to_others(asked, breach) for breach in heuristic(asked)[1]] == [True]
    system = table([2, 1], holders={(0,): [(0, 2.0)], (1,): [(1, 1.0)]})
    primary = mask(system, [(None,)])
    asked = task(system, primary, primary * 1.0, primary * 1.0, attackers=informed(system))
    found = heuristic(asked)[1]
    assert [lost_to_others(asked, breach) for breach in found] == [False]
    assert found[0].insider is not None and found[0].insider.holders == (0,)


def test_that_a_pattern_made_for_whole_numbers_resists_them() -> None:
    """Margins were published before; a 9 keeps the other cells uncertain."""
    system = table(CUBE)
    primary = mask(system, [(2, 2, 1), (2, 2, 2)])
    margins = np.array([None in key for key in system.lattice.keys])
    asked = task(system, primary, primary * 1.0, primary * 1.0, attackers=plain(system), published=margins)
    for pattern in (optimum(asked, seconds=20, context=QUIET).suppressed, heuristic(asked)[0]):
        low, high = apart(system, pattern, at(system, 2, 2, 1), whole=True)
        assert low <= 0.0 and high >= 2.0
        assert not found_in(asked, pattern)


def test_that_the_only_contributor_of_a_cell_recovers_a_rectangle(golden: Any) -> None:
    for case in golden("suppression_singleton")["cases"]:
        inner = case["inputs"]["table_without_margins"]
        system = table(inner, holders=people(inner))
        pattern = mask(system, [tuple(place) for place in case["inputs"]["suppressed"]])
        singleton = at(system, *case["inputs"]["singleton_cell"])
        attackers = informed(system, zeros=False)
        alone = next(each for each in attackers.insiders if singleton in each.cells)
        for place, expected in case["expected"]["intervals"].items():
            cell = at(system, *(int(one) for one in place.split(",")))
            for who, known in (("outsider", None), ("singleton", alone)):
                low, high = intervals(system, pattern, plain(system), insider=known)
                assert [low[cell], high[cell]] == pytest.approx(expected[who], abs=1e-6)


OPEN_TO_SINGLETONS = ([[2, 7, 3], [1, 3, 7], [2, 3, 1]], [[1, 2, 2], [5, 3, 5], [6, 1, 5]])


@pytest.mark.parametrize("way", ["exact", "heuristic"])
def test_that_the_final_answer_resists_every_singleton(golden: Any, way: str) -> None:
    """Also where the answer for outsiders does not: there only the attacks of contributors ask for another cell."""
    worked = [case["inputs"]["table_without_margins"] for case in golden("suppression_singleton")["cases"]]
    for inner in (*worked, *OPEN_TO_SINGLETONS):
        system = table(inner, holders=people(inner))
        asked = small(system)
        pattern, unreachable = _by(way, asked)
        assert not unreachable
        assert not _open_to_singletons(asked, pattern)
    for inner in OPEN_TO_SINGLETONS:
        system = table(inner, holders=people(inner))
        assert _open_to_singletons(small(system), _by(way, small(system, holders=False))[0])


def _by(way: str, asked: Task) -> tuple[Any, tuple[Breach, ...]]:
    if way == "heuristic":
        return heuristic(asked)
    found = optimum(asked, seconds=10, context=QUIET)
    return found.suppressed, found.unreachable


def _open_to_singletons(asked: Task, pattern: Any) -> bool:
    """Whether somebody alone in a cell gets below a level, by a programme written apart."""
    system = asked.system
    least = np.minimum(1, system.values)
    for known in np.flatnonzero(pattern & (system.values == 1)).tolist():
        for cell in np.flatnonzero(asked.primary).tolist():
            low, high = apart(system, pattern, cell, low=least, fixed=[known]) if cell != known else (0.0, np.inf)
            if high < 3 - 1e-6 or low > system.values[cell] - asked.lower[cell] + 1e-6:
                return True
    return False


def test_that_one_holder_of_two_cells_is_one_attacker() -> None:
    """1 9 6 / 9 2 1 suppressed: with either 1 known the 2 keeps its room, with both it is exactly 2."""
    inner = [[1, 9, 6], [9, 2, 1], [20, 20, 20]]
    two, both = (1, 1), [(0, 0), (1, 2)]
    pattern_places = [(row, column) for row in (0, 1) for column in (0, 1, 2)]
    separate = people(inner)
    joint = dict(separate)
    joint[1, 2] = [(joint[0, 0][0][0], 1.0)]
    for holders, exact in ((separate, False), (joint, True)):
        system = table(inner, holders=holders)
        pattern = mask(system, pattern_places)
        primary = mask(system, [two, *both])
        attackers = informed(system, zeros=False)
        asked = task(system, primary, primary * 1.0, primary * 1.0, attackers=attackers)
        breaches = {(breach.cell, breach.reached) for breach in found_in(asked, pattern) if breach.insider is not None}
        assert (at(system, *two) in {cell for cell, _ in breaches}) is exact
        own = [each for each in attackers.insiders if at(system, *both[0]) in each.cells]
        low, high = intervals(system, pattern, attackers, insider=own[0])
        if exact:
            assert low[at(system, *two)] == high[at(system, *two)] == 2
    found = optimum(asked, seconds=10, context=QUIET)
    assert not found.unreachable
    assert not found_in(asked, found.suppressed)


FIRMS = {
    (0, 0): [(0, 300.0)],
    (0, 1): [(1, 80.0), (2, 10.0), (3, 10.0)],
    (1, 0): [(4, 200.0), (5, 200.0), (6, 200.0)],
    (1, 1): [(4, 200.0), (5, 200.0), (6, 200.0)],
}


def test_that_a_contributor_of_a_secondary_cell_knows_its_own_share() -> None:
    """300 of one firm must be able to reach 330; the 80 in the cell beside it bounds it at 320."""
    system = table([[300, 100], [600, 600]], counts=False, holders=FIRMS)
    pattern = mask(system, [(0, 0), (0, 1), (1, 0), (1, 1)])
    primary = mask(system, [(0, 0)])
    attackers = informed(system)
    asked = task(system, primary, primary * 30.0, primary * 30.0, attackers=attackers)
    breaches = found_in(asked, pattern)
    assert {(breach.cell, breach.sign) for breach in breaches} == {(at(system, 0, 0), 1)}
    assert min(breach.reached for breach in breaches) == pytest.approx(20.0)
    outsider = task(system, primary, primary * 30.0, primary * 30.0, attackers=informed(system, holders=False))
    assert not found_in(outsider, pattern)
    found = optimum(asked, seconds=10, context=QUIET)
    assert not found.unreachable
    assert apart(system, found.suppressed, at(system, 0, 0), low=_share(system, 1))[1] >= 330


def _share(system: System, holder: int) -> Any:
    given = system.contributions
    assert given is not None
    low = np.zeros(system.cells)
    own = given.holder == holder
    low[given.cell[own]] = given.amount[own]
    return low


def test_that_a_pair_knows_a_cell_that_only_they_share() -> None:
    inner = [[2, 2, 9], [4, 8, 9], [9, 9, 9]]
    system = table(inner, holders=people(inner))
    attackers = informed(system, holders=True, pairs=True)
    both = [each for each in attackers.insiders if len(each.holders) == 2]
    assert {int(each.cells[each.high < np.inf][0]) for each in both} == {at(system, 0, 0), at(system, 0, 1)}


def test_that_one_firm_in_two_cells_of_a_row_gets_company() -> None:
    """Its two cells hide each other, but their sum is its own total: the answer has a third cell in the row."""
    holders = {(0, 0): [(1, 100.0)], (0, 1): [(1, 60.0)]} | {
        place: [(5, 40.0), (6, 40.0), (7, 40.0)] for place in ((0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3))
    }
    system = table([[100, 60, 120, 120], [120, 120, 120, 120]], counts=False, holders=holders)
    primary = mask(system, [(0, 0), (0, 1)])
    judge = union_rule(Rules(threshold=3, p=10), system)
    asked = task(
        system, primary, primary * 5.0, primary * 5.0, attackers=informed(system), sensitive=judge
    )  # fmt: skip
    for pattern in (optimum(asked, seconds=10, context=QUIET).suppressed, heuristic(asked)[0]):
        row = [at(system, 0, column) for column in range(4)]
        assert pattern[row].sum() >= 3 or pattern[at(system, 0, None)]
        assert not list(Checker(asked).telling(pattern))


def test_that_an_empty_cell_can_keep_a_sum_company() -> None:
    """Nobody knows zeros here, the row's total is out, and the cheapest company is an empty cell."""
    holders = {(0, 0): [(1, 100.0)], (0, 1): [(1, 60.0)]} | {
        place: [(5, 40.0), (6, 40.0), (7, 40.0)] for place in ((0, 3), (1, 0), (1, 1), (1, 2), (1, 3))
    }
    system = table([[100, 60, 0, 120], [120, 120, 120, 120]], counts=False, holders=holders)
    primary = mask(system, [(0, 0), (0, 1)])
    judge = union_rule(Rules(threshold=5, p=10), system)
    attackers = informed(system, zeros=False)
    out = mask(system, [(0, None)])
    asked = task(system, primary, primary * 5.0, primary * 5.0, attackers=attackers, sensitive=judge, published=out)
    pattern, _ = heuristic(asked)
    assert not found_in(asked, pattern)


@pytest.mark.parametrize(("seed", "threshold", "p"), [(70, 5, 30), (81, 4, 20), (87, 3, 20), (107, 4, 20)])
def test_that_a_line_is_excused_only_where_nothing_can_ever_help(seed: int, threshold: int, p: int) -> None:
    """A total taken for one line and published again by sparing: the sum of what stays suppressed passes the rule."""
    inner, holders = _of_firms(np.random.default_rng(seed))
    system = table(inner, holders=holders)
    attackers = informed(system, holders=False)
    rules = Rules(threshold=threshold, p=p)
    assert system.behind is not None
    found, judge = flagged(rules, system.behind), union_rule(rules, system)
    lower = np.minimum(found.lower, system.values - attackers.low)
    asked = task(system, found.primary, lower, found.upper, attackers=attackers, sensitive=judge)
    pattern, _ = heuristic(asked)
    for line in system.lines:
        hidden = np.array([part for part in line.parts if pattern[part]], dtype=np.int64)
        assert pattern[line.whole] or not len(hidden) or not judge(hidden), system.lattice.words(line.whole)


def _of_firms(rng: np.random.Generator) -> tuple[Any, dict[tuple[int, ...], list[tuple[int, float]]]]:
    inner = np.zeros((4, 3))
    shares: dict[tuple[int, ...], dict[int, float]] = {}
    for _ in range(30):
        place, firm = (int(rng.integers(4)), int(rng.integers(3))), int(rng.integers(10))
        amount = float(rng.integers(1, 12))
        inner[place] += amount
        own = shares.setdefault(place, {})
        own[firm] = own.get(firm, 0.0) + amount
    return inner, {place: list(own.items()) for place, own in shares.items()}


def test_that_somebody_who_replays_the_rule_can_know_more_than_the_interval() -> None:
    """Stated in the help text, not hidden: of 6 tables that fit the margins, only the true one gives this pattern."""
    inner = np.array([[6, 9, 4], [4, 2, 4], [6, 9, 1]])
    printed = _pattern(inner)
    hidden = [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert sorted(printed) == hidden
    fitting = [moved for step in range(-9, 10) if (moved := _turned(inner, step)).min() >= 0]
    assert len(fitting) == 6
    replayed = [moved for moved in fitting if _pattern(moved) == printed]
    assert len(replayed) == 1 and np.array_equal(replayed[0], inner)


def _turned(inner: Any, step: int) -> Any:
    moved = inner.copy()
    moved[1:, 1:] += step * np.array([[1, -1], [-1, 1]])
    return moved


def _pattern(inner: Any) -> list[tuple[int, int]]:
    system = table(inner)
    primary = (system.values > 0) & (system.values < 3)
    asked = task(system, primary, primary * 1.0, primary * 1.0, attackers=plain(system))
    found = optimum(asked, seconds=10, context=QUIET)
    cells = [(row, column) for row in range(3) for column in range(3)]
    return [place for place in cells if found.suppressed[at(system, *place)]]
