"""Export: reports and the released files, written whole or not at all, and noted in the journal."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from workbench.core.errors import Problem, Refused, UserProblem, raise_if
from workbench.core.files import refuse_over_project, refuse_unwritable, write_bytes
from workbench.core.findings import Audience
from workbench.core.progress import Context, Part
from workbench.project.file.files import check as check_project
from workbench.project.store import Project
from workbench.review.plan.plan import Plan
from workbench.review.publish.outputs import file_named, files_of
from workbench.review.publish.report_facts import report_of
from workbench.review.run.paths import resolved
from workbench.review.views import OpenedReview

if TYPE_CHECKING:
    from workbench.review.workspace import Workspace

__all__ = ["export_files", "report_of", "spare_the_data", "spare_the_sources"]


def export_files(
    workspace: Workspace,
    release_id: str,
    paths: Mapping[tuple[Audience, str], Path],
    *,
    files: Mapping[str, Path],
    actor: str,
    context: Context,
) -> int:
    """Make every file in memory, record them in the journal, then write them. Returns how many were written.

    `paths` say where reports go, `files` where those of the release go, by name or kind.
    """
    targets = [*paths.values(), *files.values()]
    spare_the_sources(workspace.project, workspace.open_release(release_id), targets)
    made: dict[Path, bytes] = {}
    total = len(targets)
    for i, ((audience, kind), path) in enumerate(paths.items()):
        part = Part(context, i / (total + 1), (i + 1) / (total + 1))
        made[path] = workspace.report_bytes(release_id, audience, kind, part)
    offered = files_of(workspace.project, release_id) if files else ()
    for i, (name, path) in enumerate(files.items(), start=len(paths)):
        context.step(i / (total + 1), f"Making {path.name}")
        made[path] = file_named(offered, name).write()
    context.step(total / (total + 1), "Writing the files")
    internal = {path for (audience, _kind), path in paths.items() if audience is Audience.INTERNAL}
    put_out(workspace.project, release_id, made, internal=internal, actor=actor)
    return len(made)


def exported_report(
    workspace: Workspace, release_id: str, audience: Audience, kind: str, *, actor: str, context: Context
) -> bytes:  # fmt: skip
    """A report for a stream: made and recorded in the journal like a file, for whoever asked to pass on."""
    content = workspace.report_bytes(release_id, audience, kind, context)
    name = f"{release_id}-report.{kind}"
    _record(workspace.project, release_id, {name: content}, public=audience is Audience.PUBLIC, actor=actor)
    return content


def exported_file(
    workspace: Workspace, release_id: str, name: str = "", *, actor: str, context: Context
) -> bytes:  # fmt: skip
    """A file of the release for a stream, by name or kind, or the first: made and recorded in the journal."""
    workspace.refuse_unless_approved(release_id, "The released table")
    offered = files_of(workspace.project, release_id)
    file = file_named(offered, name or offered[0].name if offered else name)
    context.step(0.5, f"Making {file.name}")
    content = file.write()
    _record(workspace.project, release_id, {file.of(release_id): content}, public=True, actor=actor)
    return content


def put_out(
    project: Project, release_id: str, made: Mapping[Path, bytes], *, internal: Container[Path] = (), actor: str,
    inside: Mapping[str, bytes] = MappingProxyType({}),
) -> None:  # fmt: skip
    """Write files of a release. The journal knows of each before it is there; public ones are not written otherwise.

    `inside`: what a file that packs others holds, so that each of them can be recognised later.
    """
    public = any(path not in internal for path in made)
    _refuse_unrecorded(project, release_id, public=public)
    for path in made:  # a refusal leaves no trace in the journal
        refuse_unwritable(path)
    named = {path.name: content for path, content in made.items()}
    named |= {f"{next(iter(made)).name}: {name}": content for name, content in inside.items()}
    _record(project, release_id, named, public=public, actor=actor)
    written: list[Path] = []
    try:
        for path, content in made.items():
            write_bytes(path, content, private=path in internal)
            written.append(path)
    except UserProblem:
        left = [path.name for path in made if path not in written]
        with contextlib.suppress(UserProblem):  # the disk is full: what matters stands in the journal already
            project.record_failed_export(release_id, left, actor=actor)
        raise


def _record(project: Project, release_id: str, made: Mapping[str, bytes], *, public: bool, actor: str) -> None:
    """Note in the journal what is about to leave, before it does."""
    _refuse_unrecorded(project, release_id, public=public)
    if not project.read_only:
        hashes = {name: _sha256(content) for name, content in made.items()}
        project.record_export(release_id, hashes, actor=actor, public=public)


def _refuse_unrecorded(project: Project, release_id: str, *, public: bool) -> None:
    if public and project.read_only:
        raise Refused(
            f"Public files of {release_id} cannot be recorded in the journal: {project.read_only_reason}",
            str(project.path),
            "Open the project where it can be written, then export again",
        )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def spare_the_sources(project: Project, review: OpenedReview, targets: Sequence[Path]) -> None:
    """A slip of the pen must not replace a project, the microdata or another output of the same export."""
    problems = [*_over_sources(review.plan, review.base, targets, {"project file": project.path})]
    problems += [
        Problem("This is a project file, and an export would erase it", str(path), "Choose another name")
        for path in targets
        if not problems and _is_project(path)
    ]
    problems += [
        Problem("Two files of this export have the same name", str(path), "Give each its own name")
        for place, path in enumerate(targets)
        if any(_same_file(path, earlier) for earlier in targets[:place])
    ]
    raise_if(problems)
    for path in targets:
        refuse_over_project(path)


def spare_the_data(plan: Plan, base: Path, target: Path) -> None:
    """Refuse to write over a file that the plan reads."""
    raise_if(_over_sources(plan, base, (target,), {}))


def _over_sources(plan: Plan, base: Path, targets: Sequence[Path], more: Mapping[str, Path]) -> Iterator[Problem]:
    sources = {file.what: resolved(base, file.path) for file in plan.here.files()} | dict(more)
    for path in targets:
        for what, source in sources.items():
            if _same_file(path, source):
                yield Problem(f"This is the {what} of the review itself", str(path), "Choose another name")


def _same_file(one: Path, other: Path) -> bool:
    """Also where links, or another spelling on a system that does not mind case, lead to the same file."""
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, RuntimeError):  # not there yet, or links that lead in a circle
        return False


def _is_project(path: Path) -> bool:
    """Somebody's project, by what is in it: the name may be anything."""
    try:
        check_project(path)
    except UserProblem:
        return False
    return True
