"""A form made from a params class: exact values, live problems, nothing said twice."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QSpinBox
from pytestqt.qtbot import QtBot

from workbench.core.errors import Place, Problem
from workbench.core.params import param
from workbench.core.quantities import Epsilon
from workbench.ui.widgets.check_list import CheckList
from workbench.ui.widgets.forms.params_form import ParamsForm


class Calibration(StrEnum):
    TIGHT = "tight"
    PAPER = "paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    calibration: Calibration = param(
        Calibration.TIGHT, "Calibration", "How.", labels={"tight": "Tight", "paper": "Paper"}
    )
    epsilon: Epsilon = param(Epsilon("2"), "Privacy loss ε", "Spent once.", gt=0)
    alpha: Decimal = param(Decimal("0.10"), "Size window α", "Sizes alike.", gt=0, lt=1, unit="share")
    trials: int = param(20, "Trials", "Averaged.", ge=1, le=500)
    clip: bool = param(True, "No negative counts", "Below zero becomes zero.")
    attributes: tuple[str, ...] = param(("place",), "Attributes", "Broken down by.")
    seed: int = param(7, "Seed", "Studies only.", advanced=True)

    def check(self) -> tuple[Problem, ...]:
        return (Problem("ε must exceed 3·α", "epsilon", "Use more"),) if self.epsilon <= 3 * self.alpha else ()


OPTIONS = {"attributes": (("place", "Place"), ("sector", "Sector"), ("sex", "Sex"))}


@pytest.fixture
def form(qtbot: QtBot) -> ParamsForm:
    made = ParamsForm(Params, options=OPTIONS)
    qtbot.addWidget(made)
    made.show()
    return made


def line(form: ParamsForm, name: str) -> QLineEdit:
    editor = form.editor(name)
    assert isinstance(editor, QLineEdit)
    return editor


def retype(qtbot: QtBot, editor: QLineEdit, text: str) -> None:
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Delete)
    qtbot.keyClicks(editor, text)


def test_that_the_form_starts_with_the_defaults_and_says_nothing(form: ParamsForm) -> None:
    assert form.value() == Params()
    assert form.problems() == ()


def test_that_a_decimal_is_taken_exactly_as_typed(form: ParamsForm, qtbot: QtBot) -> None:
    with qtbot.waitSignal(form.changed, check_params_cb=lambda value: value.alpha == Decimal("0.3")) as got:
        retype(qtbot, line(form, "alpha"), "0.3")
    assert str(got.args[0].alpha) == "0.3"
    assert type(got.args[0].epsilon) is Epsilon


def test_that_text_in_a_number_is_a_problem_at_its_field(form: ParamsForm, qtbot: QtBot) -> None:
    with qtbot.waitSignal(form.invalid, check_params_cb=lambda problems: "two" in problems[0].what):
        retype(qtbot, line(form, "epsilon"), "two")
    assert "must be a number" in form.problem_text("epsilon")
    assert form.problem_text("alpha") == ""
    assert form.value() is None


def test_that_all_problems_are_shown_at_once(form: ParamsForm, qtbot: QtBot) -> None:
    retype(qtbot, line(form, "epsilon"), "-1")
    retype(qtbot, line(form, "alpha"), "1.5")
    assert "above 0" in form.problem_text("epsilon")
    assert "below 1" in form.problem_text("alpha")
    assert len(form.problems()) == 2


def test_that_a_rule_across_fields_is_shown_at_the_field_it_names(form: ParamsForm, qtbot: QtBot) -> None:
    retype(qtbot, line(form, "epsilon"), "0.2")
    assert "exceed 3·α" in form.problem_text("epsilon")
    retype(qtbot, line(form, "alpha"), "0.05")
    assert form.problem_text("epsilon") == ""


def test_that_setting_a_value_sends_no_signal(form: ParamsForm, qtbot: QtBot) -> None:
    value = Params(
        epsilon=Epsilon("3.25"), calibration=Calibration.PAPER, trials=9, clip=False, attributes=("sex", "place")
    )
    with qtbot.assertNotEmitted(form.changed), qtbot.assertNotEmitted(form.invalid):
        form.set_value(value)
    assert form.value() == value


def test_that_arrow_keys_change_the_last_digit_and_stop_at_the_bounds(form: ParamsForm, qtbot: QtBot) -> None:
    editor = line(form, "alpha")
    qtbot.keyClick(editor, Qt.Key.Key_Up)
    assert editor.text() == "0.11"
    for _ in range(3):
        qtbot.keyClick(editor, Qt.Key.Key_PageDown)
    assert editor.text() == "0.01"


def test_that_choices_show_labels_and_give_values(form: ParamsForm, qtbot: QtBot) -> None:
    combo = form.editor("calibration")
    assert isinstance(combo, QComboBox)
    assert [combo.itemText(at) for at in range(combo.count())] == ["Tight", "Paper"]
    with qtbot.waitSignal(form.changed) as got:
        qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert got.args[0].calibration is Calibration.PAPER


def test_that_whole_numbers_and_switches_are_edited(form: ParamsForm, qtbot: QtBot) -> None:
    spin, box = form.editor("trials"), form.editor("clip")
    assert isinstance(spin, QSpinBox)
    assert isinstance(box, QCheckBox)
    assert (spin.minimum(), spin.maximum()) == (1, 500)
    with qtbot.waitSignals([form.changed, form.changed]):
        spin.stepUp()
        qtbot.keyClick(box, Qt.Key.Key_Space)
    value = form.value()
    assert value is not None
    assert (value.trials, value.clip) == (21, False)


def test_that_names_are_ticked_and_ordered_by_keyboard(form: ParamsForm, qtbot: QtBot) -> None:
    names = form.editor("attributes")
    assert isinstance(names, CheckList)
    names.setCurrentRow(1)
    qtbot.keyClick(names, Qt.Key.Key_Space)
    assert names.names() == ("place", "sector")
    with qtbot.waitSignal(form.changed) as got:
        qtbot.keyClick(names, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert got.args[0].attributes == ("sector", "place")


def test_that_a_chosen_name_survives_other_options(form: ParamsForm, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(form.changed):
        form.set_options("attributes", (("sector", "Sector"),))
    value = form.value()
    assert value is not None
    assert value.attributes == ("place",)


def test_that_a_problem_behind_more_settings_opens_them(form: ParamsForm) -> None:
    assert not form.editor("seed").isVisible()
    form.set_extra_problems([Problem("the seed was used before", "[study], seed", place=Place("study", "seed"))])
    assert form.editor("seed").isVisible()
    assert "used before" in form.problem_text("seed")


def test_that_a_field_can_be_shown_by_name(form: ParamsForm) -> None:
    assert form.show_field("seed")
    assert form.editor("seed").isVisible()
    assert not form.show_field("nobody")


def test_that_editors_have_accessible_names_and_descriptions(form: ParamsForm, qtbot: QtBot) -> None:
    editor = form.editor("epsilon")
    assert editor.accessibleName() == "Privacy loss ε"
    assert "Spent once." in editor.accessibleDescription()
    retype(qtbot, line(form, "epsilon"), "0")
    assert "must be above 0" in editor.accessibleDescription()


def test_that_help_never_hides_a_note(form: ParamsForm) -> None:
    form.set_notes("epsilon", "Expected error: 3 jobs")
    row = form.editor("epsilon").parentWidget()
    assert row is not None
    assert any("Expected error" in str(label.property("text")) for label in row.children() if label.property("text"))


def test_that_half_a_number_survives_a_refresh_of_the_window(qtbot: QtBot) -> None:
    form = ParamsForm(Params)
    qtbot.addWidget(form)
    given = form.value()
    editor = form.editor("epsilon")
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "0.")
    form.set_value(given)
    assert editor.text() == "0."
    qtbot.keyClicks(editor, "7")
    assert form.value() is not None
    form.set_value(given)
    assert editor.text() == str(given.epsilon)


def test_that_a_whole_number_is_shown_without_a_decimal_place_and_typing_goes_on(
    qtbot: QtBot, form: ParamsForm
) -> None:
    form.set_value(Params(epsilon=Epsilon("12.0")))
    assert line(form, "epsilon").text() == "12"
    assert line(form, "alpha").text() == "0.10", "decimals that were typed stay"
    retype(qtbot, line(form, "epsilon"), "2.0")
    form.set_value(form.value())
    assert line(form, "epsilon").text() == "2.0", "on the way to 2.05"
