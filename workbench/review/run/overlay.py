"""A public file laid over a map: outlines and places of a GeoJSON file, or numbers of a CSV by place or by code.

It is only shown: nothing of it is stored, published or joined with the data.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.figures import Figure, Series
from workbench.core.files import read_text
from workbench.microdata.geojson import read_geojson

_ACROSS = {"longitude", "long", "lon", "lng", "x", "intptlon", "intptlong"}
_UP = {"latitude", "lat", "y", "intptlat"}


def read_overlay(path: Path, figure: Figure) -> tuple[Series, ...]:
    """What the file adds to this map. Areas and lines come as grey outlines, numbers as circles."""
    if path.suffix.lower() in {".geojson", ".json"}:
        return _outlines(path)
    if path.suffix.lower() in {".csv", ".txt", ".tsv"}:
        return (_numbers(path, figure),)
    raise UserProblem("Only GeoJSON and CSV files can be laid over a map", str(path), "Choose a .geojson or .csv file")


def _outlines(path: Path) -> tuple[Series, ...]:
    found = read_geojson(path)
    outlined = [feature for feature in found if feature.rings]
    places = [feature for feature in found if not feature.rings]
    made = []
    for kind, features in (("", outlined), (" (places)" if outlined else "", places)):
        if features:
            made.append(
                Series(
                    name=f"{path.name}{kind}",
                    x=tuple(feature.point[0] for feature in features),
                    y=tuple(feature.point[1] for feature in features),
                    areas=tuple(feature.rings for feature in features) if features is outlined else (),
                    muted=True,
                )
            )
    return tuple(made)


def _numbers(path: Path, figure: Figure) -> Series:
    titles, rows = _table(path)
    names = [title.strip().lower() for title in titles]
    across = next((at for at, name in enumerate(names) if name in _ACROSS), None)
    up = next((at for at, name in enumerate(names) if name in _UP), None)
    if across is not None and up is not None:
        return _by_place(path, (titles, rows), across, up)
    return _by_code(path, (titles, rows), figure)


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    text = read_text(path, "a CSV file")
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    if len(rows) < 2:
        raise UserProblem("The file has no rows", str(path), "Give a first line with column names, then rows")
    titles = rows[0]
    return titles, [(row + [""] * len(titles))[: len(titles)] for row in rows[1:]]


def _by_place(path: Path, table: tuple[list[str], list[list[str]]], across: int, up: int) -> Series:
    """Rows with coordinates; the first other column of numbers is shown as the size of the circles."""
    titles, rows = table
    known = [row for row in rows if math.isfinite(_number(row[across])) and math.isfinite(_number(row[up]))]
    if not known:
        raise UserProblem("No row has coordinates", str(path), f"Check the columns {titles[across]} and {titles[up]}")
    sized = _first_numbers(titles, known, leave={across, up})
    return Series(
        name=f"{titles[sized]} ({path.name})" if sized is not None else path.name,
        x=tuple(_number(row[across]) for row in known),
        y=tuple(_number(row[up]) for row in known),
        high=tuple(_number(row[sized]) for row in known) if sized is not None else (),
        muted=True,
    )


def _by_code(path: Path, table: tuple[list[str], list[list[str]]], figure: Figure) -> Series:
    """Rows whose code is a key of the map; the first column of numbers beside it is shown as the size of circles."""
    titles, rows = table
    places = {
        key: (x, y) for series in figure.series for key, x, y in zip(series.keys, series.x, series.y, strict=False)
    }
    hits = [sum(row[at].strip() in places for row in rows) for at in range(len(titles))]
    code = max(range(len(titles)), key=hits.__getitem__)
    if not hits[code]:
        raise UserProblem(
            "No code in the file is one of this map's, and there are no coordinates",
            str(path),
            "Give a column with the codes of the areas, or columns longitude and latitude",
        )
    known = [row for row in rows if row[code].strip() in places]
    sized = _first_numbers(titles, known, leave={code})
    at = [places[row[code].strip()] for row in known]
    return Series(
        name=f"{titles[sized]} ({path.name})" if sized is not None else path.name,
        x=tuple(x for x, _ in at),
        y=tuple(y for _, y in at),
        high=tuple(_number(row[sized]) for row in known) if sized is not None else (),
        muted=True,
    )


def _first_numbers(titles: list[str], rows: list[list[str]], *, leave: set[int]) -> int | None:
    """The first column of which at least half are numbers."""
    for at in range(len(titles)):
        if at not in leave and 2 * sum(math.isfinite(_number(row[at])) for row in rows) >= len(rows):
            return at
    return None


def _number(text: str) -> float:
    try:
        return float(text.strip().replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return math.nan
