"""ParamsForm: a form made from a params class, with live problems.

    form = ParamsForm(LaplaceParams, options={"attributes": (("place", "Place of work"), …)})
    form.changed                         Signal(object): the params value, whenever it is valid and somebody edited it
    form.invalid                         Signal(object): tuple of Problem, whenever an edit leaves something wrong
    form.unusable                        Signal(object): the problems of what was typed and is not in the value; () once
                                         that is over
    form.set_value(params)               shows a value; no signal
    form.value()                         the params value, or None while something is wrong
    form.problems()                      everything wrong at the moment
    form.set_options("attributes", …)    offers other names; no signal
    form.set_columns(columns)            offers the columns of the data to every field that names some; no signal
    form.set_notes("epsilon", "…")       a line beneath a field that the page computes (expected error); "" removes it
    form.set_extra_problems(problems)    what only the page can know (the data do not suit); shown at the named field
    form.edited_label, form.typed        which field was edited last; typed (a step as a whole) or chosen (a step each)
    form.revert()                        back from what cannot be used to the value shown before
    ParamsForm(…, columns=2)             fields beside each other with their help as tool tips, where height is scarce
    form.show_field("epsilon")           brings a field into view and focuses it (for the problems panel)

A problem names its field in `where` ("epsilon", or "mechanism, epsilon"); a problem that names none of the fields is
shown above the form's first field.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QScrollArea, QSpinBox, QVBoxLayout, QWidget

from workbench.core.errors import Problem, placed
from workbench.core.params import Field, bound_problem, fields_of, path_of, problems_of, read_value, split_path
from workbench.ui.widgets.disclosure import Disclosure
from workbench.ui.widgets.forms.columns import Columns
from workbench.ui.widgets.forms.field_editors import Options
from workbench.ui.widgets.forms.field_row import FieldRow, ProblemLine


class ParamsForm(QWidget):
    """One row per field; rarely used ones behind "More settings"."""

    changed = Signal(object)
    invalid = Signal(object)
    unusable = Signal(object)

    def __init__(
        self, params_class: type[Any], *, options: Mapping[str, Options] | None = None, columns: int = 1
    ) -> None:
        super().__init__()
        self._columns = columns
        self._class = params_class
        self._extra: tuple[Problem, ...] = ()
        self._touched = self._calm = False
        self._unusable: tuple[Problem, ...] = ()
        self.edited_label, self.typed = "", False
        self._given: Any = None
        offered = dict(options or {})
        fields = fields_of(params_class)
        self._rows = {field.name: FieldRow(field, offered.get(field.name), brief=columns > 1) for field in fields}
        self._general = ProblemLine()
        self._more = Disclosure("More settings")
        self._build()
        for row in self._rows.values():
            row.edited.connect(partial(self._on_edit, row))
        if all(_has_default(field) for field in fields):
            self.set_value(params_class())

    def _build(self) -> None:
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(14)
        whole.addWidget(self._general)
        behind = QVBoxLayout(self._more.body)
        behind.setContentsMargins(0, 4, 0, 0)
        behind.setSpacing(14)
        beside = QGridLayout()
        beside.setSpacing(14)
        whole.addLayout(beside)
        shown = [row for row in self._rows.values() if not row.field.advanced]
        for number, row in enumerate(shown):
            beside.addWidget(row, *divmod(number, self._columns), Qt.AlignmentFlag.AlignTop)
        for column in range(self._columns):
            beside.setColumnStretch(column, 1)
        for row in self._rows.values():
            if row.field.advanced:
                behind.addWidget(row)
        whole.addWidget(self._more)
        self._more.setVisible(behind.count() > 0)

    def value(self) -> Any | None:
        made, problems = self._read()
        return None if problems else made

    def problems(self) -> tuple[Problem, ...]:
        return self._read()[1]

    def set_value(self, params: Any) -> None:
        """Show a value. No signal is sent: whoever sets it knows it.

        A value that was given before, or came from the form itself, changes nothing: what a person is typing at this
        moment, perhaps half a number, must survive that the window refreshes for some other reason.
        """
        if params == self._given:
            return
        self._given, self._touched = params, False
        for name, row in self._rows.items():
            row.editor.blockSignals(True)
            row.editor.show_value(getattr(params, name))
            row.editor.blockSignals(False)
        self._show_problems(self._read()[1])
        self._give_up_room()
        self._say_unusable(())

    def _give_up_room(self) -> None:
        for line in (self._general, *(row.problem for row in self._rows.values())):
            line.give_up_room()

    def _say_unusable(self, problems: tuple[Problem, ...]) -> None:
        if self._unusable != problems:
            self._unusable = problems
            self.unusable.emit(problems)

    def set_calm(self, calm: bool) -> None:
        """Whether what is still to be chosen is left to the help of its field: nobody has touched the form yet, and
        red before that would blame somebody who did nothing. The first edit ends it, and so does a problem's “Show me”.
        """
        calm = calm and not self._touched
        if calm != self._calm:
            self._calm = calm
            self._show_problems(self._read()[1])
            if calm:
                self._give_up_room()

    def revert(self) -> None:
        """Back from something that cannot be used, perhaps half a number, to the value given before."""
        if self._given is not None and self._unusable:
            given, self._given = self._given, None
            self.set_value(given)

    def set_options(self, name: str, options: Options) -> None:
        self._rows[name].set_options(options)

    def set_columns(self, columns: Columns) -> None:
        for row in self._rows.values():
            row.set_columns(columns)

    def set_notes(self, name: str, text: str) -> None:
        self._rows[name].set_note(text)

    def set_extra_problems(self, problems: Iterable[Problem]) -> None:
        found = tuple(problems)
        if found == self._extra:
            return
        self._extra = found
        self._show_problems(self._read()[1])

    def show_field(self, name: str) -> bool:
        """Open what hides the field and focus it, inside a group or a table by its path. False where there is none."""
        self._touched = True
        self.set_calm(False)
        path = split_path(name)
        row = self._rows.get(path[0])
        if row is None:
            return False
        for parent in _ancestors(row):
            if isinstance(parent, Disclosure):
                parent.set_open(True)
        row.focus(path[1:])
        for parent in _ancestors(row):
            if isinstance(parent, QScrollArea):
                parent.ensureWidgetVisible(row)
        return True

    def editor(self, name: str) -> QWidget:
        """The editor of a field, for tests and for a page that wants to focus it."""
        widget: QWidget = self._rows[name].editor
        return widget

    def problem_text(self, name: str) -> str:
        """What is shown as wrong at a field."""
        return self._rows[name].problem.text()

    def _on_edit(self, row: FieldRow) -> None:
        self.edited_label = row.field.label
        self.typed = isinstance(row.editor, QLineEdit | QSpinBox)
        self._extra, self._touched, self._calm = (), True, False
        made, problems = self._read()
        self._show_problems(problems)
        self._say_unusable(problems)
        if problems:
            self.invalid.emit(problems)
        else:
            self._given = made
            self.changed.emit(made)

    def _read(self) -> tuple[Any, tuple[Problem, ...]]:
        """(value, problems): each field by itself first; across fields only once every field can be read."""
        values: dict[str, Any] = {}
        problems: list[Problem] = []
        for name, row in self._rows.items():
            values[name], wrong = read_value(row.field, row.editor.raw())
            broken = None if wrong else bound_problem(row.field, values[name])
            problems += [*wrong, *(placed("", [broken], fields=(name,)) if broken else ())]
        if problems:
            return None, tuple(problems)
        made = self._class(**values)
        return made, problems_of(made)

    def _show_problems(self, problems: Sequence[Problem]) -> None:
        shown = list(dict.fromkeys((*problems, *self._extra)))
        if self._calm:
            shown = [problem for problem in shown if not self._still_empty(self._home(problem))]
        homeless = [problem for problem in shown if self._home(problem) is None]
        for name, row in self._rows.items():
            row.show_problems([problem for problem in shown if self._home(problem) == name])
            if row.field.advanced and row.problem.text():
                self._more.set_open(True)
        self._general.show_problems(homeless)

    def _still_empty(self, name: str | None) -> bool:
        return name is not None and getattr(self._given, name) in ((), "", None)

    def _home(self, problem: Problem) -> str | None:
        first = path_of(problem)[0]
        return first if first in self._rows else None


def _ancestors(widget: QWidget) -> Iterator[QWidget]:
    parent = widget.parentWidget()
    while parent is not None:
        yield parent
        parent = parent.parentWidget()


def _has_default(field: Field) -> bool:
    return field.default is not dataclasses.MISSING
