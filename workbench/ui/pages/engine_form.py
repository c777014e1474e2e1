"""Who reads the rows: engine, server, and the folder of the data as the server sees it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from workbench.review.plan.plan import Plan, engine_params
from workbench.ui import theme
from workbench.ui.widgets.card import Scrolling, wrapped
from workbench.ui.widgets.forms.params_form import ParamsForm
from workbench.ui.widgets.icons import TextButton


class EngineForm(QWidget):
    """The plan's [engine] as a form. Where a server reads the data, their folder is typed: no dialog can look there."""

    look = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.params = ParamsForm(engine_params())
        self.folder = QLineEdit()
        self.folder.setPlaceholderText("/warehouse/jobs")
        self.folder.setAccessibleName("Data folder on the server")
        self.look_button = TextButton("Look at the data", "folder")
        self.look_button.clicked.connect(self._look)
        self.folder.returnPressed.connect(self._look)
        self._server = QWidget()
        server = QVBoxLayout(self._server)
        server.setContentsMargins(0, 0, 0, 0)
        server.setSpacing(4)
        server.addWidget(wrapped("Data folder on the server", "label"))
        row = QHBoxLayout()
        server.addLayout(row)
        row.addWidget(self.folder, 1)
        row.addWidget(self.look_button)
        self.words = wrapped("", "muted")
        form = Scrolling(self.params)
        form.setFixedHeight(196)  # two fields with two lines of help each, in the narrow page too
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(theme.GAP)
        for part in (form, self._server, self.words):
            whole.addWidget(part)

    def show_plan(self, plan: Plan, *, words: str) -> None:
        self.params.set_value(plan.engine)
        self._server.setVisible(plan.engine.on_server)
        if plan.engine.on_server and not self.folder.hasFocus():
            self.folder.setText(plan.data.path)
        self.words.setText(words)
        self.words.setVisible(bool(words))

    def _look(self) -> None:
        if self.folder.text().strip():
            self.look.emit(self.folder.text().strip())
