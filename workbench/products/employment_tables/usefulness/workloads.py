"""The query workloads of Haney et al. (2017), section 10, as views of tabulated cells.

Workload 1: place × sector × ownership. Workload 2: every cell of that marginal × sex × education, each as a query of
its own that gets the whole ε (weak definition). Workload 3: the same cells released together, so that the d worker
cells of a workplace share ε (weak), or get one block of noise (strong). Rankings: workplace cells by total (1) and by
one kind of worker, women with a college degree (2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.baselines.alternatives import CellValues
from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.products.employment_tables.tabulation.cells import Cells, Domain
from workbench.products.employment_tables.usefulness.strata import Strata, strata_of_cells


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Cells as mechanisms see them, what current SDL publishes for them, and the stratum of each.

    `sharing` is the number of queries among which ε is divided when all are released (1 where nothing is divided).
    """

    title: str
    cells: Cells
    baseline: Confidential[Floats]
    sharing: int = 1

    @property
    def strata(self) -> Strata:
        return strata_of_cells(self.cells)


def as_single_queries(cells: Cells) -> Cells:
    """The same cells in the same order, each a query of its own: worker attributes become part of the cell's name.

    The largest establishment of a query is the largest contribution to it, as the weak definition has it.
    """
    domain = cells.domain
    codes = domain.codes(np.arange(domain.cells, dtype=np.int64))
    single = replace(domain, workplace=(*domain.workplace, *domain.worker), worker=(), workplace_cells=codes)
    return replace(cells, domain=single, workplace_largest=cells.largest)


def single_queries(marginal: Workload, title: str, *, sharing: int = 1) -> Workload:
    """Workload 2 from the tabulated marginal; with `sharing`, workload 3 under the weak definition."""
    cells = as_single_queries(marginal.cells)
    return Workload(title=title, cells=cells, baseline=marginal.baseline, sharing=sharing)


def one_kind_of_worker(marginal: Workload, title: str, wanted: Mapping[str, str]) -> Workload:
    """One query per workplace cell: the workers with exactly these attribute values (ranking 2)."""
    kept = np.arange(_combination(marginal.cells.domain, wanted), marginal.cells.domain.cells, _width(marginal))
    whole, domain = as_single_queries(marginal.cells), marginal.cells.domain
    cells = replace(
        whole,
        domain=replace(domain, worker=()),
        count=Confidential(whole.count.reveal()[kept]),
        establishments=Confidential(whole.establishments.reveal()[kept]),
        largest=Confidential(whole.largest.reveal()[kept]),
        largest_total=Confidential(whole.largest_total.reveal()[kept]),
        workplace_largest=Confidential(whole.largest.reveal()[kept]),
        contributions=None,
    )
    today = marginal.baseline
    some = today.taken(kept) if isinstance(today, CellValues) else Confidential(today.reveal()[kept])
    return Workload(title=title, cells=cells, baseline=some)


def _width(marginal: Workload) -> int:
    return marginal.cells.domain.worker_combinations


def _combination(domain: Domain, wanted: Mapping[str, str]) -> int:
    """The number of the worker combination that has these values."""
    names = [attribute.name for attribute in domain.worker]
    if sorted(wanted) != sorted(names):
        asked, known = ", ".join(wanted) or "nothing", ", ".join(names) or "no worker attribute"
        raise UserProblem(
            f"The query names {asked}, the table has {known}",
            "query",
            "Give one value for each worker attribute of the table",
        )
    positions = []
    for attribute in domain.worker:
        if wanted[attribute.name] not in attribute.values:
            do = f"Use one of {', '.join(attribute.values[:20])}"
            raise UserProblem(f"“{wanted[attribute.name]}” is not a value of {attribute.name}", "query", do)
        positions.append(attribute.values.index(wanted[attribute.name]))
    return int(np.ravel_multi_index(positions, [len(attribute.values) for attribute in domain.worker]))
