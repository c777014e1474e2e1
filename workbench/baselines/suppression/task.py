"""What is to be protected: which cells, how far, against whom, and what may be suppressed for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.baselines.suppression.attackers import Attackers
from workbench.baselines.suppression.insiders import Insider
from workbench.baselines.suppression.system import System
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.errors import Defect

Sensitive = Callable[[Integers], bool]  # whether the sum of these cells would fail the primary rule


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Task:
    """`lower` and `upper` are how far below and above its value each primary cell must be able to lie.

    `published` cells cannot be suppressed: they were shown before, or hold zero and zeros are shown. `withheld` cells
    stay suppressed whatever it costs. `sensitive` judges the union of the suppressed cells of a line, whose sum is
    known; None leaves unions alone.
    """

    system: System
    primary: Bools
    lower: Floats
    upper: Floats
    weights: Floats
    attackers: Attackers
    published: Bools
    withheld: Bools
    sensitive: Sensitive | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        if np.any(self.primary & ((self.lower < 0) | (self.upper < 0) | (self.lower + self.upper <= 0))):
            raise Defect("a primary cell asks for no protection at all")
        if np.any(self.published & (self.primary | self.withheld)):
            raise Defect("a cell is asked to be both published and suppressed")

    @property
    def must(self) -> Bools:
        """Cells that every pattern suppresses."""
        forced: Bools = self.primary | self.withheld
        return forced

    def weight(self, suppressed: Bools) -> float:
        return float(self.weights[suppressed].sum())


def fewest_cells(values: Floats) -> Floats:
    """Weights that count cells first and small values second: 1 + value / (10 · largest value)."""
    weights: Floats = 1.0 + values / (10.0 * max(float(values.max(initial=0.0)), 1.0))
    return weights


def task(
    system: System,
    primary: Bools,
    lower: Floats,
    upper: Floats,
    *,
    attackers: Attackers,
    sensitive: Sensitive | None = None,
    published: Bools | None = None,
    withheld: Bools | None = None,
    whole: bool | None = None,
) -> Task:
    """A task with the usual weights; zeros are published where the attackers know that they are."""
    none = np.zeros(system.cells, dtype=bool)
    shown = none if published is None else published
    kept_back = none if withheld is None else withheld
    if attackers.zeros_shown:
        shown = shown | ((system.values == 0) & ~primary & ~kept_back)
    whole = system.counts if whole is None else whole
    if whole:  # a whole number that is at least so far off
        lower, upper = (np.ceil(level - 1e-9) + 0.0 for level in (lower, upper))
    return Task(
        system=system,
        primary=primary,
        lower=lower,
        upper=upper,
        weights=fewest_cells(system.values),
        attackers=attackers,
        published=shown & ~primary,
        withheld=kept_back,
        sensitive=sensitive,
        whole=whole,
    )


def bounds_of(task: Task, insider: Insider | None) -> tuple[Floats, Floats]:
    """What an attacker knows of every cell."""
    low, high = task.attackers.low, task.attackers.high
    if insider is not None:
        low, high = low.copy(), high.copy()
        low[insider.cells], high[insider.cells] = insider.low, insider.high
    return low, high
