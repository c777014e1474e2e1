"""All steps in their order, and the fingerprint of what comes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.findings import Finding
from workbench.core.progress import Context, Part
from workbench.microdata.dictionary import DataDictionary
from workbench.microdata.fingerprint import of_content
from workbench.microdata.roles import Role, Roles
from workbench.microdata.shaping.linking import in_both, link_file
from workbench.microdata.shaping.params import Shaping
from workbench.microdata.shaping.recoding import recode_column
from workbench.microdata.shaping.rows import fill_gaps, keep_rows
from workbench.microdata.table import CodedColumn, Column, Microdata, NumericColumn, numbers_of


def shape(
    microdata: Microdata,
    shaping: Shaping,
    *,
    roles: Roles,
    linked: Mapping[str, Microdata],
    dictionary: DataDictionary,
    context: Context,
) -> tuple[Microdata, tuple[Finding, ...]]:
    """The data as the plan shapes them, with their own fingerprint, and findings about what was lost on the way."""
    if shaping.nothing:
        return microdata, ()
    found: list[Finding] = []
    brought: dict[str, str] = {}
    for name, link in shaping.links.items():
        context.step(0.1, f"Linking {linked[name].name}")
        other = named(linked[name], dictionary)
        taken = link.columns or wanted_columns(microdata, name, other, shaping=shaping, roles=roles, brought=brought)
        microdata, said = link_file(microdata, name, link, other, taken=taken)
        brought |= dict.fromkeys(taken, other.name)
        found += said
    for name, recoding in shaping.recode.items():
        context.step(0.3, f"Recoding “{recoding.of}”")
        microdata, said = recode_column(microdata, name, recoding, dictionary)
        found += said
    context.step(0.4, "Choosing the rows")
    microdata, said = fill_gaps(microdata, shaping.missing)
    found += said
    if shaping.keep:
        microdata, said = keep_rows(microdata, shaping.keep)
        found += said
    return _finished(microdata, roles, Part(context, 0.6, 1.0)), tuple(found)


def wanted_columns(
    microdata: Microdata,
    name: str,
    other: Microdata,
    *,
    shaping: Shaping,
    roles: Roles,
    brought: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, ...]:
    """The columns of a linked file that somebody uses. One that the data have too could be meant either way.

    `brought` names the file of columns that another linked file has brought already.
    """
    used = {column for column, role in roles.items() if role != Role.IGNORE} | set(shaping.used())
    wanted = tuple(column for column in other.columns if column in used and column not in shaping.links[name].there)
    twice = [column for column in wanted if column in microdata.columns or column in microdata.unread]
    raise_if(
        in_both(column, brought.get(column, microdata.name), other.name, f"[data.shaping.links.{name}]")
        for column in twice
    )
    return wanted


def named(other: Microdata, dictionary: DataDictionary) -> Microdata:
    """The linked file with the words that the data dictionary has for its columns."""
    columns: dict[str, Column] = {}
    for name, column in other.columns.items():
        words = dictionary.of(name)
        if isinstance(column, CodedColumn) and words.labels:
            column = replace(
                column, labels=words.labels, populations=words.populations, title=words.title,
                labels_inside=words.inside,
            )  # fmt: skip
        columns[name] = column
    return replace(other, columns=columns)


def _finished(microdata: Microdata, roles: Roles, context: Context) -> Microdata:
    """The columns that have a role, as their role wants them, and the fingerprint of the result."""
    raise_if(absent_roles(microdata.name, roles, microdata.columns))
    columns: dict[str, Column] = {}
    for name, column in microdata.columns.items():
        role = roles.get(name, Role.IGNORE)
        if role == Role.IGNORE:
            continue
        raise_if(no_codes(name, role) if isinstance(column, NumericColumn) and not role.numbers else ())
        columns[name] = _as_numbers(column, microdata.name) if role.numbers else column
    content = of_content(columns, microdata.rows, context)
    prints = replace(microdata.fingerprint, content=content)
    return replace(microdata, columns=columns, fingerprint=prints)


def _as_numbers(column: Column, file: str) -> Column:
    if isinstance(column, NumericColumn):
        return column
    numbers = numbers_of(column)
    made = NumericColumn(name=column.name, numbers=Confidential(numbers), title=column.title, missing=column.missing)
    if int((numbers != numbers).sum()) > column.missing:
        raise UserProblem(f"Not every value of “{column.name}” is a number", file, "Correct it, or change its role")
    return made


def absent_roles(file: str, roles: Roles, columns: Iterable[str]) -> list[Problem]:
    """Roles of columns that neither the file nor a step brings."""
    held, do = set(columns), "Take its role away, or link or recode what brings it"
    return [
        Problem(f"There is no column “{name}”", file, do)
        for name, role in roles.items()
        if role != Role.IGNORE and name not in held
    ]


def no_codes(name: str, role: Role) -> tuple[Problem, ...]:
    """A column of numbers under a role of codes."""
    what = f"“{name}” holds numbers, which the role {role} cannot have"
    return (Problem(what, "[data.roles]", "Recode it into classes and give them the role"),)
