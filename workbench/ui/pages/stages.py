"""Which page shows which stage. Imported on first visit, so that the window is there at once."""

from __future__ import annotations

from importlib import import_module

from workbench.review.decide.stages import Stage
from workbench.ui.controller import Controller
from workbench.ui.pages.page import Page

_PAGES = {
    Stage.DATA: ("data_page", "DataPage"),
    Stage.RELEASE: ("release_page", "ReleasePage"),
    Stage.MECHANISM: ("mechanism_page", "MechanismPage"),
    Stage.AUDIT: ("audit_page", "AuditPage"),
    Stage.COMPARE: ("compare_page", "ComparePage"),
    Stage.DECIDE: ("decide_page", "DecidePage"),
    Stage.REPORT: ("report_page", "ReportPage"),
}


PAGE_MODULES = (
    *(f"workbench.ui.pages.{module}" for module, _ in _PAGES.values()),
    "workbench.ui.pages.dashboard_page",
    "workbench.ui.pages.ledger_page",
)


def make_page(stage: Stage, controller: Controller) -> Page:
    module, name = _PAGES[stage]
    made: Page = getattr(import_module(f"workbench.ui.pages.{module}"), name)(controller)
    return made
