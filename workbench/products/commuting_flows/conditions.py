"""What a guarantee about flows rests on that nothing in the data can show, in words for the person who declares it."""

from __future__ import annotations

from workbench.products.commuting_flows.flows.structures import Populations

APPROVED = "release:"  # begins the name of a prior that the project itself has approved


def provided(prepared: Populations, times: int, lists: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What a person must declare: of lists and sizes as each mechanism needs it, of the prior, of jobs of a worker."""
    found = list(lists)
    if prepared.prior_name and not prepared.prior_name.startswith(APPROVED):
        found.append(f"{prepared.prior_name} is public, or a protected release whose ε is in the ledger")
    if not prepared.jobs_counted and prepared.count_notes and times == 1:
        found.append("it is enough to protect one job at a time, as some workers have several")
    elif not prepared.jobs_counted:
        found.append(f"no worker has more than {jobs_of(max(times, 1))}")
    return tuple(found)


def jobs_of(times: int) -> str:
    return f"{times} job{'s' if times > 1 else ''}"
