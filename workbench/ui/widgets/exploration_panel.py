"""ExplorationPanel: the settings of one exploration above, what it shows below. Worked out aside, never stored.

panel = ExplorationPanel(jobs, editor, "audit")
panel.offers.chosen                  Signal(object): the exploration somebody wants to look at
panel.show_session(session)          after every change; asks again only where the question is another one
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.core.errors import UserProblem
from workbench.core.params import fields_of
from workbench.core.progress import Context
from workbench.review.plan.settings import settings_of
from workbench.review.run.explore import Explored, Offer, explorations_at, explore
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.finding_detail import FindingDetail
from workbench.ui.widgets.flow import Flow
from workbench.ui.widgets.forms.params_form import ParamsForm
from workbench.ui.widgets.icons import FittingButton, TextButton

_ANY = ("", "Automatic")
_SETTLED = 250  # ms after an answer, when its figures have their height
_COLUMNS = 2  # with three, fields are cut off in a window of 1280 by 800


class Offers(QWidget):
    """A button for everything the product offers to look at closer; hidden where it offers nothing."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[str, ...] = ()
        self.buttons: dict[str, TextButton] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._column.addWidget(wrapped("Look closer", "label"))
        row = QWidget()
        self._row = Flow(row)
        self._column.addWidget(row)
        self.hide()

    def show_offers(self, offers: tuple[Offer, ...], *, ready: bool) -> None:
        names = tuple(offer.id for offer in offers)
        if names != self._shown:
            self._shown = names
            for old in self.buttons.values():
                old.hide()
                self._row.removeWidget(old)
                old.deleteLater()
            self.buttons = {offer.id: self._button(offer) for offer in offers}
        self.setVisible(bool(offers))
        for offer in offers:
            self.buttons[offer.id].setEnabled(ready)
            self.buttons[offer.id].setToolTip(offer.summary if ready else "Load the data and choose the table first.")

    def _button(self, offer: Offer) -> TextButton:
        button = TextButton(f"{offer.title}…")
        button.clicked.connect(lambda: self.chosen.emit(offer))
        self._row.addWidget(button)
        return button


class ExplorationPanel(QWidget):
    """One exploration at a time."""

    closed = Signal()

    def __init__(self, jobs: Jobs, editor: Editor, stage: str, *, back: str = "Back to the findings") -> None:
        super().__init__()
        self._jobs, self._stage = jobs, stage
        self._offer: Offer | None = None
        self._session: ReviewSession | None = None
        self._asked: object = None
        self._params: Any = None
        self._choices: dict[str, tuple[str, ...]] | None = None
        self.offers = Offers()
        self.form: ParamsForm | None = None
        self.card = Card()
        self.back = FittingButton(back)
        self.back.clicked.connect(self.closed)
        self.card.add_action(self.back)
        self.note = wrapped("", "problem")
        self.sentence = wrapped()
        self.card.add(self.note)
        self.card.add(self.sentence)
        self.detail = FindingDetail(headed=False, above=self.card)
        self.detail.set_nothing("Calculating…", "")
        self.detail.setting_moved.connect(editor.move_setting)
        self.detail.chosen.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.detail, 1)

    def look_at(self, offer: Offer) -> None:
        """Show this exploration with its defaults."""
        if self._offer is None or self._offer.id != offer.id:
            self._offer, self._choices, self._asked = offer, None, None
            self._params = offer.params()
            self.card.set_title(offer.title)
            self.card.set_subtitle(offer.summary)
            self.sentence.setText("")
            self._drop_form()
            self.detail.set_finding(None)
        if self._session is not None:
            self._ask(self._session)

    def show_session(self, session: ReviewSession) -> None:
        self._session = session
        prepared = session.prepared is not None and session.prepared_fresh
        drawn = session.evidence is not None and session.evidence_fresh and session.evidence.table is not None
        offers = explorations_at(session.plan, self._stage)
        self.offers.show_offers(offers, ready=prepared and (drawn or not any(o.needs_release for o in offers)))
        self.detail.set_settings(settings_of(session.plan))
        if self._offer is not None and all(offer.id != self._offer.id for offer in offers):
            self._offer = None
            self.closed.emit()
        elif self._offer is not None and self.isVisible():
            self._ask(session)

    def _ask(self, session: ReviewSession) -> None:
        offer, params, prepared = self._offer, self._params, session.prepared
        if offer is None or prepared is None or not session.prepared_fresh or session.mechanism_problems():
            return
        table = session.evidence.table if session.evidence is not None and session.evidence_fresh else None
        plan = session.plan
        asked = (offer.id, params, id(prepared), plan.mechanism, plan.baselines, plan.policy, id(table))
        if asked == self._asked:
            return
        self._asked = asked

        def work(context: Context) -> Explored | UserProblem:
            try:
                return explore(offer.id, params, plan=plan, prepared=prepared, table=table, context=context)
            except UserProblem as wrong:
                return wrong

        self._jobs.study(f"explore {self._stage}", work, self._answered)

    def _answered(self, answer: Explored | UserProblem) -> None:
        if isinstance(answer, UserProblem):
            self._say(" ".join(problem.sentence() for problem in answer.problems))
            return
        self._say("")
        first = self._choices is None and self._offer is not None
        if first:
            self._make_form(answer.choices)
        if answer.findings:
            self.sentence.setText(answer.findings[0].sentence)
            self.detail.show_gradually(answer.findings[0])
        if first:
            QTimer.singleShot(_SETTLED, self, self.detail.show_figure)

    def _make_form(self, choices: dict[str, tuple[str, ...]]) -> None:
        offer = self._offer
        self._choices = choices
        if offer is None or not fields_of(offer.params):
            return
        options = {name: (_ANY, *((value, value) for value in values)) for name, values in choices.items()}
        self.form = ParamsForm(offer.params, options=options, columns=_COLUMNS)
        self.form.set_value(self._params)
        self.form.changed.connect(self._edited)
        self.card.add(self.form)

    def _drop_form(self) -> None:
        if self.form is not None:
            self.form.hide()
            self.form.deleteLater()
            self.form = None

    def _edited(self, params: Any) -> None:
        self._params = params
        if self._session is not None:
            self._ask(self._session)

    def _choose(self, name: str, value: str) -> None:
        """A point was clicked or a polygon drawn in a figure that names a setting for it."""
        if self._offer is None or name not in {field.name for field in fields_of(self._offer.params)}:
            return
        params = replace(self._params, **{name: value})
        if self.form is not None:
            self.form.set_value(params)
        self._edited(params)

    def _say(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))
