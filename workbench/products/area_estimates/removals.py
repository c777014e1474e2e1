"""What the removal of one person does to χ, person by person: the largest N·LS of the pool without that person.

Only the cell of the person changes. People are looked at cell by cell in the order of N·LS, the largest first, up to a
limit: in a pool of many people most removals change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.effects import local_moves, moves_without


@dataclass(frozen=True, slots=True, kw_only=True)
class Removals:
    """χ of the pool after each removal, over χ before; how many people were looked at."""

    ratios: Floats
    people: int
    pool: int
    chi: float
    setting_cell: int
    cells: int  # published cells of the pool

    @property
    def changing(self) -> int:
        return int(np.count_nonzero(np.abs(self.ratios - 1.0) > 1e-12))


def removals(
    prepared: AreaData, rank: float | None, pool: int, least: int, most_people: int, *, corners: bool = False
) -> Removals | None:
    """Of the first outcome in one pool, at a rank or of the slope (None), or of the effect; None without a cell."""
    lines, places = prepared.lines.reveal()[0], prepared.places
    local = local_moves(prepared, rank, corners=corners)
    inside = np.flatnonzero(np.isfinite(local) & (lines.size >= least) & (places.pool == pool))
    if not len(inside):
        return None
    product = np.zeros(len(lines.size))
    product[inside] = lines.size[inside] * local[inside]
    order = inside[np.argsort(-product[inside], kind="stable")]
    chi = float(product[order[0]])
    after = _without_each(prepared, rank, order, (least, most_people), corners=corners)
    rest = _largest_elsewhere(product, order)
    found = np.maximum(after.product, rest[after.cell])
    return Removals(
        ratios=found / chi, people=len(found), pool=pool, chi=chi, setting_cell=int(order[0]), cells=len(inside)
    )


def _largest_elsewhere(product: Floats, order: Integers) -> Floats:
    """For each cell the largest N·LS among the others of the pool."""
    others = np.full(len(product), product[order[0]])
    others[order[0]] = product[order[1]] if len(order) > 1 else 0.0
    return others


@dataclass(frozen=True, slots=True, kw_only=True)
class _After:
    cell: Integers
    product: Floats


def _without_each(
    prepared: AreaData, rank: float | None, order: Integers, limits: tuple[int, int], *, corners: bool
) -> _After:
    least, most_people = limits
    people, lines = prepared.people.reveal(), prepared.lines.reveal()[0]
    taken = order[np.cumsum(lines.size[order]) <= max(most_people, int(lines.size[order[0]]))]
    wanted = np.zeros(len(lines.size), np.bool_)
    wanted[taken] = True
    rows = np.flatnonzero(wanted[people.cell])
    cell = people.cell[rows].astype(np.int64)
    size, local = moves_without(prepared, rank, cell, rows, corners=corners)
    usable = (size >= max(least, 3)) & np.isfinite(local)
    return _After(cell=cell, product=np.where(usable, size * local, 0.0))
