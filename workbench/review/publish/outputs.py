"""The files in which a drawn release leaves, as its product offers them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import UserProblem
from workbench.review.plan.plan_text import from_stored
from workbench.review.run.prepare import product_of

if TYPE_CHECKING:
    from workbench.core.published import Published
    from workbench.outputs.contract import OutputFile
    from workbench.project.store import Project
    from workbench.review.plan.plan import Plan


def files_of(project: Project, release_id: str) -> tuple[OutputFile, ...]:
    """The files of the latest draw, by the plan that was run. Their bytes are made when they are asked for."""
    run, record = project.latest_run(release_id), project.release(release_id)
    table = project.published(run.id) if run is not None else None
    if run is None or table is None:
        raise UserProblem(f"{release_id} has no released table", "export", "Run it first")
    plan = from_stored(project.plan_text(record.id, run.plan_digest), record.context, record.id)
    return files_for(plan, table)


def files_for(plan: Plan, table: Published) -> tuple[OutputFile, ...]:
    return product_of(plan).outputs(table)


def file_named(files: Sequence[OutputFile], name: str) -> OutputFile:
    """By its name, or by its kind."""
    found = next((file for file in files if name in (file.name, file.kind)), None)
    if found is None:
        offered = ", ".join(dict.fromkeys(file.kind for file in files))
        raise UserProblem(f"The release has no file “{name}”", "export", f"Choose one of: {offered}")
    return found


def targets(files: Sequence[OutputFile], release_id: str, output: Path, name: str = "") -> dict[str, Path]:
    """Which file goes where: the one that is named, the one that the ending names, or all of them into a folder."""
    folder = output.is_dir() or not output.suffix
    if name:
        chosen = file_named(files, name)
        return {chosen.name: output / chosen.of(release_id) if folder else output}
    if folder:
        return {file.name: output / file.of(release_id) for file in files}
    ending = [file for file in files if file.name.endswith(output.suffix.casefold())]
    return {(ending or list(files))[0].name: output}
