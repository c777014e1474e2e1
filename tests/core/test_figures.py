"""Figures are checked when they are made, keep their bytes, read back as they were, and say all their numbers."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest

from tests.gallery import GALLERY
from workbench.core.colour_scale import Scale, scale_of
from workbench.core.errors import Defect
from workbench.core.figure_values import table_of
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.palette import DARK, DARK_RAMP, LIGHT, LIGHT_RAMP, legend_of, looks_of
from workbench.core.plain import canonical, plain
from workbench.core.restore import restore

X, Y = Axis(label="x"), Axis(label="y")
ONE = Series(name="a", x=(0.0, 1.0), y=(1.0, 2.0))
GRID = ((1.0, 2.0), (3.0, 4.0))


def made(kind: Kind, **fields: Any) -> Figure:
    return Figure(kind=kind, title="t", x=fields.pop("x", X), y=fields.pop("y", Y), **fields)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Kind.LINES, {"grid": GRID}),
        (Kind.HEAT_MAP, {"grid": ((1.0,), (1.0, 2.0))}),
        (Kind.HEAT_MAP, {"grid": GRID, "outlined": ((2, 0),)}),
        (Kind.LINES, {"extent": (0.0, 1.0, 0.0, 1.0)}),
        (Kind.HEAT_MAP, {"grid": GRID, "extent": (1.0, 1.0, 0.0, 1.0)}),
        (Kind.HEAT_MAP, {"grid": GRID, "extent": (0.0, 1.0, 0.0, 1.0), "x": Axis(label="x", categories=("a", "b"))}),
        (Kind.LINES, {"colour": Axis(label="c")}),
        (Kind.LINES, {"stacked": True}),
        (Kind.BARS, {"stacked": True, "y": Axis(label="y", log=True)}),
        (Kind.LINES, {"cumulative": True}),
        (Kind.SCATTER, {"series": (ONE,), "picks": "cell"}),
        (Kind.SCATTER, {"polygon": "outline"}),
        (Kind.LINES, {"series": (dataclasses.replace(ONE, x=(0.0,)),)}),
        (Kind.DISTRIBUTION, {"series": (ONE,)}),
        (Kind.DISTRIBUTION, {"cumulative": True, "series": (dataclasses.replace(ONE, x=(0.0, 1.0, 2.0)),)}),
        (Kind.LINES, {"series": (dataclasses.replace(ONE, low=(1.0, 1.0)),)}),
        (Kind.LINES, {"series": (dataclasses.replace(ONE, low=(1.0,), high=(1.0,)),)}),
        (Kind.SCATTER, {"series": (dataclasses.replace(ONE, high=(1.0, 1.0)),)}),
        (Kind.MAP, {"series": (dataclasses.replace(ONE, low=(1.0, 1.0)),)}),
        (Kind.MAP, {"series": (dataclasses.replace(ONE, value=(1.0, 1.0)),)}),
        (Kind.SCATTER, {"series": (dataclasses.replace(ONE, areas=((), ())),)}),
        (Kind.LINES, {"series": (dataclasses.replace(ONE, keys=("a", "b")),)}),
        (Kind.BARS, {"stacked": True, "series": (dataclasses.replace(ONE, low=(0.0, 0.0), high=(3.0, 3.0)),)}),
        (Kind.TABLE, {"grid": GRID, "series": (dataclasses.replace(ONE, y=(0.0, 2.0)),)}),
        (Kind.TABLE, {"grid": GRID, "series": (dataclasses.replace(ONE, x=(0.5, 1.0), y=(0.0, 1.0)),)}),
    ],
    ids=str,
)
def test_that_what_a_kind_does_not_draw_is_refused(kind: Kind, fields: dict[str, Any]) -> None:
    with pytest.raises(Defect, match=f"a figure of kind {kind.value}"):
        made(kind, **fields)


def test_that_numbers_are_never_refused() -> None:
    odd = Series(name="a", x=(math.nan, math.inf), y=(-math.inf, 0.0))
    for kind in (Kind.LINES, Kind.SCATTER, Kind.BARS, Kind.INTERVAL, Kind.MAP):
        made(kind, series=(odd,), x=Axis(label="x", log=True))


@pytest.mark.parametrize("name", list(GALLERY))
def test_that_every_figure_comes_back_from_json_as_it_was(name: str) -> None:
    figure = GALLERY[name]
    back = restore(Figure, json.loads(canonical(figure)))
    assert json.loads(canonical(back)) == json.loads(canonical(figure))
    assert repr(table_of(back)) == repr(table_of(restore(Figure, json.loads(canonical(back)))))
    for old, new in zip(figure.series, back.series, strict=True):
        np.testing.assert_array_equal(np.array(old.value), np.array(new.value))


def test_that_a_figure_without_later_fields_is_written_as_it_always_was() -> None:
    """The words of a report of version 5: a digest taken then is the digest taken now."""
    line = Series(name="error", x=(1.0, 2.0), y=(3.0, math.nan), dashed=True)
    figure = made(Kind.LINES, x=Axis(label="ε", log=True), y=Axis(label="error", unit="jobs"), series=(line,))
    assert plain(figure) == {
        "kind": "lines", "title": "t",
        "x": {"label": "ε", "unit": "", "log": True, "categories": []},
        "y": {"label": "error", "unit": "jobs", "log": False, "categories": []},
        "series": [{"name": "error", "x": [1.0, 2.0], "y": [3.0, None], "low": [], "high": [], "dashed": True,
                    "muted": False}],
        "marks": [], "grid": [], "outlined": [], "subtitle": "", "extra": {},
    }  # fmt: skip
    assert list(plain(figure))[-1] == "extra"


def test_that_a_gap_comes_back_as_a_gap() -> None:
    back = restore(Figure, plain(made(Kind.HEAT_MAP, grid=((1.0, math.nan),))))
    assert math.isnan(back.grid[0][1])


@pytest.mark.parametrize("name", list(GALLERY))
def test_that_the_data_hold_every_number_that_is_drawn(name: str) -> None:
    figure = GALLERY[name]
    titles, rows = table_of(figure)
    assert all(len(row) == len(titles) for row in rows)
    said = {cell for row in rows for cell in row}
    for series in figure.series:
        drawn = {*series.low, *series.high, *series.value, *(() if figure.kind is Kind.TABLE else series.y)}
        assert {value for value in drawn if not math.isnan(value)} <= said
        assert {*series.keys} <= said
    assert {value for line in figure.grid for value in line if not math.isnan(value)} <= said


def test_that_cells_of_a_surface_are_named_by_their_middles() -> None:
    surface = made(Kind.HEAT_MAP, grid=GRID, extent=(0.0, 4.0, 10.0, 1000.0), y=Axis(label="y", log=True))
    assert [row[:2] for row in table_of(surface)[1]] == [
        (pytest.approx(10 * 10**0.5), 1.0), (pytest.approx(10 * 10**0.5), 3.0),
        (pytest.approx(1000 / 10**0.5), 1.0), (pytest.approx(1000 / 10**0.5), 3.0),
    ]  # fmt: skip


def test_that_sixteen_series_all_look_different() -> None:
    many = tuple(dataclasses.replace(ONE, name=str(number)) for number in range(2 * len(LIGHT)))
    looks = looks_of(made(Kind.LINES, series=many))
    assert len({(look.colour, look.symbol) for look in looks}) == len(looks)
    assert len({(look.colour, look.dash) for look in looks}) == len(looks)


def test_that_many_grey_series_are_named_once() -> None:
    grey = tuple(dataclasses.replace(ONE, name=str(number), muted=True) for number in range(5))
    named = [look.name for look in legend_of(made(Kind.LINES, series=(ONE, *grey)))]
    assert named == ["a", "5 others, for comparison"]


# Machado, Oliveira and Fernandes (2009), severity 1: what each kind of colour blindness makes of linear light.
BLIND = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "none": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}


def lab(colours: tuple[str, ...], seen: tuple[tuple[float, ...], ...]) -> np.ndarray:
    """CIE L*a*b* (white D65) of sRGB colours as such eyes see them."""
    parts = np.array([[int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] for colour in colours])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ np.array(seen).T, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = linear @ to_xyz.T / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("eyes", list(BLIND))
def test_that_colour_blind_readers_tell_all_colours_apart(palette: tuple[str, ...], eyes: str) -> None:
    """Two colours are told apart at a glance from a distance of about 2 on; these keep 10, for thin lines."""
    seen = lab(palette, BLIND[eyes])
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    assert apart[~np.eye(len(palette), dtype=bool)].min() > 10


@pytest.mark.parametrize(("ramp", "rising"), [(LIGHT_RAMP, False), (DARK_RAMP, True)])
def test_that_the_ramp_gets_steadily_darker_or_lighter(ramp: tuple[str, ...], rising: bool) -> None:
    colours = Scale(0.0, 1.0).colours(np.linspace(0, 1, 50), ramp, "#ff0000").astype(float) / 255
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    light = linear @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(light) > 0).all() if rising else (np.diff(light) < 0).all()


def test_that_a_scale_shares_out_colours_evenly_or_by_logarithm() -> None:
    assert Scale(0.0, 10.0).shares((0, 5, 10)).tolist() == [0, 0.5, 1]
    assert Scale(1.0, 100.0, log=True).shares((1, 10, 100)).tolist() == pytest.approx([0, 0.5, 1])
    assert np.isnan(Scale(1.0, 100.0, log=True).shares((0, math.nan, -1))).all()
    assert Scale(1.0, 100.0, log=True).at(0.5) == pytest.approx(10)
    assert Scale(3.0, 3.0).shares((3.0,)).tolist() == [0.5]
    assert scale_of(made(Kind.HEAT_MAP)) == Scale(0.0, 1.0)
    ends = Scale(0.0, 1.0).colours((0.0, 1.0, math.nan), LIGHT_RAMP, "#010203")
    assert [tuple(colour) for colour in ends.tolist()] == [(0xDC, 0xEB, 0xF5), (0x00, 0x34, 0x4F), (1, 2, 3)]
