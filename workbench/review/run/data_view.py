"""What a person sees of a data file: its columns and their roles before and after loading, and what goes with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.core.errors import Problem, UserProblem
from workbench.core.params import Rows, parse, to_plain
from workbench.core.progress import Context, Part
from workbench.microdata.first_rows import FirstRows
from workbench.microdata.options import Header, ReadOptions
from workbench.microdata.roles import Role
from workbench.microdata.shaping.params import Gap, MissingRule
from workbench.microdata.table import CodedColumn, Column
from workbench.products import registry
from workbench.review.plan.plan import DataPlan, Plan
from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRow:
    """One column without any of its values; None where nothing was counted. `reason` is why this role is suggested."""

    name: str
    role: str
    reason: str = ""
    type: str = ""
    distinct: int | None = None
    missing: int | None = None
    examples: tuple[str, ...] = field(default=(), repr=False)  # confidential, for the window only
    gap: str = ""  # what the plan says of rows without a value


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A first look at a file: its rows, what was found out about how to read it, its columns with suggested roles.

    Where the file cannot be read as the options stand, `problems` say why and only its first rows are shown.
    """

    rows: int = 0
    found: tuple[str, ...] = ()
    columns: tuple[ColumnRow, ...] = ()
    missing_codes: tuple[str, ...] = ()
    options: ReadOptions | None = None  # with what was detected said outright; None where there was nothing to say
    first: FirstRows | None = None
    problems: tuple[Problem, ...] = ()
    tables: tuple[str, ...] = ()  # of a database or a spreadsheet, where a person must say which


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanionRow:
    """A public file that the product takes beside the data, and which one the plan names."""

    name: str
    title: str
    help: str
    required: bool
    path: str


def look_at(path: Path, options: ReadOptions, context: Context, *, product: str = "") -> Look:
    """Read a file once; nothing of it is kept but names, titles and numbers. The product suggests the roles, without
    one the first that there is.
    """
    from workbench.microdata.inspect import inspect

    chosen = registry.product(product or registry.cards()[0].id)
    seen = inspect(path, options, context, suggest=chosen.suggest_roles)
    rows = (
        ColumnRow(
            name=each.name,
            role=str(each.suggested_role),
            reason=each.reason,
            type=each.type,
            distinct=each.distinct if each.counted else None,
            missing=each.missing if each.counted else None,
        )
        for each in seen.columns
    )
    said = parse(ReadOptions, {**to_plain(options), **seen.guessed}, "options") if seen.guessed else None
    return Look(
        rows=seen.rows, found=seen.found, columns=tuple(rows), missing_codes=seen.missing_codes, options=said
    )  # fmt: skip


def look_elsewhere(plan: Plan, path: str | Path, context: Context) -> Look:
    """Files that stay where they are: counts alone, and no row of them."""
    from workbench.tabulation.engines.looking import look_in_place, look_on_server

    if plan.engine.on_server:
        seen = look_on_server(str(path), plan.engine, context)
    else:
        seen = look_in_place(Path(path), plan.engine, context)
    suggested = registry.product(plan.product.id).suggest_roles(seen.facts)
    known = {fact.name: fact for fact in seen.facts}
    return Look(
        rows=seen.rows,
        found=seen.found,
        columns=tuple(
            ColumnRow(
                name=name,
                role=str(suggested[name].role) if name in known else str(Role.IGNORE),
                reason=suggested[name].reason if name in known else "",
                type=str(holds),
                distinct=known[name].distinct if name in known else None,
                missing=known[name].missing if name in known else None,
            )
            for name, holds in seen.holds.items()
        ),
    )


def stays_elsewhere(plan: Plan, path: Path) -> bool:
    """Whether the rows of these files are not loaded, as the plan says or its rule chooses."""
    from workbench.tabulation.engines.choice import Kind, choose

    return plan.engine.on_server or choose(plan.engine, path).kind is Kind.DUCKDB


def look_with_rows(path: Path, options: ReadOptions, context: Context, *, product: str) -> Look:
    """The same with the first rows, for the eyes of the person who says what the columns mean.

    A file that cannot be read as the options stand is shown as far as possible: a person sees what to change.
    """
    from workbench.microdata.first_rows import first_rows
    from workbench.microdata.readers.contract import SeveralTables

    try:
        first = first_rows(path, options, Part(context, 0.0, 0.1))
    except SeveralTables as wrong:
        return Look(problems=wrong.problems, tables=wrong.tables)
    except UserProblem as wrong:
        return Look(problems=wrong.problems)
    try:
        look = look_at(path, options, Part(context, 0.1, 1.0), product=product)
    except UserProblem as wrong:
        return Look(first=first, problems=wrong.problems)
    return replace(look, first=first, columns=with_examples(look.columns, first))


