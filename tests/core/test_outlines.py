"""Which points lie in an outline, which rings are holes, and how outlines are written as settings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.path import Path as Oracle

from tests.gallery import GALLERY
from workbench.core.errors import UserProblem
from workbench.core.outlines import inside, outline_of, outline_text, turned, twice_area, width_of_degree

SQUARE = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0), (0.0, 0.0))
HOLE = ((1.0, 1.0), (3.0, 1.0), (3.0, 3.0), (1.0, 3.0), (1.0, 1.0))
ISLAND = ((1.5, 1.5), (2.5, 1.5), (2.0, 2.5))


def test_that_holes_and_islands_in_holes_are_told_apart() -> None:
    x, y = np.array([0.5, 1.2, 2.0, 5.0]), np.array([0.5, 1.2, 1.8, 2.0])
    assert inside((SQUARE, HOLE, ISLAND), x, y).tolist() == [True, False, True, False]
    assert not inside((), x, y).any()


def test_that_random_outlines_agree_with_another_library() -> None:
    draw = np.random.default_rng(11)
    for corners in (3, 7, 40):
        turn = np.sort(draw.random(corners)) * 2 * math.pi
        ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (0.3 + draw.random(corners))[:, None]
        x, y = draw.uniform(-1.3, 1.3, (2, 3_000))
        whole = Oracle(np.concatenate([ring, ring[:1]]), closed=True)
        expected = whole.contains_points(np.stack([x, y], axis=1))
        found = inside((tuple(map(tuple, ring.tolist())),), x, y)
        assert np.count_nonzero(found != expected) == 0


def test_that_many_points_are_worked_out_in_parts_with_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.core import outlines

    x, y = np.random.default_rng(4).uniform(-1, 5, (2, 500))
    whole = inside((SQUARE, HOLE), x, y)
    monkeypatch.setattr(outlines, "_AT_ONCE", 64)
    assert (inside((SQUARE, HOLE), x, y) == whole).all()


def test_that_outer_rings_turn_against_the_clock_and_holes_with_it() -> None:
    made = turned((SQUARE[::-1], HOLE, ISLAND))
    assert [twice_area(ring) > 0 for ring in made] == [True, False, True]
    assert twice_area(SQUARE) == 32


def test_that_an_outline_is_a_setting_and_comes_back() -> None:
    ring = ((-98.1, 39.25), (-98.0, 39.3), (-97.123456, 39.0))
    assert outline_text(ring) == "-98.1 39.25, -98 39.3, -97.12346 39"
    assert outline_of(outline_text(ring), "area") == ((-98.1, 39.25), (-98.0, 39.3), (-97.12346, 39.0))


@pytest.mark.parametrize(
    "text", ["", "1 2, 3 4", "1 2, 3 4, 5", "1 2, 3 4, x y", "1 2, 3 4, nan 1", "1 2 3, 4 5 6, 7 8 9"]
)
def test_that_what_is_no_polygon_is_said_in_words(text: str) -> None:
    with pytest.raises(UserProblem, match="at least three corners"):
        outline_of(text, "area")


def test_that_a_degree_of_longitude_narrows_with_the_cosine_of_the_latitude() -> None:
    areas = GALLERY["areas"]
    heights = [y for series in areas.series for y in series.y]
    middle = (min(heights) + max(heights)) / 2
    assert width_of_degree(areas) == pytest.approx(math.cos(math.radians(middle)))
    assert width_of_degree(GALLERY["scatter"]) == 1
