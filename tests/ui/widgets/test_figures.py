"""Figures: readable ticks, hover values, exports and every kind, in both themes."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.core.errors import UserProblem
from workbench.core.figure_values import as_text, number, table_of
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.palette import looks_of
from workbench.ui import theme
from workbench.ui.widgets.figures.axes import in_lines
from workbench.ui.widgets.figures.grid import FigureGrid
from workbench.ui.widgets.figures.heat import HeatScale
from workbench.ui.widgets.figures.ticks import linear_ticks, log_ticks, tick_text
from workbench.ui.widgets.figures.view import FigureView

NAN = float("nan")
ONE_OF_EACH = (
    Figure(kind=Kind.LINES, title="Lines", x=Axis(label="x"), y=Axis(label="y", log=True),
           series=(Series(name="a", x=(0, 1, 2), y=(0, 1, 10), low=(0, 0.5, 5), high=(1, 2, 20)),)),
    Figure(kind=Kind.SCATTER, title="Cloud", x=Axis(label="x", log=True), y=Axis(label="y"),
           series=(Series(name="a", x=(1, 10, 100), y=(1, NAN, 3)),)),
    Figure(kind=Kind.BARS, title="Bars", x=Axis(label="who", categories=("one", "two")), y=Axis(label="n"),
           series=(Series(name="a", x=(0, 1), y=(3, 4)), Series(name="b", x=(0, 1), y=(1, 2)))),
    Figure(kind=Kind.DISTRIBUTION, title="Histogram", x=Axis(label="size", unit="jobs"), y=Axis(label="cells"),
           series=(Series(name="cells", x=(0, 1, 2, 4), y=(5, 3, 1)),)),
    Figure(kind=Kind.INTERVAL, title="Intervals", x=Axis(label="stratum", categories=("s", "m")), y=Axis(label="r"),
           series=(Series(name="a", x=(0, 1), y=(0.5, 0.9), low=(0.4, 0.8), high=(0.6, 0.95)),)),
    Figure(kind=Kind.MAP, title="Map", x=Axis(label="longitude"), y=Axis(label="latitude"),
           series=(Series(name="places", x=(1, 2), y=(3, 4), high=(1, 9)),)),
    Figure(kind=Kind.HEAT_MAP, title="Heat", x=Axis(label="outcome", categories=("none", "one")),
           y=Axis(label="data", categories=("D1", "D2")), grid=((0.9, 0.1), (NAN, 0.8)), outlined=((0, 1),)),
)  # fmt: skip


@pytest.fixture
def view(qtbot: QtBot, curve: Figure) -> FigureView:
    made = FigureView(curve)
    qtbot.addWidget(made)
    made.resize(520, 400)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.mark.parametrize("width", [260, 420, 900])
def test_that_the_name_of_an_axis_is_never_cut_off(qtbot: QtBot, width: int) -> None:
    name = "largest share of the jobs of a cell that one establishment holds, of cells with any"
    axis = Axis(label=name, unit="%")
    view = FigureView(replace(ONE_OF_EACH[0], x=axis))
    qtbot.addWidget(view)
    view.resize(width, 400)
    with qtbot.waitExposed(view):
        view.show()
    bottom = view.findChild(pg.PlotWidget).getPlotItem().getAxis("bottom")
    label = bottom.label
    assert label.toPlainText().strip() == axis.title()
    qtbot.waitUntil(lambda: label.boundingRect().width() <= bottom.size().width() + 1, timeout=2_000)
    seen = bottom.mapRectFromItem(label, label.boundingRect())
    assert seen.left() >= -1
    assert seen.bottom() <= bottom.size().height() + 8
    lines = round(label.boundingRect().height() / QFontMetrics(label.font()).lineSpacing())
    assert (lines > 1) == (width < 600)


def test_that_log_ticks_are_round_numbers_in_plain_digits() -> None:
    assert [tick_text(value) for value in log_ticks(0.2, 5, 8)] == ["0.25", "0.5", "1", "2", "4"]
    assert [tick_text(value) for value in log_ticks(1, 2000, 6)] == ["1", "10", "100", "1,000"]
    assert [tick_text(value) for value in log_ticks(1e-9, 1e-1, 5)] == ["10⁻⁹", "10⁻⁷", "10⁻⁵", "0.001", "0.1"]


@pytest.mark.parametrize("low,high", [(0.9, 1.1), (0.03, 70.0), (1e-12, 1e12), (5.0, 6.0)])
@pytest.mark.parametrize("most", [2, 4, 9])
def test_that_log_ticks_lie_within_the_axis_and_are_few(low: float, high: float, most: int) -> None:
    ticks = log_ticks(low, high, most)
    assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)
    assert len(ticks) <= max(most, 2) + 1
    assert ticks == sorted(ticks)


def test_that_linear_ticks_and_their_labels_agree_with_the_step() -> None:
    ticks = linear_ticks(0, 1, 5)
    assert ticks == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert [tick_text(tick, 0.25) for tick in (0, 0.25, -0.5)] == ["0", "0.25", "−0.50"]
    assert [tick_text(tick, 5000) for tick in (5000.0, 10000.0)] == ["5,000", "10,000"]
    assert tick_text(2_500_000, 500_000) == "2.5 M"


def test_that_the_data_can_be_read_back_from_the_copied_text(curve: Figure) -> None:
    rows = list(csv.reader(io.StringIO(as_text(curve, separator="\t")), delimiter="\t"))
    assert rows[0] == ["series", "privacy loss ε", "error (jobs)"]
    assert len(rows) == 11
    assert [float(cell) for cell in rows[1][1:]] == [0.25, 32.0]


def test_that_categories_and_cells_are_named_in_the_data() -> None:
    heat = next(figure for figure in ONE_OF_EACH if figure.kind is Kind.HEAT_MAP)
    titles, rows = table_of(heat)
    assert titles == ("data", "outcome", "value")
    assert rows[1] == ("D1", "one", 0.1)


def test_that_numbers_are_short_and_have_a_real_minus() -> None:
    assert [number(value) for value in (-1234.5, 0.123456, 2.0, math.inf, NAN)] == [
        "−1,234.5", "0.1235", "2", "∞", "not defined",
    ]  # fmt: skip


@pytest.mark.parametrize("figure", ONE_OF_EACH, ids=lambda figure: str(figure.kind))
@pytest.mark.parametrize("mode", [theme.Mode.LIGHT, theme.Mode.DARK])
def test_that_every_kind_is_drawn_and_read_in_both_themes(
    qtbot: QtBot, qapp: QApplication, figure: Figure, mode: theme.Mode
) -> None:
    theme.apply(qapp, mode)
    view = FigureView(figure)
    qtbot.addWidget(view)
    view.resize(420, 360)
    with qtbot.waitExposed(view):
        view.show()
    picture = view.image().toImage()
    colours = {picture.pixelColor(x, y).name() for x in range(0, 420, 3) for y in range(60, 360, 3)}
    assert len(colours) > 4
    qtbot.keyClick(view.plot(), Qt.Key.Key_Right)
    assert view.plot().hover_text()


def test_that_series_differ_by_more_than_colour(curve: Figure) -> None:
    looks = looks_of(curve)
    assert looks[0].symbol != looks[1].symbol
    assert looks[0].colour != looks[1].colour


def test_that_hover_names_the_series_and_their_values(view: FigureView) -> None:
    plot = view.plot()
    box = plot.getPlotItem().getViewBox()
    at = plot.mapFromScene(box.mapViewToScene(QPointF(0.0, 20.0)))  # ε = 1 on a logarithmic axis
    plot.hover_at(at)
    assert plot.hover_text() == "privacy loss ε: 1\ntight: 8\npaper: 50"
    plot.hover_at(QPoint(1, 1))
    assert plot.hover_text() == ""


def test_that_arrow_keys_read_one_point_after_the_other(view: FigureView, qtbot: QtBot) -> None:
    qtbot.keyClick(view.plot(), Qt.Key.Key_Right)
    first = view.plot().hover_text()
    qtbot.keyClick(view.plot(), Qt.Key.Key_Right)
    assert "ε: 0.25" in first
    assert "ε: 0.5" in view.plot().hover_text()


def test_that_the_labels_of_marks_stay_inside_the_plot(qtbot: QtBot) -> None:
    for where in (0.0, 0.5, 1.0):
        figure = Figure(kind=Kind.LINES, title="t", x=Axis(label="x"), y=Axis(label="y"),
                        series=(Series(name="a", x=(0, 1), y=(0, 1)),),
                        marks=(Mark(name="a rather long name for a mark", value=where, vertical=True),
                               Mark(name="today's error of the present method", value=where)))  # fmt: skip
        view = FigureView(figure)
        qtbot.addWidget(view)
        view.resize(420, 340)
        with qtbot.waitExposed(view):
            view.show()
        inside = view.plot().getPlotItem().getViewBox().sceneBoundingRect().adjusted(-1, -1, 1, 1)
        for mark in view.plot()._marks:
            label = mark._label.mapRectToScene(mark._label.boundingRect())
            assert inside.contains(label), (where, label, inside)


def test_that_lines_keep_their_names_when_the_theme_changes(view: FigureView, curve: Figure) -> None:
    """The same figure again, in the same view: nothing moves that would place the names."""
    assert curve.marks
    for mode in (theme.Mode.DARK, theme.Mode.LIGHT):
        theme.apply(QApplication.instance(), mode)  # type: ignore[arg-type]
        view.plot().show_figure(curve)
        assert all(mark._label.toPlainText() for mark in view.plot()._marks)


def test_that_the_wheel_is_left_to_the_page(view: FigureView) -> None:
    before = view.plot().getPlotItem().getViewBox().viewRange()
    wheel = QWheelEvent(QPointF(200, 150), QPointF(200, 150), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
                        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    view.plot().wheelEvent(wheel)
    assert not wheel.isAccepted()
    assert view.plot().getPlotItem().getViewBox().viewRange() == before


def test_that_dragging_the_handle_tells_values_of_the_axis(view: FigureView, qtbot: QtBot) -> None:
    view.set_handle(2.0, "ε = 2")
    handle = view.plot()._handle
    assert handle is not None
    assert handle.line.value() == pytest.approx(math.log10(2))
    with qtbot.waitSignal(view.handle_moved) as got:
        handle.line.setValue(0.0)
        handle.line.sigDragged.emit(handle.line)
    assert got.args[0] == pytest.approx(1.0)
    with qtbot.assertNotEmitted(view.handle_moved):
        view.set_handle(4.0, "ε = 4")
        view.set_handle(None)
    assert view.plot()._handle is None


def test_that_a_handle_survives_another_figure(view: FigureView, curve: Figure) -> None:
    view.set_handle(1.0, "ε = 1")
    view.set_figure(curve)
    assert view.plot()._handle is not None


def test_that_zooming_can_always_be_undone(view: FigureView, qtbot: QtBot) -> None:
    box = view.plot().getPlotItem().getViewBox()
    whole = box.viewRange()
    box.setRange(xRange=(0, 0.1), yRange=(1, 2), padding=0)
    box.sigRangeChangedManually.emit(box.state["mouseEnabled"])
    assert not view._reset.isHidden()
    qtbot.keyClick(view.plot(), Qt.Key.Key_Escape)
    assert box.viewRange() == whole
    assert view._reset.isHidden()


def test_that_image_and_data_are_copied_and_saved(view: FigureView, tmp_path: Path) -> None:
    view.copy_data()
    assert QGuiApplication.clipboard().text().startswith("series\tprivacy loss ε")
    view.copy_image()
    assert not QGuiApplication.clipboard().image().isNull()
    view.save_png(tmp_path / "figure with ä.png")
    view.save_csv(tmp_path / "figure.csv")
    assert QImage(str(tmp_path / "figure with ä.png")).width() >= view.width()
    assert (tmp_path / "figure.csv").read_text(encoding="utf-8").count("\n") == 11


def test_that_a_file_that_cannot_be_written_is_a_problem_in_words(view: FigureView, tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="could not be written"):
        view.save_png(tmp_path / "missing" / "a.png")
    with pytest.raises(UserProblem, match="could not be written"):
        view.save_csv(tmp_path / "missing" / "a.csv")


def test_that_figures_stand_side_by_side_only_where_there_is_room(qtbot: QtBot) -> None:
    grid = FigureGrid()
    qtbot.addWidget(grid)
    grid.set_figures(ONE_OF_EACH[:2])
    grid.resize(900, 400)
    with qtbot.waitExposed(grid):
        grid.show()
    first, second = grid.views()
    assert first.parentWidget().y() == second.parentWidget().y()
    grid.resize(420, 900)
    qtbot.waitUntil(lambda: first.parentWidget().y() != second.parentWidget().y())
    grid.set_figures(ONE_OF_EACH[2:3])
    assert grid.views() == (first,)


def test_that_names_beneath_a_plot_never_run_into_each_other(qtbot: QtBot) -> None:
    names = ("the residence of a population's only worker, at one point", "the residence of one worker among a few")
    axis = Axis(label="neighbours", categories=names)
    figure = Figure(kind=Kind.BARS, title="Bounds", x=axis, y=Axis(label="ε"),
                    series=(Series(name="a", x=(0, 1), y=(0.3, 0.4)),))  # fmt: skip
    view = FigureView(figure)
    qtbot.addWidget(view)
    view.resize(420, 360)
    with qtbot.waitExposed(view):
        view.show()
    across = view.plot().getPlotItem().getAxis("bottom")
    said = across.tickStrings([0.0, 1.0], 1, 1)
    metrics = QFontMetrics(across.style["tickFont"])
    each = view.plot().getPlotItem().getViewBox().width() / 2.2
    assert all(metrics.horizontalAdvance(line) <= each for name in said for line in name.split("\n"))
    assert all("\n" in name for name in said)
    below = across.sceneBoundingRect().center()
    view.plot().hover_at(view.plot().mapFromScene(QPointF(below.x() + 60, below.y())))
    assert view.plot().hover_text() == names[1]


def test_that_a_name_breaks_between_words_and_is_shortened_only_after_two_lines(qapp: QApplication) -> None:
    metrics = QFontMetrics(qapp.font())
    room = metrics.horizontalAdvance("one worker")
    assert in_lines("one", metrics, room) == "one"
    assert in_lines("one worker less", metrics, room) == "one worker\nless"
    assert in_lines("one worker less than there were", metrics, room).endswith("…")


def test_that_what_is_counted_has_whole_ticks() -> None:
    assert linear_ticks(0, 3, 9, whole=True) == [0, 1, 2, 3]
    assert linear_ticks(0, 20, 9, whole=True) == [0, 3, 6, 9, 12, 15, 18]
    assert linear_ticks(0, 1, 3) == [0, 0.5, 1]


def test_that_a_heat_map_says_which_colour_is_which_number(qtbot: QtBot) -> None:
    heat = next(figure for figure in ONE_OF_EACH if figure.kind is Kind.HEAT_MAP)
    view = FigureView(heat)
    qtbot.addWidget(view)
    scale = view.findChild(HeatScale)
    assert scale is not None
    assert not scale.isHidden()
    assert scale.accessibleName() == "Colours from 0.100 to 0.900"
    view.set_figure(ONE_OF_EACH[0])
    assert scale.isHidden()


def test_that_a_map_s_legend_shows_what_the_map_draws() -> None:
    places = Series(name="true", x=(1,), y=(1,), high=(1,))
    figure = Figure(kind=Kind.MAP, title="Map", x=Axis(label="x"), y=Axis(label="y"), series=(places, places))
    assert [look.symbol for look in looks_of(figure)] == ["disc", "ring"]
