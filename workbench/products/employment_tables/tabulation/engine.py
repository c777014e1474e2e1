"""Any marginal of workplace and worker attributes from an index: the one door to tabulation.

Three routes give the same cells. Dense: a histogram per chunk, for few worker combinations. Sparse:
sorted packed keys, for more. DuckDB: where the sorted copy of the jobs does not fit into memory.
"""

from __future__ import annotations

from enum import Enum

from workbench.core.progress import Context
from workbench.products.employment_tables.params import DomainKind
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.tabulation.dense import tabulate_dense
from workbench.products.employment_tables.tabulation.domain import Placed, count_cells, place_groups
from workbench.products.employment_tables.tabulation.index import JobIndex, index
from workbench.products.employment_tables.tabulation.sparse import tabulate_sparse
from workbench.products.employment_tables.tabulation.tally import Tally, finish

__all__ = ["DomainKind", "JobIndex", "Route", "count_cells", "index", "tabulate"]

DENSE_BINS_PER_JOB = 0.75  # measured: beyond it sorting a chunk's keys costs less than filling its bins


class Route(Enum):
    DENSE = "dense"
    SPARSE = "sparse"
    DUCKDB = "DuckDB"


def tabulate(
    index: JobIndex,
    *,
    workplace: tuple[str, ...],
    worker: tuple[str, ...],
    domain: DomainKind,
    context: Context,
    contributions: bool = False,
    route: Route | None = None,
) -> Cells:
    """Jobs, establishments, largest contribution and that establishment's total size per cell, empty cells included.

    Where two establishments contribute most, the larger one's total is given. `contributions` adds who is in which
    cell, in no particular order. The route is chosen by size unless one is named.
    """
    placed = place_groups(index, workplace=workplace, worker=worker, domain=domain)
    context.step(0.0, "laying out the table")
    contents = index.contents.reveal()
    tally = Tally.empty(placed.domain.cells, contents, contributions=contributions)
    match route or _suited(index, placed):
        case Route.DENSE if contents.jobs is not None:
            tabulate_dense(contents, contents.jobs, placed, tally=tally, context=context)
        case Route.SPARSE if contents.jobs is not None:
            tabulate_sparse(contents, contents.jobs, placed, tally=tally, context=context)
        case _:
            from workbench.products.employment_tables.tabulation.engine_duckdb import tabulate_duckdb

            tabulate_duckdb(contents, placed, tally=tally, context=context)
    cells = finish(tally, index, placed, context)
    context.step(1.0, "table ready")
    return cells


def _suited(index: JobIndex, placed: Placed) -> Route:
    if index.contents.reveal().jobs is None:
        return Route.DUCKDB
    bins = index.establishments * placed.domain.worker_combinations
    return Route.DENSE if bins <= DENSE_BINS_PER_JOB * index.rows or not placed.domain.worker else Route.SPARSE
