"""Nothing but what is named as public reaches a public report, in any of its three formats."""

from __future__ import annotations

import io
import re
from decimal import Decimal

import pytest

from tests.report.leaves import Leaf, change_leaves
from tests.report.sample import sample_report
from workbench.core.errors import Defect
from workbench.core.findings import Audience
from workbench.report.audience import for_audience
from workbench.report.model import ApprovalReport
from workbench.report.render import to_html, to_json, to_pdf

# the whole of what may be public; a field that is added to the model is internal until it is named here as well
PUBLIC = re.compile(
    r"""
    identification\.(release_id|title|date|purpose|authority|contact) | public_statement
    | release_type\.\w+ | outputs\.\w+
    | data\.(title|period|unit_of_protection|smallest_geography|overlapping_files)
    | rules\.(claim(\.parts)?\.\w+|mechanism_\w+|neighbours|allocation|invariants|post_processing|tool_versions|draws)
    | rules\.parameters\[public\]\.\w+ | references
    | (data|risk|utility)_findings\[public\]\..+
    | ledger\.((epsilon|delta)_(before|after|limit)|definition) | signatures\.(signed|fingerprint|verdict|public_name)
    | exceptions\.public_text | decisions\.(decision|when|role|public_name|public_comment|signed)
    """,
    re.VERBOSE,
)


class Marked:
    """A report in which every leaf is unlike every other, and the list of what was put where."""

    def __init__(self) -> None:
        self.forms: dict[str, tuple[str, ...]] = {}  # how the leaf may look -> found by any of these texts
        self.paths: dict[str, str] = {}
        self.report: ApprovalReport = change_leaves(sample_report(), self._mark)

    def _mark(self, path: str, leaf: Leaf) -> Leaf:
        if ".outlined" in path:  # where a cell is, not what it holds
            return leaf
        number = len(self.paths) + 1
        key = f"{path} #{number}"
        self.paths[key] = path
        if isinstance(leaf, str):
            made = f"Q{number:05d}Z"
            self.forms[key] = (made,)
            return made
        whole = 31_400_000 + number
        self.forms[key] = (str(whole), f"{whole:,}")
        return Decimal(whole) if isinstance(leaf, Decimal) else type(leaf)(whole)

    def found_in(self, text: str) -> set[str]:
        return {self.paths[key] for key, forms in self.forms.items() if any(form in text for form in forms)}


@pytest.fixture(scope="module")
def marked() -> Marked:
    return Marked()


def pdf_text(content: bytes) -> str:
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


@pytest.mark.parametrize("way", ["html", "json", "pdf"])
def test_that_a_public_report_holds_nothing_but_what_is_named_as_public(marked: Marked, way: str) -> None:
    ways = {
        "html": lambda: to_html(marked.report, Audience.PUBLIC),
        "json": lambda: to_json(marked.report, Audience.PUBLIC),
        "pdf": lambda: (content := to_pdf(marked.report, Audience.PUBLIC)).decode("latin-1") + pdf_text(content),
    }
    found = marked.found_in(ways[way]())
    assert {path for path in found if not PUBLIC.fullmatch(path)} == set()
    assert "rules.claim.sentence" in found, "the search itself must be able to find something"


def test_that_the_public_twin_holds_all_that_is_named_as_public(marked: Marked) -> None:
    everything = {path for path in marked.paths.values() if PUBLIC.fullmatch(path)}
    assert everything - marked.found_in(to_json(marked.report, Audience.PUBLIC)) == set()


def test_that_the_internal_report_shows_what_the_reviewer_signs(marked: Marked) -> None:
    """All of it but what only the twin has: values and addresses of findings, coordinates of figures."""
    shown = marked.found_in(to_html(marked.report, Audience.INTERNAL))
    twin_only = re.compile(
        r"schema|(gates|.*_findings)\[\w+\]\.(id|stage|source|loss\..*|values\..*|figures\..*)"
        r"|identification\.date|(decisions|signatures)\.public_name|ledger\.entries\.delta"
    )
    assert {path for path in marked.paths.values() if path not in shown and not twin_only.fullmatch(path)} == set()
    assert set(marked.paths.values()) - marked.found_in(to_json(marked.report, Audience.INTERNAL)) == set()


def test_that_true_counts_are_public_only_where_somebody_said_so() -> None:
    import dataclasses

    report = sample_report()
    assert for_audience(report, Audience.PUBLIC).data.records is None
    flagged = dataclasses.replace(report, data=dataclasses.replace(report.data, counts_are_public=True))
    assert for_audience(flagged, Audience.PUBLIC).data.records == report.data.records


def test_that_a_reviewer_without_a_public_name_is_numbered() -> None:
    public = for_audience(sample_report(), Audience.PUBLIC)
    assert [each.reviewer for each in public.decisions] == ["Reviewer 1", "Reviewer 1", "Dr B. Second"]
    assert not any(each.comment for each in public.decisions)


def test_that_a_public_report_cannot_be_shown_as_internal() -> None:
    public = for_audience(sample_report(), Audience.PUBLIC)
    assert for_audience(public, Audience.PUBLIC) == public
    with pytest.raises(Defect):
        for_audience(public, Audience.INTERNAL)
