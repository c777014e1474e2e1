"""FileDialog: asks for a file or folder, and begins where the last one was found.

    FileDialog(parent, "Choose a policy", kinds="Policies (*.toml)")           in the folder used last
    FileDialog(parent, "Save the plan", "plan.toml", kinds="Plans (*.toml)")   the same, with a name to begin with
    FileDialog(parent, "Choose the data file", "/data/2025", kinds="…")        where the caller knows better

`FileDialog.folder` is the folder used last; the window keeps it from one session to the next.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QWidget


class FileDialog(QFileDialog):
    folder: ClassVar[str] = ""

    def __init__(self, parent: QWidget, title: str, begin: str = "", *, kinds: str = "") -> None:
        known = FileDialog.folder if Path(FileDialog.folder).is_dir() else ""
        where = str(Path(known, begin)) if known else begin  # a whole path stays what it is
        super().__init__(parent, title, where, kinds)
        self.accepted.connect(self._remember)

    def accept(self) -> None:
        """Typing marks rows of the list as it goes; what is typed at last counts alone where one thing is asked for.

        With two marked, Qt would close the dialog and name neither.
        """
        if self.fileMode() is not QFileDialog.FileMode.ExistingFiles and len(self.selectedFiles()) > 1:
            for view in self.findChildren(QAbstractItemView):
                view.clearSelection()
        super().accept()

    def _remember(self) -> None:
        FileDialog.folder = self.directory().absolutePath()
