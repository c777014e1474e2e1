"""One editor per type of field. Each has `raw()`, `show_value(value)` and the signal `edited`.

`raw()` is what the person typed or chose, for `core.params.value_from` to judge; a decimal stays the text it is and
never passes through a binary float.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from workbench.core.params import Field
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.check_list import CheckList
from workbench.ui.widgets.plain_tip import plain_tip

Options = Sequence[tuple[str, str]]
_INT_LIMIT = 2**31 - 1


def _typed(value: object) -> str:
    """A number as a person writes it: 2, where a program says 2.0."""
    text = "" if value is None else str(value)
    return re.sub(r"^([+-]?\d+)\.0+$", r"\1", text)


class DecimalEdit(QLineEdit):
    """A number as typed. Up and Down change its last shown digit, Page Up and Page Down ten times as much."""

    edited = Signal()

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field
        self.textEdited.connect(lambda _text: self.edited.emit())
        self.setMaximumWidth(220)

    def raw(self) -> object:
        return self.text().strip()

    def show_value(self, value: object) -> None:
        text = _typed(value)
        if self.text().strip() != text and _typed(self.raw()) != text:  # 2.0 stays while somebody goes on to 2.05
            self.setText(text)
            self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self.step(step):
            super().keyPressEvent(event)

    def step(self, number: int) -> bool:
        """Move by so many of the last shown digit (tenths where none is shown), staying within the bounds."""
        try:
            value = Decimal(self.text().strip())
        except InvalidOperation:
            return False
        if not value.is_finite():
            return False
        exponent = value.as_tuple().exponent
        places = exponent if isinstance(exponent, int) and exponent < 0 else (0 if self._field.type is int else -1)
        moved = value + number * Decimal(1).scaleb(places)
        if not self._allowed(moved):
            return True
        self.setText(str(moved.quantize(Decimal(1).scaleb(places))))
        self.edited.emit()
        return True

    def _allowed(self, value: Decimal) -> bool:
        field = self._field
        return not (
            (field.gt is not None and value <= field.gt)
            or (field.ge is not None and value < field.ge)
            or (field.lt is not None and value >= field.lt)
            or (field.le is not None and value > field.le)
        )


class WholeEdit(QSpinBox):
    """A whole number with arrows. The wheel scrolls the page unless the box has been chosen."""

    edited = Signal()

    def __init__(self, field: Field) -> None:
        super().__init__()
        low, high = -_INT_LIMIT, _INT_LIMIT
        if field.minimum is not None:
            low = max(low, int(field.minimum) + (1 if field.ge is None else 0))
        if field.maximum is not None:
            high = min(high, int(field.maximum) - (1 if field.le is None else 0))
        self.setRange(low, high)
        self.setSpecialValueText(dict(field.named).get(Decimal(low), ""))  # Qt shows it in place of the smallest number
        self.setGroupSeparatorShown(True)
        self.lineEdit().setTextMargins(7, 0, 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMaximumWidth(220)
        self.valueChanged.connect(lambda _value: self.edited.emit())

    def raw(self) -> object:
        return self.value()

    def show_value(self, value: object) -> None:
        self.setValue(int(str(value)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Choice(QComboBox):
    """A modern combo box over (value, label) pairs. The wheel scrolls the page unless the box has been chosen."""

    edited = Signal()

    def __init__(self, options: Options = ()) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.set_options(options)
        self.activated.connect(lambda _index: self.edited.emit())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Words too long for the box end in an ellipsis; the tool tip has them all."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        whole = option.currentText
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        shown = self.fontMetrics().elidedText(whole, Qt.TextElideMode.ElideRight, room.width() - 4)
        option.currentText = shown
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()
        self.setToolTip(plain_tip(whole) if shown != whole else "")

    def set_options(self, options: Options) -> None:
        chosen = self.raw()
        self.clear()
        for value, label in options:
            self.addItem(label, value)
        self.show_value(chosen)

    def raw(self) -> object:
        value = self.currentData()
        return value if isinstance(value, str) else ""

    def show_value(self, value: object) -> None:
        text = str(value.value) if isinstance(value, StrEnum) else str(value)
        at = self.findData(text)
        if at < 0 and text:  # a value nobody offers any more is shown as it is rather than silently replaced
            self.addItem(text, text)
            at = self.count() - 1
        self.setCurrentIndex(at)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class YesNo(QCheckBox):
    """A check box whose words are the field's label."""

    edited = Signal()

    def __init__(self, field: Field) -> None:
        super().__init__(field.label)
        self.clicked.connect(lambda _checked: self.edited.emit())

    def raw(self) -> object:
        return self.isChecked()

    def show_value(self, value: object) -> None:
        self.setChecked(bool(value))


class TextEdit(QLineEdit):
    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.textEdited.connect(lambda _text: self.edited.emit())

    def raw(self) -> object:
        return self.text()

    def show_value(self, value: object) -> None:
        if self.text() != str(value):
            self.setText(str(value))


class TextsEdit(QLineEdit):
    """Several texts in one line, separated by commas; one that holds a comma stands in quotation marks."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText("separated by commas")
        self.textEdited.connect(lambda _text: self.edited.emit())

    def raw(self) -> object:
        fields = next(csv.reader([self.text()], skipinitialspace=True), [])
        return [text for text in dict.fromkeys(field.strip() for field in fields) if text]

    def show_value(self, value: object) -> None:
        texts = [str(text) for text in value] if isinstance(value, list | tuple) else []
        if self.raw() != texts:
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(texts)
            self.setText(line.getvalue().replace(",", ", ") if '"' not in line.getvalue() else line.getvalue())


def editor_for(field: Field, options: Options | None) -> Any:
    """The editor that suits a field. A text field with options is a choice."""
    if field.rows is not None:
        from workbench.ui.widgets.forms.settings_table import SettingsTable

        return SettingsTable(field)
    if field.group is not None:
        from workbench.ui.widgets.forms.group_editor import GroupEditor

        return GroupEditor(field)
    if field.type is bool:
        return YesNo(field)
    if field.many:
        return CheckList(options or ()) if options is not None or field.roles else TextsEdit()
    if field.choices:
        return Choice(tuple(zip(field.choices, field.choice_labels, strict=True)))
    if field.type is str:
        return Choice(options or ()) if options is not None or field.roles else TextEdit()
    if field.type is int and not field.optional and abs(int(field.default)) <= _INT_LIMIT:
        return WholeEdit(field)
    return DecimalEdit(field)


def with_unit(editor: QWidget, unit: str) -> QWidget:
    """The editor with its unit at the right, or the editor itself."""
    if not unit:
        return editor
    pair = QWidget()
    row = QHBoxLayout(pair)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(editor, 2)
    label = wrapped(unit, "muted")
    label.setWordWrap(False)
    row.addWidget(label, 1)
    return pair
