"""Cell suppression as a baseline: the traditional rival of any product whose prepared data are `Suppressible`.

Formula: cells that fail a primary rule are not published, nor are enough other cells and margins that every primary
cell keeps its level of uncertainty, at the least number of cells and then of value (Fischetti and Salazar-González
2001). All other cells are published as they are.
Guarantee: none. Intervals hold for attackers who know what the plan says and do not replay the rule that chose the
pattern; replay recovered 37 % of the primary cells of very small tables exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import SuppressionPattern
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.suppress import Suppressed, suppress, task_of
from workbench.baselines.suppression.tabulated import Suppressible, Tabulated, system_of
from workbench.core.confidential import Confidential
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom

PRIMARY, COMPLEMENTARY = 1, 2
REASONS = ("fails a primary rule", "keeps others uncertain")


@dataclass(frozen=True, slots=True)
class CellSuppression:
    """See the module's docstring for formula and guarantee."""

    id: str = "cell-suppression"
    version: int = 1
    title: str = "Cell suppression"
    summary: str = "Cells that tell too much are withheld, with others that would give them away; the rest is exact."
    params: type[SuppressionParams] = SuppressionParams

    def protect(
        self, prepared: Suppressible, params: SuppressionParams, rng: StudyRandom, context: Context
    ) -> SuppressionPattern:
        del rng
        given = prepared.suppressible()
        system = system_of(given, margins=params.margins, kept=params.rules().kept)
        return pattern_of(given, suppress(task_of(system, params), params, context))


def pattern_of(given: Tabulated, found: Suppressed) -> SuppressionPattern:
    """The rows of the table as they would be published; margins stay behind."""
    rows = slice(0, len(given.keys))
    values, hidden = found.task.system.values[rows], found.suppressed[rows]
    reason = np.where(hidden, np.where(found.task.primary[rows], PRIMARY, COMPLEMENTARY), 0)
    return SuppressionPattern(
        values=Confidential(np.where(hidden, np.nan, values)),
        reason=Confidential(reason.astype(np.int8)),
        reasons=REASONS,
        low=Confidential(found.low[rows]),
        high=Confidential(found.high[rows]),
        attacker=found.task.attackers.words,
    )


SPEC = CellSuppression()
