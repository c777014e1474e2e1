"""Microdata arranged once so that every marginal afterwards is interactive.

Establishments are numbered by their workplace attributes, jobs are stored by establishment. A chunk of neighbouring
jobs then holds whole establishments, and those of one workplace cell lie together, whatever attributes are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.progress import Context, Part
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.table import CodedColumn, Codes, Microdata, Texts
from workbench.products.employment_tables.tabulation import layout
from workbench.products.employment_tables.tabulation.attributes import attribute_of, attribute_problems, positions_of
from workbench.products.employment_tables.tabulation.cells import Attribute

SORTED_COPY_LIMIT = 1_000_000_000  # bytes; beyond it jobs stay as they are and DuckDB reads them in place


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Contents:
    """The confidential part of an index. Establishments are in index order, grouped by workplace attributes."""

    raw_establishment: Codes  # per job, in the order of the file, as loaded
    raw_worker: Mapping[str, Codes]
    positions: Mapping[str, NDArray[np.int32]]  # per worker attribute: code as loaded → position among its values
    identifier: NDArray[np.int32]  # per establishment: its code as loaded
    total: Integers  # per establishment: its jobs
    total_rank: Integers  # per establishment: the rank of its total among the distinct totals
    distinct_totals: Integers
    group_start: Integers  # first establishment of every combination of workplace attributes
    group_position: Mapping[str, NDArray[np.int32]]  # per workplace attribute, per group: position of its value
    jobs: layout.SortedJobs | None  # None where the copy would not fit


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JobIndex:
    """What tabulation needs of a data set under given roles. Everything but `contents` is public or a total."""

    name: str
    rows: int
    establishments: int
    workplace: Mapping[str, Attribute]
    worker: Mapping[str, Attribute]
    from_data: tuple[str, ...]
    listed_inside: tuple[str, ...]  # attributes whose values are declared inside the data file
    identifiers: Texts
    most_jobs_of_a_worker: int | None
    contents: Confidential[Contents]

    def __repr__(self) -> str:
        return f"<index of {len(self.workplace)} workplace and {len(self.worker)} worker attributes>"


def index(
    microdata: Microdata, roles: Roles, context: Context, *, sorted_copy_limit: int = SORTED_COPY_LIMIT
) -> JobIndex:
    """Arrange loaded microdata for tabulation: once per data set and roles, a second or two at ten million.

    Checks once what every marginal relies on: no missing code in a column that is used, no code outside its
    dictionary, and that each workplace attribute is a function of the establishment. All problems come together, and
    name columns only.
    """
    named = _Named.of(microdata, roles)
    columns = {name: microdata.coded(name) for name in named.everything}
    raise_if(_column_problems(microdata, columns, named))
    attributes = {name: attribute_of(columns[name]) for name in (*named.workplace, *named.worker)}
    contents = _contents(columns, named, sorted_copy_limit, Part(context, 0.0, 0.9))
    return JobIndex(
        name=microdata.name,
        rows=microdata.rows,
        establishments=len(contents.total),
        workplace={name: attributes[name] for name in named.workplace},
        worker={name: attributes[name] for name in named.worker},
        from_data=tuple(name for name in attributes if not columns[name].labels),
        listed_inside=tuple(name for name in attributes if columns[name].labels and columns[name].labels_inside),
        identifiers=columns[named.establishment].values,
        most_jobs_of_a_worker=_most_jobs(columns.get(named.person), Part(context, 0.9, 1.0)),
        contents=Confidential(contents),
    )


def _contents(columns: Mapping[str, CodedColumn], named: _Named, limit: int, context: Context) -> Contents:
    establishment = columns[named.establishment].codes.reveal()
    total_by_code = layout.occurrences(establishment, len(columns[named.establishment].values), Part(context, 0, 0.1))
    order = _ordered(establishment, columns, named, total=total_by_code, context=context)
    total = total_by_code[order.identifier]
    context.step(0.4, "ranking establishments by size")
    distinct_totals, total_rank = np.unique(total, return_inverse=True)
    worker = {name: columns[name].codes.reveal() for name in named.worker}
    positions = {name: positions_of(columns[name]) for name in named.worker}
    jobs = None
    if layout.sorted_bytes(len(establishment), positions) <= limit:
        part = Part(context, 0.45, 1.0)
        jobs = layout.sort_jobs(establishment, worker, positions=positions, order=order, total=total, context=part)
    return Contents(
        raw_establishment=establishment,
        raw_worker=worker,
        positions=positions,
        identifier=order.identifier,
        total=total,
        total_rank=total_rank.astype(np.int64),
        distinct_totals=distinct_totals,
        group_start=order.group_start,
        group_position=order.group_position,
        jobs=jobs,
    )


def _ordered(
    establishment: Codes, columns: Mapping[str, CodedColumn], named: _Named, *, total: Integers, context: Context
) -> layout.EstablishmentOrder:
    """Establishments by workplace, once it is sure that each has one."""
    raw = {name: columns[name].codes.reveal() for name in named.workplace}
    by_code = _workplaces(establishment, raw, total, file=named.file, context=context)
    context.step(0.35, "ordering establishments by workplace")
    return layout.order_establishments(
        total, {name: positions_of(columns[name])[codes] for name, codes in by_code.items()}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """Which columns of which file are used, by role."""

    file: str
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
            file=microdata.name,
            establishment=establishments[0],
            person=persons[0] if persons else "",
            workplace=columns_with(roles, Role.WORKPLACE, Role.GEOGRAPHY),
            worker=columns_with(roles, Role.PERSON),
        )

    @property
    def everything(self) -> tuple[str, ...]:
        person = (self.person,) if self.person else ()
        return (self.establishment, *person, *self.workplace, *self.worker)


def _column_problems(microdata: Microdata, columns: Mapping[str, CodedColumn], named: _Named) -> list[Problem]:
    if microdata.rows == 0:
        return [Problem("There are no jobs to tabulate", microdata.name, "Choose a file with at least one row")]
    mend = "Complete the column or drop those rows"
    found = [
        Problem(
            "Some rows have no value here",
            f"{microdata.name}, column “{name}”",
            mend if name == named.establishment else f"{mend}, or give it the role “ignore”",
        )
        for name, column in columns.items()
        if layout.any_missing(column.codes.reveal())
    ]
    for name in (*named.workplace, *named.worker):
        found.extend(problem.at(microdata.name) for problem in attribute_problems(columns[name]))
    return found


def _workplaces(
    establishment: Codes, columns: Mapping[str, Codes], total: Integers, *, file: str, context: Context
) -> dict[str, NDArray[np.int32]]:
    """Each workplace attribute once per establishment code, or the names of those that differ between its jobs."""
    made, varying = {}, []
    for number, (name, codes) in enumerate(columns.items()):
        context.step(0.1 + 0.25 * number / len(columns), f"checking that {name} belongs to the establishment")
        made[name], constant = layout.once_per_establishment(establishment, codes, len(total))
        if not constant:
            varying.append(name)
    if varying:
        listed = ", ".join(f"“{name}”" for name in varying)
        do = "Correct the data, give it the role “worker attribute” or “ignore”, or identify each workplace separately"
        raise UserProblem(f"Some establishments have more than one value of {listed}", file, do)
    return made


def _most_jobs(column: CodedColumn | None, context: Context) -> int | None:
    if column is None:
        return None
    return int(layout.occurrences(column.codes.reveal(), len(column.values), context).max())
