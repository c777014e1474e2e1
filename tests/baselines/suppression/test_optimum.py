"""The exact scheme: worked optima, enumeration of all patterns, and bounds that no pattern undercuts."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest

from tests.baselines.suppression.small_tables import apart, at, mask, people, table
from workbench.baselines.suppression.attackers import Attackers, informed, plain
from workbench.baselines.suppression.check import Checker
from workbench.baselines.suppression.exact import Optimum, optimum
from workbench.baselines.suppression.heuristic import heuristic
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.task import Task, task
from workbench.core.progress import QUIET


def solved(asked: Task) -> Optimum:
    return optimum(asked, seconds=20, context=QUIET)


def asked_of(system: System, primary: Any, lower: Any, upper: Any, attackers: Attackers | None = None) -> Task:
    return task(system, primary, lower * primary, upper * primary, attackers=attackers or plain(system))


def test_that_the_worked_optima_are_found_and_proven(golden: Any) -> None:
    for case in golden("suppression_optimum")["cases"]:
        system = table(case["inputs"]["table_without_margins"])
        primary = mask(system, [tuple(place) for place in case["inputs"]["primary"]])
        values = system.values
        asked = asked_of(system, primary, np.minimum(values, 1), np.maximum(1, 5 - values))
        found = solved(asked)
        assert found.proven
        assert found.suppressed.sum() == case["expected"]["suppressed_cells"]
        assert asked.weight(found.suppressed) == pytest.approx(case["expected"]["objective"], rel=1e-6)
        for cell in np.flatnonzero(primary):
            low, high = apart(system, found.suppressed, int(cell))
            assert low <= values[cell] - min(values[cell], 1) + 1e-6
            assert high >= values[cell] + max(1, 5 - values[cell]) - 1e-6


def test_that_the_optimum_is_that_of_all_patterns() -> None:
    """Every one of the 512 patterns of 2 × 2 with margins, judged by a programme written apart."""
    rng = np.random.default_rng(5)
    for _ in range(6):
        system = table(rng.integers(1, 9, (2, 2)))
        primary = mask(system, [(0, 0)]) if rng.random() < 0.5 else mask(system, [(0, 0), (1, 1)])
        upper = np.full(system.cells, float(rng.integers(1, 6)))
        asked = asked_of(system, primary, np.minimum(system.values, 1.0), upper)
        found = solved(asked)
        assert asked.weight(found.suppressed) == pytest.approx(_cheapest(asked), abs=1e-9)


def _cheapest(asked: Task) -> float:
    others = np.flatnonzero(~asked.primary)
    best = np.inf
    for extra in chain.from_iterable(combinations(others.tolist(), size) for size in range(len(others) + 1)):
        pattern = asked.primary.copy()
        pattern[list(extra)] = True
        weight = asked.weight(pattern)
        if weight < best and _safe(asked, pattern):
            best = weight
    return best


def _safe(asked: Task, pattern: Any) -> bool:
    values = asked.system.values
    for cell in np.flatnonzero(asked.primary):
        low, high = apart(asked.system, pattern, int(cell))
        if low > values[cell] - asked.lower[cell] + 1e-6 or high < values[cell] + asked.upper[cell] - 1e-6:
            return False
    return True


def test_that_a_level_that_needs_the_grand_total_to_rise_can_be_kept() -> None:
    """With a bound of “total − value” on every rise this table would be called impossible to protect."""
    system = table([[3, 0], [0, 2]])
    primary = mask(system, [(0, 0)])
    asked = asked_of(
        system, primary, np.ones(system.cells), np.full(system.cells, 5.0), informed(system, holders=False)
    )
    found = solved(asked)
    assert not found.unreachable
    assert found.suppressed[at(system, None, None)]
    assert apart(system, found.suppressed, at(system, 0, 0))[1] >= 8


def test_that_no_safe_pattern_undercuts_the_proven_bound() -> None:
    rng = np.random.default_rng(7)
    for _ in range(60):
        inner = rng.poisson(rng.choice([2, 5, 12]), (int(rng.integers(2, 5)), int(rng.integers(2, 5))))
        if not inner.any():
            continue
        system = table(inner)
        primary = (system.values > 0) & (system.values < 3)
        upper = np.full(system.cells, float(rng.integers(1, 7)))
        asked = asked_of(system, primary, np.ones(system.cells), upper)
        found = solved(asked)
        filled, _ = heuristic(asked)
        assert asked.weight(filled) >= found.bound - 1e-6
        assert asked.weight(filled) <= 1.35 * asked.weight(found.suppressed) + 1.5


@pytest.mark.parametrize("way", ["exact", "heuristic"])
def test_that_no_default_attacker_gets_below_a_level(way: str) -> None:
    """Every primary cell, for everybody alone in a suppressed cell, in whole numbers, by programmes written apart."""
    rng = np.random.default_rng(11)
    looked = 0
    for _ in range(12):
        inner = rng.poisson(4, (4, 4))
        system = table(inner, holders=people(inner))
        attackers = informed(system)
        primary = (system.values > 0) & (system.values < 3)
        asked = task(
            system,
            primary,
            np.minimum(1.0, system.values - attackers.low) * primary,
            (3 - system.values) * primary,
            attackers=attackers,
        )
        found = solved(asked) if way == "exact" else None
        pattern, unreachable = (
            (found.suppressed, found.unreachable) if found is not None else heuristic(asked)
        )  # fmt: skip
        excused = {(breach.cell, breach.sign) for breach in unreachable}
        least = np.minimum(1.0, system.values)
        alone = [None, *(cell for cell in np.flatnonzero(pattern & (system.values == 1)))]
        for known in alone:
            together = [] if known is None else _cells_of_the_same(system, int(known))
            for cell in np.flatnonzero(primary):
                if int(cell) in together:
                    continue
                low, high = apart(system, pattern, int(cell), low=least, fixed=together, whole=True)
                assert (cell, 1) in excused or high >= system.values[cell] + asked.upper[cell] - 1e-6
                assert (cell, -1) in excused or low <= system.values[cell] - asked.lower[cell] + 1e-6
                looked += 1
    assert looked > 100


def _cells_of_the_same(system: System, cell: int) -> list[int]:
    """All cells of one that the person alone in this one is in: its margins of one."""
    key = system.lattice.keys[cell]
    return [
        number
        for number, other in enumerate(system.lattice.keys)
        if system.values[number] == 1
        and all(a is None or b is None or a == b for a, b in zip(key, other, strict=True))
    ]  # fmt: skip


def test_that_an_unreachable_level_is_named_with_what_can_be_reached() -> None:
    """Row and column totals were published before: the inner cell can rise by no more than its neighbours hold."""
    system = table([[4, 1], [2, 9]])
    primary = mask(system, [(0, 0)])
    margins = np.array([None in key for key in system.lattice.keys])
    asked = task(
        system, primary, primary * 1.0, primary * 6.0, attackers=plain(system), published=margins
    )  # fmt: skip
    found = solved(asked)
    assert [(breach.cell, breach.sign, breach.reached) for breach in found.unreachable] == [(at(system, 0, 0), 1, 1.0)]
    assert list(Checker(asked).breaches(found.suppressed))
