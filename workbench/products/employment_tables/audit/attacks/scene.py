"""What attackers look at: establishments alone in their workplace cell, and the truth to judge the answers by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Defect
from workbench.products.employment_tables.tabulation.cells import Cells


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scene:
    """The truth behind a table, arranged as workplace cells × worker cells. Confidential, though plain."""

    counts: Integers  # every workplace cell × worker cells
    alone: Integers  # workplace cells with exactly one establishment that has jobs
    employer: Integers  # per cell of the table, an establishment that has jobs there; −1 where there is none
    attribute_sizes: tuple[int, ...]  # numbers of values of the worker attributes

    @property
    def own(self) -> Integers:
        """Counts of the establishments that are alone: a row each."""
        found: Integers = self.counts[self.alone]
        return found

    def rows(self, published: Floats) -> Floats:
        """A published table, arranged like the counts."""
        return published.reshape(self.counts.shape)


def scene_of(cells: Cells) -> Scene:
    if cells.contributions is None:
        raise Defect("attacks need the establishments' contributions, which were not tabulated")
    inside = cells.contributions.reveal()
    combinations, places = cells.domain.worker_combinations, len(cells.domain.workplace_cells)
    place = inside.cell // combinations
    somebody = np.full(places, -1, dtype=np.int64)
    somebody[place] = inside.establishment
    crowded = np.bincount(place[inside.establishment != somebody[place]], minlength=places) > 0
    employer = np.full(cells.domain.cells, -1, dtype=np.int64)
    employer[inside.cell] = inside.establishment
    return Scene(
        counts=cells.count.reveal().reshape(places, combinations),
        alone=np.flatnonzero((somebody >= 0) & ~crowded),
        employer=employer,
        attribute_sizes=tuple(len(attribute.values) for attribute in cells.domain.worker),
    )
