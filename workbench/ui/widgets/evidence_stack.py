"""EvidenceStack: the chosen finding in full, or an exploration in its place. One of them per page that has findings."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget

from workbench.core.findings import Finding
from workbench.review.plan.settings import settings_of
from workbench.review.run.explore import Offer
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.widgets.exploration_panel import ExplorationPanel, Offers
from workbench.ui.widgets.finding_detail import FindingDetail


class EvidenceStack(QStackedWidget):
    """`offers` belongs beneath the page's list of findings; `show_finding` comes back from an exploration."""

    def __init__(self, jobs: Jobs, editor: Editor, stage: str) -> None:
        super().__init__()
        self.detail, self.closer = FindingDetail(), ExplorationPanel(jobs, editor, stage)
        self.addWidget(self.detail)
        self.addWidget(self.closer)
        self.detail.setting_moved.connect(editor.move_setting)
        self.closer.offers.chosen.connect(self.look_closer)
        self.closer.closed.connect(lambda: self.setCurrentWidget(self.detail))

    @property
    def offers(self) -> Offers:
        return self.closer.offers

    def show_finding(self, finding: Finding | None) -> None:
        self.setCurrentWidget(self.detail)
        self.detail.show_gradually(finding)

    def look_closer(self, offer: Offer) -> None:
        self.setCurrentWidget(self.closer)
        self.closer.look_at(offer)

    def show_session(self, session: ReviewSession) -> None:
        self.detail.set_settings(settings_of(session.plan))
        self.closer.show_session(session)

    def warm(self) -> None:
        self.detail.warm()
