"""To begin with nothing but a data file: a plan and a dictionary from what a look at the file tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.files import make_folder, write_text
from workbench.core.progress import Context, Part
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import ROLES, Role
from workbench.microdata.shaping.params import say_of_gaps
from workbench.microdata.table import CodedColumn
from workbench.products import registry
from workbench.review.plan.offers import new_plan
from workbench.review.plan.plan import DataPlan
from workbench.review.plan.plan_text import to_text

PLAN, DICTIONARY = "plan.toml", "dictionary.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """What was written, and what a person has to look at first."""

    plan: Path
    dictionary: Path | None
    roles: tuple[tuple[str, str, str], ...]  # column, role, reason
    missing_codes: tuple[str, ...]
    gaps: Mapping[str, int]  # rows without a value, of columns that have a role

    @property
    def answer(self) -> str:
        """How a person answers for the gaps of one of them."""
        return say_of_gaps(next(iter(self.gaps)))


def start(
    data: Path, folder: Path, options: ReadOptions, context: Context, *, product: str, overwrite: bool
) -> Started:
    """Write plan and dictionary into a folder. A person confirms roles and missing-value codes."""
    from workbench.microdata.load import load
    from workbench.microdata.template import dictionary_template, listed_columns
    from workbench.review.run.data_view import look_at

    _refuse_replacing((folder / PLAN, folder / DICTIONARY), overwrite=overwrite)
    look = look_at(data, options, Part(context, 0.0, 0.4), product=product)
    read = replace(look.options or options, missing=(*options.missing, *look.missing_codes))
    offered = {str(role): role for role in (*ROLES, *registry.product(product).roles)}
    roles = {column.name: offered.get(column.role, Role.IGNORE) for column in look.columns}
    columns: tuple[CodedColumn, ...] = ()
    gaps: dict[str, int] = {}
    if any(role != Role.IGNORE for role in roles.values()):
        microdata = load(data, read, roles, None, Part(context, 0.4, 0.9))
        columns = listed_columns(microdata, roles)
        gaps = {name: column.missing for name, column in microdata.columns.items() if column.missing}
    make_folder(folder)
    plan = replace(
        new_plan(product, title=data.stem),
        data=DataPlan(path=_from(folder, data), dictionary=DICTIONARY if columns else "", roles=roles, options=read),
    )
    write_text(folder / PLAN, to_text(plan))
    if columns:
        write_text(folder / DICTIONARY, dictionary_template(columns))
    return Started(
        plan=folder / PLAN,
        dictionary=folder / DICTIONARY if columns else None,
        roles=tuple((column.name, column.role, column.reason) for column in look.columns),
        missing_codes=look.missing_codes,
        gaps=gaps,
    )


def _from(folder: Path, data: Path) -> str:
    """The path of the data as the plan writes it: beside the plan where it is there, whole where it is elsewhere."""
    whole, here = data.resolve(), folder.resolve()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) else str(whole)


def _refuse_replacing(files: tuple[Path, ...], *, overwrite: bool) -> None:
    standing = [path for path in files if path.exists()]
    if standing and not overwrite:
        raise UserProblem(
            f"{standing[0].name} is there already", str(standing[0].parent), "Choose another folder, or --overwrite"
        )
