"""The form of whichever plug-in is chosen: a product, a mechanism, a baseline. Choosing another changes the form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.core.errors import Problem
from workbench.core.specs import Spec
from workbench.review.session import ReviewSession
from workbench.ui.widgets.forms.columns import Columns, OfferedColumn
from workbench.ui.widgets.forms.params_form import ParamsForm


def offered_columns(session: ReviewSession) -> Columns:
    """The columns that have a role, with their titles where the dictionary has one."""
    known = session.loaded.microdata.columns if session.loaded is not None else {}
    titles = {name: column.title for name, column in known.items() if column.title}
    return tuple(
        OfferedColumn(name, f"{name} – {titles[name]}" if name in titles else name, str(role))
        for name, role in session.plan.data.roles.items()
    )


class SpecForm(QWidget):
    """`show_spec(spec, params)` shows a plug-in's settings; `changed` carries them when a person edits."""

    changed = Signal(object)
    unusable = Signal(object)  # the problems of what stands in the form, () once there are none

    def __init__(self, first: Spec) -> None:
        super().__init__()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._key = (first.id, first.version)
        self.form = self._made(first)  # made at once: a form that is there already only has to be filled

    def _made(self, spec: Spec) -> ParamsForm:
        form = ParamsForm(spec.params)
        form.changed.connect(self.changed)
        form.unusable.connect(self.unusable)
        self._layout.addWidget(form)
        return form

    def show_spec(
        self,
        spec: Spec,
        params: Any,
        problems: Iterable[Problem] = (),
        *,
        columns: Columns | None = None,
        calm: bool = False,
    ) -> None:
        if self._key != (spec.id, spec.version):
            self._layout.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self._key = (spec.id, spec.version)
            self.form = self._made(spec)
            self.unusable.emit(())
        if columns is not None:
            self.form.set_columns(columns)
        self.form.set_value(params)
        self.form.set_calm(calm)
        self.form.set_extra_problems(problems)
