"""Tables approved one after another: what was printed stays printed, what was withheld stays withheld.

All tables of the same data are one system, so that a later table adds its equations to those of the earlier ones, and
differences of cells of different groupings are cells of it. A new vintage is a table of revised data: it keeps the old
pattern, because unrevised cells are equal in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.baselines.suppression.joining import Joined, joined
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.suppress import Suppressed, suppress, task_of
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.tabulated import Tabulated, system_of
from workbench.baselines.suppression.virtual_cells import with_differences
from workbench.core.arrays import Bools
from workbench.core.progress import Context

Meaning = frozenset[tuple[str, str]]  # codes by column, the totals left out


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Approved:
    """What readers hold already: each cell by its meaning, and whether it was printed. One mark, no reason.

    `table` adds its equations where its rows and contributors are at hand; what was printed counts in any case.
    """

    printed: dict[Meaning, bool]
    table: Tabulated | None = None


def approved(table: Tabulated, joint: Joined, found: Suppressed) -> Approved:
    """A table once it is approved, with its margins; `joint` and `found` are of everything approved by then."""
    own = {dimension.name for dimension in table.dimensions}
    marks = {
        meaning(joint.names, key): not found.suppressed[cell]
        for cell, key in enumerate(found.task.system.lattice.keys)
        if cell < found.task.system.cells - found.task.system.unlisted and not joint.nobody_lists(key)
    }
    return Approved(
        table=table, printed={name: mark for name, mark in marks.items() if {column for column, _ in name} <= own}
    )


def old_vintage(before: Approved) -> Approved:
    """The same of data that were revised since: what it withheld stays withheld, what it printed may differ now."""
    return Approved(printed={name: False for name, printed in before.printed.items() if not printed})


def meaning(names: Sequence[str], key: Key) -> Meaning:
    """The same cell has the same name in every table, whatever its columns."""
    return frozenset((name, code) for name, code in zip(names, key, strict=True) if code is not None)


def fixed_before(system: System, joint: Joined, earlier: Sequence[Approved]) -> tuple[Bools, Bools]:
    """Which cells of a joint system are printed already, and which were withheld or are listed by nobody."""
    printed, withheld = np.zeros(system.cells, dtype=bool), np.zeros(system.cells, dtype=bool)
    for cell, key in enumerate(system.lattice.keys):
        name = meaning(joint.names, key)
        known = [table.printed[name] for table in earlier if name in table.printed]
        printed[cell] = any(known)
        nobody = cell >= system.cells - system.unlisted or joint.nobody_lists(key)
        withheld[cell] = (bool(known) or nobody) and not any(known)
    return printed, withheld


def suppress_next(
    new: Tabulated, earlier: Sequence[Approved], params: SuppressionParams, context: Context
) -> tuple[Joined, Suppressed]:
    """The new table beside all earlier ones: one joint system, its pattern, and levels that can no longer be kept."""
    joint = joined([*(known.table for known in earlier if known.table is not None), new])
    kept = params.rules().kept
    system = system_of(joint.table, margins=params.margins, kept=kept)
    if params.margins:
        system = with_differences(system, joint, kept=kept)
    printed, withheld = fixed_before(system, joint, earlier)
    return joint, suppress(task_of(system, params, published=printed, withheld=withheld), params, context)
