"""Mechanism & budget: a form made from the mechanism's params, what ε buys, and the way back from accuracy to ε."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from PySide6.QtCore import QLocale
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from workbench.core.errors import UserProblem
from workbench.core.params import problems_of
from workbench.core.quantities import Epsilon, show
from workbench.core.specs import find
from workbench.products.registry import PRODUCTS
from workbench.review.plan import Choice
from workbench.review.prepare import product_of
from workbench.review.protect import mechanism_of
from workbench.review.sections import PolicyParams, StudyParams
from workbench.review.session import ReviewSession
from workbench.review.what_if import error_curve, has_epsilon, mean_error, smallest_epsilon
from workbench.ui import dialogs, theme
from workbench.ui.controller import Controller
from workbench.ui.pages.page import Page, beside, folded
from workbench.ui.pages.spec_form import SpecForm
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.figure_view import FigureView
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.params_form import ParamsForm

_EXAMPLE_COUNT, _EXAMPLE_LARGEST = 100.0, 100.0


class MechanismPage(Page):
    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        forms = Scrolling(CardColumn(self._mechanism_card(), self._policy_card(), self._comparison_card()))
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GAP)
        column.addWidget(self._curve_card(), 1)
        column.addWidget(self._target_card())
        column.addWidget(self._draw_card())
        self.fill(beside(forms, right, sizes=(380, 580)))

    # Cards
    def _mechanism_card(self) -> Card:
        self.card = Card("Mechanism")
        self.chooser = QComboBox()
        self.chooser.setAccessibleName("Mechanism")
        self.chooser.activated.connect(self._mechanism_chosen)
        self.settings = SpecForm(PRODUCTS[0].mechanisms[0])
        self.settings.changed.connect(self._params_changed)
        self.card.add(self.chooser)
        self.card.add(self.settings)
        return self.card

    def _policy_card(self) -> Card:
        card = Card("Budget")
        self.policy_form = ParamsForm(PolicyParams)
        self.policy_form.changed.connect(lambda value: self.controller.edit("change the budget", policy=value))
        self.cap_note = wrapped("", "muted")
        self.cap_button = TextButton("Change the budget…")
        self.cap_button.clicked.connect(lambda: dialogs.ask_budget(self, self.controller))
        row = QHBoxLayout()
        row.addWidget(self.cap_button)
        row.addStretch(1)
        card.add(self.policy_form)
        card.add(self.cap_note)
        card.add_layout(row)
        return card

    def _comparison_card(self) -> Card:
        self.comparison_card = Card("Compared with", "Today's disclosure limitation, for the comparison only.")
        self.study_form = ParamsForm(StudyParams)
        self.study_form.changed.connect(lambda value: self.controller.edit("change the study", study=value))
        self.comparison = SpecForm(PRODUCTS[0].baselines[0])
        self.comparison.changed.connect(self._baseline_changed)
        self.comparison_card.add(folded("Its settings", self.comparison))
        self.comparison_card.add(folded("How it is studied", self.study_form))
        return self.comparison_card

    def _curve_card(self) -> Card:
        card = Card("", grows=True)
        self.curve = FigureView()
        self.curve.handle_moved.connect(self._epsilon_dragged)
        card.add(self.curve, stretch=1)
        return card

    def _target_card(self) -> Card:
        self.target_card = card = Card("Start from the accuracy you need")
        self.target = QLineEdit("5")
        self.target.setAccessibleName("Largest mean error per cell")
        self.target.setMaximumWidth(80)
        validator = QDoubleValidator(0.0, 1e9, 6, self)
        validator.setLocale(QLocale.c())
        self.target.setValidator(validator)
        self.target.textChanged.connect(lambda _text: self._show_target())
        self.target_result = wrapped("", "")
        self.use_target = TextButton("Use this ε")
        self.use_target.clicked.connect(self._use_target)
        row = QHBoxLayout()
        row.addWidget(QLabel("Mean error of a cell at most"))
        row.addWidget(self.target)
        row.addWidget(QLabel("jobs"))
        row.addStretch(1)
        row.addWidget(self.use_target)
        card.add_layout(row)
        card.add(self.target_result)
        self._target_epsilon: Epsilon | None = None
        return card

    def _draw_card(self) -> Card:
        card = Card("Draw, audit and compare")
        self.draw_note = wrapped("", "muted")
        self.draw_button = TextButton("Draw, audit and compare", role="primary")
        self.draw_button.clicked.connect(self.controller.draw)
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
                self.controller.edit("choose the mechanism", mechanism=Choice.of(spec))

    def _params_changed(self, params: Any) -> None:
        if self.session is not None:
            mechanism = replace(self.session.plan.mechanism, params=params)
            self.controller.edit("change the mechanism", mechanism=mechanism)

    def _baseline_changed(self, params: Any) -> None:
        if self.session is not None:
            self.controller.edit("change the baseline", baseline=replace(self.session.plan.baseline, params=params))

    def _epsilon_dragged(self, value: float) -> None:
        if self.session is not None and value > 0:
            self._set_epsilon(Epsilon(f"{value:.2g}" if value < 1 else f"{value:.3g}"))

    def _set_epsilon(self, epsilon: Epsilon) -> None:
        if self.session is not None:
            self._params_changed(replace(self.session.plan.mechanism.params, epsilon=epsilon))

    def _use_target(self) -> None:
        if self._target_epsilon is not None:
            self._set_epsilon(self._target_epsilon)

    # What the session says
    def refresh(self, session: ReviewSession) -> None:
        self._show_mechanism(session)
        self._show_comparison(session)
        self.policy_form.set_value(session.plan.policy)
        self._show_cap()
        self.study_form.set_value(session.plan.study)
        self._show_curve(session)
        self._show_target()
        self._show_draw(session)

    def forms(self) -> tuple[QWidget, ...]:
        return (self.card, self.policy_form, self.comparison_card, self.curve, self.target_card)

    def _show_mechanism(self, session: ReviewSession) -> None:
        choice = session.plan.mechanism
        mechanism = mechanism_of(session.plan)
        self.chooser.clear()
        for spec in product_of(session.plan).mechanisms:
            self.chooser.addItem(spec.title, spec.id)
        self.chooser.setCurrentIndex(self.chooser.findData(choice.id))
        self.card.set_subtitle(mechanism.summary)
        self.settings.show_spec(mechanism, choice.params, session.mechanism_problems())

    def _show_comparison(self, session: ReviewSession) -> None:
        choice = session.plan.baseline
        baseline = find(product_of(session.plan).baselines, choice.id, "baseline")
        self.comparison_card.set_subtitle(f"{baseline.title}. {baseline.summary}")
        self.comparison.show_spec(baseline, choice.params)

    def _show_cap(self) -> None:
        """Until data have been used, the plan proposes their budget; from then on it is changed with a reason only."""
        budget = self.controller.budget
        known = budget is not None and budget.cap is not None
        self.policy_form.setVisible(not known)
        self.cap_note.setVisible(known)
        self.cap_button.setVisible(known)
        if budget is not None and budget.cap is not None:
            self.cap_note.setText(f"These data may spend ε {show(budget.cap)} in total, per privacy definition.")

    def _show_curve(self, session: ReviewSession) -> None:
        mechanism, params = mechanism_of(session.plan), session.plan.mechanism.params
        if not has_epsilon(mechanism) or problems_of(params):
            return
        figure = error_curve(mechanism, params, count=_EXAMPLE_COUNT, largest=_EXAMPLE_LARGEST, unit="jobs")
        self.curve.set_figure(replace(figure, marks=()))
        self.curve.set_handle(float(params.epsilon), f"ε = {show(params.epsilon)}")

    def _show_target(self) -> None:
        session = self.session
        self._target_epsilon = None
        self.use_target.setEnabled(False)
        if session is None or session.prepared is None or not session.prepared_fresh or session.mechanism_problems():
            self.target_result.setText("Tabulate the table first: the target is about its cells.")
            return
        mechanism, params = mechanism_of(session.plan), session.plan.mechanism.params
        try:
            epsilon = smallest_epsilon(mechanism, params, session.prepared.value, target=float(self.target.text()))
            now = mean_error(mechanism, params, session.prepared.value)
        except (UserProblem, ValueError) as wrong:
            self.target_result.setText(str(wrong) if isinstance(wrong, UserProblem) else "Give a number above 0.")
            return
        self._target_epsilon = epsilon
        self.use_target.setEnabled(Decimal(params.epsilon) != Decimal(epsilon))
        self.use_target.setText(f"Use ε = {epsilon}")
        self.target_result.setText(
            f"Smallest ε that meets it: {epsilon}. With ε = {show(params.epsilon)} the mean error is "
            f"{show(now, 3)} jobs."
        )

    def _show_draw(self, session: ReviewSession) -> None:
        ready = session.prepared_fresh and not session.mechanism_problems() and not session.closed
        self.draw_button.setEnabled(ready)
        draws = session.evidence.draws if session.evidence else 0
        times = {0: "Not drawn yet.", 1: "Drawn once so far."}.get(draws, f"Drawn {draws} times so far.")
        words = "Noise comes from the operating system and cannot be repeated; every draw is recorded."
        waiting = (
            f"The release is {session.state}." if session.closed else "Load the data and tabulate the table first."
        )
        self.draw_note.setText(f"{words} {times}" if ready else waiting)
