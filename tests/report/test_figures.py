"""Every kind of figure is drawn, whatever its values; names are whole, numbers readable, text is text."""

from __future__ import annotations

import dataclasses
import math
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.gallery import GALLERY, area_map, point_map
from tests.report import sample
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.report.figures import legend_svg, rows_of, to_svg

SVG = "{http://www.w3.org/2000/svg}"
LEVEL = Mark(name="claimed ε", value=2.0)


def figure(kind: Kind, **changes: object) -> Figure:
    """Two series of plausible values for any kind; only what the kind draws."""
    edges = (1.0, 2.0, 3.0, 4.0)
    x = edges if kind is Kind.DISTRIBUTION else edges[:3]
    one = Series(name="first", x=x, y=(1200.0, 3400.0, 5600.0))
    if kind in {Kind.LINES, Kind.BARS, Kind.INTERVAL}:
        one = dataclasses.replace(one, low=(1000.0, 3000.0, 5000.0), high=(1500.0, 4e3, 6e3))
    if kind is Kind.MAP:
        one = dataclasses.replace(one, high=(1500.0, 4e3, 6e3))
    second = dataclasses.replace(one, name="second", y=(1.0, 2.0, 3.0), low=(), high=(), muted=True)
    if kind is Kind.TABLE:
        one, second = (Series(name=name, x=(0, 1), y=(row, row)) for row, name in enumerate(("first", "second")))
    gridded = kind in {Kind.HEAT_MAP, Kind.TABLE}
    made = Figure(
        kind=kind, title="Title", x=Axis(label="Size", unit="jobs"), y=Axis(label="Error", unit="%"),
        series=() if kind is Kind.HEAT_MAP else (one, second), marks=(LEVEL,),
        grid=((0.1, 0.25), (1234.0, math.inf)) if gridded else (), outlined=((1, 0),) if gridded else (),
    )  # fmt: skip
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()).strip() for element in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("kind", list(Kind))
def test_that_every_kind_is_drawn_with_units(kind: Kind) -> None:
    shown = texts(to_svg(figure(kind)))
    assert "Size (jobs)" in shown
    assert "Error (%)" in shown
    if kind in {Kind.HEAT_MAP, Kind.TABLE}:
        assert {"0.1", "0.25", "1,234", "∞"} <= set(shown)
    else:
        assert "claimed ε" in shown
    if kind is not Kind.HEAT_MAP:
        assert {"first", "second"} <= set(shown)


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("log", [False, True])
def test_that_gaps_zeros_and_infinities_are_no_obstacle(kind: Kind, log: bool) -> None:
    x = (1.0, 2.0, 3.0, 4.0) if kind is Kind.DISTRIBUTION else (0.0, 2.0, 3.0)
    odd = Series(name="odd", x=x, y=(math.nan, math.inf, 0.0))
    if kind in {Kind.LINES, Kind.BARS, Kind.INTERVAL}:
        odd = dataclasses.replace(odd, low=(0.0, 0.0, 0.0), high=(1.0, math.inf, 0.0))
    empty = dataclasses.replace(odd, x=(), y=(), low=(), high=())
    for series in ((), (empty,)) if kind is Kind.TABLE else ((odd,), (), (empty,)):
        drawn = figure(
            kind, series=series, grid=(), outlined=(), x=Axis(label="x", log=log), y=Axis(label="y", log=log)
        )
        assert ET.fromstring(to_svg(drawn)).tag == f"{SVG}svg"


def test_that_one_series_needs_no_legend() -> None:
    one = figure(Kind.LINES, series=figure(Kind.LINES).series[:1])
    assert "first" not in texts(to_svg(one))


def test_that_marks_are_named_inside_the_picture_and_those_at_infinity_in_words() -> None:
    marks = (
        LEVEL, Mark(name="just above it", value=2.001), Mark(name="far", value=math.inf),
        Mark(name="an upright line at the very right with a long name", value=3.0, vertical=True),
    )  # fmt: skip
    svg = to_svg(figure(Kind.LINES, marks=marks))
    shown = " ".join(texts(svg))
    for words in ("claimed ε", "just above it", "with a long name", "Outside the plot: far: ∞"):
        assert words in shown
    places = {"".join(each.itertext()).strip(): each for each in ET.fromstring(svg).iter(f"{SVG}text")}
    heights = [_place(places[name])[1] for name in ("claimed ε", "just above it")]
    assert abs(heights[0] - heights[1]) > 8, "names of neighbouring lines must not lie on each other"


def _place(element: ET.Element) -> tuple[float, float]:
    """Where a text stands: matplotlib writes x and y, or a translation."""
    if "x" in element.attrib:
        return float(element.attrib["x"]), float(element.attrib["y"])
    numbers = element.attrib["transform"].split("translate(")[1].split(")")[0].replace(",", " ").split()
    return float(numbers[0]), float(numbers[1])


def test_that_numbers_on_axes_have_separators_and_a_real_minus() -> None:
    line = Series(name="a", x=(-2000.0, 2000.0), y=(0.0, 1e6))
    shown = texts(to_svg(figure(Kind.LINES, series=(line,), marks=())))
    assert "−2,000" in shown
    assert "1,000,000" in shown


def test_that_a_logarithmic_axis_of_few_decades_still_has_numbers() -> None:
    line = Series(name="a", x=(0.5, 8.0), y=(1.0, 1e6))
    drawn = figure(Kind.LINES, series=(line,), marks=(), x=Axis(label="ε", log=True), y=Axis(label="e", log=True))
    assert {"0.5", "1", "2", "5", "100", "10,000"} <= set(texts(to_svg(drawn)))


