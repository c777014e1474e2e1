"""Tables approved one after another: what was printed stays printed, what was withheld stays withheld.

All tables of the same data are one system, so that a later table adds its equations to those of the earlier ones. A new
vintage is a table of revised data: it keeps the old pattern, because unrevised cells are equal in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.baselines.suppression.contributions import Contributions, summed
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.suppress import Suppressed, suppress, task_of
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.tabulated import Tabulated, system_of
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import Context


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Approved:
    """What readers hold already: each cell by its meaning, and whether it was printed. One mark, no reason.

    `table` adds its equations where its rows and contributors are at hand; what was printed counts in any case.
    """

    printed: dict[frozenset[tuple[str, str]], bool]  # named by its codes, the totals left out
    table: Tabulated | None = None


def approved(table: Tabulated, found: Suppressed) -> Approved:
    """A suppressed table once it is approved, with its margins."""
    lattice = found.task.system.lattice
    names = [dimension.name for dimension in lattice.dimensions]
    return Approved(
        table=table,
        printed={meaning(names, key): not found.suppressed[cell] for cell, key in enumerate(lattice.keys)},
    )


def meaning(names: Sequence[str], key: Key) -> frozenset[tuple[str, str]]:
    """The same cell has the same name in every table, whatever its columns."""
    return frozenset((name, code) for name, code in zip(names, key, strict=True) if code is not None)


def joined(tables: Sequence[Tabulated]) -> Tabulated:
    """All rows of several tables of the same data as one; holders have the same numbers in all of them."""
    dimensions: dict[str, Dimension] = {}
    for table in tables:
        for dimension in table.dimensions:
            dimensions.setdefault(dimension.name, dimension)
    names = list(dimensions)
    numbers: dict[Key, int] = {}
    values: list[float] = []
    cells: list[Integers] = []
    holders: list[Integers] = []
    amounts: list[Floats] = []
    for table in tables:
        own = [dimension.name for dimension in table.dimensions]
        places: list[int] = []
        for key, value in zip(table.keys, table.values.reveal().tolist(), strict=True):
            codes = dict(zip(own, key, strict=True))
            place = numbers.setdefault(tuple(codes.get(name) for name in names), len(numbers))
            places.append(place)
            if place == len(values):
                values.append(value)
        given = table.contributions.reveal()
        cells.append(np.array(places, dtype=np.int64)[given.cell])
        holders.append(given.holder)
        amounts.append(given.amount)
    return Tabulated(
        dimensions=tuple(dimensions.values()),
        keys=tuple(numbers),
        values=Confidential(np.array(values)),
        contributions=Confidential(_once(cells, holders, amounts, len(numbers))),
        counts=all(table.counts for table in tables),
        unit=tables[0].unit,
        holder=tables[0].holder,
    )


def _once(cells: list[Integers], holders: list[Integers], amounts: list[Floats], many: int) -> Contributions:
    """A row that two tables list has its contributors once."""
    cell, holder, amount = np.concatenate(cells), np.concatenate(holders), np.concatenate(amounts)
    _, first = np.unique(np.stack([cell, holder]), axis=1, return_index=True)
    return summed(cell[first], holder[first], amount[first], cells=many)


def fixed_before(system: System, earlier: Sequence[Approved]) -> tuple[Bools, Bools]:
    """Which cells of a joint system are printed already, and which were withheld and never printed since."""
    names = [dimension.name for dimension in system.lattice.dimensions]
    printed, withheld = np.zeros(system.cells, dtype=bool), np.zeros(system.cells, dtype=bool)
    for cell, key in enumerate(system.lattice.keys):
        known = [table.printed[name] for table in earlier if (name := meaning(names, key)) in table.printed]
        printed[cell] = any(known)
        withheld[cell] = bool(known) and not any(known)
    return printed, withheld


def suppress_next(
    new: Tabulated, earlier: Sequence[Approved], params: SuppressionParams, context: Context
) -> tuple[Tabulated, Suppressed]:
    """The new table beside all earlier ones: one joint system, its pattern, and levels that can no longer be kept."""
    both = joined([*(known.table for known in earlier if known.table is not None), new])
    system = system_of(both, margins=params.margins, kept=params.rules().kept)
    printed, withheld = fixed_before(system, earlier)
    return both, suppress(task_of(system, params, published=printed, withheld=withheld), params, context)
