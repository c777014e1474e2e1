"""Mechanism & budget: a form made from the mechanism's params, what ε buys, and the way back from accuracy to ε."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.core.errors import placed
from workbench.core.quantities import show
from workbench.core.specs import find
from workbench.review.budget.plan_dial import in_words
from workbench.review.decide.evidence import ahead_of
from workbench.review.plan.offers import new_plan, products
from workbench.review.plan.plan import Choice
from workbench.review.plan.sections import PolicyParams
from workbench.review.plan.settings import carried_over
from workbench.review.run.explore import Offer, explorations_at
from workbench.review.run.prepare import product_of
from workbench.review.run.protect import mechanism_of
from workbench.review.session import ReviewSession
from workbench.ui import dialogs, theme
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.run import Run
from workbench.ui.controller.voices import Voices
from workbench.ui.pages.checks_card import ChecksCard
from workbench.ui.pages.comparison_card import ComparisonCard
from workbench.ui.pages.curve_card import CurveCard
from workbench.ui.pages.page import Page, beside
from workbench.ui.pages.spec_form import SpecForm, offered_columns
from workbench.ui.pages.target_card import TargetCard
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.exploration_panel import ExplorationPanel
from workbench.ui.widgets.forms.params_form import ParamsForm
from workbench.ui.widgets.icons import TextButton


class MechanismPage(Page):
    def __init__(self, jobs: Jobs, editor: Editor, run: Run, voices: Voices) -> None:
        super().__init__(jobs, editor)
        self._run, self._voices = run, voices
        self.checks_card, self.comparison_card = ChecksCard(editor), ComparisonCard(editor)
        self.comparison_card.study_form.changed.connect(
            lambda value: editor.edit(self.step_of(self.comparison_card.study_form), study=value)
        )
        cards = (self._mechanism_card(), self._policy_card(), self.checks_card, self.comparison_card)
        forms = Scrolling(CardColumn(*cards))
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GAP)
        self.curve_card, self.target_card = CurveCard(jobs), TargetCard(jobs)
        self.curve_card.params_moved.connect(lambda params: self._use_params("move ε", params))
        self.curve_card.told.connect(self._curve_told)
        self.target_card.params_wanted.connect(lambda params: self._use_params("change ε", params))
        self.upper = QStackedWidget()
        self.closer = ExplorationPanel(jobs, editor, "mechanism", back="Error against ε")
        self.closer.offers.chosen.connect(self._look_closer)
        self.closer.closed.connect(lambda: self.upper.setCurrentWidget(self.curve_card))
        self.upper.addWidget(self.curve_card)
        self.upper.addWidget(self.closer)
        column.addWidget(self.upper, 1)
        column.addWidget(self.closer.offers)
        column.addWidget(self.target_card)
        column.addWidget(self._draw_card())
        self.fill(beside(forms, Scrolling(right), sizes=(380, 580)))

    # Cards
    def _mechanism_card(self) -> Card:
        self.card = Card("Mechanism")
        self.chooser = QComboBox()
        self.chooser.setAccessibleName("Mechanism")
        self.chooser.activated.connect(self._mechanism_chosen)
        self.settings = SpecForm(mechanism_of(new_plan(products()[0].id)))
        self.settings.changed.connect(self._params_changed)
        self.settings.unusable.connect(lambda problems: self.editor.hold("mechanism", placed("mechanism", problems)))
        self.card.add(self.chooser)
        self.card.add(self.settings)
        return self.card

    def _policy_card(self) -> Card:
        card = Card("Budget")
        self.policy_form = ParamsForm(PolicyParams)
        self.policy_form.changed.connect(lambda value: self.editor.edit(self.step_of(self.policy_form), policy=value))
        self.cap_note = wrapped("", "muted")
        self.cap_button = TextButton("Change the budget…")
        self.cap_button.clicked.connect(lambda: dialogs.ask_budget(self, self.editor, self._voices))
        row = QHBoxLayout()
        row.addWidget(self.cap_button)
        row.addStretch(1)
        card.add(self.policy_form)
        card.add(self.cap_note)
        card.add_layout(row)
        return card

    def _draw_card(self) -> Card:
        card = Card("Draw, audit and compare")
        self.draw_note = wrapped("", "muted")
        self.draw_button = TextButton("Draw, audit and compare", role="primary")
        self.draw_button.clicked.connect(self._run.ask_to_draw)
        row = QHBoxLayout()
        row.addWidget(self.draw_note, 1)
        row.addWidget(self.draw_button)
        card.add_layout(row)
        return card

    # What the person does
    def _mechanism_chosen(self, index: int) -> None:
        if self.session is not None:
            spec = find(product_of(self.session.plan).mechanisms, self.chooser.itemData(index), "mechanism")
            if spec.id != self.session.plan.mechanism.id:
                params = carried_over(self.session.plan.mechanism.params, spec.params)
                rivals = tuple(rival for rival in self.session.plan.rivals if rival.id != spec.id)
                chosen = replace(Choice.of(spec), params=params)
                self.editor.edit("choose the mechanism", mechanism=chosen, rivals=rivals)

    def _params_changed(self, params: Any) -> None:
        self._use_params(self.step_of(self.settings.form), params)

    def _use_params(self, label: str, params: Any) -> None:
        if self.session is not None:
            self.editor.edit(label, mechanism=replace(self.session.plan.mechanism, params=params))

    def _curve_told(self, drawn: bool) -> None:
        """Where nothing says what ε buys in closed form, what the product offers to explore takes the place."""
        self.target_card.setVisible(drawn)
        self.closer.back.setVisible(drawn)
        offers = explorations_at(self.session.plan, "mechanism") if self.session is not None else ()
        if not drawn and offers and self.session is not None and self.session.prepared_fresh:
            self._look_closer(offers[0])
        elif drawn:
            self.upper.setCurrentWidget(self.curve_card)

    def _look_closer(self, offer: Offer) -> None:
        self.upper.setCurrentWidget(self.closer)
        self.closer.look_at(offer)

    # What the session says
    def refresh(self, session: ReviewSession) -> None:
        self._show_mechanism(session)
        self.comparison_card.show_session(session)
        self.policy_form.set_value(session.plan.policy)
        self._show_cap(session)
        self.checks_card.show_session(session)
        self.curve_card.show_session(session)
        self.target_card.show_session(session)
        self.closer.show_session(session)
        self._show_draw(session)

    def forms(self) -> tuple[QWidget, ...]:
        cards = (self.card, self.checks_card, self.comparison_card, self.curve_card, self.target_card)
        return (*cards, self.policy_form, self.cap_button)

    def _show_mechanism(self, session: ReviewSession) -> None:
        choice = session.plan.mechanism
        mechanism = mechanism_of(session.plan)
        offered = [(spec.title, spec.id) for spec in product_of(session.plan).mechanisms]
        if offered != [(self.chooser.itemText(i), self.chooser.itemData(i)) for i in range(self.chooser.count())]:
            self.chooser.clear()
            for title, name in offered:
                self.chooser.addItem(title, name)
        self.chooser.setCurrentIndex(self.chooser.findData(choice.id))
        self.card.set_subtitle(mechanism.summary)
        self.settings.show_spec(
            mechanism, choice.params, session.mechanism_problems(), columns=offered_columns(session)
        )

    def _show_cap(self, session: ReviewSession) -> None:
        """Until data have been used, the plan proposes their budget; from then on it is changed with a reason only."""
        budget = session.budget
        ahead = ahead_of(session)
        cap = ahead.cap if ahead is not None else budget.cap if budget is not None else None
        self.policy_form.setVisible(cap is None)
        self.cap_note.setVisible(cap is not None)
        self.cap_button.setVisible(cap is not None and ahead is None)  # it belongs to the data of the draw
        if cap is not None:
            self.cap_note.setText(f"All releases from these data together can spend ε {show(cap)}.")

    def _show_draw(self, session: ReviewSession) -> None:
        why = self._why_not(session)
        self.allow(self.draw_button, not why)
        draws = session.evidence.draws if session.evidence else 0
        times = {0: "Not drawn yet.", 1: "Drawn once so far."}.get(draws, f"Drawn {draws} times so far.")
        words = "Noise comes from the operating system and cannot be repeated; every draw is recorded."
        self.draw_note.setText(why or f"{words} {times}")
        self.name_draw_button(self.draw_button, session)

    def _why_not(self, session: ReviewSession) -> str:
        """Why nothing can be drawn now; empty where something can."""
        if session.closed:
            return f"The release is {session.state}."
        if not self.editor.editable:
            return "The project is read-only."
        if self.editor.half_typed:
            kept = in_words(session.plan)
            return "One field on the left is invalid." + (f" The plan keeps {kept}." if kept else "")
        if session.mechanism_problems():
            return "Some settings on the left are invalid; they are marked."
        return "" if session.prepared_fresh else "Load the data and choose the table first."
