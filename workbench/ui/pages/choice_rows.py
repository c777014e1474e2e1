"""Plug-ins to choose from, any number of them: a box to tick, what it is, and its settings behind a fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from workbench.core.params import fields_of
from workbench.core.specs import Spec
from workbench.review.plan.plan import Choice
from workbench.ui.later import FRAME
from workbench.ui.pages.page import folded
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.forms.columns import Columns
from workbench.ui.widgets.forms.params_form import ParamsForm


class ChoiceRow(QWidget):
    """One plug-in: chosen or not, what it does, its settings."""

    def __init__(self, spec: Spec) -> None:
        super().__init__()
        self.chosen = QCheckBox(spec.title)
        self.form = ParamsForm(spec.params)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 4)
        column.setSpacing(2)
        column.addWidget(self.chosen)
        column.addWidget(wrapped(spec.summary, "small"))
        self.settings = folded("Its settings", self.form) if fields_of(spec.params) else None
        if self.settings is not None:
            column.addWidget(self.settings)

    def show_choice(self, choice: Choice | None, *, fixed: bool) -> None:
        """Ticked where it is chosen; `fixed` where it cannot be left out."""
        self.chosen.blockSignals(True)
        self.chosen.setChecked(choice is not None)
        self.chosen.setEnabled(not fixed)
        self.chosen.setToolTip("Choose at least one" if fixed else "")
        self.chosen.blockSignals(False)
        if choice is not None:
            self.form.set_value(choice.params)


class ChoiceRows(QWidget):
    """`offer(specs, choices, columns)` after every change; the order of what is chosen is that of the specs."""

    picked = Signal(object)  # the choices, once a box was ticked or cleared
    turned = Signal(str, object)  # the id of the one whose settings were changed, and the choices

    def __init__(self, *, least: int = 0) -> None:
        super().__init__()
        self._least = least
        self._specs: tuple[Spec, ...] = ()
        self._choices: tuple[Choice, ...] = ()
        self._missing: list[Spec] = []
        self._offered: Columns = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.setInterval(FRAME)
        self._next.timeout.connect(self._make_one)
        self.rows: dict[str, ChoiceRow] = {}

    @property
    def complete(self) -> bool:
        """Whether every row has been made."""
        return not self._missing

    def offer(self, specs: Sequence[Spec], choices: Sequence[Choice], columns: Columns = ()) -> None:
        self._choices, self._offered = tuple(choices), columns
        if tuple(specs) != self._specs:
            self._specs = tuple(specs)
            for old in self.rows.values():
                old.hide()
                old.deleteLater()
            self.rows = {}
            self._missing = list(specs)
            self._next.start()
        self._show()

    def _show(self) -> None:
        chosen = {choice.id: choice for choice in self._choices}
        for name, row in self.rows.items():
            row.form.set_columns(self._offered)
            row.show_choice(chosen.get(name), fixed=name in chosen and len(chosen) <= self._least)

    def _make_one(self) -> None:
        """One row a turn: a row with its form takes its time, and nobody reads five at once."""
        if not self._missing:
            return
        spec = self._missing.pop(0)
        row = ChoiceRow(spec)
        row.chosen.toggled.connect(lambda on, name=spec.id: self._toggle(name, on))
        row.form.changed.connect(lambda params, name=spec.id: self._set(name, params))
        self.rows[spec.id] = row
        self._column.addWidget(row)
        if self._missing:
            self._next.start()
        self._show()

    def _toggle(self, name: str, on: bool) -> None:
        kept = {choice.id: choice for choice in self._choices}
        self.picked.emit(
            tuple(
                kept.get(spec.id, Choice.of(spec))
                for spec in self._specs
                if (on if spec.id == name else spec.id in kept)
            )
        )

    def _set(self, name: str, params: Any) -> None:
        if any(choice.id == name for choice in self._choices):
            changed = (replace(each, params=params) if each.id == name else each for each in self._choices)
            self.turned.emit(name, tuple(changed))
