"""FileDialog: asks for a file or folder, and begins where the last one was found.

    FileDialog(parent, "Choose a policy", kinds="Policies (*.toml)")           in the folder used last
    FileDialog(parent, "Save the plan", "plan.toml", kinds="Plans (*.toml)")   the same, with a name to begin with
    FileDialog(parent, "Choose the data file", "/data/2025", kinds="…")        where the caller knows better

`FileDialog.folder` is the folder used last; the window keeps it from one session to the next.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from PySide6.QtWidgets import QFileDialog, QWidget


class FileDialog(QFileDialog):
    folder: ClassVar[str] = ""

    def __init__(self, parent: QWidget, title: str, begin: str = "", *, kinds: str = "") -> None:
        known = FileDialog.folder if Path(FileDialog.folder).is_dir() else ""
        where = str(Path(known, begin)) if known else begin  # a whole path stays what it is
        super().__init__(parent, title, where, kinds)
        self.accepted.connect(self._remember)

    def _remember(self) -> None:
        FileDialog.folder = self.directory().absolutePath()
