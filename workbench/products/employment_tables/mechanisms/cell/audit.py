"""From the losses of cells to the loss of the table, with the worst cell and its curve."""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.mechanisms.contract import ExactLoss
from workbench.products.employment_tables.mechanisms.cell.steps import WORDS, CellLosses, Window
from workbench.products.employment_tables.tabulation.cells import Cells


def block_sums(prepared: Cells, values: Floats, window: Window) -> Floats:
    """What the worker cells of each workplace cell spend together, one establishment being in all of them.

    A step moves no more worker cells than workers, and no more workers than the largest establishment's total size
    allows: so many of the largest values are added up. Each takes its own worst step; the weak definition's limits on
    unions of groups may allow a little less.
    """
    cells = prepared.domain.worker_combinations
    if cells == 1:
        return values
    moved = np.minimum(window.growth(prepared.workplace_largest.reveal()), cells)
    added = np.cumsum(-np.sort(-values.reshape(-1, cells), axis=1), axis=1)
    sums: Floats = added[np.arange(len(moved)), moved - 1]
    return sums


def worst_cell(prepared: Cells, losses: Floats, window: Window) -> int:
    """The cell that loses most, in the workplace cell that loses most."""
    cells = prepared.domain.worker_combinations
    block = int(np.argmax(block_sums(prepared, losses, window)))
    return block * cells + int(np.argmax(losses[block * cells : (block + 1) * cells]))


def table_loss(
    prepared: Cells,
    losses: CellLosses,
    *,
    window: Window,
    delta: Floats | None = None,
    smallest_noise: float,
    curve: Figure | None,
) -> ExactLoss:
    """The loss of the worst workplace cell, its worker cells added up."""
    cells = prepared.domain.worker_combinations
    if not len(losses.loss):
        return ExactLoss(epsilon=0.0, delta=0.0, worst_cell=None, worst_pair="the table has no cell")
    worst = worst_cell(prepared, losses.loss, window)
    words = WORDS[int(losses.step[worst])]
    together = "; added up over the worker cells that one step can move" if cells > 1 else ""
    return ExactLoss(
        epsilon=float(block_sums(prepared, losses.loss, window).max()),
        delta=0.0 if delta is None else float(block_sums(prepared, delta, window).max()),
        worst_cell=worst,
        worst_pair=words + together,
        curve=curve,
        per_cell=Confidential(losses.loss),
        smallest_noise=smallest_noise,
    )


def loss_curve(outputs: Floats, loss: Floats, *, claimed: float, unit: str) -> Figure:
    """The log odds of every output between the worst cell's two neighbours."""
    return Figure(
        kind=Kind.LINES,
        title="What each published value tells about one establishment",
        subtitle="Log of the odds between the worst neighbours of the worst cell, before rounding",
        x=Axis(label="Distance of the published value from the smaller count", unit=unit),
        y=Axis(label="Privacy loss", unit="log odds"),
        series=(Series(name="larger against smaller", x=tuple(outputs.tolist()), y=tuple(loss.tolist())),),
        marks=(Mark(name="ε of one cell", value=claimed), Mark(name="−ε of one cell", value=-claimed)),
    )
