"""One person, several jobs: what the column that identifies workers says about the most jobs that are paid for."""

from __future__ import annotations

from workbench.core.errors import Problem
from workbench.core.progress import QUIET
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role, columns_with
from workbench.products.commuting_flows.pairs import counting
from workbench.products.commuting_flows.params import CommutingFlowsParams
from workbench.products.commuting_flows.segments import sums_by_set
from workbench.tabulation.aggregates import Sum
from workbench.tabulation.contract import Rows
from workbench.tabulation.door import rows_of
from workbench.tabulation.keys import Beyond, Key


def worker_columns(inputs: Inputs) -> list[Problem]:
    """Two columns that identify workers leave open whose jobs are to be counted: a job number looks like a person."""
    named = columns_with(inputs.roles, Role.WORKER)
    if len(named) < 2:
        return []
    do = f"Keep the role “worker” for one of {', '.join(named)}"
    return [Problem("More than one column identifies workers", inputs.microdata.name, do)]


def many_jobs(inputs: Inputs, params: CommutingFlowsParams) -> list[Problem]:
    """Workers with more jobs than are paid for, in any set of segments.

    A row that counts twenty jobs of one worker moves twenty jobs with that worker's home, so counts are added up.
    """
    named = [name for name in columns_with(inputs.roles, Role.WORKER) if name in inputs.microdata.columns]
    most = params.jobs_per_worker
    if not named or _most_jobs(rows_of(inputs.microdata), named[0], params) <= most:
        return []
    what = f"Some workers have more than {most} job{'s' if most > 1 else ''}"
    do = "Raise the most jobs of a worker, which raises the release's ε, or keep one job of each"
    return [Problem(what, "jobs_per_worker", do)]


def several_homes(inputs: Inputs, params: CommutingFlowsParams) -> list[Problem]:
    """Workers whose jobs have different homes: the price of several jobs is proved for one home only."""
    named = [name for name in columns_with(inputs.roles, Role.WORKER) if name in inputs.microdata.columns]
    if not named or params.jobs_per_worker == 1:
        return []
    do = "or take the role “worker” away: several jobs are then charged as steps"
    if inputs.microdata.columns[named[0]].missing:
        return [Problem("Some jobs name no worker", named[0], f"Name the worker of every job, {do}")]
    if rows_of(inputs.microdata).units(named[0], (params.home,), QUIET).varying[params.home].reveal():
        what = "Some workers have jobs with different homes"
        return [Problem(what, params.home, f"Give each worker one home, {do}")]
    return []


def _most_jobs(rows: Rows, worker: str, params: CommutingFlowsParams) -> int:
    """The most jobs of one worker: rows, counts, or those of a set of segments."""
    if not params.jobs and not params.segments and not params.job_counts:
        return rows.units(worker, (), QUIET).most_rows.reveal()
    names = params.segments or params.job_counts[:1] or (params.jobs,)
    each = rows.grouped([Key.met(worker, Beyond.LEAVE_OUT)], {name: Sum(counting(name)) for name in names}, QUIET)
    held = sums_by_set(params.segments, [each.column(name) for name in names])
    return max(int(jobs.max(initial=0)) for jobs in held)