def test_that_names_of_positions_are_written_and_crowded_ones_thinned() -> None:
    few = Axis(label="Sector", categories=("farming", "mining", "trade"))
    assert {"farming", "mining", "trade"} <= set(texts(to_svg(figure(Kind.BARS, x=few))))
    many = Axis(label="Sector", categories=tuple(f"sector number {k}" for k in range(120)))
    shown = [text for text in texts(to_svg(figure(Kind.BARS, x=many))) if text.startswith("sector")]
    assert 0 < len(shown) <= 41


def test_that_labels_are_text_and_never_markup_or_mathematics() -> None:
    label = "wages $a_b$ <script>alert(1)</script> & co"
    svg = to_svg(figure(Kind.BARS, title=label, x=Axis(label=label), series=(Series(name="_x", x=(1.0,), y=(1.0,)),)))
    assert "<script" not in svg
    assert label in texts(svg)


def test_that_signs_the_drawing_font_lacks_are_kept() -> None:
    assert "雇用" in texts(to_svg(figure(Kind.LINES, x=Axis(label="雇用"))))


def test_that_drawing_is_repeatable_and_threads_do_not_meet() -> None:
    pictures = [sample.LOSS, sample.ERRORS, sample.DOMINANCE, sample.REQUIREMENTS] * 2
    alone = [to_svg(each) for each in pictures]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(to_svg, pictures)) == alone


def test_that_drawing_leaves_global_settings_alone() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    to_svg(sample.LOSS)
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", list(GALLERY))
def test_that_the_gallery_is_drawn_with_its_names_and_units(name: str) -> None:
    shown = texts(to_svg(GALLERY[name]))
    joined = " ".join(shown).replace("\n", " ")
    for axis in (GALLERY[name].x, GALLERY[name].y, *filter(None, [GALLERY[name].colour])):
        assert all(word in joined for word in axis.title().split()), axis.title()
    if len(GALLERY[name].series) > 1:
        coloured = [series.name for series in GALLERY[name].series if series.value]
        assert {series.name for series in GALLERY[name].series} - set(coloured) <= set(shown)


@pytest.mark.parametrize("name", list(GALLERY))
def test_that_no_word_of_the_gallery_stands_outside_its_picture(name: str) -> None:
    svg = ET.fromstring(to_svg(GALLERY[name]))
    _, _, wide, tall = (float(part) for part in svg.attrib["viewBox"].split())
    for each in svg.iter(f"{SVG}text"):
        x, y = _place(each)
        assert 0 <= x <= wide, "".join(each.itertext())
        assert 0 <= y <= tall, "".join(each.itertext())


def test_that_stacked_bars_reach_the_sum_of_their_parts() -> None:
    parts = tuple(Series(name=f"part {k}", x=(0.0, 1.0), y=y) for k, y in enumerate(((3.0, 1.0), (4.0, -2.0))))
    axes = _axes(Figure(kind=Kind.BARS, title="t", x=Axis(label="x"), y=Axis(label="y"), series=parts, stacked=True))
    edges = sorted((round(bar.get_y(), 9), round(bar.get_y() + bar.get_height(), 9)) for bar in axes.patches)
    assert edges == [(0, -2), (0, 1), (0, 3), (3, 7)]


def test_that_a_path_over_a_surface_is_drawn_in_the_numbers_of_the_axes() -> None:
    surface = GALLERY["surface"]
    axes = _axes(surface)
    assert axes.get_xlim() == pytest.approx((-1, 3))
    assert axes.get_ylim() == pytest.approx((-2, 2))
    assert list(axes.lines[0].get_xdata()) == list(surface.series[0].x)
    mesh = axes.collections[0].get_array()
    assert float(mesh[0, 0]) == surface.grid[0][0], "the first row lies at the bottom"


def _axes(drawn: Figure) -> Any:
    """The axes after drawing, to ask them what they hold."""
    import matplotlib

    from workbench.report import figures

    canvas = matplotlib.figure.Figure()
    axes = canvas.add_subplot()
    figures.dress_axes(axes, drawn)
    figures._DRAW[drawn.kind](axes, drawn)
    return axes


def test_that_thousands_of_points_or_areas_become_one_picture() -> None:
    many = to_svg(point_map(6_000))
    assert many.count("<use") < 200
    assert len(many) < 600_000
    assert "data:image/png;base64," in many
    assert "data:image" in to_svg(area_map(3_000, 8))
    assert many.count("data:image") == 2, "the points and the colour bar"
    assert to_svg(GALLERY["points"]).count("data:image") == 1


def test_that_figures_which_differ_in_their_values_alone_stand_in_pairs_under_one_legend() -> None:
    alike = [figure(Kind.LINES, title=f"Stratum {number}") for number in range(5)]
    other = figure(Kind.BARS)
    rows = rows_of([*alike, other])
    assert [[each.title for each in row.figures] for row in rows] == [
        ["Stratum 0", "Stratum 1"], ["Stratum 2", "Stratum 3"], ["Stratum 4"], ["Title"],
    ]  # fmt: skip
    assert [row.narrow for row in rows] == [True, True, True, False]
    assert [row.named for row in rows[:3]] == [True, False, False], "the legend is above the first row"
    assert [row.narrow for row in rows_of(alike[:2])] == [False, False], "two need no pair"
    assert {"first", "second"} <= set(texts(legend_svg(alike[0])))
    narrow, whole = to_svg(alike[0], narrow=True), to_svg(alike[0])
    assert not {"first", "second"} & set(texts(narrow))
    wide, slim = (float(ET.fromstring(svg).attrib["width"].removesuffix("pt")) for svg in (whole, narrow))
    assert slim < wide / 2, "two fit beside each other with letters of the same size"
    assert set(texts(narrow)) >= {"Size (jobs)", "Error (%)"}
    assert legend_svg(figure(Kind.LINES, series=(Series(name="alone", x=(1.0,), y=(1.0,)),))) == ""
