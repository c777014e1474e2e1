"""The settings of employment tables: which attributes make the cells, and which cells are listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from workbench.core.errors import Problem
from workbench.core.params import Rows, param, rows
from workbench.microdata.roles import Role
from workbench.products.employment_tables.tabulation.margin_names import margin_problems


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
class SelectedValues:
    values: tuple[str, ...] = param(
        (), "Values", "Codes of the data dictionary. Only jobs with one of them are counted."
    )


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

    select: Rows[SelectedValues] = rows(
        SelectedValues,
        "Selection",
        "Counts some values of an attribute only. An attribute that is not in the table is added up over them.",
        by="column",
        roles=(Role.WORKPLACE, Role.GEOGRAPHY, Role.PERSON),
        later=True,
    )
    without_workplace: bool = param(
        False,
        "No workplace attribute",
        "One row for all workplaces together, or one for each worker cell.",
        later=True,
        advanced=True,
    )

    marginals: tuple[str, ...] = param(
        (),
        "Margins",
        "Coarser tables published with this one at no further cost: “all”, or a list: place*sector, place, total.",
        later=True,
    )

    @property
    def chosen(self) -> dict[str, tuple[str, ...]]:
        """The values that are selected, by attribute."""
        return {name: row.values for name, row in self.select.items()}

    def check(self) -> tuple[Problem, ...]:
        found: list[Problem] = list(_selection_problems(self))
        if self.without_workplace and self.workplace:
            found.append(
                Problem(
                    f"The table has no workplace attribute, but {', '.join(self.workplace)} "
                    f"{'is' if len(self.workplace) == 1 else 'are'} chosen",
                    "without_workplace",
                    "Leave the workplace attributes out, or set it to false",
                )
            )
        if not self.workplace and not self.without_workplace:
            found.append(
                Problem(
                    "No workplace attribute is chosen",
                    "workplace",
                    "Choose at least one, for example the place, or set “No workplace attribute” (without_workplace)",
                )
            )
        chosen = (*self.workplace, *self.worker)
        found.extend(margin_problems(self.marginals, chosen))
        for name in sorted({name for name in chosen if chosen.count(name) > 1}):
            where = "workplace" if self.workplace.count(name) > 1 else "worker"
            found.append(Problem(f"“{name}” is chosen more than once", where, "Choose each attribute once"))
        if not self.value_name.strip():
            found.append(Problem("The value has no name", "value_name", "For example “jobs”"))
        if self.value_name in chosen:
            found.append(Problem(f"“{self.value_name}” already names an attribute", "value_name", "Use another name"))
        return tuple(found)


def _selection_problems(params: EmploymentTablesParams) -> Iterator[Problem]:
    """What is wrong with a selection whatever the data."""
    for name, values in params.chosen.items():
        where = f"select.{name}.values"
        twice = sorted({value for value in values if values.count(value) > 1})
        if not values:
            yield Problem(f"The selection of “{name}” names no value", where, "Name at least one, or leave it out")
        if twice:
            yield Problem(f"The selection of “{name}” names “{twice[0]}” twice", where, "Name each value once")
        if name in (*params.workplace, *params.worker) and len(set(values)) == 1:
            yield Problem(
                f"“{name}” is an attribute of the table, but its selection leaves one value for every cell",
                where,
                f"Leave “{name}” out of the table and keep the selection, or select more values",
            )
