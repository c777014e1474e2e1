"""Verify a report: is it what the project holds, word for word, and what differs where it is not.

The report is made again from the project and compared: a twin field by field, a page and a PDF by their visible words.
An internal report cites the journal; it is made again as of the entry it cites, so that what was done since does not
count against it. Differences are named by place, never by value: they may be confidential.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.files import require_regular
from workbench.core.findings import Audience
from workbench.core.plain import digest, plain
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import agreeing
from workbench.project.store import Project
from workbench.report.audience import for_audience
from workbench.report.model import ApprovalReport
from workbench.report.render import Format
from workbench.report.stamp import Stamp, read_html, read_pdf, read_twin, stamp_of
from workbench.review.publish.report_facts import report_of
from workbench.review.workspace import Workspace

_MOST_DIFFERENCES = 20
_LARGEST = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a check of a report found. `identical`: a file that was exported, or would be now, byte for byte.

    Nothing less passes: a picture laid over a page, or a changed curve, leaves every word as it was.
    """

    release_id: str
    audience: str
    format: str
    sha256: str  # as the report states it
    expected_sha256: str  # of the report as the project gives it
    identical: bool
    differences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.differences


def verify_report(path: Path, workspace: Workspace, context: Context = QUIET) -> Verified:
    """Compare a report file with the open project."""
    workspace.project.refuse_unless_intact()
    content = _content(path)
    kind = _format(content)
    stamp, twin = _stamp(content, kind, path)
    review = workspace.open_release(stamp.release_id)
    report = report_of(workspace.project, review, journal_entry=stamp.journal_entry)
    again = workspace.printer.set(report, stamp.audience, kind, context)
    expected = stamp_of(report, stamp.audience)
    entry = _exported_by(workspace.project, stamp.release_id, content)
    found: list[str] = list(_history(workspace.project, stamp))
    if content != again and not entry:
        found += _differences(content, again, kind=kind, stated=stamp, expected=expected, twin=twin, report=report)
    return Verified(
        release_id=stamp.release_id,
        audience=stamp.audience.value,
        format=kind.value,
        sha256=stamp.sha256,
        expected_sha256=expected.sha256,
        identical=content == again or entry > 0,
        differences=tuple(found[:_MOST_DIFFERENCES]),
        notes=(f"This is the exported file, byte for byte (journal entry {entry}).",) if entry else (),
    )


def _exported_by(project: Project, release_id: str, content: bytes) -> int:
    """The journal entry that noted this very file; 0 where none did."""
    sum_of = hashlib.sha256(content).hexdigest()
    found = [each.entry for each in project.exports(release_id) if sum_of in each.files.values()]
    return found[-1] if found else 0


def _content(path: Path) -> bytes:
    require_regular(path, "a report", most=_LARGEST)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UserProblem("There is no such file, expected a report", str(path), "Check the path") from None
    except OSError:
        raise UserProblem("The file cannot be read", str(path), "Choose a report: JSON, HTML or PDF") from None


def _format(content: bytes) -> Format:
    start = content[:1024].lstrip(b"\xef\xbb\xbf \r\n\t")
    if start.startswith(b"%PDF"):
        return Format.PDF
    return Format.JSON if start.startswith(b"{") else Format.HTML


def _stamp(content: bytes, kind: Format, path: Path) -> tuple[Stamp, dict[str, Any]]:
    if kind is Format.PDF:
        return read_pdf(content, str(path)), {}
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserProblem("This is not an approval report", str(path), "Give a report: JSON, HTML or PDF") from None
    return read_twin(text, str(path)) if kind is Format.JSON else (read_html(text, str(path)), {})


def _history(project: Project, stamp: Stamp) -> Iterator[str]:
    if stamp.audience is Audience.INTERNAL and stamp.journal_entry not in {each.seq for each in project.journal()}:
        yield "The report cites an entry of the journal that the project does not have."


def _differences(
    content: bytes,
    again: bytes,
    *,
    kind: Format,
    stated: Stamp,
    expected: Stamp,
    twin: dict[str, Any],
    report: ApprovalReport,
) -> Iterator[str]:
    """Where the report and the project part, most telling first."""
    yield "This is not a file that was exported from this project, byte for byte."
    if kind is Format.JSON:
        if digest(twin) != stated.sha256:
            yield "The report was changed after it was written: its own SHA-256 does not fit."
        yield from _fields(twin, plain(for_audience(report, stated.audience)), "")
        return
    words = _page_words if kind is Format.HTML else _pdf_words
    places = list(_changed_places(words(content), words(again)))
    if stated.sha256 != expected.sha256:
        yield "The SHA-256 in the report is not that of the report as the project gives it."
    yield from places
    if kind is Format.HTML and not places and _without_drawings(content) != _without_drawings(again):
        yield "The page was changed where it shows no words."


def _fields(one: Any, other: Any, path: str) -> Iterator[str]:
    """The names of fields that differ, down to the smallest."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys((*one, *other)):
            here = f"{path}.{name}" if path else str(name)
            if name not in one or name not in other:
                yield f"{here[:120]} is {'missing' if name not in one else 'not known to the project'}."
            else:
                yield from _fields(one[name], other[name], here)
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{path} has {len(one)} {agreeing(len(one), 'entry', 'entries')}, the project {len(other)}."
        for place, (mine, theirs) in enumerate(zip(one, other, strict=False), start=1):
            yield from _fields(mine, theirs, f"{path} {place}")
    elif one != other or type(one) is not type(other):
        yield f"{path} differs."


def _changed_places(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> Iterator[str]:
    """The sections in which words differ. Words are (section, text) pairs."""
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    sections = [
        section
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
        for section, _ in (*one[a:b], *other[c:d])
    ]
    for section in dict.fromkeys(sections):
        yield f"The words of “{section}” differ."


class _Words(HTMLParser):
    """The visible words of a page, each with the heading it stands under."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str]] = []
        self._section = "the first page"
        self._heading: list[str] | None = None
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._hidden += tag in ("head", "style", "script")
        if tag == "h2":
            self._heading = []

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("head", "style", "script")
        if tag == "h2" and self._heading is not None:
            self._section, self._heading = " ".join(self._heading), None

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if not text or self._hidden > 0:
            return
        if self._heading is not None:
            self._heading.append(text)
        self.found.append((self._section, text))


def _page_words(content: bytes) -> list[tuple[str, str]]:
    reader = _Words()
    reader.feed(content.decode("utf-8", "replace"))
    reader.close()
    return reader.found


def _pdf_words(content: bytes) -> list[tuple[str, str]]:
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    try:
        found = []
        for number in range(len(document)):
            page = document[number]
            text = page.get_textpage()
            found += [(f"page {number + 1}", line) for line in text.get_text_bounded().split()]
            text.close()
            page.close()
        return found
    finally:
        document.close()


def _without_drawings(content: bytes) -> bytes:
    """Drawings depend on the version of the drawing library; what they show is in the twin's SHA-256."""
    return re.sub(rb"<svg .*?</svg>", b"", content, flags=re.DOTALL)
