"""The cells of some larger areas as a release of their own: no person is in two of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.products.area_estimates.area_data import AreaData, TableSums


def within_larger(prepared: AreaData, names: tuple[str, ...]) -> tuple[AreaData, Integers]:
    """The exact table of these larger areas alone, and the places of their cells among all. People are left behind."""
    places = prepared.places
    kept = [places.larger.index(name) for name in names]
    new = np.full(len(places.larger), -1)
    new[kept] = np.arange(len(kept))
    areas = np.flatnonzero(new[places.larger_of] >= 0)
    groups = np.arange(len(places.groups))[:, None]
    cells: Integers = (groups * len(places.areas) + areas[None, :]).ravel()
    pools = (groups * len(places.larger) + np.array(kept)[None, :]).ravel()
    table = prepared.table.reveal()
    some = replace(
        places,
        areas=tuple(places.areas[area] for area in areas.tolist()),
        larger=names,
        larger_of=new[places.larger_of[areas]],
        latitude=None,
        longitude=None,
        overlays=(),
    )
    chosen = TableSums(sums=table.sums[:, cells], x_moment=table.x_moment[cells], y_moment=table.y_moment[:, pools])
    return replace(prepared, places=some, table=Confidential(chosen)), cells
