"""Which checks the audit runs, and with which settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from workbench.audit.contract import AnyCheck
from workbench.core.params import fields_of
from workbench.review.plan.plan import Choice
from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.later import FRAME
from workbench.ui.pages.page import folded
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.forms.params_form import ParamsForm


class _CheckRow(QWidget):
    """One check: run it or not, what it looks at, its settings behind a fold."""

    def __init__(self, check: AnyCheck) -> None:
        super().__init__()
        self.chosen = QCheckBox(check.title)
        self.form = ParamsForm(check.params)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 4)
        column.setSpacing(2)
        column.addWidget(self.chosen)
        column.addWidget(wrapped(check.summary, "small"))
        if fields_of(check.params):
            column.addWidget(folded("Its settings", self.form))


class ChecksCard(Card):
    """`show_session(session)` after every change. The order of the checks is the product's."""

    def __init__(self, editor: Editor) -> None:
        super().__init__("Checked by", "What the audit looks at. Leaving one out is recorded in the plan.")
        self._editor = editor
        self._product = ""
        self._missing: list[AnyCheck] = []
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.setInterval(FRAME)
        self._next.timeout.connect(self._make_one)
        self.rows: dict[str, _CheckRow] = {}

    def show_session(self, session: ReviewSession) -> None:
        self._make_rows(session)
        chosen = {choice.id: choice for choice in session.plan.checks}
        for name, row in self.rows.items():
            row.chosen.blockSignals(True)
            row.chosen.setChecked(name in chosen)
            row.chosen.blockSignals(False)
            if name in chosen:
                row.form.set_value(chosen[name].params)

    def _make_rows(self, session: ReviewSession) -> None:
        product = product_of(session.plan)
        if product.id == self._product:
            return
        self._product = product.id
        for old in self.rows.values():
            old.hide()
            old.deleteLater()
        self.rows = {}
        self._missing = list(product.checks)
        self._next.start()

    def _make_one(self) -> None:
        """One row a turn: a row with its form takes its time, and nobody reads five at once."""
        check = self._missing.pop(0)
        row = _CheckRow(check)
        row.chosen.toggled.connect(lambda on, name=check.id: self._toggle(name, on))
        row.form.changed.connect(lambda params, name=check.id: self._set(name, params))
        self.rows[check.id] = row
        self.add(row)
        if self._missing:
            self._next.start()
        if self._editor.session is not None:
            self.show_session(self._editor.session)

    def _toggle(self, name: str, on: bool) -> None:
        session = self._editor.session
        if session is None:
            return
        kept = {choice.id: choice for choice in session.plan.checks}
        checks = tuple(
            kept.get(check.id, Choice.of(check))
            for check in product_of(session.plan).checks
            if (on if check.id == name else check.id in kept)
        )
        self._editor.edit("choose the checks", checks=checks)

    def _set(self, name: str, params: Any) -> None:
        session = self._editor.session
        if session is not None:
            checks = tuple(
                replace(choice, params=params) if choice.id == name else choice for choice in session.plan.checks
            )
            self._editor.edit(f"change the check {name}", checks=checks)
