"""Which page shows which stage, and the parts it is handed. Imported on first visit: the window is there at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.review.decide.stages import Stage
from workbench.ui.controller import Controller

if TYPE_CHECKING:
    from workbench.ui.pages.page import Page

_NAMES = ("data", "release", "mechanism", "audit", "compare", "decide", "report", "dashboard", "ledger")
PAGE_MODULES = tuple(f"workbench.ui.pages.{name}_page" for name in _NAMES)


def make_page(stage: Stage, controller: Controller) -> Page:
    return _MAKERS[stage](controller)


def _data(parts: Controller) -> Page:
    from workbench.ui.pages.data_page import DataPage

    return DataPage(parts.jobs, parts.editor, parts.run, parts.file, parts.linking, parts.words)


def _release(parts: Controller) -> Page:
    from workbench.ui.pages.release_page import ReleasePage

    return ReleasePage(parts.jobs, parts.editor)


def _mechanism(parts: Controller) -> Page:
    from workbench.ui.pages.mechanism_page import MechanismPage

    return MechanismPage(parts.jobs, parts.editor, parts.run, parts.voices)


def _audit(parts: Controller) -> Page:
    from workbench.ui.pages.audit_page import AuditPage

    return AuditPage(parts.jobs, parts.editor, parts.run, parts.file)


def _compare(parts: Controller) -> Page:
    from workbench.ui.pages.compare_page import ComparePage

    return ComparePage(parts.jobs, parts.editor, parts.run)


def _decide(parts: Controller) -> Page:
    from workbench.ui.pages.decide_page import DecidePage

    return DecidePage(parts.jobs, parts.editor, parts.voices, parts.file)


def _report(parts: Controller) -> Page:
    from workbench.ui.pages.report_page import ReportPage

    return ReportPage(parts.jobs, parts.editor, parts.publishing, parts.questions)


_MAKERS: dict[Stage, Callable[[Controller], Page]] = {
    Stage.DATA: _data,
    Stage.RELEASE: _release,
    Stage.MECHANISM: _mechanism,
    Stage.AUDIT: _audit,
    Stage.COMPARE: _compare,
    Stage.DECIDE: _decide,
    Stage.REPORT: _report,
}
