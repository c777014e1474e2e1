"""Public outlines from GeoJSON: every geometry of the standard, names, middles, and files that are something else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.core.errors import UserProblem
from workbench.microdata.geojson import Feature, read_geojson

SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]
HOLE = [[0.5, 0.5], [0.5, 1], [1, 1], [0.5, 0.5]]


def read(folder: Path, whole: Any) -> tuple[Feature, ...]:
    path = folder / "areas.geojson"
    path.write_text(whole if isinstance(whole, str) else json.dumps(whole), encoding="utf-8")
    return read_geojson(path)


def feature(kind: str, coordinates: Any, **about: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": about}


def test_that_areas_keep_their_holes_and_names(tmp_path: Path) -> None:
    whole = {"type": "FeatureCollection", "features": [feature("Polygon", [SQUARE, HOLE], GEOID="53033", name="King")]}
    (found,) = read(tmp_path, whole)
    assert (found.key, found.area, found.point) == ("53033", True, (1.0, 1.0))
    assert [len(ring) for ring in found.rings] == [5, 4]


def test_that_several_parts_are_one_area_with_its_middle_in_the_largest(tmp_path: Path) -> None:
    small = [[10, 10], [11, 10], [11, 11], [10, 10]]
    (found,) = read(tmp_path, feature("MultiPolygon", [[small], [SQUARE]], name="islands"))
    assert len(found.rings) == 2
    assert found.point == (1.0, 1.0)


def test_that_lines_and_places_are_no_areas(tmp_path: Path) -> None:
    geometries = [
        {"type": "LineString", "coordinates": SQUARE[:3]},
        {"type": "MultiPoint", "coordinates": [[1, 2], [3, 4, 100]]},
    ]
    found = read(tmp_path, {"type": "GeometryCollection", "geometries": geometries})
    assert [(one.area, len(one.rings), one.point) for one in found] == [
        (False, 1, (0.0, 0.0)), (False, 0, (1.0, 2.0)), (False, 0, (3.0, 4.0)),
    ]  # fmt: skip


def test_that_a_feature_without_a_name_gets_its_number_and_one_without_a_shape_is_left_out(tmp_path: Path) -> None:
    empty = {"type": "Feature", "geometry": None, "properties": {"name": "nowhere"}}
    found = read(tmp_path, {"type": "FeatureCollection", "features": [empty, feature("Point", [1, 2])]})
    assert [one.key for one in found] == ["2"]


@pytest.mark.parametrize(
    "whole",
    ["", "[1, 2]", "{}", "not json", '{"type": "FeatureCollection"}',
     '{"type": "Polygon", "coordinates": [[["a", 1], [2, 3]]]}',
     '{"type": "Sphere", "coordinates": []}', '{"type": "Point", "coordinates": [1e999, 2]}', "[" * 100_000],
)  # fmt: skip
def test_that_another_file_is_refused_in_words(tmp_path: Path, whole: str) -> None:
    with pytest.raises(UserProblem, match="not a GeoJSON file"):
        read(tmp_path, whole)


def test_that_a_file_without_any_shape_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="no areas, lines or places"):
        read(tmp_path, {"type": "FeatureCollection", "features": []})
