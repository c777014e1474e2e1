"""Data sets that share most of their people or other units: who they are in words, and the one way to part them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.errors import UserProblem
from workbench.project.records import DatasetRecord, SharingRecord

if TYPE_CHECKING:
    from workbench.project.store import Project

_SHORTEST = 8  # characters of a fingerprint that name a data set


def shared_words(project: Project, dataset_id: int) -> tuple[str, ...]:
    """“people.csv (98 % of worker identifiers in common)” for every data set that has one budget with this one."""
    names = {each.id: each.name for each in project.datasets()}
    found = (each for each in project.sharing(dataset_id) if each.separation is None)
    return tuple(f"{names[each.other]} ({basis_words(each)})" for each in found)


def separated_words(project: Project, dataset_id: int) -> tuple[str, ...]:
    """Who separated which data set from this one, when and why."""
    names = {each.id: each.name for each in project.datasets()}
    return tuple(
        f"{each.separation.set_at[:10]} (UTC) {each.separation.set_by} separated it from {names[each.other]} "
        f"({basis_words(each)}): “{each.separation.reason}”"
        for each in project.sharing(dataset_id)
        if each.separation is not None
    )


def basis_words(shared: SharingRecord) -> str:
    from workbench.project.tables.shared_people import COLUMNS  # late: the window shows sooner

    if shared.basis == COLUMNS or shared.share is None:
        return "the same columns and nearly as many rows"
    return f"{100 * shared.share:.0f} % of {shared.basis} identifiers in common"


def separate(project: Project, name: str, other: str, *, actor: str, reason: str) -> None:
    """Separate two data sets, named by their files or the beginning of their fingerprints."""
    project.separate(named(project, name).id, named(project, other).id, actor=actor, reason=reason)


def named(project: Project, name: str) -> DatasetRecord:
    """The one data set that is called so."""
    known = project.datasets()
    found = [
        each for each in known if each.name == name or (len(name) >= _SHORTEST and each.content.startswith(name))
    ]  # fmt: skip
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{each.content[:12]} ({each.name})" for each in known) or "none yet"
    what = "Several data sets are called" if found else "The project holds no data set called"
    raise UserProblem(f"{what} “{name[:60]}”", do=f"Name one by its fingerprint: {listed}")
