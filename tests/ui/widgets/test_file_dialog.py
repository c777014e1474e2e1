"""A folder that is typed is the one that is chosen, whatever typing marked in the list on the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QLineEdit, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.widgets.file_dialog import FileDialog


def test_that_a_typed_folder_is_chosen_also_where_two_are_marked(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("january", "reports"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(FileDialog, "folder", str(tmp_path))
    around = QWidget()
    qtbot.addWidget(around)
    dialog = FileDialog(around, "Choose the folder")
    dialog.setOption(FileDialog.Option.DontUseNativeDialog)
    dialog.setFileMode(FileDialog.FileMode.Directory)
    chosen: list[str] = []
    dialog.fileSelected.connect(chosen.append)
    dialog.open()
    line, rows = dialog.findChild(QLineEdit), dialog.findChild(QTreeView)
    assert line is not None and rows is not None
    line.setText(str(tmp_path / "reports"))
    both = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    qtbot.waitUntil(lambda: rows.model().rowCount(rows.rootIndex()) == 2)
    rows.selectionModel().blockSignals(True)
    for row in range(2):
        rows.selectionModel().select(rows.model().index(row, 0, rows.rootIndex()), both)
    rows.selectionModel().blockSignals(False)
    assert len(dialog.selectedFiles()) == 2, "as a fast typist leaves it"
    dialog.accept()
    assert [Path(name) for name in chosen] == [tmp_path / "reports"]
