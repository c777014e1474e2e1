"""Whether the columns that identify workers and establishments identify jobs instead: then nobody is protected.

Both checks speak only where something is doubtful. They count on the codes and show no single record.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.findings import Finding, Status
from workbench.core.progress import Context
from workbench.core.quantities import agreeing
from workbench.microdata.counting import once_each
from workbench.microdata.job_suggestions import role_named
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.table import CodedColumn, Microdata

_FEWEST_ROWS = 20  # below it, one job each is nothing strange
_LIKE_IDENTIFIER = 0.5  # different values for each row; an attribute has far fewer


def check_units(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Warns of establishments of one job each, and of workers of one row each beside another identifier of people."""
    if microdata.rows < _FEWEST_ROWS:
        return
    if (place := _only(microdata, roles, Role.ESTABLISHMENT)) is not None and once_each(microdata, place, context):
        yield Finding(
            id="data.one-job-per-establishment", title="Establishments have more than one job", status=Status.WARN,
            sentence=(
                f"Every value of “{place.name}” appears in one row only: it may identify jobs, not establishments. "
                "No employer would be protected then. Give the role establishment to the column of the employer."
            ),
            values={"rows": microdata.rows},
            does_not_prove="That the column is the wrong one: each of these establishments may have one job.",
        )  # fmt: skip
    if (worker := _only(microdata, roles, Role.WORKER)) is not None and once_each(microdata, worker, context):
        yield from _jobs_for_people(microdata, roles, worker)


def _jobs_for_people(microdata: Microdata, roles: Roles, worker: CodedColumn) -> Iterator[Finding]:
    """Only where there is another column that could be the person's; most data hold one job for each person."""
    read = [name for name, column in microdata.columns.items() if _may_be_a_person(column, roles, microdata.rows)]
    unread = [name for name in microdata.unread if role_named(name) == Role.WORKER]
    if not read and not unread:
        return
    listed = ", ".join(f"“{name}”" for name in (*read, *unread))
    may = f"{listed} may identify {agreeing(len(read) + len(unread), 'the person', 'people')}"
    yield Finding(
        id="data.one-row-per-worker", title="The worker's column identifies people", status=Status.WARN,
        sentence=(
            f"Every value of “{worker.name}” appears in one row only, and {may}: “{worker.name}” may identify jobs. A "
            "person with several jobs would then count as several people, and be protected less than claimed. Give the "
            "role worker to the column of the person."
        ),
        values={"rows": microdata.rows, "columns": len(read) + len(unread)},
        does_not_prove="That the column is the wrong one: each person may have one job.",
    )  # fmt: skip


def _may_be_a_person(column: object, roles: Roles, rows: int) -> bool:
    """A column of codes that repeat, and that is named like a person or has too many values for an attribute."""
    if not isinstance(column, CodedColumn) or roles.get(column.name) in (Role.WORKER, Role.ESTABLISHMENT):
        return False
    different = len(column.values)
    return different < rows and (different > _LIKE_IDENTIFIER * rows or role_named(column.name) == Role.WORKER)


def _only(microdata: Microdata, roles: Roles, role: Role) -> CodedColumn | None:
    named = [name for name in columns_with(roles, role) if name in microdata.columns]
    return microdata.coded(named[0]) if len(named) == 1 else None
