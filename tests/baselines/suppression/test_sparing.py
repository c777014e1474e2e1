"""What is published again one by one: nothing that is needed, and everything that is not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.baselines.suppression.known_tables import counts_task
from tests.baselines.suppression.small_tables import table
from workbench.baselines.suppression.attackers import informed
from workbench.baselines.suppression.check import Checker
from workbench.baselines.suppression.heuristic import filled, spared
from workbench.core.progress import QUIET


@pytest.mark.parametrize("seed", range(6))
def test_that_no_cell_more_and_no_cell_less_is_published_again(seed: int) -> None:
    """Seen by a check of everything from the start, for the pattern and for it without each of its cells."""
    rng = np.random.default_rng(seed)
    system = table(rng.poisson(rng.lognormal(1.5, 1, (7, 6))))
    task = counts_task(system, informed(system), at_most=2)
    checker = Checker(task)
    full, _ = filled(task, checker, QUIET)
    full |= ~task.published  # far more than is needed
    pattern = spared(task, checker, full, QUIET)
    eased = checker.eased

    def safe(without: int | None = None) -> bool:
        afresh = Checker(task)
        afresh.eased, shown = eased, pattern.copy()
        if without is not None:
            shown[without] = False
        return afresh.safe(shown)

    assert safe() and pattern.sum() < full.sum()
    assert not any(safe(cell) for cell in np.flatnonzero(pattern & ~task.must).tolist())


def test_that_time_ends_it_with_a_safe_pattern() -> None:
    rng = np.random.default_rng(1)
    system = table(rng.poisson(rng.lognormal(1.5, 1, (7, 6))))
    task = counts_task(system, informed(system), at_most=2)
    full = task.must | ~task.published
    checker = Checker(task)
    filled(task, checker, QUIET)
    assert np.array_equal(spared(task, checker, full, QUIET, until=0.0), full)
    assert checker.safe(full)
