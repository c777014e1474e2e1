"""A whole review without a window, from data file to report; and a search through everything that leaves the agency."""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.said import Said, dwb, dwb_program
from tests.journeys.confidential_jobs import Secrets, write_confidential


@dataclass(frozen=True)
class Reviewed:
    folder: Path
    secrets: Secrets
    told_outside: tuple[Said, ...]  # what the commands that write public files said

    def file(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    folder = tmp_path_factory.mktemp("confidential")
    secrets = write_confidential(folder)
    project = folder / "review.dwb"
    ran = dwb("run", folder / "plan.toml", "--project", project, "--preparer", "Ana", "--json")
    assert ran.code == 0, ran.err
    assert not ran.err
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "Agreed").code == 0
    told = []
    for kind in ("html", "pdf", "json"):
        words = ("report", project, "R-0001", "--audience", "public", "--format", kind, "-o", folder / f"public.{kind}")
        told += [dwb(*words), dwb(*words, "--json")] if kind != "pdf" else [dwb(*words)]
    told.append(dwb("export", project, "R-0001", "-o", folder / "table.csv", "--json"))
    told.append(dwb("ledger", project, "--json"))
    assert dwb("report", project, "R-0001", "-o", folder / "internal.html").code == 0
    assert all(said.code == 0 for said in told)
    return Reviewed(folder, secrets, tuple(told))


def _texts(reviewed: Reviewed) -> Iterator[tuple[str, str]]:
    """Everything that leaves the agency, as text."""
    yield "public.html", reviewed.file("public.html").decode("utf-8")
    yield "public.json", reviewed.file("public.json").decode("utf-8")
    yield "table.csv", reviewed.file("table.csv").decode("utf-8")
    yield "public.pdf", _pdf_text(reviewed.file("public.pdf"))
    for said in reviewed.told_outside:
        yield "what a command said", said.out + said.err


def _pdf_text(content: bytes) -> str:
    """Words of all pages, what the file says of itself, and everything attached to it."""
    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(content))
    pages = [page.extract_text() for page in reader.pages]
    about = [str(value) for value in (reader.metadata or {}).values()]
    attached = [part.decode("utf-8", "replace") for parts in reader.attachments.values() for part in parts]
    return "\n".join([*pages, *about, *attached])


def test_that_the_search_would_find_what_it_looks_for(reviewed: Reviewed) -> None:
    """The internal report holds the confidential evidence: there the same search must strike."""
    found = reviewed.secrets.counts_in(reviewed.file("internal.html").decode("utf-8"))
    assert {"records", "establishments"} <= found
    secret = reviewed.secrets.counts["records"]
    for form in (
        f"{secret}",
        f"{secret:,}",
        f"{secret}.0",
        f"({secret:,})",
        f"\u202f{secret:,}".replace(",", "\u202f"),
    ):
        assert "records" in reviewed.secrets.counts_in(f"there are {form} of them"), form
    assert not reviewed.secrets.counts_in(f"9{secret} a{secret} {secret}.25 {secret}8")


def test_that_no_confidential_count_leaves_the_house(reviewed: Reviewed) -> None:
    leaks = {name: found for name, text in _texts(reviewed) if (found := reviewed.secrets.counts_in(text))}
    assert leaks == {}


def test_that_no_identifier_enters_the_project_or_any_report(reviewed: Reviewed) -> None:
    """No row of microdata ever enters the project file, not even in space that was given free again."""
    for name in ("review.dwb", "public.html", "public.pdf", "public.json", "table.csv", "internal.html"):
        content = reviewed.file(name)
        assert not reviewed.secrets.identifiers_in(content), name
    for packed in _inflated(reviewed.file("review.dwb")):
        assert not reviewed.secrets.identifiers_in(packed)
    assert reviewed.secrets.identifiers_in(reviewed.file("jobs.csv")), "the search would find them"


def _inflated(content: bytes) -> Iterator[bytes]:
    """Every zlib stream in a file, unpacked."""
    for start in (match.start() for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", content)):
        try:
            yield zlib.decompressobj().decompress(content[start:])
        except zlib.error:
            continue


def test_that_the_released_values_are_those_of_the_project_and_not_the_truth(reviewed: Reviewed) -> None:
    lines = reviewed.file("table.csv").decode("utf-8").splitlines()
    assert lines[0] == "place,sector,jobs,margin_of_error"
    released = {tuple(line.split(",")[:2]): int(line.split(",")[2]) for line in lines[1:]}
    assert len(released) == 6
    for (place, sector), value in released.items():
        assert value != reviewed.secrets.counts[f"jobs in {place}, {sector}"]


def test_that_the_public_twin_carries_only_public_findings(reviewed: Reviewed) -> None:
    twin = json.dumps(json.loads(reviewed.file("public.json")))
    assert '"audience": "internal"' not in twin
    assert "Ana" not in re.findall(r"\w+", twin)
    assert "Agreed" not in twin


def test_that_errors_about_confidential_data_name_no_value(reviewed: Reviewed, tmp_path: Path) -> None:
    """An establishment in two places, a duplicate, a missing key: the sentence names columns, never what is in them."""
    secrets = write_confidential(tmp_path)
    data = (tmp_path / "jobs.csv").read_text(encoding="utf-8").replace("EIDX000000,Aldermoor", "EIDX000001,Cedarholm")
    (tmp_path / "jobs.csv").write_text(data, encoding="utf-8")
    said = dwb("run", tmp_path / "plan.toml", "--project", tmp_path / "p.dwb")
    assert said.code == 2
    assert not secrets.identifiers_in(said.err.encode())
    assert not secrets.counts_in(said.err)
    assert "Cedarholm" not in said.err


@pytest.mark.heavy
def test_that_the_sample_can_be_reviewed_from_a_console(tmp_path: Path) -> None:
    """The order a new user types, each command a program of its own."""
    sample = dwb_program("sample", "employment_tables", "--out", "s", "--json", folder=tmp_path)
    assert {Path(file).name for file in sample.json["files"]} >= {"jobs.csv", "plan.toml"}
    words = ("--project", "s/review.dwb", "--preparer", "Ana", "--json")
    ran = dwb_program("run", "s/plan.toml", *words, folder=tmp_path)
    assert ran.code == 0, ran.err
    release = ran.json["release_id"]
    approve = ("decide", "s/review.dwb", release, "--approve", "--reviewer", "Ben", "--json")
    assert dwb_program(*approve, folder=tmp_path).json["state"] == "approved"
    report = ("report", "s/review.dwb", release, "--audience", "public", "--format", "json", "-o", "s/p.json", "--json")
    assert dwb_program(*report, folder=tmp_path).json["file"] == "s/p.json"
    assert (tmp_path / "s" / "p.json").is_file()
    verified = dwb_program("verify", "s/review.dwb", "--json", folder=tmp_path)
    assert (verified.code, verified.json["ok"]) == (0, True)
