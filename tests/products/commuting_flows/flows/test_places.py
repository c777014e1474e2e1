"""Distances, the 29-point grid and the geography file: known places, edges, and everything that can be wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.errors import UserProblem
from workbench.products.commuting_flows.flows.distances import EARTH_RADIUS, degrees_of, miles_between, unit_vectors
from workbench.products.commuting_flows.flows.geography import centroids, read_geography
from workbench.products.commuting_flows.flows.grid import (
    DISTANCES,
    POINTS,
    distance_class,
    placed,
    point_names,
    workplaces,
)
from workbench.products.commuting_flows.flows.percentiles import grouped_percentile, row_percentile
from workbench.products.commuting_flows.flows.structures import Level

COLUMNS = made.params().geography_columns


def test_that_distances_agree_with_the_law_of_cosines() -> None:
    rng = np.random.default_rng(1)
    north, to_north = rng.uniform(-80, 80, (2, 500))
    east, to_east = rng.uniform(-180, 180, (2, 500))
    a, b, c = np.radians(north), np.radians(to_north), np.radians(to_east - east)
    angle = np.arccos(np.sin(a) * np.sin(b) + np.cos(a) * np.cos(b) * np.cos(c))
    assert miles_between(north, east, to_north, to_east) == pytest.approx(EARTH_RADIUS * angle, rel=1e-9)


def test_that_known_places_are_as_far_apart_as_they_are() -> None:
    washington, new_york = (38.8951, -77.0364), (40.7128, -74.0060)
    places = (np.array([value]) for value in (*washington, *new_york))
    assert miles_between(*places)[0] == pytest.approx(204, abs=1.5)
    assert miles_between(*(np.array([value]) for value in (10.0, 179.9, 10.0, -179.9)))[0] < 14


def test_that_vectors_lead_back_to_degrees() -> None:
    north, east = np.array([-33.0, 0.0, 71.5]), np.array([151.0, -179.5, 25.0])
    back = degrees_of(4.0 * unit_vectors(north, east))
    assert back[0] == pytest.approx(north)
    assert back[1] == pytest.approx(east)


@pytest.mark.parametrize(
    ("miles", "name"),
    [(0, "0"), (1e-9, "0–1"), (1, "1–4"), (3.999, "1–4"), (4, "4–10"), (10, "10–25"), (25, "25–100"),
     (100, "100–500"), (499.9, "100–500"), (500, "500+"), (9000, "500+")],
)  # fmt: skip
def test_that_distance_classes_begin_where_the_slides_say(miles: float, name: str) -> None:
    assert DISTANCES[distance_class(np.array([miles]))[0]] == name


@pytest.mark.parametrize(
    ("step", "name"),
    [((0.0, 0.0), "0 miles"), ((0.03, -0.001), "1–4 miles NW"), ((0.03, 0.001), "1–4 miles NE"),
     ((-0.03, -0.001), "1–4 miles SW"), ((-0.03, 0.0), "1–4 miles SE"), ((-9.0, 0.1), "500+ miles SE")],
)  # fmt: skip
def test_that_a_home_is_put_where_it_lies_from_work(step: tuple[float, float], name: str) -> None:
    work = np.array([40.0]), np.array([-98.0])
    _, point = placed(*work, work[0] + step[0], work[1] + step[1])
    assert len(point_names()) == len(set(point_names())) == POINTS == 29
    assert point_names()[point[0]] == name


def test_that_percentiles_are_the_smallest_value_that_enough_do_not_exceed() -> None:
    rng = np.random.default_rng(2)
    values, weights, group = rng.integers(0, 40, 300) / 4, rng.integers(1, 5, 300), rng.integers(0, 6, 300)
    for share in (0.25, 0.5, 0.9, 1.0):
        found = grouped_percentile(values, weights.astype(float), group, groups=7, share=share)
        for g in range(6):
            spelled = np.sort(np.repeat(values[group == g], weights[group == g]))
            assert found[g] == spelled[int(np.ceil(share * len(spelled))) - 1]
        assert np.isnan(found[6])
        table = rng.integers(0, 9, (3, 40)).astype(float)
        rows = row_percentile(lambda at, t=table: t[at], np.ones(40), share, 3)  # type: ignore[misc]
        assert rows.tolist() == [np.sort(row)[int(np.ceil(share * 40)) - 1] for row in table]


def test_that_blocks_come_out_sorted_with_their_areas_and_people() -> None:
    geography, facts = read_geography(made.geography(made.BLOCKS[::-1]), COLUMNS)
    assert geography.blocks == tuple(block[0] for block in made.BLOCKS)
    for level in Level:
        codes = [geography.areas[level][area] for area in geography.area_of[level]]
        assert codes == [block[1 + level] for block in made.BLOCKS]
    assert geography.population.tolist() == [block[6] for block in made.BLOCKS]
    assert (facts.split, facts.population_known, facts.unpeopled_tracts) == ((0, 0), True, 0)
    north, _ = centroids(geography, Level.TRACT)
    assert north[0] == pytest.approx((30 * 40.00 + 10 * 40.01) / 40, abs=1e-5)


def test_that_a_tract_across_areas_goes_where_most_of_its_people_live() -> None:
    blocks = [list(block) for block in made.BLOCKS]
    blocks[1][2] = "P2"  # 10 of tract 011's 40 people
    geography, facts = read_geography(made.geography(blocks), COLUMNS)
    assert facts.split == (1, 0)
    assert geography.areas[Level.PUMA][geography.area_of[Level.PUMA][1]] == "P1"


def test_that_blocks_of_a_tract_without_people_weigh_alike() -> None:
    blocks = [(*block[:6], 0 if block[1] == "012" else block[6]) for block in made.BLOCKS]
    geography, facts = read_geography(made.geography(blocks), COLUMNS)
    assert facts.unpeopled_tracts == 1
    assert geography.population[2:4].tolist() == [1, 1]


def without(block: int, column: int, value: Any) -> list[tuple[Any, ...]]:
    rows = [list(row) for row in made.BLOCKS]
    rows[block][column] = value
    return [tuple(row) for row in rows]


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        (without(2, 4, float("nan")), "1 block of the geography without coordinates (0121)"),
        (without(2, 5, 200.0), "coordinates that are not degrees (0121)"),
        (without(3, 1, ""), "1 block of the geography without a tract (0122)"),
        (without(3, 0, "0121"), "1 block of the geography has more than one row (0121)"),
        (without(3, 0, ""), "no block code"),
        (without(3, 6, -1), "not a whole number from zero up"),
        (without(3, 6, 2.5), "not a whole number from zero up"),
    ],
)
def test_that_a_broken_geography_is_told_with_the_block(blocks: list[tuple[Any, ...]], said: str) -> None:
    with pytest.raises(UserProblem) as wrong:
        read_geography(made.geography(blocks), COLUMNS)
    assert said in str(wrong.value)
    assert all(problem.do for problem in wrong.value.problems)


def test_that_workplaces_are_where_their_block_or_tract_is() -> None:
    prepared = made.prepared()
    north, east = workplaces(prepared)
    known = {block[0]: block[4:6] for block in made.BLOCKS}
    assert [(a, b) for a, b in zip(north, east, strict=True)] == [known[code] for code in prepared.work_area]
