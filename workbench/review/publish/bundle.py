"""Bundle: what leaves the agency for one approved release, with a manifest, and nothing about any other.

The released values in every file that its product offers, the public report in three formats, a manifest with the
SHA-256 of each, and the same sums in the form that `sha256sum -c` reads. The bundle is made of public values only and
holds no date but the decision's, so that the same release always gives the same bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.errors import Refused, UserProblem
from workbench.core.files import require_regular
from workbench.core.findings import Audience
from workbench.core.plain import digest
from workbench.core.progress import Context, Part
from workbench.core.states import ReleaseState
from workbench.report.archive import packed, unpacked
from workbench.report.audience import for_audience
from workbench.report.render import Format
from workbench.report.stamp import read_html, read_pdf, read_twin, stamp_of
from workbench.review.publish.export import put_out, spare_the_sources
from workbench.review.publish.outputs import files_of
from workbench.review.workspace import Workspace

SCHEMA = "disclosure-workbench/release-bundle/1"
MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
_LARGEST = 4 * 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    release_id: str
    files: dict[str, bytes]

    @property
    def zipped(self) -> bytes:
        return packed(self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check of a bundle found."""

    release_id: str
    files: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def make_bundle(workspace: Workspace, release_id: str, context: Context) -> Bundle:
    """All files of the bundle in memory. Refused unless the release stands approved as it was drawn."""
    workspace.refuse_unless_approved(release_id, "The bundle")
    if workspace.project.release(release_id).state is not ReleaseState.APPROVED:
        raise Refused(f"{release_id} is not approved", do="Record a decision first")
    report = for_audience(workspace.report(release_id), Audience.PUBLIC)
    if not report.outputs:
        raise UserProblem(f"{release_id} has no released table", "bundle", "Run it first")
    files = {file.of(release_id): file.write() for file in files_of(workspace.project, release_id)}
    for place, (kind, name) in enumerate(_report_names(release_id).items()):
        files[name] = workspace.printer.set(report, Audience.PUBLIC, kind, Part(context, place / 4, (place + 1) / 4))
    context.step(0.9, "Adding up the files")
    facts = {
        "schema": SCHEMA,
        "release_id": release_id,
        "title": report.identification.title,
        "approved": report.identification.date,
        "report_sha256": stamp_of(report, Audience.PUBLIC).sha256,
    }
    return Bundle(release_id=release_id, files=_with_manifest(files, facts))


def _with_manifest(files: Mapping[str, bytes], facts: Mapping[str, Any]) -> dict[str, bytes]:
    listed = [{"name": name, "bytes": len(files[name]), "sha256": _sha256(files[name])} for name in sorted(files)]
    manifest = json.dumps({**facts, "files": listed}, indent=2, ensure_ascii=False) + "\n"
    whole = {**files, MANIFEST: manifest.encode("utf-8")}
    sums = "".join(f"{_sha256(whole[name])}  {name}\n" for name in sorted(whole))
    return {**whole, SUMS: sums.encode("utf-8")}


def _report_names(release_id: str) -> dict[Format, str]:
    return {kind: f"{release_id}-report.{kind.value}" for kind in Format}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_bundle(workspace: Workspace, release_id: str, path: Path, *, actor: str, context: Context) -> Bundle:
    """Write the bundle as a ZIP, or as files where `path` is a folder, and note it in the journal."""
    workspace.refuse_unless_approved(release_id, "The bundle")
    folder = _is_folder(path)
    offered = [file.of(release_id) for file in files_of(workspace.project, release_id)]
    names = [*_report_names(release_id).values(), *offered, MANIFEST, SUMS]
    meant = [path, *(path / name for name in names)] if folder else [path]
    spare_the_sources(workspace.project, workspace.open_release(release_id), meant)
    if folder:
        _refuse_occupied(path)
    made = make_bundle(workspace, release_id, context)
    if folder:
        _make_folder(path)
    targets = {path / name: content for name, content in made.files.items()} if folder else {path: made.zipped}
    try:
        put_out(workspace.project, release_id, targets, actor=actor, inside={} if folder else made.files)
    except BaseException:
        if folder:  # half a bundle is none, and would be in the way of the next try
            for target in targets:
                target.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                path.rmdir()
        raise
    return made


def _is_folder(path: Path) -> bool:
    return path.is_dir() or path.suffix.casefold() != ".zip"


