"""What a person sees of a data file: its columns and their roles before and after loading, and what goes with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.progress import Context
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Column
from workbench.products import registry
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A first look at a file: its rows, what was found out about how to read it, its columns with suggested roles."""

    rows: int
    found: tuple[str, ...]
    columns: tuple[ColumnRow, ...]


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
    return Look(rows=seen.rows, found=seen.found, columns=tuple(rows))


def columns_of(session: ReviewSession, look: Look | None) -> tuple[ColumnRow, ...]:
    """The columns looked at, as long as they are the plan's; otherwise what the plan and the loaded data say.

    A role that a person confirmed wins over a suggestion.
    """
    roles = session.plan.data.roles
    if look is not None and set(roles) <= {column.name for column in look.columns}:
        return tuple(_with_role(column, roles.get(column.name)) for column in look.columns)
    loaded = session.loaded.microdata.columns if session.loaded is not None else {}
    return tuple(_confirmed(name, role, loaded.get(name)) for name, role in roles.items())


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
