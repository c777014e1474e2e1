"""Which cells methods with noise by cell leave out, by name and reason: for reviewers, as it tells who is small."""

from __future__ import annotations

import numpy as np

from workbench.core.findings import Table
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.effects import estimated_cells

_MOST_NAMED = 200


def cells_left_out(prepared: AreaData, least: int) -> tuple[int, Table | None]:
    """How many cells have fewer people than `least` or no estimate, and their names; no table where there is none."""
    size, known = prepared.lines.reveal()[0].size, estimated_cells(prepared, 0)
    gone = np.flatnonzero(~known | (size < least))
    if not len(gone):
        return 0, None
    names = prepared.places.cell_names()
    rows = tuple(
        (names[cell], int(size[cell]), _reason(prepared, int(size[cell]), least))
        for cell in gone[:_MOST_NAMED].tolist()
    )
    more = f"The first {_MOST_NAMED} of {len(gone)}. " if len(gone) > _MOST_NAMED else ""
    note = f"{more}Confidential: true numbers of people."
    return len(gone), Table(title="Cells left out by rule", columns=("cell", "people", "why"), rows=rows, note=note)


def _reason(prepared: AreaData, size: int, least: int) -> str:
    if not size:
        return "nobody"
    if size < least:
        return f"fewer than {least} people"
    return "constant predictor" if prepared.estimator is None else "a side without the people it needs"
