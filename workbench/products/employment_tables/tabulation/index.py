"""Jobs arranged by establishment under the roles that a person confirmed: what every table of them starts from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from workbench.core.errors import Problem, raise_if
from workbench.core.progress import QUIET, Context, Part
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.shaping.params import say_of_gaps
from workbench.microdata.table import CodedColumn, Microdata
from workbench.products.employment_tables.tabulation.attributes import attribute_of, attribute_problems
from workbench.products.employment_tables.tabulation.cells import Attribute
from workbench.tabulation.contract import Rows, Units
from workbench.tabulation.door import rows_of
from workbench.tabulation.keys import Key
from workbench.tabulation.units.arrangement import SORTED_COPY_LIMIT, Unit, VariesWithin

_MEND = "Correct the data, give it the role “worker attribute” or “ignore”, or identify each workplace separately"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JobIndex:
    """What tabulation needs of a data set under given roles. Everything but the arrangement is public or a total."""

    name: str
    rows: int
    establishments: int
    workplace: Mapping[str, Attribute]
    worker: Mapping[str, Attribute]
    from_data: tuple[str, ...]
    listed_inside: tuple[str, ...]  # attributes whose values are declared inside the data file
    most_jobs_of_a_worker: int | None
    arrangement: Units
    unusable: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)  # attributes no table can have, and why

    def problems_with(self, attributes: Iterable[str]) -> tuple[Problem, ...]:
        """Why a table cannot have these attributes."""
        return tuple(problem for name in attributes for problem in self.unusable.get(name, ()))

    def __repr__(self) -> str:
        return f"<index of {len(self.workplace)} workplace and {len(self.worker)} worker attributes>"


def index(
    microdata: Microdata, roles: Roles, context: Context, *, sorted_copy_limit: int = SORTED_COPY_LIMIT
) -> JobIndex:
    """Arrange loaded microdata for tabulation: once per data set and roles, a second or two at ten million.

    Checks once what every marginal relies on: no missing identifier, and that each workplace attribute is a function of
    the establishment. An attribute that is none, that has gaps, or that has a code outside its dictionary is left aside
    and hinders only the tables that ask for it. All problems come together, and name columns only.
    """
    named = _Named.of(microdata, roles)
    columns = {name: microdata.coded(name) for name in named.everything}
    rows = rows_of(microdata, sorted_copy_limit=sorted_copy_limit)
    identifiers = tuple(name for name in (named.establishment, named.person) if name)
    wrong = _column_problems(rows, columns, identifiers)
    raise_if(_no_rows(rows) or [problem for name in identifiers for problem in wrong.get(name, ())])
    named = named.without(wrong)
    attributes = {name: attribute_of(columns[name]) for name in named.attributes}
    try:
        arrangement = _arranged(rows, named, attributes, Part(context, 0.0, 0.9))
    except VariesWithin as found:
        wrong |= {name: (problem,) for name, problem in zip(found.attributes, found.problems, strict=True)}
        named = named.without(wrong)
        arrangement = _arranged(rows, named, attributes, Part(context, 0.0, 0.9))
    return JobIndex(
        name=microdata.name,
        rows=microdata.rows,
        establishments=arrangement.units,
        workplace={name: attributes[name] for name in named.workplace},
        worker={name: attributes[name] for name in named.worker},
        from_data=tuple(name for name in named.attributes if not columns[name].labels),
        listed_inside=tuple(name for name in named.attributes if columns[name].labels and columns[name].labels_inside),
        most_jobs_of_a_worker=_most_jobs(rows, named.person, Part(context, 0.9, 1.0)),
        arrangement=arrangement,
        unusable=wrong,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """Which columns are used, by role."""

    establishment: str
    person: str
    workplace: tuple[str, ...]
    worker: tuple[str, ...]

    @classmethod
    def of(cls, microdata: Microdata, roles: Roles) -> _Named:
        establishments = columns_with(roles, Role.ESTABLISHMENT)
        persons = columns_with(roles, Role.WORKER)
        problems = []
        if len(establishments) != 1:
            do = "Give exactly one column the role “establishment”"
            problems.append(
                Problem("Tables of jobs need one column that identifies establishments", microdata.name, do)
            )
        if len(persons) > 1:
            do = f"Keep the role “worker” for one of {', '.join(persons)}"
            problems.append(Problem("More than one column identifies workers", microdata.name, do))
        raise_if(problems)
        return cls(
            establishment=establishments[0],
            person=persons[0] if persons else "",
            workplace=columns_with(roles, Role.WORKPLACE, Role.GEOGRAPHY),
            worker=columns_with(roles, Role.PERSON),
        )

    def without(self, left: Collection[str]) -> _Named:
        """The same without some of the attributes."""
        return replace(
            self,
            workplace=tuple(name for name in self.workplace if name not in left),
            worker=tuple(name for name in self.worker if name not in left),
        )

    @property
    def attributes(self) -> tuple[str, ...]:
        return (*self.workplace, *self.worker)

    @property
    def everything(self) -> tuple[str, ...]:
        person = (self.person,) if self.person else ()
        return (self.establishment, *person, *self.attributes)


def _arranged(rows: Rows, named: _Named, attributes: Mapping[str, Attribute], context: Context) -> Units:
    return rows.arranged(
        Unit(column=named.establishment, one="establishment", many="establishments", mend=_MEND),
        of_unit=[Key.listed(name, attributes[name].values) for name in named.workplace],
        of_row=[Key.listed(name, attributes[name].values) for name in named.worker],
        context=context,
    )


def _no_rows(rows: Rows) -> list[Problem]:
    if rows.count.reveal():
        return []
    return [Problem("There are no jobs to tabulate", rows.name, "Choose a file with at least one row")]


def _column_problems(
    rows: Rows, columns: Mapping[str, CodedColumn], identifiers: tuple[str, ...]
) -> dict[str, tuple[Problem, ...]]:
    """What hinders each column from being counted by."""
    found: dict[str, tuple[Problem, ...]] = {}
    for name, column in columns.items():
        gaps = rows.count.reveal() and rows.column(Key.met(name), QUIET).missing.reveal()
        rule = say_of_gaps(name)
        do = f"Complete the column, or {rule}" if name in identifiers else f"Leave it out of the table, or {rule}"
        wrong = [Problem("Some rows have no value here", f"{rows.name}, column “{name}”", do)] if gaps else []
        wrong += [problem.at(rows.name) for problem in attribute_problems(column)]
        if wrong:
            found[name] = tuple(wrong)
    return found


def _most_jobs(rows: Rows, person: str, context: Context) -> int | None:
    return rows.units(person, (), context).most_rows.reveal() if person else None
