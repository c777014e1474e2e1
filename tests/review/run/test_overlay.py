"""A public file over a map: outlines, places with numbers, numbers by the codes of the map."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

from tests.gallery import area_map
from workbench.core.errors import UserProblem
from workbench.core.palette import looks_of
from workbench.review.run.overlay import read_overlay

MAP = area_map(20)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_that_outlines_lie_over_the_map_in_grey(tmp_path: Path) -> None:
    ring = [[-98, 39], [-97.9, 39], [-97.9, 39.1], [-98, 39]]
    shapes = [{"type": "Polygon", "coordinates": [ring]}, {"type": "Point", "coordinates": [-98, 39]}]
    path = written(tmp_path, "towns.geojson", json.dumps({"type": "GeometryCollection", "geometries": shapes}))
    outlines, places = read_overlay(path, MAP)
    assert (outlines.name, outlines.muted, len(outlines.areas)) == ("towns.geojson", True, 1)
    assert places.areas == ()
    laid = dataclasses.replace(MAP, series=(*MAP.series, outlines, places))
    assert [look.symbol for look in looks_of(laid)] == ["coloured", "outline", "outline", "ring"]


def test_that_rows_with_coordinates_become_circles_by_their_first_number(tmp_path: Path) -> None:
    path = written(tmp_path, "towns.csv", "town,LAT,LON,people\nA,39.1,-98,120\nB,,-98,7\nC,39.2,-97.5,\n")
    (circles,) = read_overlay(path, MAP)
    assert (circles.name, circles.x, circles.y) == ("people (towns.csv)", (-98.0, -97.5), (39.1, 39.2))
    assert circles.high[0] == 120
    assert math.isnan(circles.high[1])


def test_that_rows_are_placed_by_the_codes_of_the_map(tmp_path: Path) -> None:
    path = written(tmp_path, "income.csv", "name;tract;income\nx;tract 3;55.5\ny;tract 99;1\nz;tract 4;60\n")
    (circles,) = read_overlay(path, MAP)
    tracts = MAP.series[0]
    assert circles.high == (55.5, 60.0)
    assert circles.x == (tracts.x[3], tracts.x[4])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "tract,income\nnowhere,5\n", "No code in the file"),
        ("a.csv", "lat,lon\nx,y\n", "No row has coordinates"),
        ("a.csv", "lat,lon\n", "no rows"),
        ("a.shp", "", "Only GeoJSON and CSV"),
    ],
)
def test_that_a_file_that_does_not_fit_is_refused_in_words(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(UserProblem, match=words):
        read_overlay(written(tmp_path, name, text), MAP)
