"""FigureView: a core Figure with title, legend, hover values, copy and save.

    view = FigureView()                    or FigureView(figure); FigureView(headed=False) inside a titled card
    view.set_figure(figure)                a set handle stays
    view.set_handle(2.0, "ε = 2")          a draggable upright line, in units of the x axis; set_handle(None) removes it
    view.handle_moved                      Signal(float) while it is dragged; what the lines say there is written below
    view.reset_view()                      show everything again
    view.copy_image() / copy_data()        to the clipboard (image; tab-separated text)
    view.save_png(path) / save_csv(path)   write files; UserProblem where that fails
    view.save_svg(path)                    as the report draws it, aside; a problem is said below the figure
    view.show_large() / show_data()        in a window of its own: large, or as a table
    view.lay_over(path)                    a public file over a map, aside; remove_overlay() takes it away
    view.picked, view.polygon_drawn        Signals: the key that was clicked, the corners that were drawn

Importing this module imports pyqtgraph (most of a second): import it late, after the first paint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QPixmap
from PySide6.QtWidgets import QDialog, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from workbench.core.errors import Problem, UserProblem
from workbench.core.figure_values import as_text, values_at
from workbench.core.figures import GRIDDED, Figure, Kind, Ring, Series
from workbench.core.palette import legend_of
from workbench.core.quantities import show
from workbench.review.publish.pictures import write_svg
from workbench.review.run.overlay import read_overlay
from workbench.ui import theme
from workbench.ui.dialogs import show_defect
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.figures.aside import Aside
from workbench.ui.widgets.figures.closer import data_window, large
from workbench.ui.widgets.figures.heat import HeatScale
from workbench.ui.widgets.figures.legend import LegendStrip
from workbench.ui.widgets.figures.plot import PlotArea
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import IconButton, icon

_LINED = {Kind.LINES}
_HOW_TO_DRAW = "Click the corners. Enter or a double click closes the polygon, Backspace removes a corner, Esc cancels."


class FigureView(QWidget):
    """Title, legend, plot, and a menu with everything one can do with the figure."""

    handle_moved = Signal(float)
    picked = Signal(str)  # the key of the point or cell that was clicked
    polygon_drawn = Signal(object)  # a Ring: corners in numbers of the axes

    def __init__(self, figure: Figure | None = None, *, headed: bool = True) -> None:
        super().__init__()
        self._headed = headed
        self._figure: Figure | None = None
        self._drawn = theme.tokens()
        self._title, self._subtitle = wrapped("", "heading"), wrapped("", "muted")
        self._legend, self._scale, self._plot = LegendStrip(), HeatScale(), PlotArea()
        self._upright, self._readout = wrapped("", "small"), wrapped("", "small")
        self._handle: tuple[float, str] | None = None
        self._note = wrapped("", "problem")
        self._overlay: tuple[Series, ...] = ()
        self._readout.hide()
        self._note.hide()
        self._reset = IconButton("reset", "Show everything again")
        self._more = IconButton("more", "Copy or save this figure")
        self._build()
        if figure is not None:
            self.set_figure(figure)

    def _build(self) -> None:
        self._plot.handle_moved.connect(self._dragged)
        self._plot.picked.connect(self.picked)
        self._plot.polygon_drawn.connect(self._polygon_ended)
        self._plot.zoomed.connect(self._reset.setVisible)
        self._reset.clicked.connect(self.reset_view)
        self._reset.hide()
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self._more)
        self._menu.aboutToShow.connect(self._fill_menu)
        self._more.setMenu(self._menu)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._title)
        words.addWidget(self._subtitle)
        if not self._headed:
            words.addWidget(self._legend)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addLayout(words, 1)
        for button in (self._reset, self._more):
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._column = whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addLayout(head)
        if self._headed:
            whole.addWidget(self._legend)
        whole.addWidget(self._scale)
        whole.addWidget(self._upright)
        whole.addWidget(self._plot, 1)
        whole.addWidget(self._readout)
        whole.addWidget(self._note)
        self._aside = Aside(self)
        self._aside.failed.connect(lambda wrong: self._say(wrong.problems))
        self._aside.defect.connect(lambda details: show_defect(self, details))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def figure(self) -> Figure | None:
        return self._figure

    def set_figure(self, figure: Figure) -> None:
        """Show a figure in place of the one before. Laid out once at the end, not after every label.

        What was laid over a map stays over the next one of the same title.
        """
        if self._figure is not None and (self._figure.title, self._figure.kind) != (figure.title, figure.kind):
            self._overlay = ()
        self._figure, self._drawn = figure, theme.tokens()
        self._say(())
        self._draw(replace(figure, series=(*figure.series, *self._overlay)))

    def _draw(self, figure: Figure) -> None:
        self._column.setEnabled(False)
        self._title.setText(figure.title)
        self._title.setVisible(self._headed and bool(figure.title))
        self._subtitle.setText(figure.subtitle)
        self._subtitle.setVisible(self._headed and bool(figure.subtitle))
        looks, gridded = legend_of(figure), figure.kind in GRIDDED and figure.extent is None
        coloured = figure.kind is Kind.HEAT_MAP or any(series.value for series in figure.series)
        named = len(looks) > 1 or (len(looks) == 1 and looks[0].name not in {"", figure.title, figure.y.label})
        self._legend.set_looks(looks if named else ())
        self._legend.setVisible(named)
        self._scale.setVisible(coloured)
        if coloured:
            self._scale.set_figure(figure)
        self._upright.setText(f"↑ {figure.y.title()}" if figure.y.title() and not gridded else figure.y.title())
        self._upright.setVisible(bool(figure.y.title()))
        self._column.setEnabled(True)
        self._column.activate()  # before drawing: labels on the plot are placed by its size
        self._plot.show_figure(figure)
        self._read_out()
        self._plot.setAccessibleName(figure.title)
        self._plot.setAccessibleDescription(
            f"{figure.subtitle} {figure.y.title()} against {figure.x.title()}. Arrow keys read the values.".strip()
        )

    def set_handle(self, value: float | None, label: str = "") -> None:
        self._handle = None if value is None else (value, label)
        self._plot.set_handle(value, label)
        self._read_out()

    def _dragged(self, value: float) -> None:
        if self._handle is not None:
            self._handle = (value, "")  # its words belong to the value before
        self._read_out()
        self.handle_moved.emit(value)

    def _read_out(self) -> None:
        """What the lines say where the handle stands; several figures with one handle are read together so."""
        said: tuple[tuple[str, float], ...] = ()
        if self._figure is not None and self._handle is not None and self._figure.kind in _LINED:
            clear = replace(self._figure, series=tuple(one for one in self._figure.series if not one.muted))
            said = values_at(clear, self._handle[0])
        unit = self._figure.y.unit if self._figure is not None else ""
        at = (self._handle[1] or show(self._handle[0], 3)) if self._handle is not None else ""
        values = " · ".join(f"{name} {self._near(value)}{f' {unit}' if unit else ''}" for name, value in said)
        self._readout.setText(f"At {at}: {values}" if said else "")
        self._readout.setVisible(bool(said))

    def _near(self, value: float) -> str:
        """A value between the points of a line is read off, not worked out: it stands for no third digit."""
        drawn = self._figure is not None and self._handle is not None
        at_point = drawn and any(self._handle[0] in series.x for series in self._figure.series)  # type: ignore[index, union-attr]
        return show(value, 3) if at_point else f"about {show(value, 2)}"

    def readout(self) -> str:
        return self._readout.text()

    def draw_polygon(self) -> None:
        """Let corners be set on the map; `polygon_drawn` tells them once the polygon is closed."""
        self._readout.setText(_HOW_TO_DRAW)
        self._readout.show()
        self._plot.draw_polygon()

    def _polygon_ended(self, ring: Ring | None) -> None:
        self._read_out()
        if ring is not None:
            self.polygon_drawn.emit(ring)

    def reset_view(self) -> None:
        self._plot.reset_view()

    def plot(self) -> PlotArea:
        """The plot itself, for tests and for whoever wants to link views."""
        return self._plot

    def image(self) -> QPixmap:
        """The figure as it stands, without its buttons."""
        shown = [button for button in (self._reset, self._more) if not button.isHidden()]
        for button in shown:
            button.hide()
        self._plot.show_spot(None)
        self._plot.finish_painting()
        picture = self.grab()
        for button in shown:
            button.show()
        return picture

    def copy_image(self) -> None:
        QGuiApplication.clipboard().setPixmap(self.image())

    def shown(self) -> Figure | None:
        """The figure with what is laid over it."""
        figure = self._figure
        return replace(figure, series=(*figure.series, *self._overlay)) if figure is not None else None

    def data_text(self, separator: str = "\t") -> str:
        figure = self.shown()
        return as_text(figure, separator=separator) if figure is not None else ""

    def copy_data(self) -> None:
        QGuiApplication.clipboard().setText(self.data_text())

    def save_png(self, path: Path) -> None:
        if not self.image().toImage().save(str(path), "PNG"):  # type: ignore[call-overload]
            raise UserProblem("The picture could not be written", path.name, "Choose a folder you may write to")

    def save_csv(self, path: Path) -> None:
        try:
            path.write_text(self.data_text(","), encoding="utf-8", newline="")
        except OSError as wrong:
            reason = wrong.strerror or "unknown reason"
            raise UserProblem(
                f"The data could not be written ({reason})", path.name, "Choose another folder"
            ) from wrong

    def save_svg(self, path: Path) -> None:
        """As the report draws it. matplotlib takes a moment, so it is done aside."""
        figure = self.shown()
        if figure is not None:
            self._aside.start(partial(write_svg, figure, path), lambda _nothing: None)

    def show_large(self) -> QDialog | None:
        """What is picked or drawn there counts here."""
        figure = self.shown()
        if figure is None:
            return None
        view = FigureView(figure)
        view.picked.connect(self.picked)
        view.polygon_drawn.connect(self.polygon_drawn)
        return large(self, view, figure)

    def show_data(self) -> QDialog | None:
        figure = self.shown()
        return data_window(self, figure) if figure is not None else None

    def lay_over(self, path: Path) -> None:
        """A public file over the map: outlines, places or numbers by code. Read aside."""
        if self._figure is not None:
            self._say(())
            self._aside.start(partial(read_overlay, path, self._figure), self._set_overlay)

    def remove_overlay(self) -> None:
        self._set_overlay(())

    def _set_overlay(self, overlay: tuple[Series, ...]) -> None:
        self._overlay = overlay
        if self._figure is not None:
            self.set_figure(self._figure)

    def _fill_menu(self) -> None:
        self._menu.clear()
        for words, drawing, act in self._actions():
            self._menu.addAction(icon(drawing, "muted"), words, act)

    def _actions(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        figure = self._figure
        if figure is not None and figure.polygon:
            yield "Draw a polygon", "plus", self.draw_polygon
        if figure is not None and figure.kind is Kind.MAP:
            yield "Lay a file over the map…", "folder", self._ask_overlay
        if self._overlay:
            yield "Remove the overlay", "close", self.remove_overlay
        yield "Enlarge", "search", self.show_large
        yield "Show data as a table", "table", self.show_data
        yield "Copy image", "image", self.copy_image
        yield "Copy data", "copy", self.copy_data
        yield "Save image as PNG…", "save", partial(self._ask, "PNG", ".png", self.save_png)
        yield "Save image as SVG…", "save", partial(self._ask, "SVG", ".svg", self.save_svg)
        yield "Save data as CSV…", "save", partial(self._ask, "CSV", ".csv", self.save_csv)
        yield "Show everything again", "reset", self.reset_view

    def _ask_overlay(self) -> None:
        dialog = FileDialog(self, "Lay a public file over the map", kinds="Maps and tables (*.geojson *.json *.csv)")
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.lay_over(Path(name)))
        dialog.open()

    def _say(self, problems: Sequence[Problem]) -> None:
        self._note.setText(" ".join(problem.sentence() for problem in problems))
        self._note.setVisible(bool(problems))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._menu.popup(event.globalPos())

    def _ask(self, kind: str, suffix: str, save: Callable[[Path], None]) -> None:
        name = "".join(c if c.isalnum() else "-" for c in (self._figure.title if self._figure else "figure")).strip("-")
        dialog = FileDialog(self, f"Save as {kind}", f"{name.lower() or 'figure'}{suffix}", kinds=f"{kind} (*{suffix})")
        dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix.lstrip("."))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(partial(self._save, save))
        dialog.open()

    def _save(self, save: Callable[[Path], None], name: str) -> None:
        try:
            save(Path(name))
            self._say(())
        except UserProblem as wrong:
            self._say(wrong.problems)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        another = self._drawn is not theme.tokens()
        if event.type() is QEvent.Type.StyleChange and another and self._figure is not None:
            self.set_figure(self._figure)
