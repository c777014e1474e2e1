"""Any marginal of workplace and worker attributes from an index, as the cells that mechanisms take."""

from __future__ import annotations

from functools import partial

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import Context
from workbench.microdata.table import Microdata
from workbench.products.employment_tables.params import DomainKind
from workbench.products.employment_tables.tabulation.cells import Cells, Contributions, Domain, jobs_of_each
from workbench.products.employment_tables.tabulation.domain import count_cells, domain_of, selected_domain
from workbench.products.employment_tables.tabulation.index import JobIndex, index
from workbench.products.employment_tables.tabulation.selection import Chosen, narrowed, really
from workbench.tabulation.answers import UnitCells
from workbench.tabulation.units.arrangement import Route

__all__ = ["DomainKind", "JobIndex", "Route", "count_cells", "index", "tabulate"]


def tabulate(
    index: JobIndex,
    *,
    workplace: tuple[str, ...],
    worker: tuple[str, ...],
    domain: DomainKind,
    context: Context,
    contributions: bool = False,
    route: Route | None = None,
    register: Microdata | None = None,
    select: Chosen | None = None,
) -> Cells:
    """Jobs, establishments, largest contribution and that establishment's total size per cell, empty cells included.

    Where two establishments contribute most, the larger one's total is given. `contributions` adds who is in which
    cell, in no particular order. The route is chosen by size unless one is named. `select` counts some values only
    (`selection`), of attributes that the table shows or not.
    """
    chosen = really(select or {}, {**index.workplace, **index.worker})
    if chosen:
        plan = selected_domain(index, workplace, worker, chosen, domain=domain, register=register)
        fine = _counted(index, plan.fine, contributions=True, route=route, context=context)
        return narrowed(fine, chosen, shown=(*workplace, *worker), listed=plan.listed)
    made = domain_of(index, workplace=workplace, worker=worker, domain=domain, register=register)
    everything = domain == DomainKind.ALL
    return _counted(index, made, everything=everything, contributions=contributions, route=route, context=context)


def _counted(
    index: JobIndex,
    made: Domain,
    *,
    contributions: bool,
    route: Route | None,
    context: Context,
    everything: bool = False,
) -> Cells:
    grid = made.grid(everything=everything)
    found = index.arrangement.cells(grid, contributions=contributions, route=route, context=context)
    return Cells(
        domain=made,
        count=found.count,
        establishments=found.units,
        largest=found.largest,
        largest_total=found.largest_total,
        workplace_largest=found.listed_largest,
        jobs=index.rows,
        establishments_total=index.establishments,
        most_jobs_of_a_worker=index.most_jobs_of_a_worker,
        contributions=_contributions(found),
        sizes=_sizes(found),
        distort=partial(index.arrangement.distorted, grid),
    )


def _contributions(found: UnitCells) -> Confidential[Contributions] | None:
    if found.contributions is None:
        return None
    who = found.contributions.reveal()
    return Confidential(
        Contributions(cell=who.cell, establishment=who.unit, jobs=who.rows, identifiers=who.identifiers)
    )


def _sizes(found: UnitCells) -> Confidential[Integers] | None:
    """All jobs of every establishment, from who is in which cell."""
    if found.contributions is None:
        return None
    who = found.contributions.reveal()
    return Confidential(jobs_of_each(who.unit, who.rows, len(who.identifiers)))
