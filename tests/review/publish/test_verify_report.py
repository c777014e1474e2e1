"""A report is checked against its project: as it was written, edited, of another time, or no report at all."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.said import dwb, one_sentence
from tests.cli.small import write_small
from tests.project.signers import signer
from workbench.core.findings import Audience
from workbench.core.plain import digest
from workbench.project.store import open_project
from workbench.report.audience import for_audience
from workbench.report.render import to_pdf
from workbench.review.workspace import Workspace

REPORTS = (("internal", "json"), ("public", "json"), ("public", "html"), ("public", "pdf"))


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with an approved release and its reports, internal and public."""
    folder = tmp_path_factory.mktemp("reported")
    project = folder / "review.dwb"
    assert dwb("run", write_small(folder), "--project", project, "--preparer", "Ana").code == 0
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "Agreed").code == 0
    for audience, kind in REPORTS:
        words = ("--audience", audience, "--format", kind, "-o", folder / f"{audience}.{kind}")
        assert dwb("report", project, "R-0001", *words).code == 0
    return folder


@pytest.mark.parametrize(("audience", "kind"), REPORTS)
def test_that_a_report_as_it_was_written_is_recognised(reported: Path, audience: str, kind: str) -> None:
    """Also long after: writing the later reports added entries to the journal, which is not held against the first."""
    said = dwb("verify-report", reported / f"{audience}.{kind}", "--project", reported / "review.dwb", "--json")
    assert said.code == 0, said.out
    assert said.json["ok"] is True
    assert said.json["identical"] is True
    assert said.json["differences"] == []
    assert (said.json["release_id"], said.json["audience"], said.json["format"]) == ("R-0001", audience, kind)
    assert said.json["sha256"] == said.json["expected_sha256"]


def test_that_all_formats_state_the_same_sum_and_show_it(reported: Path) -> None:
    import io

    import pypdf

    twin = json.loads((reported / "public.json").read_text(encoding="utf-8"))
    stated = twin.pop("report_sha256")
    assert stated == digest(twin)
    assert f"{stated}</code>" in (reported / "public.html").read_text(encoding="utf-8")
    reader = pypdf.PdfReader(io.BytesIO((reported / "public.pdf").read_bytes()))
    assert stated in "".join(reader.pages[-1].extract_text().split())


def edited(reported: Path, tmp_path: Path, name: str, old: str, new: str) -> Path:
    text = (reported / name).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    return tmp_path / name


def checked(reported: Path, report: Path) -> tuple[int, str]:
    said = dwb("verify-report", report, "--project", reported / "review.dwb")
    return said.code, said.out


def test_that_an_edited_twin_names_the_field_and_not_its_value(reported: Path, tmp_path: Path) -> None:
    code, out = checked(reported, edited(reported, tmp_path, "internal.json", '"Planning office"', '"Somebody else"'))
    assert code == 1
    assert "its own SHA-256 does not fit" in out
    assert "identification.requester differs." in out
    assert "Somebody else" not in out
    assert "Planning office" not in out


def test_that_a_twin_with_a_sum_made_to_fit_is_still_not_what_the_project_holds(reported: Path, tmp_path: Path) -> None:
    twin = json.loads((reported / "public.json").read_text(encoding="utf-8"))
    twin.pop("report_sha256")
    twin["rules"]["claim"]["epsilon"] = 0.5
    twin["outputs"].append({"name": "more.csv"})
    (tmp_path / "p.json").write_text(json.dumps({**twin, "report_sha256": digest(twin)}), encoding="utf-8")
    code, out = checked(reported, tmp_path / "p.json")
    assert code == 1
    assert "does not fit" not in out
    assert "rules.claim.epsilon differs." in out
    assert "outputs has 2 entries, the project 1." in out


def test_that_an_edited_page_names_the_section(reported: Path, tmp_path: Path) -> None:
    code, out = checked(reported, edited(reported, tmp_path, "public.html", "A yearly table.", "A daily table."))
    assert code == 1
    assert "The words of “1 Identification” differ." in out
    hidden = edited(reported, tmp_path, "public.html", "default-src 'none'", "default-src *")
    assert "where it shows no words" in checked(reported, hidden)[1]


