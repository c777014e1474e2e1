"""The twin tabulated into the paper's workloads, with today's values beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.progress import Context, Part
from workbench.core.randomness import StudyRandom
from workbench.microdata.roles import Role
from workbench.products.employment_tables import noise_infusion
from workbench.products.employment_tables.noise_infusion import NoiseInfusionParams
from workbench.products.employment_tables.paper.plan import FindingsPlan
from workbench.products.employment_tables.params import DomainKind
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.tabulation.engine import JobIndex, index, tabulate
from workbench.products.employment_tables.twin.employment import as_microdata, make_employment_twin
from workbench.products.employment_tables.usefulness.workloads import Workload, one_kind_of_worker, single_queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Workloads:
    """Workloads 1 to 3 (3 as the marginal it is, and as single queries that share ε) and ranking 2."""

    marginal: Workload
    singles: Workload
    sharing: Workload
    whole: Workload
    ranked: Workload

    @property
    def worker_cells(self) -> int:
        return self.whole.cells.domain.worker_combinations


def make_workloads(plan: FindingsPlan, context: Context) -> Workloads:
    """Make the twin, tabulate it twice and let current SDL noise both tables with the same factors."""
    made = _index(plan, Part(context, 0.0, 0.6))
    marginal = _table(made, plan, (), "Workload 1", Part(context, 0.6, 0.75))
    whole = _table(made, plan, plan.tables.worker, "Workload 3", Part(context, 0.75, 1.0))
    return _all_of(marginal, whole, plan)


def under(loads: Workloads, baseline: NoiseInfusionParams, plan: FindingsPlan, context: Context) -> Workloads:
    """The same tables with current SDL set otherwise."""
    first, second = (
        replace(load, baseline=_today(load.cells, baseline, plan, Part(context, place / 2, (place + 1) / 2)))
        for place, load in enumerate((loads.marginal, loads.whole))
    )
    return _all_of(first, second, plan)


def _all_of(marginal: Workload, whole: Workload, plan: FindingsPlan) -> Workloads:
    wanted = dict(zip(plan.tables.worker, plan.tables.ranked, strict=True))
    return Workloads(
        marginal=marginal,
        singles=single_queries(whole, "Workload 2"),
        sharing=single_queries(whole, "Workload 3", sharing=whole.cells.domain.worker_combinations),
        whole=whole,
        ranked=one_kind_of_worker(whole, "Ranking 2", wanted),
    )


def _index(plan: FindingsPlan, context: Context) -> JobIndex:
    """Only the index is kept: the twin's own columns are let go."""
    twin = make_employment_twin(
        jobs=plan.twin.jobs, seed=plan.twin.seed, context=Part(context, 0.0, 0.6), worker_ids=False
    )
    roles = {"establishment": Role.ESTABLISHMENT}
    roles |= {name: Role.GEOGRAPHY if name == "place" else Role.WORKPLACE for name in plan.tables.workplace}
    roles |= dict.fromkeys(plan.tables.worker, Role.PERSON)
    return index(as_microdata(twin), roles, Part(context, 0.6, 1.0))


def _table(made: JobIndex, plan: FindingsPlan, worker: tuple[str, ...], title: str, context: Context) -> Workload:
    cells = tabulate(
        made,
        workplace=plan.tables.workplace,
        worker=worker,
        domain=DomainKind.ESTABLISHMENTS,
        context=Part(context, 0.0, 0.5),
        contributions=True,
    )
    today = _today(cells, plan.baseline, plan, Part(context, 0.5, 1.0))
    return Workload(title=title, cells=cells, baseline=today)


def _today(cells: Cells, baseline: NoiseInfusionParams, plan: FindingsPlan, context: Context) -> Confidential[Floats]:
    rng = StudyRandom(plan.grid.seed)  # the same seed, hence the same factor of an establishment in every table
    return noise_infusion.SPEC.protect(cells, baseline, rng, context).values
