"""Files linked to the data: their keys, what becomes of rows without a match, and what the keys find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.core.errors import Problem
from workbench.core.findings import Finding, Status
from workbench.review.plan.plan import DataPlan
from workbench.review.run.linked_view import (
    InBoth,
    LinkedFile,
    in_both,
    key_columns,
    left_out,
    padded,
    unmatched_offered,
    with_pairs,
    with_unmatched,
    without_link,
)
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.icons import IconLabel, TextButton

_ICONS = {Status.PASS: ("check", "passed"), Status.WARN: ("warning", "warn"), Status.FAIL: ("cross", "fail")}


def _chooser(name: str, columns: Sequence[str], current: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel scrolls the page and changes nothing
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(10)
    for column in dict.fromkeys((*([current] if current else ["", *columns][:1]), *columns)):
        box.addItem(column or "choose…", column)
    box.setCurrentIndex(max(box.findData(current), 0))
    return box


class LinkRow(QWidget):
    """One linked file. Whatever is chosen is told at once as the plan's data with it."""

    changed = Signal(str, object)  # the words of the step, and the plan's data

    def __init__(self, file: LinkedFile, own: Sequence[str], data: DataPlan, twice: Sequence[InBoth]) -> None:
        super().__init__()
        self._twice = tuple(twice)
        self.file, self._own, self._data = file, tuple(own), data
        self._theirs = tuple(column.name for column in file.columns)
        self.keys: list[tuple[QComboBox, QComboBox]] = []
        self.remove_button, self.more_button = TextButton("Unlink"), TextButton("Add key column")
        self.remove_button.clicked.connect(self._remove)
        self.more_button.clicked.connect(lambda: self._tell([*self.file.pairs, ("", "")]))
        self.result, self._mark = wrapped("", "small"), IconLabel("info", "muted")
        self.pad_button = TextButton("Pad keys with zeros")
        self.pad_button.clicked.connect(lambda: self.changed.emit("pad the keys", padded(self._data, self.file.name)))
        self.leave_button = TextButton("Leave out here")
        self.leave_button.clicked.connect(self._leave_out)
        self.unmatched = QComboBox()
        self._build()

    def _build(self) -> None:
        head = QHBoxLayout()
        self.name = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.name.set_text(Path(self.file.path).name, self.file.path)
        head.addWidget(self.name, 1)
        head.addWidget(self.more_button)
        head.addWidget(self.remove_button)
        keys = QGridLayout()
        keys.setColumnStretch(1, 1)
        keys.setColumnStretch(3, 1)
        for row, (ours, theirs) in enumerate(self.file.pairs or (("", ""),)):
            mine = _chooser("Key column of the data", self._own, ours)
            their = _chooser(f"Key column of {self.name.whole()}", self._theirs, theirs)
            self.keys.append((mine, their))
            for box in (mine, their):
                box.currentIndexChanged.connect(lambda _place: self._tell(self._chosen()))
            for column, part in enumerate((QLabel("Key" if not row else "and"), mine, QLabel("="), their)):
                keys.addWidget(part, row, column)
        self.unmatched.setAccessibleName(f"Rows without a match in {self.name.whole()}")
        self.unmatched.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for value, words in unmatched_offered():
            self.unmatched.addItem(words, value)
        self.unmatched.setCurrentIndex(self.unmatched.findData(str(self.file.link.unmatched)))
        self.unmatched.currentIndexChanged.connect(lambda _place: self._choose_unmatched())
        lost = QHBoxLayout()
        lost.addWidget(wrapped("Rows without a match"), 1)
        lost.addWidget(self.unmatched)
        said = QHBoxLayout()
        said.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        said.addWidget(self.result, 1)
        said.addWidget(self.pad_button, 0, Qt.AlignmentFlag.AlignTop)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 4, 0, 6)
        whole.setSpacing(4)
        for line in (head, keys, *self._lines_of_both(), lost, said):
            whole.addLayout(line)
        self.show_result(None)

    def _lines_of_both(self) -> list[QHBoxLayout]:
        """What two files have by one name, and a button that settles it."""
        lines = []
        for each in self._twice:
            line = QHBoxLayout()
            line.addWidget(IconLabel("warning", "warn"), 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(wrapped(each.sentence, "small"), 1)
            lines.append(line)
        if lines:
            lines[-1].addWidget(self.leave_button, 0, Qt.AlignmentFlag.AlignTop)
        return lines

    def show_result(self, found: Finding | Problem | None) -> None:
        """What the key matches, in counts; confidential like the rows, so for the window only."""
        if found is None:
            words, mark = "The keys have not been compared yet.", ("info", "muted")
        elif isinstance(found, Problem):
            words, mark = found.sentence(), ("cross", "fail")
        else:
            words, mark = found.sentence, _ICONS.get(found.status, ("info", "muted"))
        self.result.setText(words)
        self._mark.set_icon(*mark)
        self.pad_button.setVisible(isinstance(found, Finding) and bool(found.values.get("leading_zeros")))

    def _chosen(self) -> list[tuple[str, str]]:
        return [(str(mine.currentData() or ""), str(their.currentData() or "")) for mine, their in self.keys]

    def _tell(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.changed.emit("choose the key", with_pairs(self._data, self.file.name, pairs))

    def _choose_unmatched(self) -> None:
        data = with_unmatched(self._data, self.file.name, str(self.unmatched.currentData()))
        self.changed.emit("choose rows without a match", data)

    def _leave_out(self) -> None:
        columns = {column for each in self._twice for column in each.columns}
        self.changed.emit("leave columns out", left_out(self._data, self.file, columns))

    def _remove(self) -> None:
        there = set(self.file.link.there) | set(self._own)
        brought = [column for column in self._theirs if column not in there]
        self.changed.emit("unlink a file", without_link(self._data, self.file.name, brought))


class LinkedFiles(QWidget):
    """`show_links(files, own, data)` after every change; rows are made anew only where a link is another one."""

    changed = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, LinkRow] = {}
        self._shown: object = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self.hide()

    def show_links(self, files: Sequence[LinkedFile], own: Sequence[str], data: DataPlan) -> None:
        shown = (tuple(files), tuple(own), data)
        if shown == self._shown:
            return
        self._shown = shown
        for old in self.rows.values():
            old.hide()
            old.deleteLater()
        twice = in_both(files, data, own)
        keys, _ = key_columns(files, own)
        self.rows = {file.name: LinkRow(file, keys[file.name], data, twice[file.name]) for file in files}
        for row in self.rows.values():
            row.changed.connect(self.changed)
            self._column.addWidget(row)
        self.setVisible(bool(files))

    def show_results(self, found: Mapping[str, Finding | Problem]) -> None:
        for name, row in self.rows.items():
            row.show_result(found.get(name))