def _refuse_occupied(path: Path) -> None:
    if path.is_dir() and any(path.iterdir()):
        raise UserProblem("The folder is not empty", str(path), "Choose a new one, so that only the bundle is in it")


def _make_folder(path: Path) -> None:
    """A folder of its own: what else lies in it would look like a part of the bundle."""
    try:
        path.mkdir(exist_ok=True)
        occupied = any(path.iterdir())
    except (OSError, FileExistsError):
        raise UserProblem(
            "The folder cannot be made", str(path), "Choose another, or a name that ends in .zip"
        ) from None
    if occupied:
        raise UserProblem("The folder is not empty", str(path), "Choose a new one, so that only the bundle is in it")


def check_bundle(path: Path) -> Checked:
    """Is a bundle complete and unchanged? Needs no project; whether it is genuine, `verify-report` tells with one."""
    files = _read(path)
    if MANIFEST not in files:
        raise UserProblem("There is no manifest in it", str(path), "Give a bundle this program wrote")
    try:
        manifest = json.loads(files[MANIFEST].decode("utf-8"))
        listed = {str(each["name"]): str(each["sha256"]) for each in manifest["files"]}
        release_id = str(manifest["release_id"])
        known = manifest["schema"] == SCHEMA
    except (ValueError, KeyError, TypeError, RecursionError):
        known, listed, release_id = False, {}, ""
    if not known:
        raise UserProblem("The manifest cannot be read", str(path), "Give a bundle this program wrote")
    problems = [*_file_problems(files, listed), *_sum_problems(files), *_report_problems(files, manifest, release_id)]
    return Checked(release_id=release_id, files=tuple(sorted(files)), problems=tuple(problems))


def _read(path: Path) -> dict[str, bytes]:
    require_regular(path, "a bundle", most=_LARGEST)
    try:
        if path.is_dir():
            return {each.name: each.read_bytes() for each in path.iterdir() if each.is_file()}
        return unpacked(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise UserProblem("There is no such file, expected a bundle", str(path), "Check the path") from None
    except OSError:
        raise UserProblem("The bundle cannot be read", str(path), "Choose another") from None


def _file_problems(files: Mapping[str, bytes], listed: Mapping[str, str]) -> list[str]:
    found = [f"{name} is missing." for name in sorted(listed) if name not in files]
    found += [
        f"{name} was changed." for name in sorted(listed) if name in files and _sha256(files[name]) != listed[name]
    ]
    extra = sorted(set(files) - set(listed) - {MANIFEST, SUMS})
    return found + [f"{name[:80]} is not in the manifest." for name in extra]


def _sum_problems(files: Mapping[str, bytes]) -> list[str]:
    expected = "".join(f"{_sha256(files[name])}  {name}\n" for name in sorted(files) if name != SUMS).encode("utf-8")
    if files.get(SUMS) == expected:
        return []
    return [f"{SUMS} does not fit the files."]


def _report_problems(files: Mapping[str, bytes], manifest: Mapping[str, Any], release_id: str) -> list[str]:
    """The three reports must be one report, of this release, for the public, about this table."""
    names = _report_names(release_id)
    if any(name not in files for name in names.values()):
        return ["The public report is not complete."]
    try:
        twin_stamp, twin = read_twin(files[names[Format.JSON]].decode("utf-8"), names[Format.JSON])
        stamps = [
            twin_stamp,
            read_html(files[names[Format.HTML]].decode("utf-8"), names[Format.HTML]),
            read_pdf(files[names[Format.PDF]], names[Format.PDF]),
        ]
    except (UserProblem, UnicodeDecodeError):
        return ["A report in the bundle cannot be read."]
    found = []
    if any(stamp.audience is not Audience.PUBLIC for stamp in stamps):
        found.append("A report in the bundle is not the public one.")
    if {stamp.sha256 for stamp in stamps} != {manifest.get("report_sha256")} or digest(twin) != twin_stamp.sha256:
        found.append("The reports in the bundle are not one and the same.")
    if any(stamp.release_id != release_id for stamp in stamps):
        found.append("A report in the bundle is of another release.")
    outputs = {str(each.get("name")): each.get("sha256") for each in twin.get("outputs", ())}
    for name, sha256 in outputs.items():
        if _sha256(files.get(name, b"")) != sha256:
            found.append(f"{name[:80]} is not the table the report speaks of.")
    return found
