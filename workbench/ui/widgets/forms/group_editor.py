"""The editor of a group of settings: its fields beneath its heading, each with its own help and problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.core.errors import Place, Problem
from workbench.core.params import Field, fields_of, joined, path_of
from workbench.ui.widgets.forms.columns import Columns
from workbench.ui.widgets.forms.field_row import FieldRow

_INDENT = 14


class GroupEditor(QWidget):
    """`raw()`, `show_value(params)` and `edited`, like every editor."""

    edited = Signal()

    def __init__(self, field: Field) -> None:
        super().__init__()
        assert field.group is not None
        self.rows = {each.name: FieldRow(each, None) for each in fields_of(field.group)}
        whole = QVBoxLayout(self)
        whole.setContentsMargins(_INDENT, 4, 0, 0)
        whole.setSpacing(14)
        for row in self.rows.values():
            row.edited.connect(self.edited)
            whole.addWidget(row)

    def raw(self) -> object:
        return {name: row.editor.raw() for name, row in self.rows.items()}

    def show_value(self, value: Any) -> None:
        for name, row in self.rows.items():
            row.editor.blockSignals(True)
            row.editor.show_value(getattr(value, name))
            row.editor.blockSignals(False)

    def set_columns(self, columns: Columns) -> None:
        for row in self.rows.values():
            row.set_columns(columns)

    def focus_inside(self, path: Sequence[str]) -> None:
        row = self.rows.get(path[0])
        if row is not None:
            row.focus(path[1:])

    def show_inner(self, problems: Sequence[Problem]) -> str:
        """Shown at the fields; nothing is left to say beneath the group but what names none of them."""
        placed = [(path_of(problem)[1:], problem) for problem in problems]
        for name, row in self.rows.items():
            row.show_problems([_from_inside(each, path) for path, each in placed if path[:1] == (name,)])
        homeless = [each for path, each in placed if not path or path[0] not in self.rows]
        return " ".join(Problem(each.what, "", each.do).sentence() for each in homeless)


def _from_inside(problem: Problem, path: tuple[str, ...]) -> Problem:
    return replace(problem, where=joined(path), place=Place(field=joined(path)))
