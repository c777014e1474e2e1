"""Forty variables are one table in the form: edited in place, filled down, with every problem at its cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QLineEdit
from pytestqt.qtbot import QtBot

from workbench.core.errors import Problem
from workbench.core.params import Rows, group, param, rows
from workbench.core.quantities import Epsilon
from workbench.ui.widgets.forms.columns import OfferedColumn
from workbench.ui.widgets.forms.field_editors import Choice
from workbench.ui.widgets.forms.group_editor import GroupEditor
from workbench.ui.widgets.forms.params_form import ParamsForm
from workbench.ui.widgets.forms.settings_table import SettingsTable

EPSILON, METHOD, KEPT = 1, 2, 3  # columns


class Method(StrEnum):
    RESPONSE = "response"
    NOISE = "noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    epsilon: Epsilon = param(Epsilon("1"), "ε", "Spent on it.", gt=0, le=10)
    method: Method = param(Method.RESPONSE, "Method", "How.", labels={"response": "Randomised", "noise": "Noisy"})
    kept: bool = param(True, "Kept", "Or not.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    block: str = param("", "Block", "The column of blocks.", roles=("geography",))
    share: Decimal = param(Decimal("0.5"), "Share", "How much.", ge=0, le=1)
    planned: int | None = param(None, "Planned size", "Where one is public.", ge=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    variables: Rows[Variable] = rows(Variable, "Variables", "One line each.", by="column", roles=("answer",))
    years: Rows[Variable] = rows(Variable, "Years", "One line each.", by="year")
    geography: Places = group(Places, "Geography", "Where the places are.")

    def check(self) -> tuple[Problem, ...]:
        return (Problem("Too much in all", "variables", "Lower one"),) if _sum(self.variables) > 100 else ()


def _sum(table: Rows[Variable]) -> Decimal:
    return sum((Decimal(row.epsilon) for row in table.values()), Decimal(0))


FORTY = Survey(variables=Rows((f"q{i}", Variable()) for i in range(40)))
COLUMNS = [OfferedColumn(f"q{i}", f"q{i} – Question {i}", "answer") for i in range(42)]
COLUMNS.append(OfferedColumn("tract", "tract", "geography"))


@pytest.fixture
def form(qtbot: QtBot) -> ParamsForm:
    made = ParamsForm(Survey)
    qtbot.addWidget(made)
    made.set_columns(COLUMNS)
    made.set_value(FORTY)
    made.show()
    return made


def table(form: ParamsForm, name: str = "variables") -> SettingsTable:
    editor = form.editor(name)
    assert isinstance(editor, SettingsTable)
    return editor


def sent(qtbot: QtBot, form: ParamsForm, does: Callable[[], object]) -> Survey:
    with qtbot.waitSignal(form.changed) as caught:
        does()
    found: Survey = caught.args[0]
    return found


def type_into(qtbot: QtBot, editor: SettingsTable, row: int, column: int, text: str) -> None:
    at = editor.model.index(row, column)
    editor.view.setCurrentIndex(at)
    editor.view.edit(at)
    line = editor.view.indexWidget(at)
    assert isinstance(line, QLineEdit)
    line.selectAll()
    qtbot.keyClicks(line, text)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: editor.view.indexWidget(at) is None)


def test_that_the_table_shows_every_row_and_gives_it_back(form: ParamsForm) -> None:
    assert table(form).model.rowCount() == 40
    assert form.value() == FORTY


def test_that_the_model_keeps_qts_rules(form: ParamsForm, qtmodeltester: Any) -> None:
    qtmodeltester.check(table(form).model)


def test_that_a_number_typed_into_a_cell_is_that_number_exactly(qtbot: QtBot, form: ParamsForm) -> None:
    made = sent(qtbot, form, lambda: type_into(qtbot, table(form), 39, EPSILON, "0.1"))
    assert made.variables["q39"].epsilon == Decimal("0.1")
    assert made.variables.without("q39") == FORTY.variables.without("q39")


def test_that_a_choice_and_a_tick_are_made_in_their_cells(qtbot: QtBot, form: ParamsForm) -> None:
    view, model = table(form).view, table(form).model
    view.edit(model.index(2, METHOD))
    choice = view.indexWidget(model.index(2, METHOD))
    assert isinstance(choice, Choice)

    def chosen() -> None:
        choice.setCurrentIndex(1)
        choice.activated.emit(1)

    assert sent(qtbot, form, chosen).variables["q2"].method is Method.NOISE
    off = Qt.CheckState.Unchecked
    made = sent(qtbot, form, lambda: model.setData(model.index(5, KEPT), off, Qt.ItemDataRole.CheckStateRole))
    assert made.variables["q5"].kept is False


def test_that_a_column_is_filled_down_from_the_current_cell(qtbot: QtBot, form: ParamsForm) -> None:
    editor = table(form)
    type_into(qtbot, editor, 30, EPSILON, "0.25")
    editor.view.setCurrentIndex(editor.model.index(30, EPSILON))
    made = sent(qtbot, form, editor.fill_button.click)
    assert {made.variables[f"q{i}"].epsilon for i in range(30, 40)} == {Decimal("0.25")}
    assert {made.variables[f"q{i}"].epsilon for i in range(30)} == {Decimal(1)}


def test_that_filling_goes_to_the_chosen_rows_only_where_some_are_chosen(qtbot: QtBot, form: ParamsForm) -> None:
    editor = table(form)
    type_into(qtbot, editor, 1, EPSILON, "3")
    editor.view.setCurrentIndex(editor.model.index(1, EPSILON))
    for row in (4, 7):
        editor.view.selectionModel().select(editor.model.index(row, EPSILON), QItemSelectionModel.SelectionFlag.Select)
    made = sent(qtbot, form, lambda: qtbot.keyClick(editor.view, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier))
    assert [name for name, row in made.variables.items() if row.epsilon == 3] == ["q1", "q4", "q7"]


def test_that_rows_are_removed_and_only_columns_with_the_role_are_added(qtbot: QtBot, form: ParamsForm) -> None:
    editor = table(form)
    editor.view.selectRow(0)
    made = sent(qtbot, form, lambda: qtbot.keyClick(editor.view, Qt.Key.Key_Delete))
    assert "q0" not in made.variables
    offered = [editor.chooser.itemText(i) for i in range(editor.chooser.count())]
    assert offered == ["Add a column…", "Add all 3", "q0 – Question 0", "q40 – Question 40", "q41 – Question 41"]

    def choose(place: int) -> None:
        editor.chooser.setCurrentIndex(place)
        editor.chooser.activated.emit(place)

    made = sent(qtbot, form, lambda: choose(3))
    assert made.variables["q40"] == Variable()
    made = sent(qtbot, form, lambda: choose(1))
    assert set(made.variables) == {f"q{i}" for i in range(42)}
    assert not editor.chooser.isEnabled()


def test_that_rows_that_are_no_columns_are_named_by_typing(qtbot: QtBot, form: ParamsForm) -> None:
    editor = table(form, "years")
    assert editor.name.isVisible()
    assert not editor.chooser.isVisible()
    qtbot.keyClicks(editor.name, "2025")
    made = sent(qtbot, form, lambda: qtbot.keyClick(editor.name, Qt.Key.Key_Return))
    assert dict(made.years) == {"2025": Variable()}


def test_that_every_problem_stands_at_its_cell_and_the_first_in_words(qtbot: QtBot, form: ParamsForm) -> None:
    editor = table(form)
    with qtbot.waitSignal(form.invalid):
        type_into(qtbot, editor, 3, EPSILON, "much")
    for row in (4, 5, 6):
        type_into(qtbot, editor, row, EPSILON, "99")
    type_into(qtbot, editor, 3, EPSILON, "99")
    assert form.value() is None
    cells = [editor.model.index(row, EPSILON) for row in (3, 4, 5, 6)]
    assert all("must be above 0, at most 10" in str(cell.data(Qt.ItemDataRole.ToolTipRole)) for cell in cells)
    assert all(cell.data(Qt.ItemDataRole.DecorationRole) is not None for cell in cells)
    assert form.problem_text("variables").startswith("q3: ε is 99")
    assert form.problem_text("variables").endswith("1 more is marked in the table.")
    form.revert()
    assert form.value() == FORTY
    assert form.problem_text("variables") == ""


def test_that_a_rule_across_rows_is_told_beneath_the_table(qtbot: QtBot, form: ParamsForm) -> None:
    editor = table(form)
    with qtbot.waitSignal(form.invalid):
        type_into(qtbot, editor, 0, EPSILON, "10")
        editor.view.setCurrentIndex(editor.model.index(0, EPSILON))
        editor.fill_down()
    assert form.problem_text("variables") == "Too much in all. Lower one."


def test_that_a_problem_of_the_page_is_shown_at_its_cell_and_leads_there(form: ParamsForm) -> None:
    form.set_extra_problems((Problem("No such answer", "variables.q7.method", "Choose another"),))
    editor = table(form)
    assert editor.model.index(7, METHOD).data(Qt.ItemDataRole.ToolTipRole) == "No such answer. Choose another."
    assert form.show_field("variables.q7.method")
    assert (editor.view.currentIndex().row(), editor.view.currentIndex().column()) == (7, METHOD)


def test_that_what_is_half_typed_survives_a_refresh(qtbot: QtBot, form: ParamsForm) -> None:
    editor = table(form)
    type_into(qtbot, editor, 3, EPSILON, "0.")
    type_into(qtbot, editor, 4, EPSILON, "x")
    form.set_columns(COLUMNS)
    form.set_value(FORTY)
    assert editor.model.index(4, EPSILON).data() == "x"


def test_that_a_long_table_scrolls_inside_itself(form: ParamsForm) -> None:
    view = table(form).view
    assert view.height() < 420
    assert view.verticalScrollBar().maximum() > 0
    assert view.editTriggers() & QAbstractItemView.EditTrigger.AnyKeyPressed


def test_that_a_group_is_edited_field_by_field(qtbot: QtBot, form: ParamsForm) -> None:
    editor = form.editor("geography")
    assert isinstance(editor, GroupEditor)
    choice, share, planned = (editor.rows[name].editor for name in ("block", "share", "planned"))
    assert [choice.itemText(i) for i in range(choice.count())] == ["no column", "tract"]

    def choose() -> None:
        choice.setCurrentIndex(1)
        choice.activated.emit(1)

    assert sent(qtbot, form, choose).geography.block == "tract"
    share.selectAll()
    with qtbot.waitSignal(form.invalid):
        qtbot.keyClicks(share, "7")
    assert "must be at least 0, at most 1" in editor.rows["share"].problem.text()
    assert form.problem_text("geography") == ""
    form.set_value(replace(FORTY, geography=Places(share=Decimal("0.2"))))
    assert share.text() == "0.2"
    assert planned.text() == ""
    made = sent(qtbot, form, lambda: qtbot.keyClicks(planned, "9"))
    assert made.geography.planned == 9
    qtbot.keyClick(planned, Qt.Key.Key_Backspace)
    value = form.value()
    assert value is not None
    assert value.geography.planned is None
