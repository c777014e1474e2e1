"""Pages under each other, as wide as there is room, like paper on a desk."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from workbench.report.preview import PageImage
from workbench.ui import theme

_GAP = 14


class _Sheets(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._pages: Sequence[PageImage] = ()
        self._fitted: dict[int, QImage] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_pages(self, pages: Sequence[PageImage]) -> None:
        self._pages = pages
        self._fitted = {}
        self.fit(self.width())

    def count(self) -> int:
        return len(self._pages)

    def fit(self, width: int) -> None:
        """Take the height that the pages need at this width."""
        heights = (self._sheet_height(page, width) + _GAP for page in self._pages)
        self.setFixedHeight(max(1, round(_GAP + sum(heights))))
        self.update()

    def _sheet_height(self, page: PageImage, width: int) -> float:
        return (width - 2 * _GAP) * page.height / max(page.width, 1)

    def _scaled(self, number: int, page: PageImage, sheet: QRectF) -> QImage:
        """The page at the size of the screen; small print stays readable only where it is scaled down smoothly."""
        size = (sheet.size() * self.devicePixelRatioF()).toSize()
        if number not in self._fitted or self._fitted[number].size() != size:
            image = QImage(page.pixels, page.width, page.height, 4 * page.width, QImage.Format.Format_RGB32)
            mode = Qt.TransformationMode.SmoothTransformation
            self._fitted[number] = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, mode)
        return self._fitted[number]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(event.rect(), QColor(theme.tokens().raised))
        top = float(_GAP)
        for number, page in enumerate(self._pages):
            height = self._sheet_height(page, self.width())
            sheet = QRectF(_GAP, top, self.width() - 2 * _GAP, height)
            if sheet.intersects(QRectF(event.rect())):
                painter.drawImage(sheet, self._scaled(number, page, sheet))
                painter.setPen(QPen(QColor(theme.tokens().border_strong), 1))
                painter.drawRect(sheet)
            top += height + _GAP
        painter.end()


class Paper(QScrollArea):
    """`set_pages(pages)` shows them from the top; `page_count` says how many there are."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setAccessibleName("Preview of the report")
        self._sheets = _Sheets()
        self.setWidget(self._sheets)

    @property
    def page_count(self) -> int:
        return self._sheets.count()

    def set_pages(self, pages: Sequence[PageImage]) -> None:
        self._sheets.set_pages(pages)
        self.verticalScrollBar().setValue(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sheets.fit(self.viewport().width())

    def sizeHint(self) -> QSize:
        return QSize(560, 600)
