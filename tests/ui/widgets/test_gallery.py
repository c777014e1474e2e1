"""Every kind and manner of figure in the window: drawn in both themes, read, clicked, and quick however many points."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gallery import GALLERY, area_map, point_map
from workbench.core.figures import GRIDDED, Axis, Figure, Kind, Series
from workbench.ui import theme
from workbench.ui.widgets.figures.draw import thinned
from workbench.ui.widgets.figures.raster import AreaPicture, PointCloud
from workbench.ui.widgets.figures.view import FigureView


def shown(qtbot: QtBot, figure: Figure, size: tuple[int, int] = (520, 420)) -> FigureView:
    view = FigureView(figure)
    qtbot.addWidget(view)
    view.resize(*size)
    with qtbot.waitExposed(view):
        view.show()
    return view


def at(view: FigureView, x: float, y: float) -> QPoint:
    """Where a place of the plot, in scale space, is in the widget."""
    box = view.plot().getPlotItem().getViewBox()
    place: QPoint = view.plot().mapFromScene(box.mapViewToScene(QPointF(x, y)))
    return place


@pytest.mark.parametrize("mode", [theme.Mode.LIGHT, theme.Mode.DARK])
@pytest.mark.parametrize("name", list(GALLERY))
def test_that_the_gallery_is_drawn_in_its_colours_and_can_be_read(
    qtbot: QtBot, qapp: QApplication, name: str, mode: theme.Mode
) -> None:
    theme.apply(qapp, mode)
    view = shown(qtbot, GALLERY[name])
    picture = view.image().toImage()
    seen = {picture.pixelColor(x, y).name() for x in range(0, 520, 2) for y in range(60, 420, 2)}
    colours = theme.tokens()
    coloured = any(series.value for series in GALLERY[name].series)
    wanted = colours.series[:1] if GALLERY[name].kind not in GRIDDED and not coloured else ()
    if coloured or GALLERY[name].kind is Kind.HEAT_MAP:
        wanted = (colours.ramp[0], colours.ramp[-1])
    faint = {"histogram", "circles"}  # their fills let through what is beneath
    assert name in faint or set(wanted) <= seen, f"{set(wanted) - seen} of {len(seen)} colours"
    for _ in range(3):
        qtbot.keyClick(view.plot(), Qt.Key.Key_Right)
        assert view.plot().hover_text()


@pytest.mark.parametrize("name", list(GALLERY))
def test_that_numbers_and_names_beside_the_axes_never_touch(qtbot: QtBot, name: str) -> None:
    from PySide6.QtGui import QPainter, QPicture

    view = shown(qtbot, GALLERY[name], (380, 340))
    view.image()  # an axis takes its width from the numbers it has painted
    for side in ("bottom", "left"):
        axis = view.plot().getPlotItem().getAxis(side)
        paper = QPicture()
        painter = QPainter(paper)
        painter.setFont(axis.style["tickFont"])
        texts = [rect for rect, _flags, _text in axis.generateDrawSpecs(painter)[2]]
        painter.end()
        assert texts, side
        texts.sort(key=lambda rect: rect.left() if side == "bottom" else rect.top())
        assert not any(one.intersects(next_one) for one, next_one in pairwise(texts)), side


def test_that_hover_says_the_value_of_an_area_and_a_click_its_key(qtbot: QtBot) -> None:
    figure = area_map()
    view = shown(qtbot, figure)
    tracts = figure.series[0]
    place = at(view, tracts.x[40] + 0.002, tracts.y[40] + 0.002)
    view.plot().hover_at(place)
    assert view.plot().hover_text() == f"tract 40\nMean rank: {tracts.value[40]:.4g} percentile"
    with qtbot.waitSignal(view.picked) as got:
        qtbot.mouseClick(view.plot().viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert got.args == ["tract 40"]
    with qtbot.assertNotEmitted(view.picked):
        qtbot.mouseClick(view.plot().viewport(), Qt.MouseButton.LeftButton, pos=at(view, -98.05, 39.05))


def test_that_the_keyboard_picks_what_the_mouse_picks(qtbot: QtBot) -> None:
    view = shown(qtbot, GALLERY["scatter"])
    qtbot.keyClick(view.plot(), Qt.Key.Key_Right)
    first = view.plot().hover_text().split("\n")[0]
    with qtbot.waitSignal(view.picked) as got:
        qtbot.keyClick(view.plot(), Qt.Key.Key_Return)
    assert got.args == [first]


def test_that_a_drag_zooms_and_picks_nothing(qtbot: QtBot) -> None:
    view = shown(qtbot, GALLERY["points"])
    tracts = GALLERY["points"].series[0]
    start = at(view, tracts.x[5], tracts.y[5])
    with qtbot.assertNotEmitted(view.picked):
        qtbot.mousePress(view.plot().viewport(), Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseRelease(view.plot().viewport(), Qt.MouseButton.LeftButton, pos=start + QPoint(60, 40))


def test_that_a_polygon_is_drawn_corner_by_corner(qtbot: QtBot) -> None:
    view = shown(qtbot, GALLERY["circles"])
    view.draw_polygon()
    corners = [(-119.9, 47.1), (-119.6, 47.1), (-119.6, 47.3), (-119.5, 47.35)]
    for x, y in corners:
        qtbot.mouseClick(view.plot().viewport(), Qt.MouseButton.LeftButton, pos=at(view, x, y))
    qtbot.keyClick(view.plot(), Qt.Key.Key_Backspace)
    with qtbot.waitSignal(view.polygon_drawn) as got:
        qtbot.keyClick(view.plot(), Qt.Key.Key_Return)
    np.testing.assert_allclose(got.args[0], corners[:3], atol=0.003)


def test_that_two_corners_are_no_polygon_and_escape_gives_up(qtbot: QtBot) -> None:
    view = shown(qtbot, GALLERY["circles"])
    view.draw_polygon()
    for x, y in ((-119.9, 47.1), (-119.6, 47.1)):
        qtbot.mouseClick(view.plot().viewport(), Qt.MouseButton.LeftButton, pos=at(view, x, y))
    with qtbot.assertNotEmitted(view.polygon_drawn):
        qtbot.keyClick(view.plot(), Qt.Key.Key_Return)
        qtbot.keyClick(view.plot(), Qt.Key.Key_Escape)
    qtbot.mouseClick(view.plot().viewport(), Qt.MouseButton.LeftButton, pos=at(view, -119.8, 47.2))
    assert view.plot()._pen is None


def test_that_hover_tells_what_can_be_found_out_about_a_suppressed_cell(qtbot: QtBot) -> None:
    view = shown(qtbot, GALLERY["suppressed"])
    view.plot().hover_at(at(view, 1, 0))
    assert view.plot().hover_text().split("\n") == [
        "Sector: Farming", "Persons employed: 10–49", "no number (outlined)", "primary: too few contributors",
        "between 40 and 118",
    ]  # fmt: skip
    view.plot().hover_at(at(view, 3, 4))
    assert view.plot().hover_text().split("\n")[-1] == "value: 2,580"


def test_that_hover_reads_a_surface_in_the_numbers_of_its_axes(qtbot: QtBot) -> None:
    surface = Figure(kind=Kind.HEAT_MAP, title="t", x=Axis(label="slope"), y=Axis(label="level"),
                     colour=Axis(label="height", unit="nats"), grid=((1.0, 2.0), (3.0, 4.0)),
                     extent=(0, 2, 10, 12))  # fmt: skip
    view = shown(qtbot, surface)
    view.plot().hover_at(at(view, 1.7, 10.4))
    assert view.plot().hover_text() == "level: 10.5\nslope: 1.5\nheight: 2 nats"


def test_that_stacked_bars_stand_on_each_other(qtbot: QtBot) -> None:
    import pyqtgraph as pg

    view = shown(qtbot, GALLERY["stacked"])
    bars = [item for item in view.plot().getPlotItem().items if isinstance(item, pg.BarGraphItem)]
    assert [list(bar.opts["y0"]) for bar in bars] == [[0, 0, 0, 0], [50, 45, 50, 50], [70, 65, 70, 68], [70, 0, 105, 0]]
    assert list(bars[3].opts["height"]) == [0, -4, 0, -2]


def test_that_a_cumulative_distribution_holds_its_share_until_more_is_added(qtbot: QtBot) -> None:
    steps = Series(name="cells", x=(1.0, 2.0, 4.0), y=(0.2, 0.5, 1.0))
    figure = Figure(kind=Kind.DISTRIBUTION, title="t", x=Axis(label="error"), y=Axis(label="share"), series=(steps,),
                    cumulative=True)  # fmt: skip
    view = shown(qtbot, figure)
    curve = next(item for item in view.plot().getPlotItem().items if type(item).__name__ == "PlotCurveItem")
    assert list(zip(*curve.getData(), strict=True)) == [(1, 0.2), (2, 0.2), (2, 0.5), (4, 0.5), (4, 1.0)]


def test_that_a_long_line_keeps_its_least_and_greatest_heights() -> None:
    draw = np.random.default_rng(1)
    x, y = np.arange(100_003.0), draw.normal(size=100_003)
    y[500:600] = np.nan
    thin_x, thin_y = thinned(x, y, 2_000)
    assert len(thin_x) <= 2_400
    assert np.nanmin(thin_y) == np.nanmin(y)
    assert np.nanmax(thin_y) == np.nanmax(y)
    assert (np.diff(thin_x) > 0).all()
    assert np.isnan(thin_y[(thin_x >= 500) & (thin_x < 600)]).all()
    assert np.isin(thin_x, x).all()
    np.testing.assert_array_equal(thin_y, y[thin_x.astype(int)])


def longest_turn(qapp: QApplication, seconds: float = 10.0, done: object = None) -> float:
    """The longest single turn of the event loop until nothing is left to paint, in time of this thread's processor."""
    longest, until = 0.0, time.perf_counter() + seconds
    quiet = 0
    while time.perf_counter() < until and quiet < 5:
        start = time.thread_time()
        qapp.processEvents()
        turn = time.thread_time() - start
        longest = max(longest, turn)
        quiet = quiet + 1 if turn < 0.001 and (done is None or done()) else 0  # type: ignore[operator]
    return longest


