"""One report, three formats: HTML, the PDF made of that HTML, and the JSON twin."""

from __future__ import annotations

import base64
import gc
import itertools
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from workbench.core.errors import UserProblem
from workbench.core.files import write_bytes
from workbench.core.findings import Audience, Finding, Status
from workbench.core.plain import plain
from workbench.core.resources import resource
from workbench.core.visible import visible
from workbench.report import wording
from workbench.report.audience import for_audience
from workbench.report.model import ApprovalReport, Decision
from workbench.report.stamp import DIGEST_KEY, stamp_of
from workbench.report.terms import terms_in

if TYPE_CHECKING:
    from jinja2 import Environment


class Format(StrEnum):
    HTML = "html"
    PDF = "pdf"
    JSON = "json"


INTERNAL_MARK = "INTERNAL — contains confidential evidence"
_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")


def to_html(report: ApprovalReport, audience: Audience) -> str:
    """The report as one self-contained page: style and figures inline, nothing fetched, every value shown as text."""
    from markupsafe import Markup

    fit = for_audience(report, audience)
    page = _environment().get_template("report.html.jinja")
    return page.render(
        report=fit,
        internal=audience is Audience.INTERNAL,
        internal_mark=INTERNAL_MARK,
        style=Markup(resource("report", "report.css").read_text(encoding="utf-8")),
        everything=(*fit.data_findings, *fit.risk_findings, *fit.utility_findings),
        signers=_last_word_of_each(fit.decisions),
        terms=terms_in(fit),
        stamp=stamp_of(fit, audience),
        figure_number=_numbers(),
        table_number=_numbers(),
    )


def to_pdf(report: ApprovalReport, audience: Audience) -> bytes:
    """The same page on A4, tagged for screen readers, with page numbers, contents and bookmarks."""
    html = to_html(report, audience)
    weasyprint = _weasyprint()
    page = weasyprint.HTML(string=html, url_fetcher=_fetch_own)
    with _nothing_collected():
        made: bytes = page.write_pdf(pdf_tags=True, custom_metadata=True)
    return made


def to_json(report: ApprovalReport, audience: Audience) -> str:
    """The twin for machines; `core.restore` makes the report of it again. Its own SHA-256 stands at its end."""
    fit = for_audience(report, audience)
    twin = {**plain(fit), DIGEST_KEY: stamp_of(fit, audience).sha256}
    return json.dumps(twin, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_bytes(report: ApprovalReport, audience: Audience, format: Format) -> bytes:  # noqa: A002
    """The report in one of its formats, as the bytes of a file."""
    if format is Format.PDF:
        return to_pdf(report, audience)
    made = to_json(report, audience) if format is Format.JSON else to_html(report, audience)
    return made.encode("utf-8")


def write(report: ApprovalReport, audience: Audience, *, format: Format, path: Path) -> None:  # noqa: A002
    """Render first, then put the file in place in one step: a failure leaves nothing half-written."""
    write_bytes(path, to_bytes(report, audience, format))


@cache
def _environment() -> Environment:
    """The templates are compiled once, not for every report."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(resource("report"), encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown_safely,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.tests.update(brief=_is_brief)
    made.filters.update(
        number=wording.number,
        exact=wording.exact,
        left=wording.left,
        cell=wording.cell,
        sentence=wording.sentence,
        day=wording.day,
    )
    made.globals.update(
        status_words=wording.STATUS_WORDS,
        numeric_columns=wording.numeric_columns,
        tally=wording.tally,
        has_long_words=wording.has_long_words,
        needs_width=wording.needs_width,
        figure_rows=_figure_rows,
        legend=_legend,
        svg=_svg,
    )
    return made


def _is_brief(finding: Finding) -> bool:
    """A check that passes and has neither table nor figure: one line says it all."""
    return finding.status is Status.PASS and not finding.tables and not finding.figures


def _shown_safely(value: Any) -> Any:
    """Signs that no document can hold are made visible, and no line ends between a number and its %.

    Markup of our own is left alone.
    """
    return _BEFORE_PERCENT.sub("\u00a0", visible(value)) if type(value) is str else value


def _svg(figure: Any, *, narrow: bool = False) -> Any:
    """Our own drawing is markup; every text inside was escaped when it was drawn."""
    from markupsafe import Markup

    from workbench.report.figures import to_svg

    return Markup(to_svg(figure, narrow=narrow))


def _legend(figure: Any) -> Any:
    from markupsafe import Markup

    from workbench.report.figures import legend_svg

    return Markup(legend_svg(figure))


def _figure_rows(figures: Any) -> Any:
    from workbench.report.figures import rows_of

    return rows_of(figures)


def _last_word_of_each(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """Who signs: every reviewer once, with what they said last."""
    return tuple({each.reviewer: each for each in decisions}.values())


def _numbers() -> Any:
    count = itertools.count(1)
    return lambda: next(count)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Nearly all that is made stays to the last page: walking over it again and again takes a quarter of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _weasyprint() -> Any:
    try:
        import weasyprint
    except OSError as missing:
        raise UserProblem(
            "The PDF cannot be made because the text library Pango is missing",
            do=(
                "Install it (Debian or Ubuntu: sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0 "
                "libharfbuzz-subset0; macOS: brew install pango; Windows: pacman -S mingw-w64-x86_64-pango in MSYS2), "
                "or export HTML and print that from a browser"
            ),
        ) from missing
    # It reports every style of an inline drawing as an unknown CSS property; the drawing is right all the same.
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    return weasyprint


def _fetch_own(url: str, *_: Any, **__: Any) -> Any:
    """The page is self-contained: only pictures inside our own drawings are decoded, in memory.

    Whatever else wants to be fetched came in with a value and is not followed.
    """
    from weasyprint.urls import URLFetcherResponse

    head, _comma, body = url.partition(",")
    if head != "data:image/png;base64":
        raise ValueError(f"a report fetches nothing, asked for {url[:40]}")
    return URLFetcherResponse(url, base64.b64decode(unquote(body)), {"Content-Type": "image/png"})
