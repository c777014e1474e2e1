"""All suppressed tables of a survey as one system: what their common margins tell of every withheld cell.

Tables of two answers share their one-way tables. Where a cell of those is withheld, every table with that answer bounds
it, and the bounds of all of them count together.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from workbench.baselines.alternatives import PUBLISHED, WithheldRows
from workbench.baselines.suppression.baseline import COMPLEMENTARY, PRIMARY, REASONS
from workbench.baselines.suppression.check import Checker
from workbench.baselines.suppression.contributions import Behind, summed
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.intervals import intervals
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.suppress import Suppressed, task_of
from workbench.baselines.suppression.system import System, additive
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import Context, Part
from workbench.products.survey_microdata.survey_data import SurveyData

MOST_TOGETHER = 800  # withheld cells up to which everybody attacks all tables at once


def attacked_together(
    prepared: SurveyData, cells: Floats, hidden: Bools, asked: SuppressionParams, context: Context
) -> Suppressed:
    """The pattern of all tables, in the order of the published rows, with the interval of every withheld cell.

    Where thousands of cells are withheld, contributors and whole numbers are left to the tables one by one.
    """
    system = _system(prepared, cells)
    task = task_of(system, asked, published=~hidden, withheld=hidden)
    if int(hidden.sum()) > MOST_TOGETHER:
        task = replace(task, attackers=replace(task.attackers, insiders=()), whole=False)
    undercut = tuple(Checker(task, Part(context, 0.0, 0.0)).breaches(hidden)) if task.attackers.insiders else ()
    low, high = intervals(system, hidden, task.attackers, whole=task.whole, context=context)
    return Suppressed(task=task, suppressed=hidden, low=low, high=high, unreachable=undercut)


def _system(prepared: SurveyData, cells: Floats) -> System:
    """The number of respondents, every one-way and every two-way table: everybody counts one."""
    codes = [[f"{variable.name}: {text}" for text in variable.texts] for variable in prepared.variables]
    many = len(codes)
    keys: list[Key] = [(None,) * many]
    for place, own in enumerate(codes):
        keys += [_key(many, {place: code}) for code in own]
    for (i, first), (j, second) in combinations(enumerate(codes), 2):
        keys += [_key(many, {i: one, j: other}) for one in first for other in second]
    each = np.minimum(cells, 1.0)
    facts = Behind(total=cells, contributors=cells.astype(np.int64), largest=np.stack([each, each], axis=1))
    return additive([Dimension(name=variable.name) for variable in prepared.variables], keys, cells, behind=facts,
                    counts=True)  # fmt: skip


def _key(many: int, codes: dict[int, str]) -> Key:
    return tuple(codes.get(place) for place in range(many))


def tabulated(found: Suppressed) -> Tabulated:
    """For the figure: the table with the most withheld cells."""
    system = found.task.system
    nothing: Integers = np.zeros(0, dtype=np.int64)
    return Tabulated(
        dimensions=system.lattice.dimensions,
        keys=tuple(system.lattice.keys),
        values=Confidential(system.values),
        contributions=Confidential(summed(nothing, nothing, np.zeros(0), cells=system.cells)),
        unit="respondents",
        holder="respondent",
    )


def withheld_rows(found: Suppressed, means: int) -> WithheldRows:
    """Row by row of the published table, whose last rows are means that nothing withholds."""
    reason = np.where(found.suppressed, np.where(found.task.primary, PRIMARY, COMPLEMENTARY), PUBLISHED)
    open_ended = np.full(means, np.nan)
    return WithheldRows(
        reason=Confidential(np.append(reason, np.zeros(means)).astype(np.int8)),
        reasons=REASONS,
        low=Confidential(np.append(found.low, open_ended)),
        high=Confidential(np.append(found.high, open_ended)),
        attacker=found.task.attackers.words,
    )
