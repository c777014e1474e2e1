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
    worker. `REGISTERED` lists the same cells where somebody says that they are public, for example from a business
    register, so that the list tells nothing. `ALL` lists the full product and assumes nothing.
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
        "Where an establishment has jobs in the data, which the list then tells; the same, where a public register has "
        "them all; or every combination of values.",
        labels={
            "establishments": "Workplace cells with an establishment",
            "registered": "Those with an establishment, and public",
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
