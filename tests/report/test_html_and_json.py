"""The page is well formed and self-contained, shows values as text, and has an exact twin."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as ET
from decimal import Decimal

import pytest

from tests.report.leaves import Leaf, change_leaves
from tests.report.sample import sample_report
from workbench.core.claims import Definition
from workbench.core.findings import Audience
from workbench.core.restore import restore
from workbench.core.states import ReleaseState
from workbench.report.audience import for_audience
from workbench.report.model import ApprovalReport
from workbench.report.render import to_html, to_json

SECTIONS = (
    "Identification", "Decision", "Exceptions", "Release type", "Data", "Outputs", "Rules and parameters",
    "Risk evidence", "Utility evidence", "Public statement", "Terms and references", "Fingerprints",
)  # fmt: skip


def text_of(html: str) -> str:
    """What a reader sees, taken from a strict parse."""
    page = ET.fromstring(html)
    body = next(element for element in page.iter() if element.tag.endswith("}body"))
    return re.sub(r"\s+", " ", " ".join(body.itertext()))


@pytest.mark.parametrize("audience", list(Audience))
def test_that_the_page_is_well_formed_and_has_every_section(audience: Audience) -> None:
    text = text_of(to_html(sample_report(), audience))
    for place, title in enumerate(SECTIONS, start=1):
        assert f" {place} {title}" in text


def test_that_the_page_needs_nothing_from_elsewhere() -> None:
    html = to_html(sample_report(), Audience.INTERNAL)
    assert not re.search(r"<(link|script|img|iframe|object|embed)\b", html)
    assert not re.search(r"url\(\s*['\"]?(?!#)", html)
    assert set(re.findall(r'href="([^"#]*)', html)) == {""}


def test_that_every_value_is_shown_as_text() -> None:
    attack = "</p></style><script>alert(1)</script><!-- {{ 7 * 191 }} {% raw %} &amp; \" ' $x$ \x1b\x00"

    def poison(path: str, leaf: Leaf) -> Leaf:
        return f"{attack}{leaf}" if isinstance(leaf, str) else leaf

    for audience in Audience:
        html = to_html(change_leaves(sample_report(), poison), audience)
        assert "<script" not in html
        assert "1337" not in html
        text = text_of(html)
        assert text.count("<script>alert(1)</script><!-- {{ 7 * 191 }} {% raw %} &amp; \" ' $x$ ��") > 40


def test_that_the_twin_becomes_the_report_again() -> None:
    for audience in Audience:
        twin = json.loads(to_json(sample_report(), audience))
        assert restore(ApprovalReport, twin) == for_audience(sample_report(), audience)


def test_that_a_restored_report_gives_the_same_page() -> None:
    again = restore(ApprovalReport, json.loads(to_json(sample_report(), Audience.INTERNAL)))
    assert to_html(again, Audience.INTERNAL) == to_html(sample_report(), Audience.INTERNAL)


def test_that_each_status_has_an_icon_and_a_word_and_each_finding_its_limits() -> None:
    report = sample_report()
    text = text_of(to_html(report, Audience.INTERNAL))
    for shown in ("✓ Pass", "! Warning", "✗ Fails", "i Information"):
        assert shown in text
    for finding in (*report.data_findings, *report.risk_findings, *report.utility_findings):
        assert finding.does_not_prove in text
    for gate in report.gates:
        assert gate.title in text and gate.sentence in text


def test_that_the_first_page_says_who_decided_and_what_the_program_had_checked() -> None:
    summary = text_of(to_html(sample_report(), Audience.INTERNAL)).partition("Contents")[0]
    for shown in ("Approved by B. Second, 16 November 2026", "1 fails, 1 passes"):
        assert shown in summary
    public = text_of(to_html(sample_report(), Audience.PUBLIC))
    assert "Approved by Dr B. Second" in public.partition("Contents")[0]
    assert "Machine checks" not in public and "D. Drawer" not in public


def test_that_a_report_explains_the_terms_it_uses_and_no_others() -> None:
    text = text_of(to_html(sample_report(), Audience.INTERNAL)).rpartition("Terms and references")[2]
    assert "Cell one combination of the values" in text
    assert "Support point" not in text


def test_that_a_table_is_shown_with_its_first_rows_and_what_its_users_should_know() -> None:
    text = text_of(to_html(sample_report(), Audience.PUBLIC))
    assert "Alderbank Retail public -3" in text
    assert "1,204 of 7,128 values of jobs are negative." in text


def test_that_a_release_that_is_not_approved_says_so_first() -> None:
    for state in ReleaseState:
        text = text_of(to_html(dataclasses.replace(sample_report(), state=state), Audience.PUBLIC))
        assert ("Not approved." in text) == (state is not ReleaseState.APPROVED)


def test_that_a_claim_without_proof_is_never_called_a_guarantee_in_the_summary() -> None:
    report = sample_report()
    claim = dataclasses.replace(report.rules.claim, formal=False, definition=Definition.CONDITIONAL)
    changed = dataclasses.replace(report, rules=dataclasses.replace(report.rules, claim=claim))
    assert "No proved guarantee." in text_of(to_html(changed, Audience.PUBLIC))


def test_that_a_bare_draft_can_be_shown_too() -> None:
    report = sample_report()
    claim = dataclasses.replace(report.rules.claim, delta=Decimal("0.000001"), alpha=Decimal("0.1"))
    bare = ApprovalReport(
        identification=report.identification, state=ReleaseState.DRAFT, release_type=report.release_type,
        data=report.data,
        rules=dataclasses.replace(report.rules, claim=claim, parameters=(), tool_versions=()),
    )  # fmt: skip
    text = text_of(to_html(bare, Audience.INTERNAL))
    assert "δ = 0.000001" in text
    assert "α = 0.1" in text
    for words in ("No audit is on record.", "No decision is on record.", "No table has been produced yet."):
        assert words in text