@pytest.mark.parametrize(
    "drawn", ['<svg data-made="elsewhere" xmlns="', '<svg style="position:fixed;inset:0"></svg><svg xmlns="']
)
def test_that_a_page_with_another_picture_is_not_the_report(reported: Path, tmp_path: Path, drawn: str) -> None:
    """Every word is the same; a picture over the whole page leaves them so, too."""
    path = edited(reported, tmp_path, "public.html", '<svg xmlns="', drawn)
    said = dwb("verify-report", path, "--project", reported / "review.dwb", "--json")
    assert (said.code, said.json["ok"], said.json["identical"]) == (1, False, False)
    assert "byte for byte" in said.json["differences"][0]


def test_that_the_file_the_journal_knows_passes_though_it_would_be_set_otherwise_now(
    reported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.review.publish.printing.Printer.set", lambda *_given: b"set with other fonts")
    said = dwb("verify-report", reported / "public.pdf", "--project", reported / "review.dwb", "--json")
    assert (said.code, said.json["identical"]) == (0, True)
    assert "the exported file, byte for byte (journal entry" in said.json["notes"][0]


def test_that_a_report_out_of_a_bundle_is_recognised(reported: Path, tmp_path: Path) -> None:
    project = tmp_path / "review.dwb"
    project.write_bytes((reported / "review.dwb").read_bytes())
    assert dwb("bundle", project, "R-0001", "-o", tmp_path / "b.zip").code == 0
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        archive.extract("R-0001-report.html", tmp_path)
    said = dwb("verify-report", tmp_path / "R-0001-report.html", "--project", project)
    assert (said.code, "the exported file, byte for byte" in said.out) == (0, True)


def test_that_a_pdf_with_other_words_differs_by_page(reported: Path, tmp_path: Path) -> None:
    workspace = Workspace(open_project(reported / "review.dwb", read_only=True))
    report = workspace.report("R-0001")
    assert "exactly" in report.public_statement
    other = report.public_statement.replace("exactly", "roughly")  # as long, so that no section moves to another page
    report = replace(report, public_statement=other)
    workspace.close()
    (tmp_path / "other.pdf").write_bytes(to_pdf(report, Audience.PUBLIC))
    code, out = checked(reported, tmp_path / "other.pdf")
    assert code == 1
    assert "The SHA-256 in the report is not that of the report as the project gives it." in out
    assert "differ." in out
    assert "“page 1” differ" not in out


def test_that_a_report_of_another_project_is_not_taken_for_this_one(reported: Path, tmp_path: Path) -> None:
    twin = json.loads((reported / "internal.json").read_text(encoding="utf-8"))
    twin["journal_entry"] = 999
    (tmp_path / "i.json").write_text(json.dumps(twin), encoding="utf-8")
    assert "cites an entry of the journal that the project does not have" in checked(reported, tmp_path / "i.json")[1]
    twin["identification"]["release_id"] = "R-0077"
    (tmp_path / "i.json").write_text(json.dumps(twin), encoding="utf-8")
    one_sentence(dwb("verify-report", tmp_path / "i.json", "--project", reported / "review.dwb"), "no release")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'{"schema": 1',
        b"<html></html>",
        b"%PDF-1.7 broken",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"a":' * 9_999,
    ],
)
def test_that_what_is_no_report_is_said_to_be_none(reported: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    one_sentence(dwb("verify-report", tmp_path / "x", "--project", reported / "review.dwb"), "report")


def test_that_files_that_are_not_there_are_said(reported: Path, tmp_path: Path) -> None:
    one_sentence(dwb("verify-report", tmp_path / "none.pdf", "--project", reported / "review.dwb"), "no such file")
    one_sentence(dwb("verify-report", tmp_path, "--project", reported / "review.dwb"), "cannot be read")
    assert dwb("verify-report", reported / "public.pdf", "--project", tmp_path / "no.dwb").code == 2


def test_that_signatures_are_listed_inside_the_house_and_not_outside(tmp_path: Path) -> None:
    plan = write_small(tmp_path / "signed")
    project = tmp_path / "signed" / "review.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    rita = signer("Rita")
    workspace = Workspace(open_project(project, person="Rita"))
    workspace.project.sign_as(rita)
    workspace.decide("R-0001", decision="approve", reviewer="Rita", comment="Fine.")
    report = workspace.report("R-0001")
    workspace.close()
    assert [each.reviewer for each in report.signatures] == ["Rita"]
    assert report.signatures[0].signed.startswith("Approved, ")
    assert report.signatures[0].fingerprint
    assert report.signatures[0].verdict.startswith("The signature ")
    assert for_audience(report, Audience.PUBLIC).signatures == ()
