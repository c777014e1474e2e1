"""Any table of unit and row attributes from an arrangement, by the route that suits its size."""

from __future__ import annotations

from workbench.core.progress import Context
from workbench.tabulation.answers import UnitCells
from workbench.tabulation.grid import Grid
from workbench.tabulation.units.arrangement import Arrangement, Placed, Route
from workbench.tabulation.units.dense import tabulate_dense
from workbench.tabulation.units.sparse import tabulate_sparse
from workbench.tabulation.units.tally import Tally, finish

DENSE_BINS_PER_ROW = 0.75  # measured: beyond it sorting a chunk's keys costs less than filling its bins


def cells_of(
    arrangement: Arrangement,
    grid: Grid,
    *,
    context: Context,
    contributions: bool = False,
    route: Route | None = None,
) -> UnitCells:
    """Rows, units, largest contribution and that unit's total per cell, empty cells included.

    Of units that contribute most, the larger one's total is given. `contributions` adds who is in which cell. The
    route is chosen by size unless one is named.
    """
    placed = arrangement.placed(grid)
    context.step(0.0, "laying out the table")
    contents = arrangement.contents.reveal()
    tally = Tally.empty(grid.cells, contents, contributions=contributions)
    match route or _suited(arrangement, placed):
        case Route.DENSE if contents.sorted is not None:
            tabulate_dense(contents, contents.sorted, placed, tally=tally, context=context)
        case Route.SPARSE if contents.sorted is not None:
            tabulate_sparse(contents, contents.sorted, placed, tally=tally, context=context)
        case _:
            from workbench.tabulation.units.in_duckdb import tabulate_duckdb

            tabulate_duckdb(contents, placed, tally=tally, context=context)
    made = finish(tally, arrangement, placed, context)
    context.step(1.0, "table ready")
    return made


def _suited(arrangement: Arrangement, placed: Placed) -> Route:
    if arrangement.contents.reveal().sorted is None:
        return Route.DUCKDB
    bins = arrangement.units * placed.grid.crossings
    dense = bins <= DENSE_BINS_PER_ROW * arrangement.rows or not placed.grid.crossed
    return Route.DENSE if dense else Route.SPARSE
