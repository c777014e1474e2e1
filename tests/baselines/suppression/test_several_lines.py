"""Sums that two lines tell together: totals in a known sum give way to their parts, and known parts are left out."""

from __future__ import annotations

from dataclasses import replace

from tests.baselines.suppression.test_baseline import PEOPLE, people_by
from workbench.baselines.suppression.across import Approved, suppress_next
from workbench.baselines.suppression.hierarchy import nested
from workbench.baselines.suppression.params import AttackerParams
from workbench.baselines.suppression.several_lines import telling_sums
from workbench.baselines.suppression.suppress import suppress, task_of
from workbench.baselines.suppression.tabulated import Tabulated, system_of
from workbench.core.progress import QUIET

# a is p and q; one holder has everything in a's p and in b
ROWS = [("p", 1)] * 8 + [("q", place) for place in range(100, 130)] + [("b", 1)] * 7 + [
    ("c", place) for place in range(200, 240)
]  # fmt: skip
PRINTED = {"q": True, "c": True, "p": False, "a": False, "b": False}


def table() -> Tabulated:
    made = people_by([code for code, _ in ROWS], tables=[(0,)], names=["sector"], numbers=[who for _, who in ROWS])
    return replace(made, dimensions=(nested("sector", [("p", "a"), ("q", "a")]),))


def test_that_a_sum_that_two_lines_tell_is_found_and_kept_uncertain() -> None:
    """The total less c less q is p and b: 15 of one holder, where a, p and b are withheld and each is uncertain."""
    system = system_of(table(), margins=True)
    number = {key[0]: cell for cell, key in enumerate(system.lattice.keys)}
    asked = task_of(system, PEOPLE)
    hidden = asked.must.copy()
    hidden[[number[code] for code in "pab"]] = True
    assert telling_sums(asked, hidden) == [frozenset({number["p"], number["b"]})]

    before = [Approved(printed={frozenset({("sector", code)}): shown for code, shown in PRINTED.items()})]
    _, found = suppress_next(table(), before, PEOPLE, QUIET)
    words = [found.task.system.lattice.words(cell) for cell in range(found.task.system.cells)]
    both = next(cell for cell, said in enumerate(words) if " and " in said and "p" in said and "b" in said)
    assert found.task.primary[both] and not telling_sums(found.task, found.suppressed)
    assert found.suppressed[number[None]] and found.high[both] > 15


def test_that_nothing_is_looked_for_where_sums_are_not_asked_about() -> None:
    params = replace(PEOPLE, attackers=AttackerParams(unions=False))
    asked = task_of(system_of(table(), margins=True), params)
    assert telling_sums(asked, suppress(asked, params, QUIET).suppressed) == []
