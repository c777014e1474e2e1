"""Areas, lines and places of a GeoJSON file (RFC 7946): what maps are drawn from and what is laid over them.

The file is public. Coordinates are taken as they are; the standard asks for longitude before latitude, in degrees.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.figures import Point, Ring
from workbench.core.files import read_text
from workbench.core.outlines import twice_area

_LARGEST = 200 * 2**20  # bytes
_NAMES = ("geoid", "geoid20", "geoid10", "code", "id", "name")  # properties that name a feature, the first found


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One feature: an area or lines by its `rings`, or a place without any. `point` lies in its largest part."""

    key: str
    point: Point
    rings: tuple[Ring, ...] = ()
    area: bool = False


def read_geojson(path: Path) -> tuple[Feature, ...]:
    """Every feature with coordinates, in the order of the file."""
    if path.is_file() and path.stat().st_size > _LARGEST:
        raise UserProblem("The file is larger than 200 MB", str(path), "Simplify its outlines first")
    try:
        whole = json.loads(read_text(path, "a GeoJSON file"))
        found = tuple(_features(whole))
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        raise UserProblem("This is not a GeoJSON file", str(path), "Save the areas as GeoJSON") from None
    if not found:
        raise UserProblem("The file holds no areas, lines or places", str(path), "Choose another file")
    return found


def _features(whole: dict[str, Any]) -> Iterator[Feature]:
    kind = whole["type"]
    items = whole["features"] if kind == "FeatureCollection" else [whole]
    for number, item in enumerate(items, start=1):
        shape = item["geometry"] if item["type"] == "Feature" else item
        if shape is not None:
            yield from _shapes(shape, _key(item, number))


def _key(item: dict[str, Any], number: int) -> str:
    told = {str(name).lower(): value for name, value in (item.get("properties") or {}).items()}
    named = next((told[name] for name in _NAMES if told.get(name) not in (None, "")), item.get("id"))
    return str(named) if named not in (None, "") else str(number)


def _shapes(shape: dict[str, Any], key: str) -> Iterator[Feature]:
    """The features of one geometry; a multipoint is several places of one name."""
    kind = shape["type"]
    if kind == "GeometryCollection":
        for part in shape["geometries"]:
            yield from _shapes(part, key)
        return
    given = shape["coordinates"]
    if kind in {"Point", "MultiPoint"}:
        for point in [given] if kind == "Point" else given:
            yield Feature(key=key, point=_point(point))
        return
    lines = {"LineString": [given], "MultiLineString": given, "Polygon": given}.get(kind)
    if lines is None:
        if kind != "MultiPolygon":
            raise ValueError(kind)
        lines = [ring for polygon in given for ring in polygon]
    rings = tuple(tuple(map(_point, line)) for line in lines if len(line) > 1)
    if rings:
        area = kind.endswith("Polygon")
        yield Feature(key=key, point=_middle(rings) if area else rings[0][0], rings=rings, area=area)


def _point(numbers: Sequence[float]) -> Point:
    x, y = float(numbers[0]), float(numbers[1])
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError("not a place")
    return x, y


def _middle(rings: tuple[Ring, ...]) -> Point:
    """The centre of gravity of the largest ring."""
    ring = max(rings, key=lambda each: abs(twice_area(each)))
    whole = twice_area(ring)
    if whole == 0:
        return ring[0]
    x = y = 0.0
    for (x1, y1), (x2, y2) in zip(ring, (*ring[1:], *ring[:1]), strict=True):
        part = x1 * y2 - x2 * y1
        x, y = x + (x1 + x2) * part, y + (y1 + y2) * part
    return x / (3 * whole), y / (3 * whole)
