"""The stamp of a report: which release, for whom, and the SHA-256 of its twin, for people and programs alike.

The SHA-256 is taken of the report's canonical JSON (sorted keys, no spaces, UTF-8), so that it says the same of the
HTML page, the PDF and the twin. It shows a slip or an edit; whoever can rewrite a report can rewrite its stamp, which
is why `dwb verify-report` compares with the project.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import unescape
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.findings import Audience
from workbench.core.plain import digest
from workbench.report.audience import for_audience
from workbench.report.model import SCHEMA, ApprovalReport

DIGEST_KEY = "report_sha256"
_META = re.compile(r'<meta name="dwb\.(\w+)" content="([^"]*)" />')


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    release_id: str
    audience: Audience
    sha256: str
    journal_entry: int | None = None

    def meta(self) -> tuple[tuple[str, str], ...]:
        """As names and texts, for the head of the page and the properties of the PDF."""
        entry = () if self.journal_entry is None else (("journal", str(self.journal_entry)),)
        return (
            ("schema", SCHEMA),
            ("release", self.release_id),
            ("audience", self.audience.value),
            ("sha256", self.sha256),
            *entry,
        )


def stamp_of(report: ApprovalReport, audience: Audience) -> Stamp:
    fit = for_audience(report, audience)
    return Stamp(
        release_id=fit.identification.release_id,
        audience=audience,
        sha256=digest(fit),
        journal_entry=fit.journal_entry,
    )


def read_html(page: str, where: str) -> Stamp:
    """The stamp in the head of a page; only there, so that no value can pretend to be one."""
    head = page.partition("</head>")[0]
    return _stamp({name: unescape(value) for name, value in _META.findall(head)}, where)


def read_pdf(content: bytes, where: str) -> Stamp:
    """The stamp among the properties of a PDF."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError:
        raise _no_report(where) from None
    try:
        names = ("schema", "release", "audience", "sha256", "journal")
        found = {name: document.get_metadata_value(f"dwb{name}") for name in names}  # WeasyPrint drops the dot
    finally:
        document.close()
    return _stamp({name: value for name, value in found.items() if value}, where)


def read_twin(text: str, where: str) -> tuple[Stamp, dict[str, Any]]:
    """The stamp of a JSON twin, and the twin without it."""
    try:
        twin = json.loads(text)
        stated = str(twin.pop(DIGEST_KEY, ""))
        facts = {
            "schema": twin["schema"],
            "release": str(twin["identification"]["release_id"]),
            "audience": str(twin["audience"]),
            "sha256": stated,
        }
        entry = twin.get("journal_entry")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _no_report(where) from None
    return _stamp({**facts, **({} if entry is None else {"journal": str(entry)})}, where), twin


def _stamp(facts: dict[str, str], where: str) -> Stamp:
    if facts.get("schema") != SCHEMA or not facts.get("release"):
        raise _no_report(where)
    entry = facts.get("journal", "")
    try:
        audience = Audience(facts.get("audience", ""))
    except ValueError:
        raise _no_report(where) from None
    return Stamp(
        release_id=facts["release"],
        audience=audience,
        sha256=facts.get("sha256", ""),
        journal_entry=int(entry) if entry.isdecimal() and len(entry) < 12 else None,
    )


def _no_report(where: str) -> UserProblem:
    return UserProblem(
        "This is not an approval report that this program can check", where, "Give a report it wrote: JSON, HTML or PDF"
    )
