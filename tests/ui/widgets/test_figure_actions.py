"""What can be done with a figure: SVG, table, a large window, an overlay, a setting picked or drawn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pytestqt.qtbot import QtBot

from tests.gallery import GALLERY
from workbench.core.figure_values import table_of
from workbench.core.figures import Figure
from workbench.core.params import param
from workbench.ui.widgets.exploration_panel import ExplorationPanel
from workbench.ui.widgets.figures.closer import data_table
from workbench.ui.widgets.figures.grid import FigureGrid
from workbench.ui.widgets.figures.view import FigureView


@pytest.fixture
def view(qtbot: QtBot) -> FigureView:
    made = FigureView(GALLERY["areas"])
    qtbot.addWidget(made)
    made.resize(520, 420)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_that_the_svg_is_the_report_s_drawing_with_what_lies_over_it(
    qtbot: QtBot, view: FigureView, tmp_path: Path
) -> None:
    (tmp_path / "towns.csv").write_text("lat,lon,people\n39,-98,5\n", encoding="utf-8")
    view.lay_over(tmp_path / "towns.csv")
    qtbot.waitUntil(lambda: "people (towns.csv)" in view.data_text())
    view.save_svg(tmp_path / "map.svg")
    qtbot.waitUntil(lambda: (tmp_path / "map.svg").exists() and not view._aside.busy, timeout=20_000)
    assert "people (towns.csv)" in (tmp_path / "map.svg").read_text(encoding="utf-8")
    view.set_figure(GALLERY["areas"])
    assert "towns.csv" in view.data_text(), "another answer of the same map keeps its overlay"
    view.remove_overlay()
    assert "towns.csv" not in view.data_text()
    view.lay_over(tmp_path / "towns.csv")
    qtbot.waitUntil(lambda: "towns.csv" in view.data_text())
    view.set_figure(GALLERY["circles"])
    assert "towns.csv" not in view.data_text()


def test_that_a_file_that_fails_is_told_below_the_figure(qtbot: QtBot, view: FigureView, tmp_path: Path) -> None:
    view.lay_over(tmp_path / "missing.csv")
    qtbot.waitUntil(lambda: not view._note.isHidden())
    assert "There is no such file" in view._note.text()
    view.save_svg(tmp_path / "missing" / "map.svg")
    qtbot.waitUntil(lambda: not view._aside.busy, timeout=20_000)
    assert "map.svg" in view._note.text()


@pytest.mark.parametrize("name", list(GALLERY))
def test_that_every_figure_can_be_read_as_a_table(qtbot: QtBot, name: str) -> None:
    table = data_table(GALLERY[name])
    qtbot.addWidget(table)
    titles, rows = table_of(GALLERY[name])
    model = table.table
    assert (model.rowCount(), model.columnCount()) == (len(rows), len(titles))
    assert model.index(0, 0).data() != ""


def test_that_a_figure_opens_large_and_picks_there_count(qtbot: QtBot, view: FigureView) -> None:
    dialog = view.show_large()
    assert dialog is not None
    qtbot.addWidget(dialog)
    (inner,) = dialog.findChildren(FigureView)
    with qtbot.waitSignal(view.picked) as got:
        inner.plot().picked.emit("tract 7")
    assert got.args == ["tract 7"]
    data = view.show_data()
    assert data is not None
    qtbot.addWidget(data)
    assert data.windowTitle() == "Data of: Mean rank of children by tract"


def test_that_the_menu_offers_what_fits_the_figure(view: FigureView, qtbot: QtBot) -> None:
    words = [action[0] for action in view._actions()]
    assert words[:2] == ["Draw a polygon", "Lay a file over the map…"]
    view.set_figure(GALLERY["lines"])
    assert next(action[0] for action in view._actions()) == "Enlarge"


def test_that_a_click_and_a_polygon_name_the_setting_they_are_for(qtbot: QtBot) -> None:
    grid = FigureGrid()
    qtbot.addWidget(grid)
    grid.set_figures([GALLERY["areas"], GALLERY["lines"]])
    with qtbot.waitSignal(grid.chosen) as got:
        grid.views()[0].picked.emit("tract 4")
    assert got.args == ["area", "tract 4"]
    with qtbot.waitSignal(grid.chosen) as got:
        grid.views()[0].polygon_drawn.emit(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))
    assert got.args == ["outline", "0 0, 1 0, 1 1"]
    with qtbot.assertNotEmitted(grid.chosen):
        grid.views()[1].picked.emit("nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    area: str = param("", "Area", "Its code.")
    outline: str = param("", "Outline", "A polygon.")


def test_that_an_exploration_takes_over_what_is_picked_or_drawn(qtbot: QtBot) -> None:
    panel = ExplorationPanel(cast(Any, SimpleNamespace()), cast(Any, SimpleNamespace(move_setting=print)), "compare")
    qtbot.addWidget(panel)
    panel.look_at(cast(Any, SimpleNamespace(id="map", title="Map", summary="", params=_Settings)))
    panel._make_form({})
    panel.detail.chosen.emit("area", "tract 4")
    panel.detail.chosen.emit("outline", "0 0, 1 0, 1 1")
    panel.detail.chosen.emit("unknown", "x")
    assert panel._params == _Settings(area="tract 4", outline="0 0, 1 0, 1 1")
    assert panel.form is not None
    assert panel.form.value() == panel._params


def test_that_a_figure_in_the_detail_reaches_the_exploration(qtbot: QtBot) -> None:
    from workbench.core.findings import Finding, Status
    from workbench.ui.widgets.finding_detail import FindingDetail

    figure: Figure = GALLERY["scatter"]
    detail = FindingDetail()
    qtbot.addWidget(detail)
    detail.set_finding(Finding(id="a", title="t", status=Status.INFO, sentence="s.", figures=(figure,)))
    (view,) = detail.findChildren(FigureView)
    with qtbot.waitSignal(detail.chosen) as got:
        view.picked.emit("tract 1")
    assert got.args == ["area", "tract 1"]
