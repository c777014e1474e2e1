"""Tables approved one after another: what was printed stays printed, what was withheld stays withheld.

All tables of the same data are one system, so that a later table adds its equations to those of the earlier ones, and
differences of cells of different groupings are cells of it. A table of an earlier version of the data keeps its pattern
in the new one, and is attacked together with it (`vintages`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.baselines.suppression.holders import common_numbers
from workbench.baselines.suppression.joining import Joined, joined
from workbench.baselines.suppression.meaning import Meaning, meaning
from workbench.baselines.suppression.overlaps import with_overlaps
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.several_lines import telling_sums, with_sums
from workbench.baselines.suppression.suppress import Suppressed, suppress, task_of
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.tabulated import Tabulated, system_of
from workbench.baselines.suppression.vintages import Fixed, fixed, with_version
from workbench.baselines.suppression.virtual_cells import with_differences
from workbench.core.arrays import Bools
from workbench.core.progress import Context, Forward, Part

_MOST_ROUNDS = 20  # of sums that several lines tell, before everything is withheld


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Approved:
    """What readers hold already: each cell by its meaning, and whether it was printed. One mark, no reason.

    `table` adds its equations where its rows and contributors are at hand; what was printed counts in any case.
    `version` names the data where they were revised since. `apart`: numbers of contributors are those of another file.
    """

    printed: dict[Meaning, bool]
    table: Tabulated | None = None
    version: str = ""
    apart: bool = False


def approved(table: Tabulated, joint: Joined, found: Suppressed) -> Approved:
    """A table once it is approved, with its margins; `joint` and `found` are of everything approved by then."""
    marks = {
        meaning(joint.names, key): not found.suppressed[cell]
        for cell, key in enumerate(found.task.system.lattice.keys)
        if cell < found.task.system.listed and not joint.nobody_lists(key)
    }
    return Approved(table=table, printed={name: mark for name, mark in marks.items() if table.has(name)})


def old_vintage(before: Approved, name: str) -> Approved:
    """The same of data that were revised since; `name` is how people know that version."""
    return replace(before, version=name)


def fixed_before(system: System, joint: Joined, earlier: Sequence[Approved]) -> tuple[Bools, Bools]:
    """Which cells of a joint system are printed already, and which were withheld or are listed by nobody.

    Of an earlier version only what it withheld counts here: what it printed may be another number now.
    """
    printed, withheld = np.zeros(system.cells, dtype=bool), np.zeros(system.cells, dtype=bool)
    for cell, key in enumerate(system.lattice.keys):
        name = meaning(joint.names, key)
        marks = [(table.printed[name], table.version) for table in earlier if name in table.printed]
        known = [mark for mark, version in marks if not (mark and version)]
        printed[cell] = any(known)
        nobody = cell >= system.listed or joint.nobody_lists(key)
        withheld[cell] = (bool(known) or nobody) and not any(known)
    return printed, withheld


def suppress_next(
    new: Tabulated, earlier: Sequence[Approved], params: SuppressionParams, context: Context
) -> tuple[Joined, Suppressed]:
    """The new table beside all earlier ones: one joint system, its pattern, and levels that can no longer be kept."""
    context.step(0.0, "putting all tables into one system")
    joint, settled = beside_earlier(new, earlier, params)
    context.step(0.0, "putting all tables into one system")
    system, printed, withheld = settled.system, settled.printed, settled.withheld
    context = Forward(context)
    seen: set[frozenset[int]] = set()
    for number in range(_MOST_ROUNDS):
        part = Part(context, 1 - 0.5**number, 1 - 0.5 ** (number + 1))
        found = suppress(task_of(system, params, published=printed, withheld=withheld), params, part)
        sums = [cells for cells in telling_sums(found.task, found.suppressed, part) if cells not in seen]
        if not sums:
            return joint, found
        seen.update(sums)
        system = with_sums(system, sums, kept=params.rules().kept)
        fresh = system.cells - len(printed)
        printed, withheld = np.append(printed, np.zeros(fresh, bool)), np.append(withheld, np.ones(fresh, bool))
    everything = ~printed & (system.values > 0)
    return joint, suppress(task_of(system, params, published=printed, withheld=everything), params, context)


def beside_earlier(new: Tabulated, earlier: Sequence[Approved], params: SuppressionParams) -> tuple[Joined, Fixed]:
    """The joint system of everything readers hold and the new table, and what is settled in it."""
    known = [each for each in earlier if each.table is not None]
    tables = [replace(each.table, own_numbers=each.apart or each.table.own_numbers) for each in known if each.table]
    *numbered, last = common_numbers([*tables, new], [*(each.version for each in known), ""])
    versions = list(dict.fromkeys(each.version for each in known if each.version))
    by_version = {
        name: [table for each, table in zip(known, numbered, strict=True) if each.version == name]
        for name in ("", *versions)
    }
    joint = joined([*by_version[""], last])
    system = _tied(joint, params)
    printed, withheld = fixed_before(system, joint, earlier)
    settled = fixed(system, joint, printed, withheld)
    for name in versions:
        before = joined(by_version[name])
        marks: dict[Meaning, bool] = {}
        for each in earlier:
            if each.version == name:
                marks |= each.printed
        kept = params.rules().kept
        settled = with_version(settled, _tied(before, params), before, marks, name=name, kept=kept)
    return joint, settled


def _tied(joint: Joined, params: SuppressionParams) -> System:
    rules = params.rules()
    system = system_of(joint.table, margins=params.margins, kept=rules.kept)
    return with_overlaps(with_differences(system, joint, kept=rules.kept), joint, rules)
