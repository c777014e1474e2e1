"""Recoded columns and row rules: two tables that a person fills in, offered behind a fold of the data page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.review.plan.plan import DataPlan
from workbench.review.run.linked_view import RowRules, rules_of, with_rules
from workbench.ui.widgets.forms.params_form import ParamsForm
from workbench.ui.widgets.forms.settings_table import SettingsTable


class RowRulesForm(QWidget):
    """`show_data(data, columns)` after every change; `changed` tells the plan's data with the rules as they stand."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.form = ParamsForm(RowRules)
        self.form.changed.connect(self._tell)
        self._data: DataPlan | None = None
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 6, 0)
        whole.addWidget(self.form)

    def show_data(self, data: DataPlan, columns: Sequence[str]) -> None:
        self._data = data
        self.form.set_value(rules_of(data))
        own = tuple((name, name) for name in columns)
        made = tuple((name, name) for name in data.shaping.recode if name not in columns)
        with_year = (("", "not keyed"), *own)
        offered = (("recode", "of", own), ("recode", "keyed", with_year), ("keep", "column", (*own, *made)))
        for table, field, options in offered:
            editor = self.form.editor(table)
            assert isinstance(editor, SettingsTable)
            editor.offer(field, options)

    def _tell(self, rules: RowRules) -> None:
        if self._data is not None:
            self.changed.emit(with_rules(self._data, rules))
