"""The 29-point grid on which residence patterns are compared: commute distance × direction.

Eight distance classes in miles, 0, (0, 1), [1, 4), [4, 10), [10, 25), [25, 100), [100, 500) and 500 or more, times four
directions from the workplace (NW, NE, SW, SE); distance 0 has no direction, so 1 + 7 × 4 = 29 points.
Source: slides, section 6, “Analytic validity metric”.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.products.commuting_flows.flows.columns import UNKNOWN, find_codes
from workbench.products.commuting_flows.flows.distances import miles_between
from workbench.products.commuting_flows.flows.structures import Indices, Numbers, Populations
from workbench.products.commuting_flows.flows.work_areas import middles_of, work_areas_of

POINTS = 29
EDGES = (1.0, 4.0, 10.0, 25.0, 100.0, 500.0)  # miles at which the second and later classes begin
DISTANCES = ("0", "0–1", "1–4", "4–10", "10–25", "25–100", "100–500", "500+")
DIRECTIONS = ("NW", "NE", "SW", "SE")


def point_names() -> tuple[str, ...]:
    """The names of the 29 points, in their order."""
    return ("0 miles", *(f"{miles} miles {way}" for miles in DISTANCES[1:] for way in DIRECTIONS))


def workplaces(populations: Populations) -> tuple[Numbers, Numbers]:
    """Latitude and longitude of every workplace area: the block's own point, or the middle of the area's people."""
    geography = populations.geography
    block = find_codes(populations.work_area, geography.blocks)
    if not np.any(block == UNKNOWN):
        return geography.latitude[block], geography.longitude[block]
    areas = work_areas_of(populations.work_area, geography)
    place = find_codes(populations.work_area, areas.codes)
    latitude, longitude = middles_of(geography, areas)
    return latitude[place], longitude[place]


def distance_class(miles: Numbers) -> NDArray[np.int64]:
    """0 for no distance at all, then 1 … 7."""
    classes: NDArray[np.int64] = np.where(miles > 0.0, 1 + np.searchsorted(EDGES, miles, side="right"), 0)
    return classes


def commutes(populations: Populations, population: Indices, block: Indices) -> tuple[Numbers, NDArray[np.int64]]:
    """For each pair of population and home block: the miles, and the point of the grid."""
    latitude, longitude = workplaces(populations)
    area = populations.area_of[population]
    geography = populations.geography
    return placed(latitude[area], longitude[area], geography.latitude[block], geography.longitude[block])


def placed(
    latitude: Numbers, longitude: Numbers, home_latitude: Numbers, home_longitude: Numbers
) -> tuple[Numbers, NDArray[np.int64]]:
    """Miles and point of the grid, element by element.

    North is a latitude at or above the workplace's, east a longitude at or above it the short way round.
    """
    miles = miles_between(latitude, longitude, home_latitude, home_longitude)
    south = home_latitude < latitude
    east = (home_longitude - longitude + 540.0) % 360.0 - 180.0 >= 0.0
    classes = distance_class(miles)
    return miles, np.where(classes == 0, 0, 1 + 4 * (classes - 1) + 2 * south + east)
