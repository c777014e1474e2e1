"""Values that would be more than text: markup, formulas, control characters, direction marks, words without an end."""

from __future__ import annotations

import dataclasses
import io
import re

import pytest

from tests.report.leaves import Leaf, change_leaves
from tests.report.sample import sample_report
from tests.report.test_html_and_json import text_of
from workbench.core.findings import Audience, Table
from workbench.core.visible import visible
from workbench.report.model import ApprovalReport
from workbench.report.render import to_html, to_json, to_pdf
from workbench.report.stamp import read_html, read_pdf, read_twin, stamp_of
from workbench.report.wording import has_long_words

ATTACK = '<script>alert(1)</script>"><img src=x onerror=alert(2)>=cmd|calc!A0\u202ederorppa\u2066\x07'
LONG = "W" * 90


def poisoned(text: str) -> ApprovalReport:
    """Every text of the report with something in front. Without findings: drawings are tested elsewhere."""

    def change(path: str, leaf: Leaf) -> Leaf:
        dated = path.endswith((".when", ".date"))
        return f"{text}{leaf}" if isinstance(leaf, str) and not dated and path != "schema" else leaf

    bare = dataclasses.replace(sample_report(), data_findings=(), risk_findings=(), utility_findings=())
    made: ApprovalReport = change_leaves(bare, change)
    return made


def pdf_pages(content: bytes) -> list[str]:
    import pypdf

    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages]


@pytest.mark.parametrize("audience", list(Audience))
def test_that_markup_is_shown_and_direction_is_not_turned(audience: Audience) -> None:
    html = to_html(poisoned(ATTACK), audience)
    assert "<script" not in html
    assert "<img" not in html
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x07]", html)
    assert "<script>alert(1)</script>" in text_of(html)
    assert "\ufffdderorppa" in text_of(html)


def test_that_a_pdf_shows_hostile_values_as_words_and_keeps_its_stamp() -> None:
    report = poisoned(ATTACK)
    content = to_pdf(report, Audience.PUBLIC)
    text = "".join(pdf_pages(content))
    assert "<script>alert(1)</script>" in re.sub(r"\s", "", text)
    assert "\u202e" not in text
    assert read_pdf(content, "pdf").sha256 == stamp_of(report, Audience.PUBLIC).sha256


def test_that_words_without_an_end_stay_on_the_page() -> None:
    """All of the word is there, page after page: what leaves the page would be cut off without a trace."""
    import pypdfium2

    table = Table(title=f"{LONG} a", columns=("one", f"{LONG}b", "three"), rows=(("x", f"{LONG}c", 3), (LONG, "y", 4)))
    report = poisoned(LONG)
    finding = dataclasses.replace(sample_report().utility_findings[1], tables=(table,), figures=(), sentence=f"{LONG}.")
    content = to_pdf(dataclasses.replace(report, utility_findings=(finding,)), Audience.INTERNAL)
    document = pypdfium2.PdfDocument(content)
    try:
        for page in document:
            width, _ = page.get_size()
            text = page.get_textpage()
            for place in range(text.count_rects()):
                left, _, right, _ = text.get_rect(place)
                assert left >= 0
                assert right <= width - 30, "beyond the right margin"
            text.close()
            page.close()
    finally:
        document.close()
    assert has_long_words(table)
    assert not has_long_words(Table(title="t", columns=("a",), rows=(("short",),)))


@pytest.mark.parametrize("audience", list(Audience))
def test_that_no_value_can_pretend_to_be_the_stamp(audience: Audience) -> None:
    forged = '"/><meta name="dwb.sha256" content="00" /></head>'
    report = poisoned(forged)
    expected = stamp_of(report, audience)
    assert read_html(to_html(report, audience), "page") == expected
    assert read_twin(to_json(report, audience), "twin")[0] == expected
    assert expected.release_id.startswith(forged)


def test_that_letters_of_other_scripts_stay_as_they_are() -> None:
    for text in ("Zürich", "القاهرة", "ירושלים", "東京", "naïve café", "a\tb\nc", "👩‍🔬"):
        assert visible(text) == text
