"""The effect of every cell where a plan estimates one: from the sums of its sides, with a person more or fewer."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.errors import Defect, Problem
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.estimators.contract import Estimated, Sides
from workbench.products.area_estimates.estimators.error_moves import error_moves
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.local_sensitivity import Bounds, of_estimate
from workbench.products.area_estimates.people import FINE

UNIT_SQUARE = Bounds()
_FLAT = 1e-12  # a spread below this is none: the removal left a constant predictor


def effect_of(prepared: AreaData, outcome: int) -> Estimated:
    """Estimate, standard error and sensitivity of every cell."""
    if prepared.estimator is None or prepared.sides is None:
        raise Defect("an effect was asked of a plan that estimates lines")
    return prepared.estimator.estimated(prepared.sides.reveal()[outcome])


def error_moves_of(prepared: AreaData, outcome: int) -> Floats:
    """How far one added person moves the standard error of every cell's effect."""
    if prepared.estimator is None or prepared.sides is None:
        raise Defect("the error of an effect was asked of a plan that estimates lines")
    return error_moves(prepared.estimator, prepared.sides.reveal()[outcome])


def estimated_cells(prepared: AreaData, outcome: int) -> Bools:
    """Cells whose people determine the estimate."""
    if prepared.estimator is None:
        return prepared.lines.reveal()[outcome].usable
    known: Bools = np.isfinite(effect_of(prepared, outcome).sensitivity)
    return known


def local_moves(prepared: AreaData, rank: float | None, *, corners: bool = False) -> Floats:
    """Local sensitivity of the first outcome in every cell: at a rank, of the slope (None), or of the effect."""
    if prepared.estimator is not None:
        return effect_of(prepared, 0).sensitivity
    lines = prepared.lines.reveal()[0]
    usable = lines.usable
    moves = np.full(len(usable), np.nan)
    moves[usable] = of_estimate(lines.chosen(usable), rank, UNIT_SQUARE, corners=corners).largest
    return moves


def moves_without(
    prepared: AreaData, rank: float | None, cell: Integers, rows: NDArray[np.intp], *, corners: bool = False
) -> tuple[Integers, Floats]:
    """People left and local sensitivity of these cells, each without one of its people; not-a-number without one."""
    people, lines = prepared.people.reveal(), prepared.lines.reveal()[0]
    x, y = people.x[rows] / FINE, people.y[0][rows] / FINE
    moves = np.full(len(rows), np.nan)
    if prepared.estimator is None:
        left = lines.chosen(cell).minus(x, y)
        usable = left.x_spread > _FLAT
        moves[usable] = of_estimate(left.chosen(usable), rank, UNIT_SQUARE, corners=corners).largest
        return left.size, moves
    assert prepared.sides is not None
    assert people.side is not None
    sides = tuple(
        _without(side.chosen(cell), people.side[rows] == place, x, y)
        for place, side in enumerate(prepared.sides.reveal()[0])
    )
    return lines.size[cell] - 1, prepared.estimator.estimated(sides).sensitivity


def with_worst(prepared: AreaData, cell: int) -> tuple[Lines, Sides | None, Lines, Sides | None]:
    """Line and sides of one cell, and the same with the added person who moves its first estimate most."""
    own = np.array([cell])
    line = prepared.lines.reveal()[0].chosen(own)
    if prepared.estimator is None or prepared.sides is None:
        worst = of_estimate(line, prepared.inner_ranks[0], UNIT_SQUARE)
        return line, None, line.plus(worst.x, worst.y), None
    sides = tuple(side.chosen(own) for side in prepared.sides.reveal()[0])
    found = prepared.estimator.estimated(sides)
    more = tuple(side.plus(found.x, found.y) if place == found.side[0] else side for place, side in enumerate(sides))
    return line, sides, line.plus(found.x, found.y), more


def lines_only(prepared: AreaData) -> tuple[Problem, ...]:
    """What methods say that publish lines and nothing else."""
    if prepared.estimator is None:
        return ()
    return (
        Problem(
            f"This method publishes lines, not a {prepared.estimator.title.lower()}",
            "estimator",
            "Choose the line as the estimator, or maximum observed sensitivity as the method",
        ),
    )


def _without(lines: Lines, here: Bools, x: Floats, y: Floats) -> Lines:
    """The same sides, those marked with one person fewer; a side of one is empty then."""
    many = here & (lines.size > 1)
    safe = lines.chosen(many).minus(x[many], y[many])
    made = {}
    for field in fields(Lines):
        values = getattr(lines, field.name).copy()
        values[here] = 0
        values[many] = getattr(safe, field.name)
        made[field.name] = values
    made["x_spread"] = np.where(made["x_spread"] > _FLAT, made["x_spread"], 0.0)
    return Lines(**made)
