"""The settings of employment tables: which attributes make the cells, and which cells are listed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.microdata.roles import Role


class DomainKind(StrEnum):
    """Which workplace cells are listed.

    `ESTABLISHMENTS` lists the cells of the establishments that have jobs in the data: a cell disappears with its last
    worker. `REGISTERED` lists the cells of a public file, for example the business register, whether they have jobs or
    not; without that file it lists the same cells as `ESTABLISHMENTS`. `ALL` lists the full product and assumes
    nothing. Only a list read from a public file and the full product can be proved.
    """

    ESTABLISHMENTS = "establishments"
    REGISTERED = "registered"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmploymentTablesParams:
    workplace: tuple[str, ...] = param(
        (),
        "Workplace attributes",
        "What distinguishes workplaces in the table: place, sector, ownership.",
        roles=(Role.WORKPLACE, Role.GEOGRAPHY),
    )
    worker: tuple[str, ...] = param(
        (),
        "Worker attributes",
        "What distinguishes workers in the table: sex, education, age. May be left empty.",
        roles=(Role.PERSON,),
    )
    domain: DomainKind = param(
        DomainKind.ESTABLISHMENTS,
        "Cells to publish",
        "Cells with an establishment in the data (reveals which exist, so nothing is proved); the cells of a public "
        "register; or every combination.",
        labels={
            "establishments": "Workplace cells with an establishment",
            "registered": "Workplace cells of a public register",
            "all": "All combinations of values",
        },
        effect="invariant",
        reported="Which rows the table has",
    )
    value_name: str = param("jobs", "Name of the value", "The column title of the published counts.")

    def check(self) -> tuple[Problem, ...]:
        found: list[Problem] = []
        if not self.workplace:
            found.append(
                Problem("No workplace attribute is chosen", "workplace", "Choose at least one, for example the place")
            )
        chosen = (*self.workplace, *self.worker)
        for name in sorted({name for name in chosen if chosen.count(name) > 1}):
            where = "workplace" if self.workplace.count(name) > 1 else "worker"
            found.append(Problem(f"“{name}” is chosen more than once", where, "Choose each attribute once"))
        if not self.value_name.strip():
            found.append(Problem("The value has no name", "value_name", "For example “jobs”"))
        if self.value_name in chosen:
            found.append(Problem(f"“{self.value_name}” already names an attribute", "value_name", "Use another name"))
        return tuple(found)
