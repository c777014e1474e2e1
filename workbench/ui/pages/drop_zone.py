"""What the Data page shows before there is a file: where to drop one, and what happens then."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.ui import theme
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.icons import IconLabel, TextButton

_STEPS = (
    "1.  Choose the microdata: one row per record, as CSV, Parquet, Stata, SAS, SPSS or Excel.",
    "2.  Check the role suggested for each column, correct it if needed, and confirm.",
    "3.  Read the results of the checks. The rows never enter the project file.",
)


class DropZone(QWidget):
    """A dashed frame with a button for a file and one for a cluster. The page itself takes the drop."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Drop the data file here")
        self.choose = TextButton("Choose data file…", "folder", role="primary", ink="on_accent")
        whole = QVBoxLayout(self)
        whole.setSpacing(theme.GAP)
        whole.addStretch(2)
        centre = Qt.AlignmentFlag.AlignHCenter
        whole.addWidget(IconLabel("table", "accent", size=40), 0, centre)
        title = wrapped("Drop the data file here", "title")
        title.setAlignment(centre)
        whole.addWidget(title)
        whole.addWidget(self.choose, 0, centre)
        self.cluster = TextButton("Data on a Spark cluster…", "table")
        whole.addWidget(self.cluster, 0, centre)
        whole.addSpacing(theme.GAP)
        for step in _STEPS:
            words = wrapped(step, "muted")
            words.setAlignment(centre)
            whole.addWidget(words)
        whole.addStretch(3)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        colours = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(colours.surface))
        painter.setPen(QPen(QColor(colours.border_strong), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 10, 10)
        painter.end()
