"""Who sets reports: this program itself, or a process beside it, so that the window never waits for a page."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.background.elsewhere import Elsewhere, Lost
from workbench.core.findings import Audience
from workbench.core.progress import Context, Part
from workbench.report.model import ApprovalReport
from workbench.report.preview import PageImage, page_images
from workbench.report.render import Format, to_bytes

_LIBRARIES = ("jinja2", "matplotlib.backends.backend_svg", "matplotlib.layout_engine", "weasyprint", "pypdfium2")


class Printer:
    """Sets reports right here: for a command that has nothing else to do meanwhile."""

    def set(self, report: ApprovalReport, audience: Audience, kind: Format, context: Context) -> bytes:
        """The report as the bytes of a file."""
        context.step(0.0, f"Preparing the {audience.value} report as {kind.value.upper()}")
        return to_bytes(report, audience, kind)

    def pages(self, report: ApprovalReport, audience: Audience, width: int, context: Context) -> tuple[PageImage, ...]:
        """The pages of the report as pictures."""
        return tuple(_pages(context, report, audience, width))


class PrinterAside(Printer):
    """Sets reports in a process of its own; here where that process cannot be had."""

    def __init__(self) -> None:
        self._elsewhere = Elsewhere(_LIBRARIES)

    def start(self) -> None:
        """Have the process ready before the first report is asked for. Where it cannot be had, nothing is lost yet."""
        try:
            self._elsewhere.start()
        except Lost:
            return

    def stop(self) -> None:
        self._elsewhere.stop()

    def set(self, report: ApprovalReport, audience: Audience, kind: Format, context: Context) -> bytes:
        sentence = f"Preparing the {audience.value} report as {kind.value.upper()}"
        try:
            (made,) = self._elsewhere.call(_set, report, audience, kind, context=context, sentence=sentence)
        except Lost:
            return super().set(report, audience, kind, context)
        return bytes(made)

    def pages(self, report: ApprovalReport, audience: Audience, width: int, context: Context) -> tuple[PageImage, ...]:
        try:
            made = self._elsewhere.call(_pages, report, audience, width, context=context, sentence="Preparing report")
        except Lost:
            return super().pages(report, audience, width, context)
        return tuple(made)


def _set(context: Context, report: ApprovalReport, audience: Audience, kind: Format) -> Iterator[bytes]:
    del context  # WeasyPrint tells nothing on the way
    yield to_bytes(report, audience, kind)


def _pages(context: Context, report: ApprovalReport, audience: Audience, width: int) -> Iterator[PageImage]:
    context.step(0.1, "Preparing the report")
    pdf = to_bytes(report, audience, Format.PDF)
    yield from page_images(pdf, width=width, context=Part(context, 0.8, 1.0))
