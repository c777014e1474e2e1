"""Cell suppression as a baseline: the traditional rival of any product whose prepared data are `Suppressible`.

Formula: cells that fail a primary rule are not published, nor are enough other cells and margins that every primary
cell keeps its level of uncertainty, at the least number of cells and then of value (Fischetti and Salazar-González
2001). All other cells are published as they are.
Guarantee: none. Intervals hold for attackers who know what the plan says and do not replay the rule that chose the
pattern; replay recovered 37 % of the primary cells of very small tables exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from workbench.baselines.alternatives import SuppressionPattern
from workbench.baselines.suppression.findings import findings_of
from workbench.baselines.suppression.heuristic import heuristic
from workbench.baselines.suppression.lost_beside import lost_beside
from workbench.baselines.suppression.params import AttackerParams, SuppressionParams
from workbench.baselines.suppression.suppress import Suppressed, suppress, task_of
from workbench.baselines.suppression.tabulated import Suppressible, Tabulated, system_of
from workbench.core.arrays import Bools, Floats
from workbench.core.confidential import Confidential
from workbench.core.findings import Finding
from workbench.core.progress import Context, Part
from workbench.core.published import Published, Units
from workbench.core.randomness import StudyRandom

PRIMARY, COMPLEMENTARY = 1, 2
REASONS = ("fails a primary rule", "keeps others uncertain")


@dataclass(frozen=True, slots=True)
class CellSuppression:
    """See the module's docstring for formula and guarantee."""

    id: str = "cell-suppression"
    version: int = 1
    title: str = "Cell suppression"
    summary: str = (
        "Cells that tell too much are withheld, with others that would give them away; the rest is exact. The values "
        "of its rules (p, n, k) must stay secret."
    )
    params: type[SuppressionParams] = SuppressionParams

    def protect(
        self, prepared: Suppressible, params: SuppressionParams, rng: StudyRandom, context: Context
    ) -> SuppressionPattern:
        del rng
        given = prepared.suppressible()
        system = system_of(given, margins=params.margins, kept=params.rules().kept)
        found = suppress(task_of(system, params), params, Part(context, 0.0, 0.9))
        simple = cells_for_plain_attackers(found, params, Part(context, 0.9, 1.0))
        pattern = pattern_of(given, found, remarks=findings_of(given, found, plain_cells=simple))
        return replace(pattern, beside=partial(_beside_release, given, found))


def _beside_release(given: Tabulated, found: Suppressed, table: Published) -> tuple[Finding, ...]:
    """What the release itself loses of the same cells."""
    column = table.value_columns[given.place if given.statistics is not None else 0]
    return (lost_beside(given, found, column.numbers()),) if isinstance(column, Units) else ()


def cells_for_plain_attackers(found: Suppressed, params: SuppressionParams, context: Context) -> int | None:
    """How many cells would do if nobody knew anything beside the published cells; None where nobody does."""
    system = found.task.system
    if not system.lines or not found.task.attackers.knowing:
        return None
    nobody = AttackerParams(zeros=False, holders=False, pairs=False, whole_numbers=False, unions=False)
    asked = task_of(system, replace(params, attackers=nobody))
    pattern, _ = heuristic(asked, context=context, seconds=float(params.seconds))
    return int(pattern.sum())


def pattern_of(given: Tabulated, found: Suppressed, *, remarks: tuple[Finding, ...] = ()) -> SuppressionPattern:
    """The rows of the table as they would be published; margins stay behind."""
    rows = np.arange(len(given.keys)) if given.cell is None else given.cell
    hidden = found.suppressed[rows]
    reason = np.where(hidden, np.where(found.task.primary[rows], PRIMARY, COMPLEMENTARY), 0)
    low, high = found.low[rows], found.high[rows]
    values = found.task.system.values[rows]
    if given.statistics is not None:
        values = given.statistics.reveal()
        low, high = (
            _beside(values, hidden, low, given.place, -np.inf),
            _beside(values, hidden, high, given.place, np.inf),
        )
    blank = hidden if values.ndim == 1 else hidden[:, None]
    return SuppressionPattern(
        values=Confidential(np.where(blank, np.nan, values)),
        reason=Confidential(reason.astype(np.int8)),
        reasons=REASONS,
        low=Confidential(low),
        high=Confidential(high),
        attacker=found.task.attackers.words,
        remarks=remarks,
    )


def _beside(values: Floats, hidden: Bools, bound: Floats, place: int, open_end: float) -> Floats:
    """The bounds of the amounts; nothing bounds the other statistics of a suppressed row."""
    bounds: Floats = np.where(hidden[:, None], open_end, values)
    bounds[:, place] = np.where(hidden, bound, values[:, place])
    return bounds


SPEC = CellSuppression()