def test_that_three_thousand_areas_are_painted_in_slices(qtbot: QtBot, qapp: QApplication) -> None:
    view = shown(qtbot, area_map(3_000, 50))
    item = next(item for item in view.plot().getPlotItem().items if isinstance(item, AreaPicture))
    qtbot.waitUntil(lambda: item.done)
    box = view.plot().getPlotItem().getViewBox()
    box.setRange(xRange=(-98.0, -97.7), yRange=(39.0, 39.3), padding=0)
    turns = longest_turn(qapp, done=lambda: item.done)
    assert item.done
    assert turns < 0.1  # 25 to 40 ms on an idle machine


def test_that_a_saved_picture_holds_every_area_although_painting_takes_turns(qtbot: QtBot) -> None:
    view = FigureView(area_map(3_000, 50))
    qtbot.addWidget(view)
    view.resize(520, 420)
    view.image()
    assert next(item for item in view.plot().getPlotItem().items if isinstance(item, AreaPicture)).done


def test_that_seventy_thousand_points_are_one_picture_and_each_can_be_read(qtbot: QtBot, qapp: QApplication) -> None:
    figure = point_map(70_000)
    view = shown(qtbot, figure)
    assert any(isinstance(item, PointCloud) for item in view.plot().getPlotItem().items)
    box = view.plot().getPlotItem().getViewBox()
    box.setRange(xRange=(-100, -90), yRange=(35, 45), padding=0)
    assert longest_turn(qapp) < 0.1  # 20 to 30 ms on an idle machine
    tracts = figure.series[0]
    number = next(k for k, (x, y) in enumerate(zip(tracts.x, tracts.y, strict=True)) if -99 < x < -91 and 36 < y < 44)
    view.plot().hover_at(at(view, tracts.x[number], tracts.y[number]))
    assert view.plot().hover_text().startswith("tract ")


def test_that_ten_thousand_points_of_a_line_or_a_cloud_are_drawn_quickly(qtbot: QtBot, qapp: QApplication) -> None:
    draw = np.random.default_rng(6)
    x, y = np.arange(10_000.0), np.cumsum(draw.normal(size=10_000))
    series = Series(name="a", x=tuple(x.tolist()), y=tuple(y.tolist()))
    for kind in (Kind.LINES, Kind.SCATTER):
        view = shown(qtbot, Figure(kind=kind, title="t", x=Axis(label="x"), y=Axis(label="y"), series=(series,)))
        view.reset_view()
        assert longest_turn(qapp) < 0.1  # 20 to 45 ms on an idle machine