def with_examples(columns: Sequence[ColumnRow], first: FirstRows) -> tuple[ColumnRow, ...]:
    """The columns with some of their values, as far as the first rows show them. For the window only."""
    shown = set(first.columns)
    return tuple(replace(each, examples=first.examples(each.name)) if each.name in shown else each for each in columns)


def with_header(options: ReadOptions, *, names: bool) -> ReadOptions:
    """A person's answer to whether the first row names the columns."""
    return replace(options, header=Header.PRESENT if names else Header.ABSENT)


def columns_of(
    session: ReviewSession, look: Look | None, brought: Sequence[ColumnRow] = ()
) -> tuple[ColumnRow, ...]:  # fmt: skip
    """The columns looked at, as long as they are the plan's; otherwise what the plan and the loaded data say; and what
    linked files and recodings bring.

    A role that a person confirmed wins over a suggestion.
    """
    roles = session.plan.data.roles
    known = {column.name for column in (*(look.columns if look is not None else ()), *brought)}
    if look is not None and look.columns and set(roles) <= known:
        rows = tuple(_with_role(column, roles.get(column.name)) for column in look.columns)
    else:
        loaded = session.loaded.microdata.columns if session.loaded is not None else {}
        rows = tuple(_confirmed(name, role, loaded.get(name)) for name, role in roles.items())
    listed = {row.name for row in rows}
    rows += tuple(column for column in brought if column.name not in listed)
    gaps = session.plan.data.shaping.missing
    return tuple(replace(row, gap=str(gaps[row.name].rows)) if row.name in gaps else row for row in rows)


def own_columns(session: ReviewSession, linked: Collection[str]) -> tuple[str, ...]:
    """The columns of the data file itself, as far as the plan or the loaded data know them; `linked` are those of
    linked files.
    """
    data = session.plan.data
    unread = session.loaded.microdata.unread if session.loaded is not None and session.data_fresh else ()
    keys = [name for link in data.shaping.links.values() for name in link.key]
    roles = (name for name in data.roles if name not in linked and name not in data.shaping.recode)
    return tuple(dict.fromkeys((*keys, *roles, *unread)))


def gaps_offered() -> tuple[tuple[str, str], ...]:
    """What can become of rows without a value, each with its words."""
    return (
        ("", "stop there"),
        (str(Gap.OWN), "own category"),
        (str(Gap.LEAVE_OUT), "leave rows out"),
    )


def with_gaps(plan: Plan, gaps: Mapping[str, str]) -> DataPlan:
    """The plan's data with a rule for the gaps of each column; an empty text takes its rule away."""
    shaping = plan.data.shaping
    kept = {name: rule for name, rule in shaping.missing.items() if name not in gaps}
    named = {name: shaping.missing.get(name, MissingRule()) for name, gap in gaps.items() if gap}
    rules = kept | {name: replace(rule, rows=Gap(gaps[name])) for name, rule in named.items()}
    return replace(plan.data, shaping=replace(shaping, missing=Rows(rules)))


def roles_offered(session: ReviewSession) -> tuple[tuple[str, str], ...]:
    """The roles of the plan's product, each with a line that says what it means; a column can always be ignored."""
    return tuple((str(role), role.help) for role in (*product_of(session.plan).roles, Role.IGNORE))


def companions_of(session: ReviewSession) -> tuple[CompanionRow, ...]:
    named = session.plan.data.companions
    return tuple(
        CompanionRow(
            name=each.name, title=each.title, help=each.help, required=each.required, path=named.get(each.name, "")
        )
        for each in product_of(session.plan).companions
    )


def _with_role(column: ColumnRow, role: str | None) -> ColumnRow:
    return column if role is None else replace(column, role=str(role))


def _confirmed(name: str, role: str, column: Column | None) -> ColumnRow:
    if column is None:
        return ColumnRow(name=name, role=str(role))
    if isinstance(column, CodedColumn):
        return ColumnRow(
            name=name, role=str(role), type="codes", distinct=len(column.values), missing=column.missing
        )  # fmt: skip
    return ColumnRow(name=name, role=str(role), type="numbers", missing=column.missing)
