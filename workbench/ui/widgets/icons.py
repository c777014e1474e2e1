"""Our own icons, recoloured for the theme in force.

    icon("copy")                      a QIcon for buttons and actions
    paint(painter, rect, "check", role="passed")
    IconLabel("warning", "warn")      a label that stays right when the theme changes
    IconButton("copy", "Copy data")   a tool button, likewise; the text is its tool tip and accessible name

Widgets get style events for many reasons; whoever keeps pictures compares the tokens and redraws for a new theme only.

A role is the name of a token (passed, warn, fail, muted, accent …). In the drawings `currentColor` stands for it and
white for the paper behind.
"""

from __future__ import annotations

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QIcon, QImage, QKeyEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolButton, QWidget

from workbench.core.resources import resource
from workbench.ui import theme
from workbench.ui.widgets.plain_tip import plain_tip


@cache
def _drawing(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def _image(name: str, ink: str, paper: str, pixels: int) -> QImage:
    text = _drawing(name).replace("currentColor", ink).replace('"white"', f'"{paper}"')
    made = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    QSvgRenderer(QByteArray(text.encode("utf-8"))).render(painter)
    painter.end()
    return made


def _coloured(name: str, role: str, pixels: int) -> QImage:
    chosen = theme.tokens()
    return _image(name, str(getattr(chosen, role)), chosen.surface, pixels)


def paint(painter: QPainter, rect: QRectF, name: str, *, role: str = "text") -> None:
    """Draw an icon into a square, sharp on any screen."""
    pixels = max(1, round(rect.width() * painter.device().devicePixelRatioF()))
    painter.drawImage(rect, _coloured(name, role, pixels))


def icon(name: str, role: str = "text", *, size: int = 16, before: int = 0, after: int = 0) -> QIcon:
    """The icon in the theme in force, with a paler version for disabled buttons.

    `before` and `after` are empty pixels at its sides: Qt leaves too little room between icon and words.
    """
    made = QIcon()
    for scale in (1, 2, 3):
        for key, mode in ((role, QIcon.Mode.Normal), ("border_strong", QIcon.Mode.Disabled)):
            pixmap = QPixmap((size + before + after) * scale, size * scale)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.drawImage(before * scale, 0, _coloured(name, key, size * scale))
            painter.end()
            pixmap.setDevicePixelRatio(scale)
            made.addPixmap(pixmap, mode)
    return made


def app_icon() -> QIcon:
    """The program's own icon."""
    return QIcon(str(resource("icons", "workbench.svg")))


class IconLabel(QWidget):
    """A small icon in a layout."""

    def __init__(self, name: str = "circle", role: str = "muted", *, size: int = 16) -> None:
        super().__init__()
        self._name, self._role = name, role
        self.setFixedSize(size, size)

    def set_icon(self, name: str, role: str) -> None:
        self._name, self._role = name, role
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint(painter, QRectF(self.rect()), self._name, role=self._role)
        painter.end()


class IconButton(QToolButton):
    """A button that shows an icon only; its words are the tool tip and the accessible name."""

    def __init__(self, name: str, text: str, role: str = "muted") -> None:
        super().__init__()
        self._name, self._role = name, role
        self.setToolTip(plain_tip(text))
        self.setAccessibleName(text)
        self.setIconSize(QSize(16, 16))
        self.setIcon(icon(name, role))
        self._drawn = theme.tokens()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.StyleChange and self._drawn is not theme.tokens():
            self._drawn = theme.tokens()
            self.setIcon(icon(self._name, self._role))
        super().changeEvent(event)


class TextButton(QPushButton):
    """A push button with words, and with an icon where one is named: before the words, or after them.

    Enter presses it like Space: Qt does that in dialogs only.
    """

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)

    def __init__(self, text: str, name: str = "", *, role: str = "", ink: str = "text", after: bool = False) -> None:
        super().__init__(text)
        self._name, self._ink, self._after = name, ink, after
        self.setIconSize(QSize(21, 16))
        if after:
            self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        if role:
            self.setProperty("role", role)
        self._redraw()

    def show_icon(self, name: str) -> None:
        """Another icon, or none where the words need its room."""
        if name != self._name:
            self._name = name
            self.setIcon(QIcon())
            self._redraw()

    def set_ink(self, ink: str) -> None:
        """Another colour for the icon, with another role for the button."""
        self._ink = ink
        self._redraw()

    def _redraw(self) -> None:
        self._drawn = theme.tokens()
        if self._name:
            self.setIcon(icon(self._name, self._ink, before=5 if self._after else 0, after=0 if self._after else 5))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.StyleChange and self._drawn is not theme.tokens():
            self._redraw()
        super().changeEvent(event)


class FittingButton(TextButton):
    """A button that shortens its words rather than widening its place; the tool tip has them all."""

    def __init__(self, text: str, name: str = "", *, role: str = "", ink: str = "text", after: bool = False) -> None:
        super().__init__(text, name, role=role, ink=ink, after=after)
        self._words = text
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_words(self, text: str) -> None:
        self._words = text
        self.setAccessibleName(text)
        self._fit()

    def words(self) -> str:
        return self._words

    def _beside(self) -> int:
        """What frame, padding and icon take of the width."""
        return 34 if self.icon().isNull() else 54

    def _fit(self) -> None:
        room = max(30, self.width() - self._beside())
        metrics = QFontMetrics(self.font())
        shown = metrics.elidedText(self.words(), Qt.TextElideMode.ElideRight, room)
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(plain_tip(self.words()) if shown != self.words() else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """Of the whole words, so that a shortened button grows again with its place."""
        natural = super().sizeHint()
        metrics = QFontMetrics(self.font())
        cut = metrics.horizontalAdvance(self._words) - metrics.horizontalAdvance(self.text().replace("&&", "&"))
        return QSize(natural.width() + max(0, cut) + 6, natural.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, super().minimumSizeHint().height())
