"""The counts of people behind area estimates, as cell suppression sees them: groups × areas within larger areas."""

from __future__ import annotations

import numpy as np

from workbench.baselines.suppression.contributions import summed
from workbench.baselines.suppression.hierarchy import Dimension, nested
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.confidential import Confidential
from workbench.microdata.elsewhere import WithheldRows
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import truth
from workbench.products.area_estimates.places import Places


def counted_cells(prepared: AreaData) -> Tabulated:
    """Everybody counts one in one cell; all estimates of a cell share its pattern."""
    places = prepared.places
    at_hand = not isinstance(prepared.people, WithheldRows)
    sizes = prepared.lines.reveal()[0].size
    cell = prepared.people.reveal().cell.astype(np.int64) if at_hand else np.repeat(np.arange(places.cells), sizes)
    which = prepared.which() if prepared.which is not None and at_hand else None
    holder = np.arange(len(cell)) if which is None else which.reveal()
    named = [texts for _, texts in places.keys()]  # noqa: SIM118 - no mapping
    behind = summed(cell, holder, np.ones(len(cell)), cells=places.cells)
    published = truth(prepared)
    statistics = np.stack([published.units(name).numbers() for name in published.names], axis=1)
    return Tabulated(
        dimensions=(*(Dimension(name=name) for name in places.group_columns), _areas(places)),
        keys=tuple(zip(*named, strict=True)),
        values=Confidential(np.bincount(cell, minlength=places.cells).astype(np.float64)),
        contributions=Confidential(behind),
        unit="people",
        holder="person",
        statistics=Confidential(statistics),
        place=list(published.names).index("count"),
        cell=np.tile(np.arange(places.cells), len(prepared.outcomes)),
        own_numbers=which is None,
        of_rows=which is not None,
        counted=which,
        which=f"{' and '.join(each.name for each in (prepared.predictor, *prepared.outcomes))} given",
    )


def _areas(places: Places) -> Dimension:
    """Larger areas are margins of their own, where their names are not names of areas too."""
    if len(places.larger) < 2 or set(places.larger) & set(places.areas):
        return Dimension(name=places.area_column)
    within = [places.larger[larger] for larger in places.larger_of]
    return nested(places.area_column, zip(places.areas, within, strict=True))
