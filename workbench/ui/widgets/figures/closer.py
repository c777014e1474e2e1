"""A figure seen closer, in a window of its own: large, or as the table of its numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from workbench.core.figure_values import Cell, table_of
from workbench.core.figures import Figure
from workbench.ui import theme
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.tables.table_views import Column, TableView

_LARGE = (1040, 760)
_TABLE = (640, 560)


def window_around(parent: QWidget, content: QWidget, title: str, size: tuple[int, int]) -> QDialog:
    """A dialog that keeps nobody from the rest of the program, not larger than the screen."""
    dialog = QDialog(parent, Qt.WindowType.Window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(theme.PADDING, theme.PADDING, theme.PADDING, theme.PADDING)
    column.addWidget(content)
    room = parent.screen().availableSize()
    dialog.resize(min(size[0], room.width()), min(size[1], room.height()))
    dialog.show()
    return dialog


def large(parent: QWidget, view: QWidget, figure: Figure) -> QDialog:
    return window_around(parent, view, figure.title or "Figure", _LARGE)


def data_window(parent: QWidget, figure: Figure) -> QDialog:
    """Every number of the figure, for whoever reads tables better or not at all with their eyes."""
    content = QWidget()
    column = QVBoxLayout(content)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(wrapped(figure.title, "heading"))
    column.addWidget(data_table(figure), 1)
    return window_around(parent, content, f"Data of: {figure.title}", _TABLE)


def data_table(figure: Figure) -> TableView:
    titles, rows = table_of(figure)

    def cell_of(at: int) -> Column:
        def cell(row: int) -> Cell:
            return rows[row][at]

        words = any(isinstance(row[at], str) and row[at] for row in rows)
        return Column(titles[at], cell, number=not words)

    view = TableView()
    view.set_table([cell_of(at) for at in range(len(titles))], len(rows))
    view.setAccessibleName(f"Data of {figure.title}")
    return view
