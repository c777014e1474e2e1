"""Project overview: every release with its state, turnaround and who acts next; a search that answers as one types."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from workbench.review.decide.dashboard import Dashboard, Overview, found
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.later import FRAME, Later
from workbench.ui.pages.page import beside
from workbench.ui.pages.project_page import ProjectPage
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.figures.view import FigureView
from workbench.ui.widgets.icons import icon
from workbench.ui.widgets.tables.state_table import StateModel
from workbench.ui.widgets.tables.table_views import Column, TableView
from workbench.ui.widgets.tiles import Tiles

_SAMPLED = 16  # releases that are looked at to find the widths of the columns


class _ReleaseTable(TableView):
    """Ids, dates and numbers are shown whole; titles and names give way where the window is narrow."""

    def sampled_rows(self) -> range:
        rows = self.table.rowCount()
        return range(0, rows, max(1, rows // _SAMPLED))

    def _shrinkable(self) -> list[bool]:
        whole = ("state", "id", "turnaround", "created")
        columns = [self.table.column(number) for number in range(self.table.columnCount())]
        return [not column.number and column.title not in whole for column in columns]


class DashboardPage(ProjectPage):
    def __init__(self, file: ProjectFile, editor: Editor) -> None:
        super().__init__(file, editor, "Project overview")
        self.overview: Dashboard | None = None
        self.shown: tuple[Overview, ...] = ()
        self.tiles = Tiles(5)
        self.policy = QLabel()
        self.policy.setProperty("role", "muted")
        self.head.insertWidget(1, self.policy)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search title, id, product, people, comments, purpose, definition   (Ctrl+F)")
        self.search.setAccessibleName("Search the releases")
        self.search.setClearButtonEnabled(True)
        self.search.addAction(icon("search", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self.search.textChanged.connect(lambda _text: self._show_rows(fit=False))
        self.search.returnPressed.connect(self._open_first)
        self.counted = wrapped("", "muted")
        self.table = _ReleaseTable(StateModel())
        self.table.setAccessibleName("Releases of the project")
        self.table.activated.connect(self._open)
        self.table.clicked.connect(self._open)
        self.nothing = wrapped("", "muted")
        self.figure = FigureView(headed=False)
        self.figure.plot().setMinimumHeight(84)
        self._draw_later = Later(self, self._draw)
        self._fit_due = True  # measuring the columns takes longest, and the same releases need it once
        self._rows_later = Later(self, lambda _nothing: self._show_rows(fit=self._fit_due), FRAME)
        self._lay_out()

    def _lay_out(self) -> None:
        releases = Card("Releases", "Waiting releases first, longest wait on top. Click to open.",
                        grows=True)  # fmt: skip
        row = QHBoxLayout()
        row.addWidget(self.search, 1)
        row.addWidget(self.counted)
        releases.add_layout(row)
        releases.add(self.table, stretch=1)
        releases.add(self.nothing)
        self.turnaround = Card("Turnaround: from creation to decision", grows=True)
        self.turnaround.add(self.figure, stretch=1)
        lower = QWidget()
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(beside(releases, self.turnaround, sizes=(480, 170), vertical=True))
        self.body.addWidget(self.tiles)
        self.body.addWidget(lower, 1)

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    @property
    def settled(self) -> bool:
        return super().settled and not self._rows_later.pending

    # What the project says
    def read(self) -> None:
        self.file.read_overview(self._show)

    def _show(self, overview: Dashboard) -> None:
        self.arrived()
        before, self.overview = self.overview, overview
        self.tiles.set_tiles(overview.tiles())
        self.policy.setText(f"Policy in force: {overview.policy}" if overview.policy else "No policy set")
        self._fit_due = self._fit_due or before is None or before.releases != overview.releases
        self._rows_later()
        figure = overview.turnaround_figure()
        if before is None or figure != self.figure.figure():
            self._draw_later(figure)

    def _draw(self, figure: object) -> None:
        self.turnaround.setVisible(figure is not None)
        if figure is not None:
            self.figure.set_figure(figure)  # type: ignore[arg-type]

    def _show_rows(self, *, fit: bool = True) -> None:
        """What matches the search. Widths follow the whole list, not every letter that is typed."""
        if self.overview is None:
            return
        everything, now = self.overview.releases, self.overview.read_at
        self.shown = found(everything, self.search.text())
        rows = self.shown
        self.table.table.set_table(
            (
                Column("state", lambda row: rows[row].state),
                Column("id", lambda row: rows[row].id),
                Column("title", lambda row: rows[row].title),
                Column("next", lambda row: _next(rows[row])),
                Column("turnaround", lambda row: rows[row].turnaround(now)),
                Column("created", lambda row: f"{rows[row].created:%Y-%m-%d}"),
                Column("prepared by", lambda row: rows[row].preparer),
                Column("draws", lambda row: rows[row].draws, number=True),
                Column("ε", lambda row: rows[row].epsilon, number=True),
            ),
            len(rows),
        )
        if fit:
            self._fit_due = False
            self.table.fit()
        asked = bool(self.search.text().strip())
        self.counted.setText(f"{len(rows)} of {len(everything)}" if asked else f"{len(everything)}")
        self.nothing.setVisible(not rows)
        self.table.setVisible(bool(rows))
        self.nothing.setText("No release contains all of these words." if everything else "No release yet.")

    def _open(self, index: QModelIndex) -> None:
        if 0 <= index.row() < len(self.shown):
            self.release_wanted.emit(self.shown[index.row()].id)

    def _open_first(self) -> None:
        if self.shown:
            self.release_wanted.emit(self.shown[0].id)


def _next(each: Overview) -> str:
    return f"{each.next_actor}: {each.next_step}" if each.next_actor else "–"
