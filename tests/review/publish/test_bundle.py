"""The release bundle: complete, reproducible, checkable, and silent about everything that is not published."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pyreadstat
import pytest

from tests.cli.said import dwb, files_in, one_sentence
from tests.journeys.confidential_jobs import Secrets, write_confidential
from workbench.core.errors import UserProblem
from workbench.project.store import open_project
from workbench.report.archive import packed, unpacked
from workbench.review.publish.bundle import check_bundle

PRIVATE = ("Ana", "Ben", "Carla", "QUINCE", "PARSNIP", "RHUBARB", "Planning office", "jobs.csv", "plan.toml")


@dataclass(frozen=True)
class Published:
    project: Path
    bundle: Path
    secrets: Secrets
    told: str


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """One approved release with private comments, one rejected; the bundle of the first."""
    folder = tmp_path_factory.mktemp("confidential-folder")
    secrets = write_confidential(folder)
    project = folder / "review.dwb"
    plan = folder / "plan.toml"
    text = plan.read_text(encoding="utf-8").replace("trials = 2", 'trials = 2\n\n[audit]\nchecks = ["exact-loss"]')
    plan.write_text(text, encoding="utf-8")
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    plan.write_text(text.replace("Jobs by place and sector", "PARSNIP table of RHUBARB"), encoding="utf-8")
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    assert dwb("decide", project, "R-0002", "--reject", "--reviewer", "Carla", "--comment", "RHUBARB").code == 0
    said = ("--comment", "QUINCE is fine", "--public-comment", "Meets the policy.")
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", *said).code == 0
    made = dwb("bundle", project, "R-0001", "-o", folder / "out.zip", "--json")
    assert made.code == 0, made.err
    return Published(project, folder / "out.zip", secrets, made.out)


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def texts(files: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """Everything in the bundle as text, inside PDFs and data files too."""
    import pypdf

    for name, content in files.items():
        if name.endswith((".parquet", ".dta")):
            yield name, as_text(name, content)
            continue
        if not name.endswith(".pdf"):
            yield name, content.decode("utf-8")
            continue
        reader = pypdf.PdfReader(io.BytesIO(content))
        about = [f"{key} {value}" for key, value in (reader.metadata or {}).items()]
        attached = [part.decode("utf-8", "replace") for parts in reader.attachments.values() for part in parts]
        yield name, "\n".join([*(page.extract_text() for page in reader.pages), *about, *attached])
        yield name, content.decode("latin-1")


def as_text(name: str, content: bytes) -> str:
    """Rows and labels of a data file."""
    if name.endswith(".parquet"):
        table = pq.read_table(io.BytesIO(content))
        return "\n".join([str(table.schema.to_string()), *(str(row) for row in table.to_pylist())])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        frame, meta = pyreadstat.read_dta(path)
    told = [str(meta.file_label), str(meta.column_names_to_labels), str(meta.variable_value_labels)]
    return "\n".join([*told, frame.to_csv()])


def test_that_the_bundle_holds_the_table_the_public_report_and_their_sums(published: Published) -> None:
    files = contents(published.bundle)
    assert sorted(files) == [
        "R-0001-code-book.csv", "R-0001-report.html", "R-0001-report.json", "R-0001-report.pdf", "R-0001-table.csv",
        "R-0001-table.dta", "R-0001-table.parquet", "SHA256SUMS", "manifest.json",
    ]  # fmt: skip
    manifest = json.loads(files["manifest.json"])
    assert manifest["release_id"] == "R-0001"
    assert {each["name"]: (each["bytes"], each["sha256"]) for each in manifest["files"]} == {
        name: (len(content), hashlib.sha256(content).hexdigest())
        for name, content in files.items()
        if name not in ("manifest.json", "SHA256SUMS")
    }
    for line in files["SHA256SUMS"].decode().splitlines():
        sha256, name = line.split("  ")
        assert hashlib.sha256(files[name]).hexdigest() == sha256
    assert json.loads(files["R-0001-report.json"])["audience"] == "public"
    assert "Meets the policy." in files["R-0001-report.html"].decode()


def test_that_no_confidential_count_or_identifier_is_in_the_bundle(published: Published) -> None:
    leaks = {name: found for name, text in texts(contents(published.bundle)) if name.rpartition(".")[2] != "pdf" or
             "endobj" not in text if (found := published.secrets.counts_in(text))}  # fmt: skip
    assert leaks == {}
    whole = published.bundle.read_bytes()
    assert not published.secrets.identifiers_in(whole)
    for content in contents(published.bundle).values():
        assert not published.secrets.identifiers_in(content)


def test_that_nothing_about_people_paths_fingerprints_or_other_releases_is_in_the_bundle(published: Published) -> None:
    with open_project(published.project, read_only=True) as project:
        data = project.datasets()[0]
        journal = [entry.hash for entry in project.journal()]
        plans = [project.release(code).plan_digest for code in ("R-0001", "R-0002")]
    hidden = [*PRIVATE, data.content, data.file, *journal, *plans, "R-0002", str(published.project.parent)]
    for name, text in texts(contents(published.bundle)):
        words = set(re.findall(r"\w+", text))
        for secret in hidden:
            assert (secret not in words) if secret.isalpha() else (secret not in text), (name, secret)
    assert published.project.parent.name.encode() not in published.bundle.read_bytes()


def test_that_the_same_release_gives_the_same_bytes(published: Published, tmp_path: Path) -> None:
    """Written again, this time as files in a folder of their own."""
    folder = tmp_path / "as files"
    assert dwb("bundle", published.project, "R-0001", "-o", folder).code == 0
    assert files_in(folder) == contents(published.bundle)
    assert packed(files_in(folder)) == published.bundle.read_bytes()
    assert dwb("bundle", "--check", folder).code == 0
    one_sentence(dwb("bundle", published.project, "R-0001", "-o", folder), "not empty")


def test_that_the_bundle_is_noted_in_the_journal(published: Published) -> None:
    sha256 = hashlib.sha256(published.bundle.read_bytes()).hexdigest()
    with open_project(published.project, read_only=True) as project:
        noted = [export.files for export in project.exports("R-0001") if export.files.get("out.zip") == sha256]
    packed_sums = {
        f"out.zip: {name}": hashlib.sha256(text).hexdigest() for name, text in contents(published.bundle).items()
    }
    assert noted == [{"out.zip": sha256, **packed_sums}]


def test_that_nothing_is_bundled_without_an_approval(published: Published, tmp_path: Path) -> None:
    said = dwb("bundle", published.project, "R-0002", "-o", tmp_path / "b.zip")
    assert said.code == 1
    assert "only after approval" in said.err
    assert files_in(tmp_path) == {}


def test_that_a_bundle_cannot_replace_the_project_or_the_data(published: Published) -> None:
    for name in ("review.dwb", "jobs.csv"):
        before = (published.project.parent / name).read_bytes()
        said = dwb("bundle", published.project, "R-0001", "-o", published.project.parent / name)
        assert said.code == 2
        assert (published.project.parent / name).read_bytes() == before


def test_that_a_good_bundle_passes_its_check(published: Published) -> None:
    said = dwb("bundle", "--check", published.bundle, "--json")
    assert (said.code, said.json["ok"], said.json["release_id"]) == (0, True, "R-0001")
    assert "complete and unchanged" in dwb("bundle", "--check", published.bundle).out


def _one_bit_other(content: bytes) -> bytes:
    """The same file but for one bit of its middle byte: always another file, whatever was drawn."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("name", ["R-0001-report.html", "R-0001-report.json", "R-0001-report.pdf", "R-0001-table.csv"])
