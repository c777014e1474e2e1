"""The PDF: marks and numbers on every page, contents that are right, the same bytes for the same report."""

from __future__ import annotations

import builtins
import dataclasses
import gc
import io
import re
from typing import Any

import pytest

from tests.gallery import point_map
from tests.report.sample import sample_report
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience, Table
from workbench.report.model import ApprovalReport
from workbench.report.render import INTERNAL_MARK, to_pdf


def pages_of(content: bytes) -> list[str]:
    from pypdf import PdfReader

    return [re.sub(r"\s+", " ", page.extract_text()) for page in PdfReader(io.BytesIO(content)).pages]


def without_evidence(report: ApprovalReport) -> ApprovalReport:
    """The same report with nothing to draw, for what does not depend on it."""
    return dataclasses.replace(report, data_findings=(), risk_findings=(), utility_findings=())


@pytest.fixture(scope="module")
def internal() -> bytes:
    return to_pdf(sample_report(), Audience.INTERNAL)


def test_that_every_internal_page_is_marked_and_numbered(internal: bytes) -> None:
    pages = pages_of(internal)
    assert len(pages) > 3
    for place, text in enumerate(pages, start=1):
        assert INTERNAL_MARK in text
        assert f"page {place} of {len(pages)}" in text
        assert "Release R-2026-0007" in text


def test_that_no_public_page_is_marked_internal() -> None:
    content = to_pdf(sample_report(), Audience.PUBLIC)
    pages = pages_of(content)
    assert pages
    for text in pages:
        assert "INTERNAL" not in text
        assert "Public edition" in text


def test_that_the_contents_name_the_pages_where_sections_begin(internal: bytes) -> None:
    pages = pages_of(internal)
    for section in ("8 Risk evidence", "2 Decision", "12 Fingerprints"):
        named = re.search(rf"{section}[ .]+(\d+)", pages[0])
        assert named is not None
        assert section in pages[int(named[1]) - 1]


def test_that_the_pdf_is_tagged_titled_and_dated_by_the_report(internal: bytes) -> None:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(internal))
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert reader.metadata is not None
    assert "Employment by place" in str(reader.metadata.title)
    assert "20261116" in str(reader.metadata["/CreationDate"])
    assert len(reader.outline) > 0


def test_that_the_same_report_gives_the_same_bytes(internal: bytes) -> None:
    assert to_pdf(sample_report(), Audience.INTERNAL) == internal


def test_that_figures_stay_searchable(internal: bytes) -> None:
    assert "Largest establishment's share of the cell (%)" in " ".join(pages_of(internal))


def test_that_a_cloud_drawn_as_a_picture_is_in_the_pdf() -> None:
    from pypdf import PdfReader

    report = sample_report()
    finding = dataclasses.replace(report.risk_findings[0], figures=(point_map(6_000),))
    content = to_pdf(dataclasses.replace(without_evidence(report), risk_findings=(finding,)), Audience.INTERNAL)
    pictures = {image.data for page in PdfReader(io.BytesIO(content)).pages for image in page.images}
    assert len(pictures) == 2, "the points and the colour bar"


def test_that_a_value_cannot_make_the_pdf_fetch_anything(caplog: pytest.LogCaptureFixture) -> None:
    report = sample_report()
    title = '"><img src="file:///etc/hostname" /><link rel="stylesheet" href="http://127.0.0.1:9/x.css" />'
    changed = dataclasses.replace(
        without_evidence(report), identification=dataclasses.replace(report.identification, title=title)
    )
    assert "img src" in pages_of(to_pdf(changed, Audience.PUBLIC))[0]
    assert not [record for record in caplog.records if "fetch" in record.getMessage().lower()]


def test_that_a_missing_text_library_is_named_with_the_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_pango(name: str, *rest: Any, **more: Any) -> Any:
        if name == "weasyprint":
            raise OSError("cannot load library 'libpango-1.0-0'")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_pango)
    with pytest.raises(UserProblem, match=r"Pango is missing.*libpango-1\.0-0.*export HTML and print"):
        to_pdf(sample_report(), Audience.PUBLIC)


def test_that_the_collector_works_again_once_a_pdf_is_set_or_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    import weasyprint

    seen: list[bool] = []

    def fails(*_: Any, **__: Any) -> bytes:
        seen.append(gc.isenabled())
        raise MemoryError

    monkeypatch.setattr(weasyprint.HTML, "write_pdf", fails)
    for before in (True, False):
        (gc.enable if before else gc.disable)()
        try:
            with pytest.raises(MemoryError):
                to_pdf(without_evidence(sample_report()), Audience.PUBLIC)
            assert gc.isenabled() is before
        finally:
            gc.enable()
    assert seen == [False, False]


def test_that_a_table_too_wide_for_the_page_is_turned(internal: bytes) -> None:
    from pypdf import PdfReader

    wide = Table(title="Wide", columns=tuple(f"column {k}" for k in range(12)), rows=((1_234_567,) * 12,) * 3)
    report = sample_report()
    finding = dataclasses.replace(report.utility_findings[0], tables=(wide,), figures=())
    content = to_pdf(dataclasses.replace(without_evidence(report), utility_findings=(finding,)), Audience.INTERNAL)
    turned = [page for page in PdfReader(io.BytesIO(content)).pages if page.mediabox.width > page.mediabox.height]
    assert len(turned) == 1
    assert "column 11" in turned[0].extract_text()
    assert INTERNAL_MARK in turned[0].extract_text()
    assert all(page.mediabox.width < page.mediabox.height for page in PdfReader(io.BytesIO(internal)).pages)
