"""Cells as a reviewer names them in a setting: the largest first, a problem for a name that is none."""

from __future__ import annotations

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.findings import Finding, Status
from workbench.explorations.contract import AnyExploration
from workbench.products.area_estimates.area_data import AreaData

LISTED = 1000


def cell_choices(prepared: AreaData) -> tuple[str, ...]:
    """Names of the cells with most people, then of the others."""
    names, size = prepared.places.cell_names(), prepared.lines.reveal()[0].size
    return tuple(names[place] for place in np.argsort(-size, kind="stable")[:LISTED].tolist())


def cell_called(prepared: AreaData, name: str, setting: str, default: int) -> int:
    """The place of a cell; the default where no name is given."""
    if not name:
        return default
    names = prepared.places.cell_names()
    if name not in names:
        raise UserProblem(f"There is no cell “{name[:40]}”", setting, "Choose one from the list")
    return names.index(name)


def rank_called(prepared: AreaData, name: str) -> int:
    names = prepared.rank_names()
    return names.index(name) if name in names else 0


def shown_for_lines(exploration: AnyExploration) -> Finding:
    """What an exploration of lines says where the plan estimates an effect."""
    said = "This plan estimates an effect; a line by the predictor is not drawn for it."
    return Finding(id=exploration.id, title=exploration.title, status=Status.INFO, sentence=said)