def test_that_a_changed_missing_or_added_file_is_named(published: Published, tmp_path: Path, name: str) -> None:
    files = contents(published.bundle)
    path = tmp_path / "b.zip"
    changed = {**files, name: _one_bit_other(files[name])}
    missing = {each: content for each, content in files.items() if each != name}
    added = {**files, "notes.txt": b"by the way"}
    for tampered, words in (
        (changed, f"{name} was changed"), (missing, f"{name} is missing"), (added, "notes.txt is not in the manifest"),
    ):  # fmt: skip
        path.write_bytes(packed(tampered))
        said = dwb("bundle", "--check", path)
        assert said.code == 1
        assert words in said.out


def test_that_a_manifest_rewritten_to_fit_is_still_caught_by_the_report(published: Published, tmp_path: Path) -> None:
    """The table is swapped and all sums are made anew; the report still names the table it speaks of."""
    from workbench.review.publish.bundle import MANIFEST, SUMS, _with_manifest

    files = contents(published.bundle)
    manifest = json.loads(files[MANIFEST])
    kept = {name: content for name, content in files.items() if name not in (MANIFEST, SUMS)}
    kept["R-0001-table.csv"] += b"Aldermoor,mining,5\r\n"
    (tmp_path / "b.zip").write_bytes(packed(_with_manifest(kept, {k: v for k, v in manifest.items() if k != "files"})))
    found = check_bundle(tmp_path / "b.zip")
    assert found.problems == ("R-0001-table.csv is not the table the report speaks of.",)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"not a zip at all", packed({"a.txt": b"x"})])
def test_that_what_is_no_bundle_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.zip").write_bytes(content)
    one_sentence(dwb("bundle", "--check", tmp_path / "b.zip"))
    one_sentence(dwb("bundle", "--check", tmp_path / "none.zip"), "no such file")
    one_sentence(dwb("bundle"), "needed")


def test_that_names_that_point_elsewhere_are_never_written(published: Published, tmp_path: Path) -> None:
    files = {**contents(published.bundle), "../outside.txt": b"x"}
    (tmp_path / "b.zip").write_bytes(packed(files))
    assert "../outside.txt is not in the manifest." in check_bundle(tmp_path / "b.zip").problems
    assert not (tmp_path.parent / "outside.txt").exists()


def test_that_a_name_twice_is_refused() -> None:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a", b"1")
        archive.writestr("a", b"2")
    with pytest.raises(UserProblem, match="twice"):
        unpacked(sink.getvalue(), "b.zip")
