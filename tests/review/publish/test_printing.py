"""A report set in a process of its own is the report set here, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.report.sample import sample_report
from workbench.background.elsewhere import Lost
from workbench.core.findings import Audience
from workbench.core.progress import QUIET
from workbench.report.render import Format
from workbench.review.publish.printing import Printer, PrinterAside


@pytest.fixture(scope="module")
def aside() -> Iterator[PrinterAside]:
    printer = PrinterAside()
    printer.start()
    yield printer
    printer.stop()


@pytest.mark.parametrize("kind", list(Format))
@pytest.mark.parametrize("audience", list(Audience))
def test_that_both_printers_set_the_same_bytes(aside: PrinterAside, audience: Audience, kind: Format) -> None:
    assert aside.set(sample_report(), audience, kind, QUIET) == Printer().set(sample_report(), audience, kind, QUIET)


def test_that_both_printers_draw_the_same_pages(aside: PrinterAside) -> None:
    pages = aside.pages(sample_report(), Audience.INTERNAL, 300, QUIET)
    assert len(pages) > 1
    assert pages == Printer().pages(sample_report(), Audience.INTERNAL, 300, QUIET)


def test_that_sample_report_is_set_here_where_no_process_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_arguments: object, **_named: object) -> None:
        raise Lost

    monkeypatch.setattr("workbench.background.elsewhere.Elsewhere.call", lost)
    made = PrinterAside().set(sample_report(), Audience.INTERNAL, Format.HTML, QUIET)
    assert made == Printer().set(sample_report(), Audience.INTERNAL, Format.HTML, QUIET)
