"""FigureGrid: several figures in cards, side by side where there is room and under each other where there is not.

    grid = FigureGrid(); grid.set_figures(figures)     each figure keeps a readable size
    grid.views()                                       the FigureViews, in order
    grid.set_settings(settings)                        handles where the settings stand; setting_moved

Like `figure_view`, import it late: it imports pyqtgraph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from workbench.core.figures import Figure
from workbench.core.outlines import outline_text
from workbench.review.plan.settings import Setting
from workbench.ui import theme
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.figures.view import FigureView

_NARROWEST = 350
_HEIGHT = 230


class FigureGrid(QWidget):
    """As many columns as fit; a last figure that would stand alone takes the whole row."""

    setting_moved = Signal(str, float)
    chosen = Signal(str, str)  # a setting of the exploration, and what a click or a polygon says it is

    def __init__(self, *, height: int = _HEIGHT) -> None:
        super().__init__()
        self._height = height
        self._cards: list[Card] = []
        self._views: list[FigureView] = []
        self._columns = 0
        self._settings: Mapping[str, Setting] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(theme.GAP)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def views(self) -> tuple[FigureView, ...]:
        return tuple(self._views)

    def warm(self) -> None:
        """One empty plot in store: the first figure then only has to be drawn."""
        if not self._views:
            self._add(FigureView())

    def _add(self, view: FigureView) -> None:
        card = Card(grows=True)
        view.plot().setMinimumHeight(self._height)
        view.handle_moved.connect(lambda value: self._moved(view, value))
        view.picked.connect(lambda key: self._chosen(view, key))
        view.polygon_drawn.connect(lambda ring: self._chosen(view, outline_text(ring), polygon=True))
        card.add(view, 1)
        self._cards.append(card)
        self._views.append(view)

    def set_figures(self, figures: Sequence[Figure]) -> None:
        """Show these; views that exist already are used again."""
        while len(self._cards) > len(figures):
            card = self._cards.pop()
            self._views.pop()
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        for view, figure in zip(self._views, figures, strict=False):
            if view.figure() != figure:
                view.set_figure(figure)
        for figure in figures[len(self._views) :]:
            self._add(FigureView(figure))
        for view in self._views:
            self._place_handle(view)
        self._columns = 0
        self._arrange()

    def set_settings(self, settings: Mapping[str, Setting]) -> None:
        self._settings = settings
        for view in self._views:
            self._place_handle(view)

    def _place_handle(self, view: FigureView) -> None:
        setting = self._settings.get(_setting_of(view))
        if setting is None:
            view.set_handle(None)
        else:
            view.set_handle(setting.value, setting.words)

    def _moved(self, view: FigureView, value: float) -> None:
        if name := _setting_of(view):
            self.setting_moved.emit(name, value)

    def _chosen(self, view: FigureView, value: str, *, polygon: bool = False) -> None:
        figure = view.figure()
        if figure is not None and (name := figure.polygon if polygon else figure.picks):
            self.chosen.emit(name, value)

    def _arrange(self) -> None:
        most = max(1, (self.width() + theme.GAP) // (_NARROWEST + theme.GAP))
        columns = min(most, max(1, len(self._cards)), 2 if len(self._cards) in {2, 4} else 3)
        if columns == self._columns:
            return
        self._columns = columns
        for card in self._cards:
            self._grid.removeWidget(card)
        for number, card in enumerate(self._cards):
            row, column = divmod(number, columns)
            alone = number == len(self._cards) - 1 and column == 0
            self._grid.addWidget(card, row, column, 1, columns if alone else 1)
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


def _setting_of(view: FigureView) -> str:
    """The setting that a line of the figure stands for; empty where none does."""
    figure = view.figure()
    return next((mark.moves for mark in figure.marks if mark.moves), "") if figure is not None else ""
