"""Twins of the slides' states against the slides' two tables: how near they are, and where they are known to differ."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.products.commuting_flows.facts import facts
from workbench.products.commuting_flows.study.prepared import prepared_twin, twin_inputs
from workbench.products.commuting_flows.twin.commuting import make_state_twin

# means of the slides: total, Super-PUMA, PUMA, tract; below 10, 10–25, 25–100, 100–500, 500 and more miles
POINTS = {
    "state-a": (1005, 526, 39, 438, 265, 127, 85, 139, 389),
    "state-b": (1027, 526, 47, 453, 188, 195, 121, 181, 343),
    "state-c": (672, 537, 10, 125, 15, 16, 54, 80, 508),
}
# State A's .01 at 25–100 miles is read as .13, the value after elimination; “All” is the unweighted mean of the rows
SHARES = {
    "state-a": (0.47, 0.30, 0.13, 0.01, 0.00),
    "state-b": (0.40, 0.19, 0.09, 0.01, 0.00),
    "state-c": (0.92, 0.63, 0.15, 0.02, 0.00),
}
ALL = {"state-a": 0.18, "state-b": 0.14, "state-c": 0.34}


@cache
def described(name: str) -> dict[str, Any]:
    prepared = prepared_twin(twin_inputs(state=name, jobs=8_000, seed=1, context=QUIET))
    return {finding.id: finding.tables[0].rows for finding in facts(prepared) if finding.tables}


@pytest.mark.parametrize("name", list(POINTS))
def test_that_the_slides_row_all_is_the_mean_of_its_rows(name: str) -> None:
    assert np.mean(SHARES[name]) == pytest.approx(ALL[name], abs=0.006)


@pytest.mark.parametrize("name", list(POINTS))
def test_that_a_whole_country_is_around_every_state(name: str) -> None:
    rows = {row[0]: row for row in described(name)["flows-support-points"]}
    assert rows["Level: Super-PUMA"][1] == pytest.approx(POINTS[name][1], rel=0.05)
    far = rows["Miles: 500 and more"]
    assert far[1] == pytest.approx(POINTS[name][-1], rel=0.05)


@pytest.mark.parametrize("name", ["state-a", "state-b"])
def test_that_states_with_cities_have_the_slides_points_by_level_and_distance(name: str) -> None:
    """Within a quarter, but at 25–100 miles, where the twins have too few points (a quarter to a half)."""
    rows = [row[1] for row in described(name)["flows-support-points"]]
    for place, (here, told) in enumerate(zip(rows, POINTS[name], strict=True)):
        if place != 6:
            assert here == pytest.approx(told, rel=0.26), place
        else:
            assert 0.2 * told < here < told


@pytest.mark.parametrize("name", ["state-a", "state-b"])
def test_that_prior_support_is_near_the_slides_at_both_ends(name: str) -> None:
    """Below 10 miles within .15, beyond 100 within .07. Between, coarsened points of the twins have more support.

    State C is not held to it: its commutes would have to be a hundred miles long to leave so many points as tracts.
    """
    rows = [row[1] for row in described(name)["flows-prior-support"]][:5]
    assert rows[0] == pytest.approx(SHARES[name][0], abs=0.15)
    assert rows[3] == pytest.approx(SHARES[name][3], abs=0.07)
    assert rows[4] == pytest.approx(SHARES[name][4], abs=0.005)


def test_that_most_populations_are_small_and_few_workers_come_from_far() -> None:
    twin = make_state_twin("state-a", jobs=90_000, seed=2, context=QUIET)
    region = twin.region
    work, home = (region.tract_of[twin.columns[name].codes] for name in ("w_geocode", "h_geocode"))
    size = np.bincount(twin.columns["w_geocode"].codes)[twin.workplaces]
    assert 0.6 < np.mean(size < 10) < 0.8
    assert 0.1 < size[size < 10].sum() / size.sum() < 0.2
    miles = np.hypot(region.east[work] - region.east[home], region.north[work] - region.north[home])
    assert 0.03 < np.mean(miles > 100.0) < 0.05
    assert twin.prior_jobs.sum() == 90_000 // 4, "a quarter-sized sample of last year's pattern"


def test_that_a_state_of_too_few_jobs_is_refused() -> None:
    with pytest.raises(UserProblem, match="cannot be made"):
        make_state_twin("state-a", jobs=500, seed=1, context=QUIET)
